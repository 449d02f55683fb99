"""The questions that the books answer about submissions, one function each, inside a transaction that `Store` opens.

Every change is guarded by the state that it expects. Nothing here opens a database, reads a clock or knows a file.
"""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from leaderboard import books_quota
from leaderboard.books_boards import want_board
from leaderboard.books_rows import NOT_RESCORED, Row, get, insert_once, note
from leaderboard.names import name_skeleton
from leaderboard.quota import Claim
from leaderboard.schema import scores, submissions, systems, tasks
from leaderboard.submissions import (
    ENDED,
    HOST_MOVES,
    OWNER_MOVES,
    Actor,
    Hold,
    IllegalMove,
    NameTaken,
    NewSubmission,
    Progress,
    ScoreSheet,
    Submission,
    Visibility,
    system_id,
)


def lock_run(connection: sa.Connection, run_sha256: str) -> None:
    """Wait until no other transaction adds or forgets these bytes. SQLite has one writer at a time anyway."""
    if connection.dialect.name == "postgresql":
        key = int(run_sha256[:15], 16)
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.cast(key, sa.BigInteger))))


def add(
    connection: sa.Connection, new: NewSubmission, now: datetime, claim: Claim | None = None
) -> tuple[Submission, bool]:
    """Insert a waiting, private submission; an existing row of this id is returned as it is, and takes no place.

    A `claim` takes a place in the quota of the task. Raises NameTaken, QuotaExceeded.
    """
    lock_run(connection, new.run_sha256)
    system = system_id(new.owner_hash, new.form.name)
    if name_holder(connection, new.form.name) not in (None, system):
        raise NameTaken(new.form.name)
    insert_once(connection, tasks, {"task_id": new.task_id})
    insert_once(
        connection,
        systems,
        {
            "id": system,
            "owner_hash": new.owner_hash,
            "name": new.form.name,
            "skeleton": name_skeleton(new.form.name),
            "has_name": False,
            "created_at": now,
        },
    )
    is_new = insert_once(connection, submissions, _first_row(new, system, now))
    if is_new:
        if claim is not None:
            books_quota.take(connection, new.id, new.task_id, claim, now)
        if new.is_sample:
            _claim_name(connection, system, new.form.name)
        note(connection, now, Actor.OWNER, "received", submission_id=new.id, task_id=new.task_id)
    return get(connection, new.id), is_new


def name_holder(connection: sa.Connection, name: str) -> str | None:
    """Return the id of the public system that has this name or one that looks like it; None if there is none."""
    holder = sa.select(systems.c.id).where(systems.c.skeleton == name_skeleton(name), systems.c.has_name)
    found: str | None = connection.scalar(holder)
    return found


def start_attempt(connection: sa.Connection, submission_id: str, executor: str, now: datetime) -> int | None:
    """Count one more attempt of a waiting submission and return the new count; None if there is nothing to score."""
    statement = (
        sa.update(submissions)
        .where(submissions.c.id == submission_id, submissions.c.progress == Progress.WAITING)
        .values(n_attempts=submissions.c.n_attempts + 1, executor=executor, started_at=now)
        .returning(submissions.c.n_attempts)
    )
    count: int | None = connection.scalar(statement)
    return count


def release_attempt(connection: sa.Connection, submission_id: str) -> None:
    """Take back the last attempt of a waiting submission: its worker was asked to stop, the run is not to blame."""
    connection.execute(
        sa.update(submissions)
        .where(
            submissions.c.id == submission_id,
            submissions.c.progress == Progress.WAITING,
            submissions.c.n_attempts > 0,
        )
        .values(n_attempts=submissions.c.n_attempts - 1, executor=None, started_at=None)
    )


def record_scores(
    connection: sa.Connection, submission_id: str, sheet: ScoreSheet, now: datetime, hold: Hold | None = None
) -> bool:
    """Turn a waiting submission into a scored one with its sheet; False if somebody was first.

    Samples go public, unless they are held.
    """
    changes = {"progress": Progress.SCORED, "finished_at": now, "executor": None}
    row = _close(connection, submission_id, changes)
    if row is None:
        return False
    _put_sheet(connection, row, sheet, now)
    note(connection, now, Actor.WORKER, "scored", submission_id=submission_id, task_id=row.task_id)
    if hold is not None:
        _hold(connection, submission_id, hold, now)
    elif row.is_sample and row.visibility == Visibility.PRIVATE:
        move_visibility(connection, submission_id, Visibility.PUBLIC, Actor.HOST, now)
    return True


