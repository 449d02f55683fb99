"""The page for who writes scripts: every call with its types, and the plain files."""

from functools import partial

import gradio as gr

from leaderboard.hall import Hall
from leaderboard.pages.frame import html, on_load, page
from leaderboard.parts import api_view, blocks
from leaderboard.visit import Heads, PageHead, Visit

PATH = "api"


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds."""
    with page(demo, PATH):
        on_load(demo, PATH, partial(draw, hall), [html(elem_id="calls")])
    return {PATH: partial(head, hall)}


def head(hall: Hall, visit: Visit) -> PageHead:
    """Say what the served HTML of this page holds; without scripts the whole text stands there too."""
    title, lead = visit.words.get("api.title"), visit.words.get("api.lead")
    return PageHead(title, lead, blocks.intro(title, lead), f'<div class="q-wrap">{draw(hall, visit)}</div>')


def draw(hall: Hall, visit: Visit) -> str:
    """Return all calls, with a task of this site in the examples."""
    tasks = [task.id for task in hall.board.catalogue.values() if task.has_gold]
    return api_view.calls_page(visit.words, site=visit.site, task_id=tasks[0] if tasks else "TASK")
