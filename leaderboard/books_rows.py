"""What the questions to the books share: rows as the nouns of `submissions`, a guarded insert, and the audit's entry.

Nothing here opens a database, reads a clock or commits.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from leaderboard.schema import audit, scores, submissions, tasks
from leaderboard.submissions import (
    Actor,
    Progress,
    ScoreSheet,
    Submission,
    SystemForm,
    UnknownSubmission,
    Visibility,
)

Row = sa.Row[Any]
NOT_RESCORED = "not-rescored"  # in the audit: the gold that its facts name could not score the submission
FORM_COLUMNS = tuple(SystemForm.__dataclass_fields__)


def insert_once(connection: sa.Connection, table: sa.Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless its key is there; True if it is new. Of many at once exactly one gets True."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement = dialect.insert(table).values(**values).on_conflict_do_nothing().returning(sa.literal(1))
    return connection.scalar(statement) is not None


def note(
    connection: sa.Connection,
    now: datetime,
    actor: Actor,
    action: str,
    *,
    submission_id: str | None = None,
    task_id: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Write an entry of the audit, in the transaction of the change that it speaks of."""
    connection.execute(
        sa.insert(audit).values(
            at=now, actor=actor, action=action, submission_id=submission_id, task_id=task_id, facts=dict(facts or {})
        )
    )


def find(connection: sa.Connection, submission_id: str) -> Submission | None:
    """Return a submission, or None."""
    row = connection.execute(sa.select(submissions).where(submissions.c.id == submission_id)).one_or_none()
    return None if row is None else submission_of(row)


def get(connection: sa.Connection, submission_id: str, *, for_change: bool = False) -> Submission:
    """Return a submission, locked against other changes if asked. Raises UnknownSubmission."""
    query = sa.select(submissions).where(submissions.c.id == submission_id)
    row = connection.execute(query.with_for_update() if for_change else query).one_or_none()
    if row is None:
        raise UnknownSubmission(submission_id)
    return submission_of(row)


def is_present_sheet() -> sa.ColumnElement[bool]:
    """Join a submission to its scores on the present gold of its task; `tasks` must be joined before."""
    return sa.and_(scores.c.submission_id == submissions.c.id, scores.c.fingerprint == tasks.c.fingerprint)


def with_sheet() -> sa.Select[Any]:
    """Select submissions with their scores on the present gold where there are any; rows are for `pairs`."""
    sheet_columns = [column.label(f"sheet_{column.name}") for column in scores.c]
    joined = submissions.join(tasks, tasks.c.task_id == submissions.c.task_id).outerjoin(scores, is_present_sheet())
    return sa.select(submissions, *sheet_columns).select_from(joined)


def pairs(connection: sa.Connection, query: sa.Select[Any]) -> list[tuple[Submission, ScoreSheet | None]]:
    """Return what a `with_sheet` query finds."""
    return [
        (submission_of(row), None if row.sheet_submission_id is None else sheet_of(row, "sheet_"))
        for row in connection.execute(query)
    ]


def submission_of(row: Row) -> Submission:
    """Turn a row that holds all columns of the submissions into one."""
    values = row._mapping
    kept = [name for name in Submission.__dataclass_fields__ if name not in ("form", "progress", "visibility")]
    return Submission(
        **{name: values[name] for name in kept},
        form=SystemForm(**{name: values[name] for name in FORM_COLUMNS}),
        progress=Progress(values["progress"]),
        visibility=Visibility(values["visibility"]),
    )


def sheet_of(row: Row, prefix: str = "") -> ScoreSheet:
    """Turn a row of the scores into a sheet; `prefix` stands before its column names."""
    values: Sequence[Any] = [row._mapping[prefix + name] for name in ScoreSheet.__dataclass_fields__]
    return ScoreSheet(*values)
