"""The reliability page: figures that tests of this repository counted, each with its command."""

from functools import partial
from html import escape

import gradio as gr

from leaderboard.hall import Hall
from leaderboard.measured import Figure, read_measured
from leaderboard.pages.frame import html, on_load, page
from leaderboard.parts import blocks
from leaderboard.parts.method_view import queue_state
from leaderboard.texts import Texts, format_number
from leaderboard.version import own_version
from leaderboard.views import Health
from leaderboard.visit import Heads, PageHead, Visit

PATH = "reliability"


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds."""
    with page(demo, PATH):
        on_load(demo, PATH, partial(draw, hall), [html(elem_id="reliability")])
    return {PATH: partial(head, hall)}


def head(hall: Hall, visit: Visit) -> PageHead:
    """Say what the served HTML of this page holds; without scripts the whole text stands there too."""
    title, lead = visit.words.get("reliability.title"), visit.words.get("reliability.lead")
    return PageHead(title, lead, blocks.intro(title, lead), f'<div class="q-wrap">{draw(hall, visit)}</div>')


def draw(hall: Hall, visit: Visit) -> str:
    """Return how all does now, the figures, how to measure again, and what they do not say."""
    words = visit.words
    now = _now(hall.board.health(), words)
    figures = read_measured()
    shown = _table([row(name, figure, words) for name, figure in figures.items()], words) if figures else ""
    nothing = blocks.empty(words.get("reliability.nothing"))
    limits = "".join(f"<p>{escape(words.get(f'reliability.limits_{n}'))}</p>" for n in (1, 2))
    return blocks.block(
        f"{now}<h2>{escape(words.get('reliability.figures'))}</h2>"
        f"{shown or nothing}<h2>{escape(words.get('reliability.again'))}</h2>"
        f"<p>{escape(words.get('reliability.again_text'))}</p>{blocks.copy_box('python -m tests.measure', words)}"
        f"<h2>{escape(words.get('reliability.limits'))}</h2>{limits}"
    )


def _now(health: Health, words: Texts) -> str:
    """Return how queue, scoring process and archive do now."""
    told = queue_state(words, health.queue)
    archive = health.archive
    if archive is not None:
        said = words.get(f"reliability.archive_{archive.state}", n=format_number(archive.n_waiting, words.lang))
        told += f"<p>{escape(said)}</p>"
    return f"<h2>{escape(words.get('reliability.now'))}</h2>{told}"


def row(name: str, figure: Figure, words: Texts) -> list[str]:
    """Return the cells of one figure; whole numbers are counts, others have one decimal."""
    numbers = {
        key: format_number(value, words.lang, 0 if isinstance(value, int) else 1)
        for key, value in figure.items()
        if not isinstance(value, str)
    }
    passed = format_number(int(figure["tests"]) - int(figure["failed"]), words.lang)
    checks = escape(words.get("reliability.checks_value", passed=passed, tests=numbers["tests"]))
    if figure["skipped"]:
        checks += f"<br>{escape(words.get('reliability.skipped', n=numbers['skipped']))}"
    said = escape(words.get(f"reliability.said_{name}", **numbers))
    command = f'<code class="q-cell-text">{escape(str(figure["command"]))}</code>'
    return [f'<span class="q-cell-text">{said}</span>', checks, command, escape(str(figure["on"]))]


def _table(rows: list[list[str]], words: Texts) -> str:
    heads = [words.get(f"reliability.{key}") for key in ("figure", "checks", "command", "on")]
    return blocks.table(heads, rows, caption=words.get("reliability.caption", version=own_version()))
