"""Answer the comparisons that readers asked for, a few at a time, so that boards and the queue do not wait for them."""

import json
import logging
from collections.abc import Callable, Mapping
from datetime import datetime

from data.task import Task
from leaderboard.comparisons import NotComparable, Question
from leaderboard.logs import where
from leaderboard.standings import Json
from leaderboard.store import Store
from leaderboard.surveying import Surveyor

AT_ONCE = 5

_log = logging.getLogger(__name__)


def answer_comparisons(
    store: Store, tasks: Mapping[str, Task], surveyor: Surveyor, clock: Callable[[], datetime]
) -> int:
    """Answer or refuse the questions that wait longest; returns how many. Several workers may do it at once.

    One that fails in a way that nobody expects is refused too: else it would be the first in line for ever.
    """
    questions = store.comparisons_asked(AT_ONCE)
    for question in questions:
        try:
            store.answer_comparison(question, _answer(store, tasks, surveyor, question), clock())
        except NotComparable as refusal:
            store.refuse_comparison(question, refusal.code, clock())
        except Exception as error:
            _log.error("comparison failed task=%s %s", question.task_id, where(error))
            store.refuse_comparison(question, "unexpected", clock())
    return len(questions)


def _answer(store: Store, tasks: Mapping[str, Task], surveyor: Surveyor, question: Question) -> Json:
    task, revision = tasks.get(question.task_id), store.revision(question.task_id)
    if task is None or revision is None:
        raise NotComparable("no-board")
    return surveyor.compare(task, json.loads(revision.body), question)
