"""The questions about comparisons: asked by readers, kept for the next one who asks the same, answered by a worker.

One function a question, inside a transaction that `Store` opens.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from leaderboard.books_rows import insert_once
from leaderboard.comparisons import Comparison, ComparisonState, NotComparable, Question
from leaderboard.schema import comparisons

# A reader waits a second or two for an answer; with so many before him it would be a minute.
MOST_ASKED = 50
# and so many more of owners about their own runs, whom the questions of strangers must not shut out
OWNERS_PLACES = 20
# Those asked last; all can be computed again, each is some 10 kB.
KEPT = 200
# Why it was refused may have passed by then.
ASK_AGAIN = timedelta(minutes=1)


def ask(
    connection: sa.Connection,
    question: Question,
    now: datetime,
    *,
    most: int = MOST_ASKED,
    may_ask: Callable[[], bool] | None = None,
) -> Comparison:
    """Return what became of a question, asking it if nobody did, or again a minute after it was refused.

    Raises NotComparable, code "busy", where `most` others wait or who asks may not ask anything new.
    """
    present = find(connection, question, refused_after=now - ASK_AGAIN)
    if present is not None:
        return present
    n_asked = sa.select(sa.func.count()).select_from(comparisons).where(comparisons.c.state == ComparisonState.ASKED)
    if (connection.scalar(n_asked) or 0) >= most or (may_ask is not None and not may_ask()):
        raise NotComparable("busy")
    values = {
        "task_id": question.task_id,
        "fingerprint": question.fingerprint,
        "ids": list(question.ids),
        "state": ComparisonState.ASKED,
        "body": None,
        "code": None,
        "changed_at": now,
    }
    if not insert_once(connection, comparisons, {"key": question.key, **values}):
        again = (comparisons.c.key == question.key, comparisons.c.state == ComparisonState.REFUSED)
        connection.execute(sa.update(comparisons).where(*again).values(**values))
    newest = sa.select(comparisons.c.key).order_by(comparisons.c.changed_at.desc(), comparisons.c.key).limit(KEPT)
    is_old = sa.and_(comparisons.c.key.not_in(newest), comparisons.c.state != ComparisonState.ASKED)
    connection.execute(sa.delete(comparisons).where(is_old))
    return find(connection, question) or Comparison(question, ComparisonState.ASKED)


def find(connection: sa.Connection, question: Question, *, refused_after: datetime | None = None) -> Comparison | None:
    """Return what became of a question; None if nobody asked it, or if it was refused before the moment given."""
    row = connection.execute(sa.select(comparisons).where(comparisons.c.key == question.key)).one_or_none()
    if row is None:
        return None
    state = ComparisonState(row.state)
    if state is ComparisonState.REFUSED and refused_after is not None and row.changed_at <= refused_after:
        return None
    return Comparison(question, state, row.body, row.code or "")


def asked(connection: sa.Connection, n: int) -> list[Question]:
    """Return the n questions that wait longest."""
    query = sa.select(comparisons).where(comparisons.c.state == ComparisonState.ASKED)
    rows = connection.execute(query.order_by(comparisons.c.changed_at, comparisons.c.key).limit(n))
    return [Question(row.task_id, row.fingerprint, row.ids[0], tuple(row.ids[1:])) for row in rows]


def forget(connection: sa.Connection, submission_id: str) -> None:
    """Drop every question that names a submission, and its answer."""
    names_it = sa.cast(comparisons.c.ids, sa.Text).contains(f'"{submission_id}"', autoescape=True)
    connection.execute(sa.delete(comparisons).where(names_it))


def answer(
    connection: sa.Connection, question: Question, now: datetime, *, body: Mapping[str, Any] | None, code: str = ""
) -> bool:
    """Write down the answer, or without a body the code of the refusal; False if somebody was first."""
    state = ComparisonState.REFUSED if body is None else ComparisonState.ANSWERED
    statement = (
        sa.update(comparisons)
        .where(comparisons.c.key == question.key, comparisons.c.state == ComparisonState.ASKED)
        .values(state=state, body=None if body is None else dict(body), code=code or None, changed_at=now)
    )
    return connection.execute(statement).rowcount == 1
