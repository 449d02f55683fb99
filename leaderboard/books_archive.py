"""What the archive asks of the books: what it has not yet, what to write of it, and the way back into empty books.

The audit is the list of what changed: each change writes its entry in its own transaction, and an entry stays marked as
not archived until a write that holds it was confirmed. Sample rows are made anew by any worker and are left out.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from leaderboard import books_restoring
from leaderboard.archive_records import Entry, Gathered
from leaderboard.books_rows import Row, insert_once, note, submission_of
from leaderboard.schema import archive, audit, places, revisions, scores, submissions, systems, tasks
from leaderboard.submissions import Actor, Progress, Submission, Visibility

ARCHIVE, GOLD = "archive", "gold"
_AT_A_TIME = 500

Connecting = Callable[[], AbstractContextManager[sa.Connection]]


@dataclass(frozen=True, slots=True)
class ArchiveState:
    """How the archive is: "open", "away" (tried again by itself) or "refused", then `setting` says what to mend."""

    state: str
    setting: str | None
    restored_at: datetime | None
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the audit that is not in the archive yet; `board` is the number of a board that was made."""

    number: int
    at: datetime
    action: str
    submission_id: str | None
    task_id: str | None
    board: int | None


class ArchiveBooks:
    """Questions of the archive, each in a transaction of its own that the store opens."""

    def __init__(self, reading: Connecting, writing: Connecting) -> None:
        self._reading = reading
        self._writing = writing

    def state(self) -> ArchiveState | None:
        """Return how the archive is; None where none is set, or no worker has looked at it yet."""
        with self._reading() as connection:
            row = connection.execute(sa.select(archive).where(archive.c.place == ARCHIVE)).one_or_none()
        return None if row is None else ArchiveState(row.state, row.setting, row.restored_at, row.changed_at)

    def refused_setting(self) -> str | None:
        """Return the setting that must be mended before runs can be taken, the archive's or the gold's; or None."""
        query = sa.select(archive.c.setting).where(archive.c.state == "refused").order_by(archive.c.place)
        with self._reading() as connection:
            found: str | None = connection.scalar(query.limit(1))
        return found

    def set_state(self, state: str, now: datetime, *, setting: str | None = None, place: str = ARCHIVE) -> None:
        """Write down how the archive, or the gold's place, is from now on."""
        values = {"state": state, "setting": setting, "changed_at": now}
        with self._writing() as connection:
            if not insert_once(connection, archive, {"place": place, **values}):
                is_other = sa.or_(archive.c.state != state, archive.c.setting.is_distinct_from(setting))
                connection.execute(sa.update(archive).where(archive.c.place == place, is_other).values(**values))

    def forget_state(self, place: str = ARCHIVE) -> None:
        """Write down that there is no such place."""
        with self._writing() as connection:
            connection.execute(sa.delete(archive).where(archive.c.place == place))

    def is_archived(self, submission_id: str) -> bool:
        """Say whether the archive holds a submission with its run file."""
        query = sa.select(audit.c.number).where(
            audit.c.submission_id == submission_id, audit.c.action == "received", audit.c.is_archived
        )
        with self._reading() as connection:
            return connection.scalar(query.limit(1)) is not None

    def lag(self) -> tuple[int, datetime | None]:
        """Return how many changes the archive has not yet, and when the oldest of them was."""
        query = sa.select(sa.func.count(), sa.func.min(audit.c.at)).where(~audit.c.is_archived)
        with self._reading() as connection:
            n_changes, oldest_at = connection.execute(query).one()
        return n_changes, oldest_at

    def changes(self, n: int) -> list[Change]:
        """Return the n oldest changes that the archive has not yet."""
        query = sa.select(audit).where(~audit.c.is_archived).order_by(audit.c.number).limit(n)
        with self._reading() as connection:
            return [_change(row) for row in connection.execute(query)]

    def samples(self, submission_ids: Collection[str]) -> set[str]:
        """Return which of these are sample rows."""
        query = sa.select(submissions.c.id).where(submissions.c.id.in_(submission_ids), submissions.c.is_sample)
        with self._reading() as connection:
            return set(connection.scalars(query))

    def sample_tasks(self) -> set[str]:
        """Return the tasks on generated gold, whose boards are nobody's."""
        query = sa.select(tasks.c.task_id, tasks.c.facts).where(tasks.c.facts.is_not(None))
        with self._reading() as connection:
            return {row.task_id for row in connection.execute(query) if row.facts.get("is_sample")}

    def entries(self, changes: Sequence[Change]) -> list[Entry]:
        """Return what to write of some changes: their audit, and the present state of the submissions they changed."""
        ids = sorted({change.submission_id for change in changes if change.submission_id})
        numbers = [change.number for change in changes]
        with_board = {change.task_id for change in changes if change.board and change.task_id}
        with self._reading() as connection:
            found = list(_submission_entries(connection, submissions.c.id.in_(ids)))
            found += [entry for entry in _task_entries(connection) if entry.key in with_board]
            query = sa.select(audit).where(audit.c.number.in_(numbers)).order_by(audit.c.number)
            return [*found, *map(_audit_entry, connection.execute(query))]

    def whole(self) -> Iterator[Entry]:
        """Return all that a snapshot holds, in one transaction: tasks with their present board, submissions, audit.

        A submission whose run file is not archived yet is left out; its turn comes with the changes.
        """
        not_yet = sa.select(audit.c.submission_id).where(~audit.c.is_archived, audit.c.action == "received")
        with self._reading() as connection:
            yield from _task_entries(connection)
            yield from _submission_entries(connection, ~submissions.c.is_sample, submissions.c.id.not_in(not_yet))
            of_samples = sa.select(submissions.c.id).where(submissions.c.is_sample)
            is_told = sa.or_(audit.c.submission_id.is_(None), audit.c.submission_id.not_in(of_samples))
            query = sa.select(audit).where(audit.c.is_archived, is_told).order_by(audit.c.number)
            yield from map(_audit_entry, connection.execute(query))

    def board(self, task_id: str, number: int) -> Entry | None:
        """Return a board as it was shown; None if there is none of this number."""
        query = sa.select(revisions).where(revisions.c.task_id == task_id, revisions.c.number == number)
        with self._reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else Entry("board", f"{task_id}/{number}", number, {"row": dict(row._mapping)})

    def add_board(self, entry: Entry) -> bool:
        """Bring back a board as it was; False if it is there. Raises as SQLAlchemy does for one that cannot be."""
        with self._writing() as connection:
            return insert_once(connection, revisions, books_restoring.values_of(revisions, entry.body["row"]))

    def boards_kept(self) -> dict[str, set[int]]:
        """Return the numbers of the boards that the books have, by task."""
        kept: dict[str, set[int]] = {}
        with self._reading() as connection:
            for task_id in connection.scalars(sa.select(tasks.c.task_id)):
                kept[task_id] = set()
            for row in connection.execute(sa.select(revisions.c.task_id, revisions.c.number)):
                kept[row.task_id].add(row.number)
        return kept

    def mark_archived(self, numbers: Sequence[int]) -> None:
        """Write down that the archive holds these changes."""
        with self._writing() as connection:
            for start in range(0, len(numbers), _AT_A_TIME):
                part = numbers[start : start + _AT_A_TIME]
                connection.execute(sa.update(audit).where(audit.c.number.in_(part)).values(is_archived=True))

    def is_new_to_archive(self) -> bool:
        """Say whether these books were never restored from an archive, nor written to one."""
        state = self.state()
        with self._reading() as connection:
            has_archived = connection.scalar(sa.select(audit.c.number).where(audit.c.is_archived).limit(1)) is not None
        return not has_archived and (state is None or state.restored_at is None)

    def restore(self, gathered: Gathered, now: datetime) -> int:
        """Add all that the books do not have, in one transaction; returns how many submissions came back.

        What cannot be added is noted in `gathered.skipped` and in the audit, and stops nothing.
        """
        with self._writing() as connection:
            n_restored = books_restoring.restore(connection, gathered)
            for skipped in gathered.skipped:
                told = {"entry": skipped.place, "reason": skipped.reason}
                note(connection, now, Actor.WORKER, "restore-skipped", facts=told)
            insert_once(connection, archive, {"place": ARCHIVE, "state": "open", "changed_at": now})
            connection.execute(sa.update(archive).where(archive.c.place == ARCHIVE).values(restored_at=now))
        return n_restored

    def scored(self) -> list[Submission]:
        """Return all scored submissions whose run file there should be, oldest first."""
        query = sa.select(submissions).where(submissions.c.progress == Progress.SCORED, submissions.c.is_run_kept)
        with self._reading() as connection:
            return [submission_of(row) for row in connection.execute(query.order_by(submissions.c.submitted_at))]

    def is_empty(self) -> bool:
        """Say whether the books hold no submission of anybody."""
        query = sa.select(submissions.c.id).where(~submissions.c.is_sample).limit(1)
        with self._reading() as connection:
            return connection.scalar(query) is None

    def runs_wanted(self) -> list[str]:
        """Return the run files that the archive can have and that are needed, those of the newest submissions first."""
        query = sa.select(submissions.c.run_sha256).where(
            submissions.c.is_run_kept, ~submissions.c.is_sample, submissions.c.visibility != Visibility.DELETED
        )
        query = query.group_by(submissions.c.run_sha256).order_by(sa.func.max(submissions.c.submitted_at).desc())
        with self._reading() as connection:
            return list(connection.scalars(query))

    def submissions_of_run(self, run_sha256: str) -> list[str]:
        """Return the submissions that have this run file."""
        with self._reading() as connection:
            return list(connection.scalars(sa.select(submissions.c.id).where(submissions.c.run_sha256 == run_sha256)))


