"""The page of a board's past: what each revision changed, each as it was, and the board of any day."""

from functools import partial
from html import escape

import gradio as gr

from data.task import Task, in_language
from leaderboard.hall import Hall
from leaderboard.history import MOST_DIGITS
from leaderboard.pages.frame import html, on_load, page
from leaderboard.parts import blocks, history_view
from leaderboard.visit import Heads, PageHead, Visit

PATH = "history"


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds."""
    with page(demo, PATH):
        on_load(demo, PATH, partial(draw, hall), [html(elem_id="history")])
    return {PATH: partial(head, hall)}


def head(hall: Hall, visit: Visit) -> PageHead:
    """Say what the served HTML of this page holds; without scripts the whole list stands there too."""
    words, task = visit.words, _task(hall, visit)
    if task is None:
        said = words.get("history.unknown_task")
        return PageHead(said, intro=blocks.intro(said), status=404)
    title = words.get("history.title", task=in_language(task.name, visit.lang))
    lead = words.get("history.lead")
    to_board = blocks.button(words.get("history.to_present"), visit.link(task.id))
    fallback = f'<div class="q-wrap">{draw(hall, visit)}</div>'
    return PageHead(title, lead, blocks.intro(title, lead, actions=to_board), fallback)


def draw(hall: Hall, visit: Visit) -> str:
    """Return the form for a day and the list of changes."""
    words, task = visit.words, _task(hall, visit)
    if task is None:
        return ""
    changes, earlier = hall.board.history.changes(task.id, _before(visit))
    if not changes:
        return blocks.block(blocks.empty(words.get("history.none")))
    listed = history_view.change_table(
        changes,
        hall.board.history.public_among(changes),
        words,
        see=lambda number: visit.link(task.id, rev=str(number)),
        as_json=lambda number: f"./boards/{task.id}.json?rev={number}",
    )
    older = ""
    if earlier is not None:
        href = visit.link(PATH, task=task.id, before=str(earlier))
        older = f"<p>{blocks.button(words.get('history.older'), href)}</p>"
    note = f"<p>{escape(words.get('history.gone_note'))}</p>"
    return blocks.block(history_view.day_form(f"./{task.id}", visit.asked, words) + note + listed + older)


def _task(hall: Hall, visit: Visit) -> Task | None:
    return hall.board.catalogue.get(visit.query.get("task", ""))


def _before(visit: Visit) -> int | None:
    asked = visit.query.get("before", "")
    return int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= MOST_DIGITS else None
