"""Make the boards that were ordered: one finished JSON text a revision, for pages and machines alike.

Ranks come from the books alone: what gold may show was decided when a run was scored. How sure they are, a `Surveyor`
says. A large board appears at once without that and a moment later with it, so that no row waits for arithmetic.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from data.task import Task
from leaderboard import faults
from leaderboard.changes import as_shown
from leaderboard.logs import where
from leaderboard.standings import Json, make_board, noted_moves, utc_text
from leaderboard.store import Store
from leaderboard.submissions import GoldFacts, Revision
from leaderboard.surveying import Surveyor

_log = logging.getLogger(__name__)


def make_boards(
    store: Store, tasks: Mapping[str, Task], clock: Callable[[], datetime], surveyor: Surveyor | None = None
) -> int:
    """Make the board of every task that wants one; returns how many. Several workers may do it at once.

    An order is fulfilled by a board that was computed after it: the count of orders is read first. A task without gold
    keeps its order until there is some. While its runs are scored on another gold, readers keep the board of the last.
    """
    n_made = 0
    for task_id, wanted in store.boards_wanted():
        task, facts = tasks.get(task_id), store.gold_facts(task_id)
        if task is None or facts is None:
            continue
        revision = _revision(store, task, facts, clock(), surveyor)
        if revision is None:
            continue
        faults.at("board-computed", task_id)
        present = store.add_revision(
            task_id, wanted, revision.body, revision.etag, revision.made_at, number=revision.number
        )
        faults.at("board-added", task_id)
        if present.etag == revision.etag:
            n_made += 1
            _log.debug("board task=%s revision=%d bytes=%d", task_id, revision.number, len(revision.body))
    return n_made


def _revision(store: Store, task: Task, facts: GoldFacts, now: datetime, surveyor: Surveyor | None) -> Revision | None:
    """Return the next board of a task; None while readers should keep the present one."""
    # the number first: if somebody adds a revision from here on, ours is not the next one and is dropped
    number, present = store.revision_number(task.id) + 1, store.revision(task.id)
    shown = json.loads(present.body) if present else None
    if present and shown and _is_awaited(store, shown, facts):
        return _without_names(store, present, shown, number, now)
    board = noted_moves(make_board(store.published(task.id), task, facts), shown)
    if surveyor is not None and surveyor.takes_long(board) and not _is_shown(board, shown):
        # ordered once more before this one is out: the order outlives a crash in between
        store.want_board(task.id)
    elif surveyor is not None:
        board = _surveyed(surveyor, task, facts, board)
    return _finished(board, number, now)


def _finished(board: Mapping[str, Any], number: int, now: datetime) -> Revision:
    said = {key: value for key, value in board.items() if key not in ("task", "revision", "made_at")}
    whole = {"task": board["task"], "revision": number, "made_at": utc_text(now), **said}
    body = json.dumps(whole, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Revision(board["task"], number, now, body, hashlib.sha256(body.encode()).hexdigest()[:32])


def _is_awaited(store: Store, shown: Json, facts: GoldFacts) -> bool:
    """Say whether runs of a board on another gold are still to be scored on the present one. Samples are not kept."""
    if shown["gold"]["is_sample"] or shown["gold"]["fingerprint"] == facts.fingerprint:
        return False
    n_done, n_all = store.rescoring(facts.task_id)
    return n_done < n_all


def _without_names(store: Store, present: Revision, shown: Json, number: int, now: datetime) -> Revision | None:
    """Return the present board without the names of those who left it; None where all are public."""
    left = as_shown(present, shown, store.public_among(row["id"] for row in shown["rows"]))
    if left.body == present.body:
        return None
    # the board on the new gold stays ordered
    store.want_board(present.task_id)
    return _finished(json.loads(left.body), number, now)


def _surveyed(surveyor: Surveyor, task: Task, facts: GoldFacts, board: Json) -> Json:
    """Return the board with its uncertainty; without it where that fails: ranks do not wait for it."""
    try:
        return surveyor.survey(task, facts, board)
    except Exception as error:
        _log.error("board without its uncertainty task=%s %s", task.id, where(error))
        return board


def _is_shown(board: Json, shown: Json | None) -> bool:
    """Say whether readers see these rows on this gold already."""
    if shown is None:
        return False
    ids = [row["id"] for row in board["rows"]]
    return bool(shown["gold"] == board["gold"] and [row["id"] for row in shown["rows"]] == ids)
