"""The numbers of a breakdown: which systems and slices a chart shows, their scores and intervals, what is clearly hard.

Pure functions of a board revision; no words, no drawing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from leaderboard.parts.table import Board

Ends = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Slices:
    """The numbers of one chart.

    `scores[system][value]` is None where a slice has too few topics or no value, `intervals[system][value]` where
    nothing is known of its uncertainty.
    """

    axis_id: str
    values: tuple[str, ...]
    n_topics: tuple[int, ...]
    systems: tuple[str, ...]
    scores: tuple[tuple[float | None, ...], ...]
    intervals: tuple[tuple[Ends, ...], ...]

    def medians(self) -> dict[str, float]:
        """Return the median over the systems shown, by value; values without any score are left out."""
        known = {
            value: [score for row in self.scores if (score := row[place]) is not None]
            for place, value in enumerate(self.values)
        }
        return {value: median(scores) for value, scores in known.items() if scores}

    def hardest(self, digits: int) -> str | None:
        """Return the value with the lowest median, None where the next one is not clearly above it.

        Clearly: at the digits that are shown, and by more than chance would part two sets of topics of their sizes, in
        95 of 100 cases. Where nothing is known of their uncertainty, nothing is clear.
        """
        ordered = sorted(self.medians().items(), key=lambda pair: pair[1])
        if len(ordered) < 2:
            return None
        (lowest, low), (_, next_low) = ordered[:2]
        widths = [self._half_width(value) for value, _ in ordered[:2]]
        if round(low, digits) == round(next_low, digits) or None in widths:
            return None
        return lowest if next_low - low > math.hypot(*(width for width in widths if width is not None)) else None

    def _half_width(self, value: str) -> float | None:
        """Return the median half-width of the intervals of a value, None where a system has none."""
        ends = [row[self.values.index(value)] for row in self.intervals]
        known = [(pair[1] - pair[0]) / 2 for pair in ends if pair is not None]
        return median(known) if len(known) == len(ends) else None

    @property
    def has_intervals(self) -> bool:
        """True if there is any interval."""
        return any(ends is not None for row in self.intervals for ends in row)


def chosen_rows(board: Board, most: int) -> list[Mapping[str, Any]]:
    """Return the first rows of the board; the last place goes to the best baseline where none is among them."""
    rows: Sequence[Mapping[str, Any]] = board["rows"]
    chosen = list(rows[:most])
    baseline = next((row for row in rows[most:] if row["is_baseline"]), None)
    if baseline is not None and not any(row["is_baseline"] for row in chosen):
        chosen[-1] = baseline
    return chosen


def slices_of(board: Board, axis: Mapping[str, Any] | None, rows: Sequence[Mapping[str, Any]]) -> Slices:
    """Take the primary measure of the rows, for the values of the axis that have enough topics."""
    if axis is None:
        return Slices("", (), (), (), (), ())
    at = board["measures"].index(board["columns"][0]["measure"])
    places = [place for place, value in enumerate(axis["values"]) if value["enough"]]

    def cell(row: Mapping[str, Any], key: str, place: int) -> Any:
        cells = (row.get(key) or {}).get(axis["id"], [])
        return cells[place] if place < len(cells) else None

    def score(row: Mapping[str, Any], place: int) -> float | None:
        found = cell(row, "slices", place)
        return None if found is None else found[at]

    def interval(row: Mapping[str, Any], place: int) -> Ends:
        found = cell(row, "slice_intervals", place)
        return None if found is None else (found[0], found[1])

    return Slices(
        axis_id=axis["id"],
        values=tuple(axis["values"][place]["id"] for place in places),
        n_topics=tuple(axis["values"][place]["topics"] for place in places),
        systems=tuple(row["name"] for row in rows),
        scores=tuple(tuple(score(row, place) for place in places) for row in rows),
        intervals=tuple(tuple(interval(row, place) for place in places) for row in rows),
    )
