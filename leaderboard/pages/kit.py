"""Gather what a submitter of a task is handed: public facts, one line of the example run, addresses."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from data.task import Task
from leaderboard.hall import Hall
from leaderboard.parts.data_view import FIELDS, Kit
from leaderboard.parts.error_view import closed_sentence
from leaderboard.quota import Caller
from leaderboard.visit import Visit

HEADER_LINES = 200


def kit_of(hall: Hall, task: Task, visit: Visit) -> Kit:
    """Return what the submit page shows about a task."""
    example = hall.board.example_run(task.id)
    facts = hall.board.facts(task.id)
    account = visit.account
    code = hall.intake.closed(task.id, Caller(account=account.key if account else None))
    return Kit(
        task=task,
        facts=facts,
        example_line=first_line(example) if example else None,
        example_href=f"./examples/{task.id}.run" if example else None,
        board_href=visit.link(task.id),
        closed=closed_sentence(code, visit.words) if code else None,
        login_href=visit.login_link() if code == "login-needed" else "",
    )


def first_line(path: Path) -> Sequence[str] | None:
    """Return the six fields of the first ranking line of a run, None where there is none near its beginning."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in islice(lines, HEADER_LINES):
            fields = line.split()
            if len(fields) == len(FIELDS) and not line.startswith("#"):
                return fields
    return None
