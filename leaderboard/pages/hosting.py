"""The host's guide: the steps from a folder to a board."""

from html import escape

import gradio as gr

from leaderboard.hall import Hall
from leaderboard.pages.frame import html, on_load, page
from leaderboard.parts import blocks
from leaderboard.texts import Texts
from leaderboard.visit import Heads, PageHead, Visit

PATH = "hosting"
N_STEPS = 6
_COMMANDS = {
    3: "export QRELBOARD_TASKS=/path/to/tasks GOLD_SOURCE=/path/to/gold\n.venv/bin/python -m leaderboard check my-task",
    4: "make serve",
}


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds."""
    with page(demo, PATH):
        on_load(demo, PATH, draw, [html(elem_id="hosting")])
    return {PATH: head}


def head(visit: Visit) -> PageHead:
    """Say what the served HTML of this page holds; without scripts the whole text stands there too."""
    title, lead = visit.words.get("hosting.title"), visit.words.get("hosting.lead")
    return PageHead(title, lead, blocks.intro(title, lead), f'<div class="q-wrap">{draw(visit)}</div>')


def draw(visit: Visit) -> str:
    """Return the steps."""
    words = visit.words
    steps = "".join(f"<li>{_step(n, words)}</li>" for n in range(1, N_STEPS + 1))
    more = f'<p><a href="{escape(visit.link("about"))}">{escape(words.get("hosting.more"))}</a></p>'
    guide = f"<p>{escape(words.get('hosting.guide'))}</p>"
    return blocks.block(f'<ol class="q-guide">{steps}</ol>{guide}{more}')


def _step(n: int, words: Texts) -> str:
    command = blocks.copy_box(_COMMANDS[n], words) if n in _COMMANDS else ""
    title, text = (escape(words.get(f"hosting.step_{key}")) for key in (n, f"{n}_text"))
    return f"<h2>{title}</h2><p>{text}</p>{command}"
