"""What the pages get to see: one object a page, without keys and without gold. Types alone; `Board` fills them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from data.task import Task
from leaderboard.submissions import GoldFacts, ScoreSheet, Submission


@dataclass(frozen=True, slots=True)
class Leader:
    """The first row of a board; `score` is its primary value."""

    name: str
    version: str
    system_id: str
    score: float | None


@dataclass(frozen=True, slots=True)
class HomeCard:
    """A task on the home page. `facts` is None where nothing can be scored, `updated_at` where there is no board."""

    task: Task
    facts: GoldFacts | None
    leader: Leader | None
    n_systems: int
    digits: int
    updated_at: datetime | None

    @property
    def n_topics(self) -> int | None:
        """Topics that the board ranks by; None where nothing can be scored."""
        if self.facts is None:
            return None
        return self.facts.n_topics if self.facts.n_live is None else self.facts.n_live

    @property
    def is_sample(self) -> bool:
        """True if the gold is synthetic."""
        return self.facts is not None and self.facts.is_sample


@dataclass(frozen=True, slots=True)
class QueueHealth:
    """How the queue does: how many wait, since when the oldest, when a worker was heard last; None where there is none.

    It is paused where no worker was heard for a while.
    """

    n_waiting: int
    oldest_at: datetime | None
    heard_at: datetime | None
    is_paused: bool


@dataclass(frozen=True, slots=True)
class ArchiveHealth:
    """How the archive does: "open", "away" or "refused", how many changes it has not yet, since when the oldest."""

    state: str
    n_waiting: int
    oldest_at: datetime | None


@dataclass(frozen=True, slots=True)
class Health:
    """How queue and archive do; without an archive None."""

    queue: QueueHealth
    archive: ArchiveHealth | None


@dataclass(frozen=True, slots=True)
class Rescoring:
    """How many of a task's public runs are scored on the gold that comes, and how many there are."""

    n_done: int
    n_all: int
    coming: str
    shown: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A public submission in a list: its primary value, and (rank, rows) if it is its system's row on the board.

    `digits` are those that the task's board shows; `board` is that board where the submission stands on it.
    """

    task: Task
    submission: Submission
    sheet: ScoreSheet | None
    score: float | None
    rank: tuple[int, int] | None
    digits: int
    board: Mapping[str, Any] | None

    @property
    def is_on_board(self) -> bool:
        """True if the board shows this submission."""
        return self.rank is not None

    @property
    def row(self) -> Mapping[str, Any] | None:
        """The submission's row of the board."""
        rows = self.board["rows"] if self.board else ()
        return next((row for row in rows if row["id"] == self.submission.id), None)


class Place(StrEnum):
    """Where a public submission is on the board of its task: there, another one of its system is, or none of them."""

    ON_BOARD = "on-board"
    OTHER = "other"
    NOWHERE = "nowhere"


class Archiving(StrEnum):
    """Whether a submission would outlive this machine: in the archive, on its way, or held up by an archive away."""

    ARCHIVED = "archived"
    UNDERWAY = "underway"
    AWAY = "away"


@dataclass(frozen=True, slots=True)
class SubmissionView:
    """The page of one submission.

    `queue` is (place, of) while it waits; `is_paused` says that no worker was seen for a while, where something waits
    for one. `board` is a board revision with this one row, None until it is scored on the present gold; `rank` is
    (rank, rows) on the present board, or what it would be there; `is_board_due` says that the next board is ordered, so
    that `place` and `rank` may change. `rivals` are the rows that its owner may set it against, topic by topic.
    `archiving` is None where the site has no archive. `is_claimable` says that it belongs to no account yet.
    """

    task: Task
    facts: GoldFacts | None
    submission: Submission
    is_owner: bool
    queue: tuple[int, int] | None
    is_paused: bool
    sheet: ScoreSheet | None
    board: Mapping[str, Any] | None
    rank: tuple[int, int] | None
    place: Place
    is_board_due: bool
    rivals: tuple[Mapping[str, Any], ...] = ()
    archiving: Archiving | None = None
    is_claimable: bool = False

    @property
    def is_on_board(self) -> bool:
        """True if the board shows this submission."""
        return self.place is Place.ON_BOARD


@dataclass(frozen=True, slots=True)
class SystemView:
    """The page of one system: its rows on boards as the home page orders them, and all it published, latest first."""

    system_id: str
    name: str
    entries: tuple[Entry, ...]
    history: tuple[Entry, ...]
