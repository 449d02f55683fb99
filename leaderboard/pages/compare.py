"""The compare page: up to four systems of a board, one of them the reference. The worker answers, the page waits."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from data.task import Task, in_language
from leaderboard.comparisons import MOST_SYSTEMS, ComparisonState, NotComparable
from leaderboard.hall import Hall
from leaderboard.pages.frame import READ, html, on_load, page, visit_of
from leaderboard.parts import blocks, compare_view, task_view
from leaderboard.parts.compare_view import Asked
from leaderboard.visit import Heads, PageHead, Visit

PATH = "compare"
POLL_S = 1.5
MOST_POLLS = 40  # a minute
MAX_ID = 80


@dataclass(frozen=True, slots=True)
class Look:
    """What there is to see: the title, the systems, what was found in words or why nothing was, the figures."""

    title: str
    chooser: str
    verdicts: str
    figures: str = ""
    is_awaited: bool = False


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out, look for the answer until it is there, and say what its served HTML holds."""
    with page(demo, PATH):
        chooser = html(elem_id="compare-systems", js="qrelboard.compare.tidy(element, watch)")
        verdicts = html(elem_id="compare-verdicts", js="element.setAttribute('role', 'status')")
        figures = html(elem_id="compare-figures")
        timer = gr.Timer(POLL_S, active=False)
        n_polls = gr.State(0)
        on_load(demo, PATH, partial(draw, hall), [chooser, verdicts, figures, timer, n_polls])

        def poll(n: int, request: gr.Request) -> list[Any]:
            return look_again(hall, visit_of(request, PATH), n)

        timer.tick(poll, n_polls, [verdicts, figures, timer, n_polls], **READ)
    return {PATH: partial(head, hall)}


def head(hall: Hall, visit: Visit) -> PageHead:
    """Say what the served HTML of this page holds; readers without scripts find the answer there on a second look."""
    found = look(hall, visit)
    lead = visit.words.get("compare.lead")
    fallback = f'<div class="q-wrap">{found.chooser}{found.verdicts}{found.figures}</div>'
    # search engines would ask for every pair of systems
    return PageHead(found.title, lead, blocks.intro(found.title, lead), fallback, is_private="ids" in visit.query)


def draw(hall: Hall, visit: Visit) -> list[Any]:
    """Fill the page: systems, sentences, figures; the timer runs while the answer is on its way."""
    found = look(hall, visit)
    return [found.chooser, found.verdicts, found.figures, gr.Timer(active=found.is_awaited), 0]


def look_again(hall: Hall, visit: Visit, n_polls: int) -> list[Any]:
    """Show the answer if it is there; after a minute stop looking and say so."""
    is_late = n_polls + 1 >= MOST_POLLS
    found = look(hall, visit, is_late=is_late)
    if found.is_awaited and not is_late:
        return [gr.skip(), gr.skip(), gr.skip(), n_polls + 1]
    return [found.verdicts, found.figures, gr.Timer(active=False), n_polls + 1]


def look(hall: Hall, visit: Visit, *, is_late: bool = False) -> Look:
    """Ask what the address asks and say what there is to see; `is_late` where the page will not look again."""
    words = visit.words
    asked, ids = find(hall, visit)
    if asked is None:
        code = _no_board(hall, visit)
        said = compare_view.refusal(code, None, visit) if code else ""
        return Look(words.get("compare.title"), compare_view.tasks(_open_tasks(hall, visit), visit), said)
    title, chooser = compare_view.title(asked, words), compare_view.chooser(asked, visit)
    if len(ids) < 2:
        return Look(title, chooser, compare_view.invitation(asked, words))
    try:
        found = hall.board.comparison(asked.board["task"], ids, partial(hall.may_ask, visit.sender))
    except NotComparable as refusal:
        is_known = len(asked.rows) == len(ids)
        return Look(title, chooser, compare_view.refusal(refusal.code, asked, visit, is_known=is_known))
    if found.state is ComparisonState.REFUSED:
        return Look(title, chooser, compare_view.refusal(found.code, asked, visit))
    if found.body is None:
        said = compare_view.working(words, is_paused=hall.board.is_paused(), is_late=is_late)
        return Look(title, chooser, said, is_awaited=True)
    verdicts, figures = compare_view.verdicts(asked, found.body, words), compare_view.figures(asked, found.body, visit)
    return Look(title, chooser, verdicts, figures)


def find(hall: Hall, visit: Visit) -> tuple[Asked | None, list[str]]:
    """Return the rows that the address names and that stand on its board, and all ids that it names.

    The form without scripts names one more, `add`, perhaps in the place of another, `for`. No board: (None, []).
    """
    task = hall.board.catalogue.get(visit.query.get("task", ""))
    board = hall.board.body(task.id) if task is not None and task.gold == "open" else None
    if task is None or board is None or not board["rows"]:
        return None, []
    ids = asked_ids(visit)
    rows = {row["id"]: row for row in board["rows"]}
    labels = task_view.labels_of(task, visit.words)
    return Asked(board, labels, [rows[one] for one in dict.fromkeys(ids) if one in rows]), ids


def asked_ids(visit: Visit) -> list[str]:
    """Return the ids of the address, at most one more than can be compared."""
    ids = [one[:MAX_ID] for one in visit.query.get("ids", "").split(",") if one]
    added, instead = visit.query.get("add", "")[:MAX_ID], visit.query.get("for", "")
    if added and instead in ids:
        ids[ids.index(instead)] = added
    elif added:
        ids.append(added)
    return ids[: MOST_SYSTEMS + 1]


def _no_board(hall: Hall, visit: Visit) -> str:
    """Say by a code why the named task has nothing to compare; "" where none is named."""
    wanted = visit.query.get("task", "")
    task = hall.board.catalogue.get(wanted)
    if task is not None and task.gold == "sealed":
        return "sealed-gold"
    return "no-board" if wanted else ""


def _open_tasks(hall: Hall, visit: Visit) -> dict[str, str]:
    def has_rows(task: Task) -> bool:
        board = hall.board.body(task.id) if task.gold == "open" else None
        return board is not None and bool(board["rows"])

    return {task.id: in_language(task.name, visit.lang) for task in hall.board.catalogue.values() if has_rows(task)}