def rescore(
    connection: sa.Connection, submission_id: str, sheet: ScoreSheet, now: datetime, hold: Hold | None = None
) -> bool:
    """Add the sheet of a scored submission for another gold; False if it is there or the submission is not scored."""
    row = get(connection, submission_id, for_change=True)
    if row.progress is not Progress.SCORED or not _put_sheet(connection, row, sheet, now):
        return False
    note(connection, now, Actor.WORKER, "rescored", submission_id=submission_id, task_id=row.task_id)
    if row.visibility is Visibility.PUBLIC:
        want_board(connection, row.task_id)
    if hold is not None:
        _hold(connection, submission_id, hold, now)
    return True


def give_up_rescoring(connection: sa.Connection, submission_id: str, now: datetime) -> None:
    """Note that the present gold cannot score a submission, and order the board, which need not wait for it."""
    row = get(connection, submission_id)
    fingerprint = connection.scalar(sa.select(tasks.c.fingerprint).where(tasks.c.task_id == row.task_id))
    facts = {"fingerprint": fingerprint}
    note(connection, now, Actor.WORKER, NOT_RESCORED, submission_id=row.id, task_id=row.task_id, facts=facts)
    want_board(connection, row.task_id)


def fail(connection: sa.Connection, submission_id: str, code: str, facts: Mapping[str, Any], now: datetime) -> bool:
    """Turn a waiting submission into a failed one with its reason; False if somebody was first.

    The file passed the check when it was accepted, so that a job that fails is our fault: it gives the place back.
    """
    changes = {
        "progress": Progress.FAILED,
        "failure_code": code,
        "failure_facts": dict(facts),
        "finished_at": now,
        "executor": None,
    }
    row = _close(connection, submission_id, changes)
    if row is not None:
        books_quota.give_back(connection, row.id)
        note(connection, now, Actor.WORKER, "failed", submission_id=row.id, task_id=row.task_id, facts={"code": code})
    return row is not None


def move_visibility(
    connection: sa.Connection,
    submission_id: str,
    to: Visibility,
    actor: Actor,
    now: datetime,
    *,
    why: Mapping[str, Any] | None = None,
) -> Submission:
    """Change who can see a submission, and order a new board where the old one shows or the new one would show it.

    A submission that is there already is returned as it is. One that is taken back before it was scored is closed as
    failed, code "cancelled". The audit notes `why`. Raises UnknownSubmission, IllegalMove, NameTaken.
    """
    old = get(connection, submission_id, for_change=True)
    if old.visibility is to:
        return old
    moves = OWNER_MOVES if actor is Actor.OWNER else HOST_MOVES
    if to not in moves[old.visibility]:
        raise IllegalMove(old.visibility, to)
    changes: dict[str, Any] = {"visibility": to, "is_marked": False}
    if to is Visibility.PUBLIC:
        if old.progress is not Progress.SCORED:
            raise IllegalMove(old.progress, to)
        _claim_name(connection, old.system_id, old.form.name)
        changes["published_at"] = now
    if to in ENDED and old.progress is Progress.WAITING:
        changes |= {"progress": Progress.FAILED, "failure_code": "cancelled", "finished_at": now}
    connection.execute(
        sa.update(submissions)
        .where(submissions.c.id == submission_id, submissions.c.visibility == old.visibility)
        .values(**changes)
    )
    if Visibility.PUBLIC in (old.visibility, to):
        want_board(connection, old.task_id)
    facts = {"from": str(old.visibility), **(why or {})}
    note(connection, now, actor, str(to), submission_id=submission_id, task_id=old.task_id, facts=facts)
    return get(connection, submission_id)


