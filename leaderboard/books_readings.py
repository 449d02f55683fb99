"""The questions of readers and workers over many submissions: the queue, boards, systems, the latest.

One function a question, inside a transaction that `Store` opens; nothing is changed here.
"""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from leaderboard.books_rows import NOT_RESCORED, is_present_sheet, pairs, sheet_of, submission_of, with_sheet
from leaderboard.schema import audit, scores, submissions, tasks
from leaderboard.submissions import ENDED, Progress, ScoreSheet, Submission, Visibility

_AT_ONCE = 1000  # values in one statement, fewer than any database takes


def waiting(connection: sa.Connection) -> list[Submission]:
    """Return all submissions that wait, oldest first."""
    query = sa.select(submissions).where(submissions.c.progress == Progress.WAITING)
    return [
        submission_of(row) for row in connection.execute(query.order_by(submissions.c.submitted_at, submissions.c.id))
    ]


def line(connection: sa.Connection) -> tuple[int, datetime | None]:
    """Return how many submissions wait, and when the oldest of them came."""
    query = sa.select(sa.func.count(), sa.func.min(submissions.c.submitted_at))
    n_waiting, oldest_at = connection.execute(query.where(submissions.c.progress == Progress.WAITING)).one()
    return n_waiting, oldest_at


def earlier_of_owner(connection: sa.Connection, submission: Submission) -> list[str]:
    """Return the scored submissions of the same owner to the same task, latest first, at most a hundred."""
    query = sa.select(submissions.c.id).where(
        submissions.c.owner_hash == submission.owner_hash,
        submissions.c.task_id == submission.task_id,
        submissions.c.id != submission.id,
        submissions.c.progress == Progress.SCORED,
        submissions.c.visibility != Visibility.DELETED,
    )
    return list(connection.scalars(query.order_by(submissions.c.submitted_at.desc(), submissions.c.id).limit(100)))


def queue_position(connection: sa.Connection, submission_id: str) -> tuple[int, int] | None:
    """Return the place of a waiting submission (1 is next) and how many wait; None if it does not wait."""
    mine = submissions.alias()
    is_ahead = sa.or_(
        submissions.c.submitted_at < mine.c.submitted_at,
        sa.and_(submissions.c.submitted_at == mine.c.submitted_at, submissions.c.id < mine.c.id),
    )
    is_waiting = submissions.c.progress == Progress.WAITING
    n_ahead = sa.select(sa.func.count()).select_from(submissions).where(is_waiting, is_ahead).correlate(mine)
    n_all = sa.select(sa.func.count()).select_from(submissions).where(is_waiting)
    row = connection.execute(
        sa.select(n_ahead.scalar_subquery(), n_all.scalar_subquery()).where(
            mine.c.id == submission_id, mine.c.progress == Progress.WAITING
        )
    ).one_or_none()
    return None if row is None else (row[0] + 1, row[1])


def published(connection: sa.Connection, task_id: str) -> list[tuple[Submission, ScoreSheet]]:
    """Return one public submission a system, the marked or else the latest published, that the present gold scored."""
    place = sa.func.row_number().over(
        partition_by=submissions.c.system_id,
        order_by=(
            submissions.c.is_marked.desc(),
            submissions.c.published_at.desc(),
            submissions.c.submitted_at.desc(),
            submissions.c.id,
        ),
    )
    ranked = (
        sa.select(submissions.c.id, place.label("place"))
        .join(scores, scores.c.submission_id == submissions.c.id)
        .join(tasks, sa.and_(tasks.c.task_id == submissions.c.task_id, tasks.c.fingerprint == scores.c.fingerprint))
        .where(submissions.c.task_id == task_id, submissions.c.visibility == Visibility.PUBLIC)
        .subquery()
    )
    query = (
        with_sheet()
        .join(ranked, sa.and_(ranked.c.id == submissions.c.id, ranked.c.place == 1))
        .order_by(submissions.c.submitted_at, submissions.c.id)
    )
    return [(one, sheet) for one, sheet in pairs(connection, query) if sheet is not None]


