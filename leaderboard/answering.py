"""Answer the comparisons that readers asked for, a few at a time, so that boards and the queue do not wait for them."""

import json
import logging
import time
from collections.abc import Callable, Mapping
from datetime import datetime

from data.task import Task
from leaderboard.comparisons import NotComparable, Question
from leaderboard.logs import where
from leaderboard.standings import Json
from leaderboard.store import Store
from leaderboard.surveying import Surveyor

AT_ONCE = 5
# After so long the rest waits for the next sweep: one question about 10,000 topics takes some seconds.
MOST_S = 2.0

_log = logging.getLogger(__name__)


def answer_comparisons(
    store: Store,
    tasks: Mapping[str, Task],
    surveyor: Surveyor,
    clock: Callable[[], datetime],
    *,
    monotonic: Callable[[], float] = time.monotonic,
) -> int:
    """Answer or refuse the questions that wait longest; returns how many. Several workers may do it at once.

    One that fails in a way that nobody expects is refused too: else it would be the first in line for ever.
    """
    started, n_done = monotonic(), 0
    for question in store.comparisons_asked(AT_ONCE):
        if monotonic() - started > MOST_S:
            break
        n_done += 1
        try:
            store.answer_comparison(question, _answer(store, tasks, surveyor, question), clock())
        except NotComparable as refusal:
            store.refuse_comparison(question, refusal.code, clock())
        except Exception as error:
            _log.error("comparison failed task=%s %s", question.task_id, where(error))
            store.refuse_comparison(question, "unexpected", clock())
    return n_done


def _answer(store: Store, tasks: Mapping[str, Task], surveyor: Surveyor, question: Question) -> Json:
    task, revision = tasks.get(question.task_id), store.revision(question.task_id)
    if task is None or revision is None:
        raise NotComparable("no-board")
    return surveyor.compare(task, json.loads(revision.body), question)
