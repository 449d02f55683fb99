"""The questions that the books answer about tasks: public facts of the gold, boards, workers, and the audit.

One function a question, inside a transaction that `Store` opens. A board is ordered by counting up `wanted`; whoever
computes it writes the count that it saw into `done`, so that no order is lost and none is served twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from leaderboard.books_rows import insert_once, note
from leaderboard.schema import audit, revisions, tasks, workers
from leaderboard.submissions import Actor, GoldFacts, Revision


@dataclass(frozen=True, slots=True)
class TaskState:
    """Two counters that say whether what one knows of a task is still true: of its gold facts and of its board.

    `is_board_due` says that another board is ordered and not made yet.
    """

    gold_stamp: int
    revision_number: int
    is_board_due: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change of the books: when, on whose behalf, what."""

    at: datetime
    actor: str
    action: str
    submission_id: str | None
    task_id: str | None
    facts: Mapping[str, Any]


def publish_gold(connection: sa.Connection, facts: GoldFacts, topic_ids: Sequence[str], now: datetime) -> bool:
    """Write down what all may know of a task's gold, and order a board if that changed; False if it was known."""
    values = {"facts": asdict(facts), "topic_ids": "\n".join(topic_ids), "fingerprint": facts.fingerprint}
    insert_once(connection, tasks, {"task_id": facts.task_id})
    of_task = tasks.c.task_id == facts.task_id
    known = connection.execute(sa.select(tasks.c.facts, tasks.c.topic_ids).where(of_task).with_for_update()).one()
    if known.topic_ids == values["topic_ids"] and known.facts is not None and _facts(known.facts) == _normal(facts):
        return False
    connection.execute(sa.update(tasks).where(of_task).values(**values, gold_stamp=tasks.c.gold_stamp + 1))
    want_board(connection, facts.task_id)
    told = {"version": facts.version, "fingerprint": facts.fingerprint}
    note(connection, now, Actor.WORKER, "gold-published", task_id=facts.task_id, facts=told)
    return True


def withdraw_gold(connection: sa.Connection, task_id: str, now: datetime) -> bool:
    """Forget the gold facts of a task, which closes its uploads; False if there were none."""
    statement = (
        sa.update(tasks)
        .where(tasks.c.task_id == task_id, tasks.c.topic_ids.is_not(None))
        .values(facts=None, topic_ids=None, fingerprint=None, gold_stamp=tasks.c.gold_stamp + 1)
    )
    if connection.execute(statement).rowcount == 0:
        return False
    note(connection, now, Actor.WORKER, "gold-withdrawn", task_id=task_id)
    return True


def gold_facts(connection: sa.Connection, task_id: str) -> GoldFacts | None:
    """Return the public facts of a task's gold; None if no worker has opened it."""
    facts = connection.scalar(sa.select(tasks.c.facts).where(tasks.c.task_id == task_id))
    return None if facts is None else _facts(facts)


def topic_ids(connection: sa.Connection, task_id: str) -> tuple[str, ...]:
    """Return the public topic list of a task; empty if no worker has opened its gold."""
    text = connection.scalar(sa.select(tasks.c.topic_ids).where(tasks.c.task_id == task_id))
    return tuple(text.split("\n")) if text else ()


def states(connection: sa.Connection) -> dict[str, TaskState]:
    """Return the counters of all tasks that the books know, in one reading."""
    is_due = (tasks.c.wanted > tasks.c.done).label("is_due")
    query = sa.select(tasks.c.task_id, tasks.c.gold_stamp, tasks.c.revision_number, is_due)
    return {
        row.task_id: TaskState(row.gold_stamp, row.revision_number, bool(row.is_due))
        for row in connection.execute(query)
    }


def want_board(connection: sa.Connection, task_id: str) -> None:
    """Order a new board of a task."""
    insert_once(connection, tasks, {"task_id": task_id})
    connection.execute(sa.update(tasks).where(tasks.c.task_id == task_id).values(wanted=tasks.c.wanted + 1))