def stale(connection: sa.Connection, task_id: str) -> list[Submission]:
    """Return the scored submissions with a run that the present gold of a task has not scored, public ones first."""
    query = (
        sa.select(submissions)
        .join(tasks, tasks.c.task_id == submissions.c.task_id)
        .outerjoin(scores, is_present_sheet())
        .where(
            submissions.c.task_id == task_id,
            submissions.c.progress == Progress.SCORED,
            submissions.c.visibility.not_in(ENDED),
            scores.c.submission_id.is_(None),
        )
        .order_by((submissions.c.visibility != Visibility.PUBLIC), submissions.c.submitted_at, submissions.c.id)
    )
    return [submission_of(row) for row in connection.execute(query)]


def rescoring(connection: sa.Connection, task_id: str) -> tuple[int, int]:
    """Return how many public submissions of a task are done with its present gold, and how many there are.

    Done are also those that the present gold cannot score.
    """
    is_public = (submissions.c.task_id == task_id, submissions.c.visibility == Visibility.PUBLIC)
    fingerprint = connection.scalar(sa.select(tasks.c.fingerprint).where(tasks.c.task_id == task_id))
    public = set(connection.scalars(sa.select(submissions.c.id).where(*is_public)))
    scored = sa.select(scores.c.submission_id).join(submissions, submissions.c.id == scores.c.submission_id)
    done = set(connection.scalars(scored.where(*is_public, scores.c.fingerprint == fingerprint)))
    notes = sa.select(audit.c.submission_id, audit.c.facts).where(
        audit.c.task_id == task_id, audit.c.action == NOT_RESCORED
    )
    done |= {row.submission_id for row in connection.execute(notes) if row.facts.get("fingerprint") == fingerprint}
    return len(public & done), len(public)


def sheet(connection: sa.Connection, submission_id: str) -> ScoreSheet | None:
    """Return the scores of a submission: on the present gold if there, else the last ones."""
    query = (
        sa.select(scores)
        .join(submissions, submissions.c.id == scores.c.submission_id)
        .join(tasks, tasks.c.task_id == submissions.c.task_id)
        .where(scores.c.submission_id == submission_id)
        .order_by(sa.case((scores.c.fingerprint == tasks.c.fingerprint, 0), else_=1), scores.c.scored_at.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else sheet_of(row)


def history(connection: sa.Connection, wanted: str) -> list[tuple[Submission, ScoreSheet | None]]:
    """Return all submissions of a system that are public now, latest first, with their scores on the present gold."""
    query = with_sheet().where(submissions.c.system_id == wanted, submissions.c.visibility == Visibility.PUBLIC)
    return pairs(connection, query.order_by(submissions.c.published_at.desc(), submissions.c.id))


def public_among(connection: sa.Connection, ids: Sequence[str]) -> frozenset[str]:
    """Return those of these submissions that are public."""
    query = sa.select(submissions.c.id).where(submissions.c.visibility == Visibility.PUBLIC)
    found: set[str] = set()
    for start in range(0, len(ids), _AT_ONCE):
        found |= set(connection.scalars(query.where(submissions.c.id.in_(ids[start : start + _AT_ONCE]))))
    return frozenset(found)


def n_deleted(connection: sa.Connection) -> int:
    """Count the deleted submissions."""
    is_deleted = submissions.c.visibility == Visibility.DELETED
    return connection.scalar(sa.select(sa.func.count()).select_from(submissions).where(is_deleted)) or 0


def deleted(connection: sa.Connection) -> list[Submission]:
    """Return all deleted submissions."""
    query = sa.select(submissions).where(submissions.c.visibility == Visibility.DELETED)
    return [submission_of(row) for row in connection.execute(query)]


def latest_public(connection: sa.Connection, n: int) -> list[tuple[Submission, ScoreSheet | None]]:
    """Return the n submissions that were published last, latest first, with their scores on the present gold."""
    query = with_sheet().where(submissions.c.visibility == Visibility.PUBLIC)
    return pairs(connection, query.order_by(submissions.c.published_at.desc(), submissions.c.id).limit(n))
