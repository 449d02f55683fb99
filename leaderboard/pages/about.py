"""The method page: how scores are made, what is hidden, what can be undone, and how a script asks."""

from functools import partial

import gradio as gr

from leaderboard.hall import Hall
from leaderboard.pages.frame import html, on_load, page
from leaderboard.parts import blocks, task_view
from leaderboard.parts.method_example import worked_example
from leaderboard.parts.method_view import Site, method
from leaderboard.rates import RATES
from leaderboard.version import own_version
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
    settings, rate = hall.settings, RATES["run"]
    is_limited = settings.has_address_limits
    site = Site(
        max_upload_bytes=settings.max_upload_bytes,
        max_unpacked_bytes=settings.max_unpacked_bytes,
        runs_at_once=rate.burst if is_limited else None,
        runs_a_minute=round(60 * rate.per_s) if is_limited else None,
        address=visit.site,
        version=own_version(),
        task_id=next((one.id for one in hall.board.catalogue.values() if one.has_gold), "irsc"),
        guide=visit.link("hosting"),
    )
    return method(visit.words, site, example=example(hall, visit), health=hall.board.queue_health())


def example(hall: Hall, visit: Visit) -> str:
    """Return one score followed step by step on the first board on open gold that allows it; "" where none does."""
    for task in hall.board.catalogue.values():
        board = hall.board.body(task.id) if task.gold == "open" else None
        shown = worked_example(board, task_view.labels_of(task, visit.words), visit.words) if board else ""
        if shown:
            return shown
    return ""