def boards_wanted(connection: sa.Connection) -> list[tuple[str, int]]:
    """Return the tasks whose board is ordered and not done, each with the count to hand to `add_revision`."""
    query = sa.select(tasks.c.task_id, tasks.c.wanted).where(tasks.c.wanted > tasks.c.done)
    return [(row.task_id, row.wanted) for row in connection.execute(query.order_by(tasks.c.task_id))]


def add_revision(connection: sa.Connection, new: Revision, *, wanted: int) -> Revision:
    """Make a computed board the present one; returns the present one instead if somebody was first.

    Somebody was first if a board for this order is there, or if `new.number` is not the next one; 0 stands for whatever
    is next.
    """
    order = (tasks.c.task_id == new.task_id, sa.or_(tasks.c.done < wanted, tasks.c.revision_number == 0))
    follows = (tasks.c.revision_number == new.number - 1,) if new.number else ()
    took = (
        sa.update(tasks)
        .where(*order, *follows)
        .values(done=wanted, revision_number=tasks.c.revision_number + 1)
        .returning(tasks.c.revision_number)
    )
    number = connection.scalar(took)
    if number is None:
        present = revision(connection, new.task_id)
        if present is None:
            raise LookupError(f"no board was ordered for the task {new.task_id}")
        return present
    added = replace(new, number=number)
    connection.execute(sa.insert(revisions).values(**asdict(added)))
    note(connection, new.made_at, Actor.WORKER, "board", task_id=new.task_id, facts={"number": number})
    return added


def revision(connection: sa.Connection, task_id: str) -> Revision | None:
    """Return the present board of a task, or None."""
    query = (
        sa.select(revisions)
        .join(tasks, sa.and_(tasks.c.task_id == revisions.c.task_id, tasks.c.revision_number == revisions.c.number))
        .where(revisions.c.task_id == task_id)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else Revision(**row._mapping)


def past_revision(connection: sa.Connection, task_id: str, number: int) -> Revision | None:
    """Return a board as it was made, or None. What it names may not be public any more."""
    query = sa.select(revisions).where(revisions.c.task_id == task_id, revisions.c.number == number)
    row = connection.execute(query).one_or_none()
    return None if row is None else Revision(**row._mapping)


def revision_numbers(connection: sa.Connection, task_id: str, before: int | datetime, n: int) -> list[int]:
    """Return the numbers of the n boards of a task before a number or made before a moment, latest first."""
    is_before = revisions.c.number < before if isinstance(before, int) else revisions.c.made_at < before
    query = sa.select(revisions.c.number).where(revisions.c.task_id == task_id, is_before)
    return list(connection.scalars(query.order_by(revisions.c.number.desc()).limit(n)))


def revision_number(connection: sa.Connection, task_id: str) -> int:
    """Return the number of a task's present board; 0 if there is none."""
    return connection.scalar(sa.select(tasks.c.revision_number).where(tasks.c.task_id == task_id)) or 0


def heartbeat(connection: sa.Connection, executor: str, now: datetime) -> None:
    """Write down that a worker lives."""
    if not insert_once(connection, workers, {"executor": executor, "seen_at": now}):
        connection.execute(sa.update(workers).where(workers.c.executor == executor).values(seen_at=now))


def seen_workers(connection: sa.Connection) -> dict[str, datetime]:
    """Return when each worker was last seen."""
    return {row.executor: row.seen_at for row in connection.execute(sa.select(workers))}


def forget_worker(connection: sa.Connection, executor: str) -> None:
    """Strike a worker that stopped in good order off the list."""
    connection.execute(sa.delete(workers).where(workers.c.executor == executor))


def audit_trail(connection: sa.Connection, submission_id: str) -> list[AuditEntry]:
    """Return every change of a submission, oldest first."""
    query = sa.select(audit).where(audit.c.submission_id == submission_id).order_by(audit.c.number)
    return [
        AuditEntry(row.at, row.actor, row.action, row.submission_id, row.task_id, row.facts)
        for row in connection.execute(query)
    ]


def _facts(stored: Mapping[str, Any]) -> GoldFacts:
    axes = {axis: tuple((v, n, groups) for v, n, groups in values) for axis, values in stored["axes"].items()}
    return GoldFacts(**{**stored, "axes": axes})


def _normal(facts: GoldFacts) -> GoldFacts:
    return _facts(asdict(facts))
