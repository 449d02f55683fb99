"""Boards as they were: any kept revision, by number or by day, and what changed from one to the next.

Nothing is computed anew: a past board is the text that everybody got then. Only who is not public any more loses its
name, whatever the reason: its rank and scores stay, so that the ranks of all others can still be understood.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache

from leaderboard.changes import Change, Json, as_shown, change_of
from leaderboard.store import Store
from leaderboard.submissions import Revision

MOST_DIGITS = 9  # of a revision's number in an address
N_CACHED = 64
PER_PAGE = 50


class History:
    """Answers from the kept revisions. Safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._load = lru_cache(maxsize=N_CACHED)(self._read)

    def asked(self, task_id: str, query: Mapping[str, str]) -> Revision | None:
        """Return the board that `rev` (a number) or else `on` (a day in UTC) asks for, as it may be shown today.

        None where there is no such board or what was asked for is no number or no day.
        """
        number = self._number(task_id, query)
        if number is None:
            return None
        try:
            revision, board = self._load(task_id, number)
        except LookupError:
            return None
        return as_shown(revision, board, self._store.public_among(row["id"] for row in board["rows"]))

    def changes(self, task_id: str, before: int | None = None) -> tuple[list[Change], int | None]:
        """Return what the latest revisions changed, latest first, and where to ask for earlier ones: None if nowhere.

        `before` is the number of a revision: only earlier ones are told.
        """
        numbers = self._store.revision_numbers(task_id, before or 10**MOST_DIGITS, PER_PAGE + 1)
        found = []
        for place, number in enumerate(numbers[:PER_PAGE]):
            revision, board = self._load(task_id, number)
            earlier = self._load(task_id, numbers[place + 1])[1] if place + 1 < len(numbers) else None
            found.append(change_of(revision, board, earlier))
        return found, numbers[PER_PAGE - 1] if len(numbers) > PER_PAGE else None

    def public_among(self, changes: Iterable[Change]) -> frozenset[str]:
        """Return the submissions of these changes that are public today."""
        seats = (seat for change in changes for move in change.moves for seat in (move.before, move.after))
        return self._store.public_among(seat.id for seat in seats if seat)

    def _number(self, task_id: str, query: Mapping[str, str]) -> int | None:
        if "rev" in query:
            asked = query["rev"]
            return int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= MOST_DIGITS else None
        day = day_asked(query.get("on", ""))
        numbers = [] if day is None else self._store.revision_numbers(task_id, day + timedelta(days=1), 1)
        return numbers[0] if numbers else None

    def _read(self, task_id: str, number: int) -> tuple[Revision, Json]:
        """Read a revision that will never change. Raises LookupError: what comes later must not stay unknown."""
        revision = self._store.past_revision(task_id, number)
        if revision is None:
            raise LookupError(number)
        return revision, json.loads(revision.body)


def is_asked(query: Mapping[str, str]) -> bool:
    """Say whether an address asks for a board as it was."""
    return "rev" in query or "on" in query


def day_asked(text: str) -> datetime | None:
    """Return the begin of a day in UTC from 2026-12-01; None for anything else."""
    try:
        day = datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError:
        return None
    return datetime.combine(day, time(), UTC) if day.year < 9999 else None
