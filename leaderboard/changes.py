"""What changed from one board to the next, and what a past one may show today.

Pure: functions of finished boards; no database, no words.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from leaderboard.submissions import Revision

Json = Mapping[str, Any]

# what a row keeps when its submission is not public any more
_UNNAMED: Json = {
    "system": "",
    "name": "",
    "version": "",
    "params_millions": None,
    "open_weights": None,
    "run_type": None,
    "link": None,
    "is_gone": True,
}


@dataclass(frozen=True, slots=True)
class Seat:
    """One row of a board: whose it is, and where it stood."""

    id: str
    system: str
    name: str
    version: str
    rank: int
    score: float | None


@dataclass(frozen=True, slots=True)
class Move:
    """A system before and after; None where it was not on the board."""

    before: Seat | None
    after: Seat | None


@dataclass(frozen=True, slots=True)
class Change:
    """What a revision changed. `gold` are the versions before and after, None where the gold stayed the same.

    `is_first` says that no board before it is kept, so that all its rows are new.
    """

    number: int
    made_at: datetime
    moves: tuple[Move, ...]
    gold: tuple[str, str] | None
    digits: int
    is_first: bool

    @property
    def is_seen(self) -> bool:
        """False if only the intervals are other ones."""
        return bool(self.moves or self.gold or self.is_first)


def as_shown(revision: Revision, board: Json, public_ids: frozenset[str]) -> Revision:
    """Return a revision in which rows of submissions that are not public have no name; itself if all of them are."""
    if all(row["id"] in public_ids for row in board["rows"]):
        return revision
    rows = [row if row["id"] in public_ids else {**row, **_UNNAMED} for row in board["rows"]]
    body = json.dumps({**board, "rows": rows}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return replace(revision, body=body, etag=hashlib.sha256(body.encode()).hexdigest()[:32])


def with_names(body: str, unnamed: str) -> str:
    """Return the text of a board in which the rows without a name are called `unnamed`."""
    if '"is_gone"' not in body:
        return body
    board = json.loads(body)
    rows = [{**row, "name": unnamed} if row.get("is_gone") else row for row in board["rows"]]
    return json.dumps({**board, "rows": rows}, ensure_ascii=False, separators=(",", ":"))


def change_of(revision: Revision, board: Json, earlier: Json | None) -> Change:
    """Return what a board changed: systems that came, left, moved, took another run or got another score."""
    now = {row["system"]: _seat(row) for row in board["rows"]}
    then = {row["system"]: _seat(row) for row in earlier["rows"]} if earlier else {}
    places = [*now, *(system for system in then if system not in now)]
    pairs = (Move(then.get(system), now.get(system)) for system in places)
    golds = None if earlier is None else (earlier["gold"], board["gold"])
    is_other = golds is not None and golds[0] != golds[1]
    return Change(
        number=revision.number,
        made_at=revision.made_at,
        moves=tuple(move for move in pairs if move.before != move.after),
        gold=(golds[0]["version"], golds[1]["version"]) if golds and is_other else None,
        digits=board["digits"],
        is_first=earlier is None,
    )


def _seat(row: Json) -> Seat:
    return Seat(row["id"], row["system"], row["name"], row["version"], row["rank"], row["scores"][0])
