"""The system page: where a system stands on all boards, and its versions."""

from functools import partial

import gradio as gr

from leaderboard.hall import Hall
from leaderboard.pages.frame import html, on_load, page
from leaderboard.parts import blocks
from leaderboard.parts.system_view import badges, content, facts, missing
from leaderboard.views import SystemView
from leaderboard.visit import Heads, PageHead, Visit

PATH = "system"
MAX_ID = 80


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds."""
    with page(demo, PATH):
        body = html(elem_id="system")
        on_load(demo, PATH, partial(draw, hall), [body])
    return {PATH: partial(head, hall)}


def head(hall: Hall, visit: Visit) -> PageHead:
    """Say what the served HTML of this page holds; an address of no public system is not found."""
    words = visit.words
    view = _view(hall, visit)
    if view is None:
        title = words.get("system.not_found_title")
        return PageHead(title, intro=blocks.intro(title), fallback=missing(visit), status=404)
    return PageHead(
        view.name,
        words.get("system.description", name=view.name),
        blocks.intro(view.name, above=badges(view, words), facts=facts(view, words)),
        fallback=content(view, visit),
    )


def draw(hall: Hall, visit: Visit) -> str:
    """Return the tables of the system that the address names."""
    view = _view(hall, visit)
    return missing(visit) if view is None else content(view, visit)


def _view(hall: Hall, visit: Visit) -> SystemView | None:
    return hall.board.system(visit.query.get("id", "")[:MAX_ID])