def _change(row: Row) -> Change:
    board = row.facts.get("number") if row.action == "board" else None
    return Change(row.number, row.at, row.action, row.submission_id, row.task_id, board)


def _audit_entry(row: Row) -> Entry:
    values = {name: value for name, value in row._mapping.items() if name != "is_archived"}
    return Entry("audit", str(row.number), row.number, {"row": values})


def _submission_entries(connection: sa.Connection, *which: sa.ColumnElement[bool]) -> Iterator[Entry]:
    """Return submissions with their system and scores; the version is the number of their last change."""
    last = sa.select(sa.func.max(audit.c.number)).where(audit.c.submission_id == submissions.c.id).scalar_subquery()
    of_system = [column.label(f"system__{column.name}") for column in systems.c]
    joined = submissions.join(systems, systems.c.id == submissions.c.system_id)
    query = sa.select(submissions, *of_system, last.label("last__number")).select_from(joined).where(*which)
    found = connection.execute(query.order_by(submissions.c.submitted_at, submissions.c.id)).all()
    for start in range(0, len(found), _AT_A_TIME):
        part = found[start : start + _AT_A_TIME]
        sheets: dict[str, list[Mapping[str, Any]]] = {}
        wanted = sa.select(scores).where(scores.c.submission_id.in_([row.id for row in part]))
        for sheet in connection.execute(wanted.order_by(scores.c.scored_at)):
            sheets.setdefault(sheet.submission_id, []).append(dict(sheet._mapping))
        taken = sa.select(places).where(places.c.submission_id.in_([row.id for row in part]))
        # an address is hashed with a salt that is forgotten on purpose: what is left of it counts here alone
        held = {row.submission_id: {**row._mapping, "address": None} for row in connection.execute(taken)}
        for row in part:
            values = dict(row._mapping)
            body = {
                "row": {name: values[name] for name in submissions.c.keys()},  # noqa: SIM118
                "system": {name: values[f"system__{name}"] for name in systems.c.keys()},  # noqa: SIM118
                "scores": sheets.get(row.id, []),
                "place": held.get(row.id),
            }
            yield Entry("submission", row.id, values["last__number"] or 0, body)


def _task_entries(connection: sa.Connection) -> Iterator[Entry]:
    is_present = sa.and_(revisions.c.task_id == tasks.c.task_id, revisions.c.number == tasks.c.revision_number)
    for row in connection.execute(sa.select(tasks)).all():
        shown = connection.execute(sa.select(revisions).join(tasks, is_present).where(tasks.c.task_id == row.task_id))
        revision = shown.one_or_none()
        if row.facts is not None and row.facts.get("is_sample"):
            continue
        body = {"row": dict(row._mapping), "revision": None if revision is None else dict(revision._mapping)}
        yield Entry("task", row.task_id, row.revision_number, body)