def mark(connection: sa.Connection, submission_id: str, actor: Actor, now: datetime) -> Submission:
    """Make a public submission the row of its system and task. Raises UnknownSubmission, IllegalMove."""
    chosen = get(connection, submission_id)
    same_row = sa.and_(submissions.c.system_id == chosen.system_id, submissions.c.task_id == chosen.task_id)
    connection.execute(sa.select(submissions.c.id).where(same_row).order_by(submissions.c.id).with_for_update())
    chosen = get(connection, submission_id)
    if chosen.visibility is not Visibility.PUBLIC:
        raise IllegalMove(chosen.visibility, "marked")
    if chosen.is_marked:
        return chosen
    connection.execute(sa.update(submissions).where(same_row, submissions.c.is_marked).values(is_marked=False))
    connection.execute(sa.update(submissions).where(submissions.c.id == submission_id).values(is_marked=True))
    want_board(connection, chosen.task_id)
    note(connection, now, actor, "marked", submission_id=submission_id, task_id=chosen.task_id)
    return get(connection, submission_id)


def is_run_in_use(connection: sa.Connection, run_sha256: str) -> bool:
    """Say whether a submission that is not deleted needs these bytes."""
    needs = (submissions.c.run_sha256 == run_sha256, submissions.c.visibility != Visibility.DELETED)
    return connection.scalar(sa.select(submissions.c.id).where(*needs).limit(1)) is not None


def note_run_gone(connection: sa.Connection, run_sha256: str) -> None:
    """Write down that the deleted submissions of these bytes hold no file any more."""
    gone = (submissions.c.run_sha256 == run_sha256, submissions.c.visibility == Visibility.DELETED)
    connection.execute(sa.update(submissions).where(*gone).values(is_run_kept=False))


def runs_to_forget(connection: sa.Connection) -> list[str]:
    """Return the hashes of runs whose deletion was begun and not finished."""
    begun = (submissions.c.visibility == Visibility.DELETED, submissions.c.is_run_kept)
    return list(connection.scalars(sa.select(submissions.c.run_sha256).where(*begun).distinct()))


def _hold(connection: sa.Connection, submission_id: str, hold: Hold, now: datetime) -> None:
    """Keep a submission from everybody, unless its owner took it back."""
    if Visibility.HELD in HOST_MOVES[get(connection, submission_id).visibility]:
        why = {"reason": hold.reason, **hold.facts}
        move_visibility(connection, submission_id, Visibility.HELD, Actor.WORKER, now, why=why)


def _first_row(new: NewSubmission, system: str, now: datetime) -> dict[str, Any]:
    columns = ("id", "task_id", "run_sha256", "run_size_bytes", "owner_hash", "link_hash", "n_lines", "n_topics")
    return {
        **{name: getattr(new, name) for name in (*columns, "is_baseline", "is_sample")},
        **asdict(new.form),
        "system_id": system,
        "notices": [dict(notice) for notice in new.notices],
        "is_run_kept": True,
        "progress": Progress.WAITING,
        "visibility": Visibility.PRIVATE,
        "is_marked": False,
        "n_attempts": 0,
        "failure_facts": {},
        "submitted_at": now,
    }


def _claim_name(connection: sa.Connection, system: str, name: str) -> None:
    """Give a system its name for good. Raises NameTaken if a look-alike belongs to another one."""
    try:
        connection.execute(sa.update(systems).where(systems.c.id == system).values(has_name=True))
    except IntegrityError as taken:
        raise NameTaken(name) from taken


def _close(connection: sa.Connection, submission_id: str, changes: Mapping[str, Any]) -> Row | None:
    statement = (
        sa.update(submissions)
        .where(submissions.c.id == submission_id, submissions.c.progress == Progress.WAITING)
        .values(**changes)
        .returning(submissions)
    )
    return connection.execute(statement).one_or_none()


def _put_sheet(connection: sa.Connection, row: Row | Submission, sheet: ScoreSheet, now: datetime) -> bool:
    fingerprint = connection.scalar(sa.select(tasks.c.fingerprint).where(tasks.c.task_id == row.task_id))
    values = {
        "submission_id": row.id,
        "fingerprint": fingerprint or sheet.gold_version,
        "gold_version": sheet.gold_version,
        "n_topics": sheet.n_topics,
        "n_answered": sheet.n_answered,
        "evaluation": dict(sheet.evaluation),
        "scored_at": now,
    }
    return insert_once(connection, scores, values)
