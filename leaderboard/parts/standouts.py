"""Where a system stands out: its slices furthest above and below the median system of a board. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

MOST = 5
LEAST_SYSTEMS = 3  # among two there is no middle one

Board = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Standout:
    """A slice of a system by the measure that the board ranks by; `gap` is its score minus that of the median system.

    `ends` is the interval of the score, None where there is none; `digits` are those that the slice shows.
    """

    axis_id: str
    value_id: str
    n_topics: int
    score: float
    ends: Sequence[float] | None
    median: float
    gap: float
    digits: int


def standouts(board: Board, row: Mapping[str, Any]) -> tuple[list[Standout], list[Standout]]:
    """Return the five slices where a row is most above the median system, and the five where it is most below it.

    A difference that the shown digits do not show is none. Empty where fewer than three systems have a value.
    """
    found = [one for one in _all(board, row) if round(one.gap, one.digits)]
    above = sorted((one for one in found if one.gap > 0), key=lambda one: -one.gap)
    below = sorted((one for one in found if one.gap < 0), key=lambda one: one.gap)
    return above[:MOST], below[:MOST]


def _all(board: Board, row: Mapping[str, Any]) -> Iterator[Standout]:
    measure = board["measures"].index(board["columns"][0]["measure"])

    def score(one: Mapping[str, Any], axis_id: str, place: int) -> float | None:
        cell = (one["slices"].get(axis_id) or {place: None})[place]
        return None if cell is None else cell[measure]

    for axis in board["axes"]:
        ends = (row.get("slice_intervals") or {}).get(axis["id"])
        for place, value in enumerate(axis["values"]):
            own = score(row, axis["id"], place)
            scores = [score(one, axis["id"], place) for one in board["rows"]]
            known = [one for one in scores if one is not None]
            if own is None or len(known) < LEAST_SYSTEMS:
                continue
            middle = median(known)
            yield Standout(
                axis_id=axis["id"],
                value_id=value["id"],
                n_topics=value["topics"],
                score=own,
                ends=ends[place] if ends else None,
                median=middle,
                gap=own - middle,
                digits=value["digits"],
            )
