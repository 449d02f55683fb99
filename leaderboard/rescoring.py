"""Scores that are due again: of submissions that the present gold has not scored, and of rows whose scores are lost.

One submission a call, so that the caller can do other things in between; what a crash cut short is found again.
"""

import logging
from collections.abc import Mapping

from data.task import Task
from leaderboard.books_boards import TaskState
from leaderboard.evaluating import Examiner
from leaderboard.surveying import Surveyor

_log = logging.getLogger(__name__)


class Rescorer:
    """Brings the scores of all tasks up to their present gold, in the way in which runs are scored the first time."""

    def __init__(self, tasks: Mapping[str, Task], examiner: Examiner, surveyor: Surveyor) -> None:
        self._tasks = tasks
        self._examiner = examiner
        self._surveyor = surveyor
        self._looked: dict[str, TaskState] = {}
        self._due: dict[str, list[str]] = {}
        self._failed: set[tuple[str, int]] = set()

    def score_next(self) -> str | None:
        """Score one submission again and return its id; None where nothing is due.

        The board of a task is ordered when its last one is done. One that cannot be scored on this gold is logged and
        left as it is, until the gold changes or the worker starts again.
        """
        for task_id, state in self._examiner.store.states().items():
            task = self._tasks.get(task_id)
            if task is None or not task.has_gold or not self._is_due(task, state):
                continue
            submission_id = self._due[task_id].pop(0)
            if not self._examiner.evaluate_again(submission_id):
                self._failed.add((submission_id, state.gold_stamp))
            if not self._due[task_id]:
                self._examiner.store.want_board(task_id)
            return submission_id
        return None

    def _is_due(self, task: Task, state: TaskState) -> bool:
        """Look for what is due when the gold or the board is another than last time; say whether there is anything."""
        last = self._looked.get(task.id)
        is_other_gold = last is None or last.gold_stamp != state.gold_stamp
        if is_other_gold or (last != state and not self._due[task.id]):
            # noted first: gold that cannot be opened is not tried again every second
            self._looked[task.id], self._due[task.id] = state, []
            self._due[task.id] = self._find(task, state)
            if self._due[task.id]:
                _log.info("due again task=%s submissions=%d", task.id, len(self._due[task.id]))
        return bool(self._due[task.id])

    def _find(self, task: Task, state: TaskState) -> list[str]:
        store = self._examiner.store
        if store.gold_facts(task.id) is None:
            return []
        stale = [one.id for one in store.stale(task.id)]
        shown = [one.id for one, _ in store.published(task.id)]
        due = [*stale, *self._surveyor.missing(task, shown)]
        return [one for one in due if (one, state.gold_stamp) not in self._failed]
