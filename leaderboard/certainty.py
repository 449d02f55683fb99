"""How sure a board is, as the parts of its JSON: intervals, rank intervals, ties with the first, resolution.

Pure: scores by topic come in as arrays and leave as intervals. On sealed gold one half-width a column is all that may.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation import (
    LEVEL,
    MIN_UNITS,
    N_RESAMPLES,
    Flags,
    Floats,
    Intervals,
    Ints,
    Resampled,
    Separation,
    Statistic,
    intervals,
    macro_statistic,
    resample,
    separate,
    topic_statistic,
    units_of,
)

Json = dict[str, Any]

# Digits of intervals in the JSON: far below any resolution, and a third of the bytes of full precision.
DIGITS = 6
# Standardised differences in the table of one slice. From 142 systems on, its critical value comes from fewer
# resamples than the board's, at least 1,000; at 500 systems that moves it by less than 1%.
MOST_IN_SLICE = 10**8
LEAST_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class TopicValues:
    """Scores of n systems by topic: what the intervals of a board are computed from.

    `by_topic`: measure → (n, n_topics). `by_group`: group measure → (n, n_groups). `group_of` (n_topics,) numbers the
    groups in the order of those columns, a negative number means none; it is None where the task has no groups.
    `slices`: axis → value → the topics (n_topics,) that have it.
    """

    by_topic: Mapping[str, Floats]
    by_group: Mapping[str, Floats]
    group_of: Ints | None
    slices: Mapping[str, Mapping[str, Flags]]
    n_topics: int

    @property
    def n_systems(self) -> int:
        """Systems that have scores."""
        return next((len(scores) for scores in (*self.by_topic.values(), *self.by_group.values())), 0)

    @property
    def unit(self) -> str:
        """What is drawn and flipped: "group" where there are groups, else "topic"."""
        return "topic" if self.group_of is None else "group"

    @property
    def n_units(self) -> int:
        """Units in all."""
        return units_of(self.n_topics, self.group_of).n

    def statistic(self, measure: str, mean: str = "topics") -> Statistic | None:
        """Return a measure averaged as a column says ("topics", "groups" or "macro:<axis>"); None without values."""
        if mean.startswith("macro:"):
            values = self.slices.get(mean.removeprefix("macro:"), {})
            parts = [self.slice_statistic(measure, topics) for topics in values.values()]
            return macro_statistic([part for part in parts if part is not None]) if parts and all(parts) else None
        return self.slice_statistic(measure, np.ones(self.n_topics, dtype=np.bool_))

    def slice_statistic(self, measure: str, topics: Flags) -> Statistic | None:
        """Return a measure averaged over the topics of a slice.

        A group measure needs whole groups: where a slice splits one, its value there is not among ours and None comes
        back.
        """
        if not topics.any():
            return None
        if measure in self.by_topic:
            return topic_statistic(self.by_topic[measure], units_of(self.n_topics, self.group_of), topics)
        if measure not in self.by_group or self.group_of is None:
            return None
        n_groups = self.by_group[measure].shape[1]
        n_inside = np.bincount(self.group_of[topics], minlength=n_groups)
        is_whole = n_inside == np.bincount(self.group_of, minlength=n_groups)
        if (~is_whole & (n_inside > 0)).any():
            return None
        return topic_statistic(self.by_group[measure], units_of(n_groups), n_inside > 0)


def with_certainty(board: Json, values: TopicValues, places: Sequence[int], *, seed: int) -> Json:
    """Return a board on open gold with everything that its topics decide and leave open.

    Row i of `values` holds the scores of the board's row `places[i]`; rows without scores get no interval, and count in
    the rank intervals of the others as not separable. Under 50 units all is null. Deterministic for a seed.
    """
    sure = _without_certainty(board, values)
    n_missing = len(board["rows"]) - len(places)
    if not places:
        return sure
    rows = [sure["rows"][place] for place in places]
    wanted = list(_wanted(board, values))
    for (axis, place), found in zip(
        [where for where, _ in wanted], resample((one for _, one in wanted), seed=seed), strict=True
    ):
        ends = _ends(intervals(found))
        if axis is None:
            for row, end in zip(rows, ends, strict=True):
                row["intervals"][place] = end
            if place == 0:
                _rank_rows(sure, rows, separate(found), n_missing)
        else:
            _rank_slice(sure, rows, (axis, place), _separate_slice(found), n_missing)
            for row, end in zip(rows, ends, strict=True):
                row["slice_intervals"][axis][place] = end
    return sure


def half_widths(columns: Sequence[Json], values: TopicValues, *, digits: int, seed: int) -> list[float | None]:
    """Return what a sealed board may say of its uncertainty: one half-width a column, of the one system in `values`.

    Rounded up to the shown digits, so that it never promises too much; None under 50 units or without a system.
    """
    widths: list[float | None] = [None] * len(columns)
    if not values.n_systems:
        return widths
    found = {place: values.statistic(column["measure"], column["mean"]) for place, column in enumerate(columns)}
    wanted = {place: one for place, one in found.items() if one is not None and one.has_enough_units}
    for place, resampled in zip(wanted, resample(wanted.values(), seed=seed), strict=True):
        bounds = intervals(resampled).bounds
        if bounds is not None:
            half = float(bounds.high[0] - bounds.low[0]) / 2
            widths[place] = math.ceil(round(half * 10**digits, DIGITS)) / 10**digits
    return widths


def _without_certainty(board: Json, values: TopicValues) -> Json:
    """Return a copy of the board with all parts in their places and nothing decided."""
    axes = [{**axis, "values": [{**value, "resolution": None} for value in axis["values"]]} for axis in board["axes"]]
    rows = [
        {
            **row,
            "intervals": [None] * len(board["columns"]),
            "rank_interval": None,
            "tied_with_first": None,
            "slice_intervals": {axis["id"]: [None] * len(axis["values"]) for axis in axes},
            "slice_ranks": {axis["id"]: [None] * len(axis["values"]) for axis in axes},
        }
        for row in board["rows"]
    ]
    told = {
        "unit": values.unit,
        "n_units": values.n_units,
        "resolution": None,
        "level": LEVEL,
        "n_resamples": N_RESAMPLES,
    }
    return {**board, "uncertainty": told, "axes": axes, "rows": rows}


def _wanted(board: Json, values: TopicValues) -> Iterator[tuple[tuple[str | None, int], Statistic]]:
    """Yield the statistics that have enough units, each with its place: (None, column) or (axis, value)."""
    for place, column in enumerate(board["columns"]):
        statistic = values.statistic(column["measure"], column["mean"])
        if statistic is not None and statistic.has_enough_units:
            yield (None, place), statistic
    primary = board["columns"][0]["measure"]
    for axis in board["axes"]:
        for place, value in enumerate(axis["values"]):
            topics = values.slices.get(axis["id"], {}).get(value["id"])
            if topics is None or not value["enough"] or int(topics.sum()) < MIN_UNITS:
                continue
            statistic = values.slice_statistic(primary, topics)
            if statistic is not None and statistic.has_enough_units:
                yield (axis["id"], place), statistic


def _separate_slice(found: Resampled) -> Separation | None:
    n_systems, n_resamples = found.deviations.shape
    n_pairs = max(1, n_systems * (n_systems - 1) // 2)
    n_kept = min(n_resamples, max(LEAST_RESAMPLES, MOST_IN_SLICE // n_pairs))
    return separate(Resampled(found.statistic, found.deviations[:, :n_kept]))


def _rank_rows(sure: Json, rows: Sequence[Json], separation: Separation | None, n_missing: int) -> None:
    if separation is None:
        return
    sure["uncertainty"]["resolution"] = _short(separation.resolution)
    for row, best, worst in zip(rows, *_rank_ends(separation, n_missing), strict=True):
        row["rank_interval"] = [best, worst]
        row["tied_with_first"] = best == 1


def _rank_slice(
    sure: Json, rows: Sequence[Json], where: tuple[str, int], separation: Separation | None, n_missing: int
) -> None:
    if separation is None:
        return
    axis_id, place = where
    axis = next(axis for axis in sure["axes"] if axis["id"] == axis_id)
    axis["values"][place]["resolution"] = _short(separation.resolution)
    primary = sure["measures"].index(sure["columns"][0]["measure"])
    shown = [row["slices"][axis_id][place] for row in sure["rows"]]
    scores = sorted(-cell[primary] for cell in shown if cell is not None and cell[primary] is not None)
    for row, best, worst in zip(rows, *_rank_ends(separation, n_missing), strict=True):
        cell = row["slices"][axis_id][place]
        if cell is not None and cell[primary] is not None:
            rank = 1 + bisect_left(scores, -cell[primary])
            row["slice_ranks"][axis_id][place] = [rank, best, worst]


def _rank_ends(separation: Separation, n_missing: int) -> tuple[list[int], list[int]]:
    return separation.best_ranks.tolist(), (separation.worst_ranks + n_missing).tolist()


def _ends(found: Intervals) -> list[list[float] | None]:
    """Return [low, high] of each system as the JSON has them."""
    if found.bounds is None:
        return [None] * len(found.estimates)
    # + 0.0 turns a rounded -0.0 into 0.0
    ends: list[list[float] | None] = (
        np.round(np.column_stack([found.bounds.low, found.bounds.high]), DIGITS) + 0.0
    ).tolist()
    return ends


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
