"""The method page: how scores are made, what is hidden, what can be undone, and how a script asks."""

from functools import partial

import gradio as gr

from leaderboard.hall import Hall
from leaderboard.pages.frame import html, on_load, page
from leaderboard.parts import blocks
from leaderboard.parts.method_view import method
from leaderboard.visit import Heads, PageHead, Visit

PATH = "about"


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds."""
    with page(demo, PATH):
        on_load(demo, PATH, partial(draw, hall), [html(elem_id="method")])
    return {PATH: partial(head, hall)}


def head(hall: Hall, visit: Visit) -> PageHead:
    """Say what the served HTML of this page holds; without scripts the whole text stands there too."""
    title, lead = visit.words.get("method.title"), visit.words.get("method.lead")
    return PageHead(title, lead, blocks.intro(title, lead), f'<div class="q-wrap">{draw(hall, visit)}</div>')


def draw(hall: Hall, visit: Visit) -> str:
    """Return the sections."""
    settings = hall.settings
    return method(
        visit.words,
        max_upload_bytes=settings.max_upload_bytes,
        max_unpacked_bytes=settings.max_unpacked_bytes,
        address=visit.site,
        task_id=next((one.id for one in hall.board.catalogue.values() if one.has_gold), "irsc"),
    )
