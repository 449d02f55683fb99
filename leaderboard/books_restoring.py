"""The way from the archive's entries back into the books, inside a transaction that the store opens.

What the books have is left alone; an entry that cannot be added is noted and stops nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from leaderboard.archive_records import Entry, Gathered, Skipped
from leaderboard.books_rows import insert_once
from leaderboard.schema import UtcTime, audit, places, revisions, scores, submissions, systems, tasks
from leaderboard.submissions import Progress, Visibility

_AT_A_TIME = 500
# what an entry that somebody else wrote may come to
_BAD = (SQLAlchemyError, ValueError, KeyError, TypeError, AttributeError)


def restore(connection: sa.Connection, gathered: Gathered) -> int:
    """Add all that the books do not have and return how many submissions that were; tasks get a board ordered."""
    _make_room_in_audit(connection, gathered)
    for entry in gathered.of("task"):
        _add_all(connection, gathered, [entry], _add_task)
    n_added = _add_submissions(connection, gathered)
    _add_audit(connection, gathered)
    _follow_numbers(connection)
    return n_added


def values_of(table: sa.Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that the table has, moments read from their text; columns of another version fall away."""
    found = {}
    for column in table.c:
        if column.name in row:
            value = row[column.name]
            is_moment = isinstance(column.type, UtcTime) and isinstance(value, str)
            found[column.name] = datetime.fromisoformat(value) if is_moment else value
    return found


def _add_task(connection: sa.Connection, part: Sequence[Entry]) -> bool:
    (entry,) = part
    row, revision = values_of(tasks, entry.body["row"]), entry.body["revision"]
    # a board is ordered, so that a worker with gold makes the next one from what came back
    row |= {"gold_stamp": 1, "wanted": 1, "done": 0}
    if revision is None:
        row["revision_number"] = 0
    if not insert_once(connection, tasks, row):
        return False
    if revision is not None:
        insert_once(connection, revisions, values_of(revisions, revision))
    return True


def _add_submissions(connection: sa.Connection, gathered: Gathered) -> int:
    """Add what is missing, many at a time; where a part is refused, one by one, so that the bad one is found."""
    known = set(connection.scalars(sa.select(submissions.c.id)))
    entries = [entry for entry in gathered.of("submission") if entry.key not in known]
    only_marks = _last_marks(entries)
    n_added = 0
    for start in range(0, len(entries), _AT_A_TIME):
        n_added += _add_all(
            connection, gathered, entries[start : start + _AT_A_TIME], lambda c, part: _add_part(c, part, only_marks)
        )
    return n_added


def _add_part(connection: sa.Connection, part: Sequence[Entry], only_marks: Collection[str]) -> bool:
    rows = [_submission_row(entry, only_marks) for entry in part]
    by_id = {entry.body["system"]["id"]: values_of(systems, entry.body["system"]) for entry in part}
    _insert_many(connection, tasks, [{"task_id": task_id} for task_id in {row["task_id"] for row in rows}])
    _insert_many(connection, systems, list(by_id.values()))
    # a system that came with an earlier submission may have got its name since
    named = [system_id for system_id, system in by_id.items() if system["has_name"]]
    connection.execute(sa.update(systems).where(systems.c.id.in_(named)).values(has_name=True))
    connection.execute(sa.insert(submissions), rows)
    sheets = [values_of(scores, sheet) for entry in part for sheet in entry.body["scores"]]
    _insert_many(connection, scores, sheets)
    # archives of a version without quotas have no places
    _insert_many(connection, places, [values_of(places, held) for entry in part if (held := entry.body.get("place"))])
    return True


def _submission_row(entry: Entry, only_marks: Collection[str]) -> dict[str, Any]:
    row = values_of(submissions, entry.body["row"])
    if row["id"] != entry.key:
        raise ValueError("the entry names another submission than its key")
    if row["progress"] == Progress.WAITING:
        row |= {"n_attempts": 0, "executor": None, "started_at": None}
    if row["visibility"] == Visibility.DELETED:
        row["is_run_kept"] = False
    row["is_marked"] = row["is_marked"] and row["id"] in only_marks
    return row


def _last_marks(entries: Iterable[Entry]) -> set[str]:
    """Return the marked ones that were marked last: who lost the mark has no entry of its own that says so."""
    last: dict[tuple[Any, Any], str] = {}
    for entry in entries:
        row = entry.body.get("row") or {}
        if isinstance(row, Mapping) and row.get("is_marked"):
            last[row.get("system_id"), row.get("task_id")] = entry.key
    return set(last.values())


def _add_audit(connection: sa.Connection, gathered: Gathered) -> None:
    def add(connection: sa.Connection, part: Sequence[Entry]) -> bool:
        rows = [values_of(audit, {**entry.body["row"], "is_archived": True}) for entry in part]
        if any(row["number"] != entry.version for row, entry in zip(rows, part, strict=True)):
            raise ValueError("the entry names another number than its version")
        _insert_many(connection, audit, rows)
        return True

    entries = gathered.of("audit")
    for start in range(0, len(entries), _AT_A_TIME):
        _add_all(connection, gathered, entries[start : start + _AT_A_TIME], add)


def _insert_many(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, those that are there left alone."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    for columns in {tuple(row) for row in rows}:
        alike = [dict(row) for row in rows if tuple(row) == columns]
        connection.execute(dialect.insert(table).on_conflict_do_nothing(), alike)


def _add_all(
    connection: sa.Connection,
    gathered: Gathered,
    part: Sequence[Entry],
    add: Callable[[sa.Connection, Sequence[Entry]], bool],
) -> int:
    """Add entries at once, or each on its own where that is refused; what is bad is noted. Returns how many went in."""
    try:
        with connection.begin_nested():
            return len(part) if add(connection, part) else 0
    except _BAD as error:
        if len(part) == 1:
            gathered.skipped.append(Skipped(f"{part[0].kind} {part[0].key[:80]}", type(error).__name__))
            return 0
    return sum(_add_all(connection, gathered, [entry], add) for entry in part)


def _make_room_in_audit(connection: sa.Connection, gathered: Gathered) -> None:
    """Move entries that no archive has behind those that come: numbers order the states of a submission."""
    highest = max((entry.version for entry in gathered.of("audit")), default=0)
    has_archived = connection.scalar(sa.select(audit.c.number).where(audit.c.is_archived).limit(1)) is not None
    own = connection.scalar(sa.select(sa.func.max(audit.c.number))) or 0
    if own and not has_archived:
        connection.execute(sa.update(audit).values(number=audit.c.number + max(own, highest)))


def _follow_numbers(connection: sa.Connection) -> None:
    """Let PostgreSQL count on from the highest number; SQLite does by itself."""
    if connection.dialect.name == "postgresql":
        highest = sa.select(sa.func.coalesce(sa.func.max(audit.c.number), 0) + 1).scalar_subquery()
        sequence = sa.func.pg_get_serial_sequence("audit", "number")
        connection.execute(sa.select(sa.func.setval(sequence, highest, False)))
