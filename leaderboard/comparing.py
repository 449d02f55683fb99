"""Some rows of a board against one of them that the reader chose: paired differences, overall and in every slice.

Pure: scores by topic come in as arrays and leave as differences, intervals and p-values.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation import (
    LEVEL,
    N_FLIPS,
    N_RESAMPLES,
    Floats,
    Resampled,
    Statistic,
    holm,
    percentiles,
    randomisation_p_values,
    resample,
)
from leaderboard.certainty import DIGITS, TopicValues

Json = dict[str, Any]

MOST_LOSSES = 20


@dataclass(frozen=True, slots=True)
class _Paired:
    """Every other system minus the reference on one set of topics: arrays of one entry a system.

    `by_unit` (n, n_units) holds what each unit adds to the difference.
    """

    differences: Floats
    low: Floats
    high: Floats
    by_unit: Floats
    n_units: int


def compare_rows(board: Mapping[str, Any], values: TopicValues, ids: Sequence[str], *, seed: int) -> Json:
    """Compare rows of a board on open gold by its ranked mean, and in every slice that the board shows.

    Row i of `values` holds the scores of `ids[i]`; the first is the reference, and a difference above 0 says that the
    other one is better. All p-values that are shown are one family for Holm's correction. Under 50 units there is a
    difference and no verdict. Deterministic for a seed.
    """
    column = board["columns"][0]
    places = list(_places(board, values))
    found = _paired(places, seed)
    tested = [paired for paired in found if paired is not None]
    cells = iter(_cells(tested, seed))
    answers = [None if paired is None else next(cells) for paired in found]
    n_slices = sum(answer is not None for answer in answers[1:])
    others = ids[1:]
    blank: list[Json] = [_cell(difference) for difference in _plain_differences(places[0][1])]
    overall = answers[0] or blank
    slices = [
        {**where, "units": None if paired is None else paired.n_units, "others": answer}
        for (where, _), paired, answer in zip(places[1:], found[1:], answers[1:], strict=True)
    ]
    return {
        "measure": column["measure"],
        "mean": column["mean"],
        "unit": values.unit,
        "n_units": values.n_units,
        "level": LEVEL,
        "n_resamples": N_RESAMPLES,
        "n_flips": N_FLIPS,
        "n_comparisons": len(tested) * len(others),
        "reference": ids[0],
        "others": list(others),
        "overall": overall,
        "slices": slices,
        "headlines": [{**cell, "n_slices": n_slices, **_n_clear(slices, place)} for place, cell in enumerate(overall)],
    }


def losses(values: TopicValues, topic_ids: Sequence[str], measure: str) -> list[list[Json]]:
    """Return for each system but the first the topics where it loses most against the first, at most 20.

    The largest loss comes first, equal ones in the order of the topics. Empty lists for a measure over groups.
    """
    scores = values.by_topic.get(measure)
    if scores is None:
        return [[] for _ in range(values.n_systems - 1)]
    found = []
    for own in scores[1:]:
        gaps = own - scores[0]
        worst = [place for place in np.argsort(gaps, kind="stable")[:MOST_LOSSES].tolist() if gaps[place] < 0]
        found.append(
            [
                {
                    "topic": topic_ids[place],
                    "reference": round(float(scores[0][place]), DIGITS),
                    "value": round(float(own[place]), DIGITS),
                }
                for place in worst
            ]
        )
    return found


def _places(board: Mapping[str, Any], values: TopicValues) -> Iterator[tuple[Json, Statistic | None]]:
    """Yield what is compared and where: the ranked mean first, then the primary measure in every shown slice."""
    column = board["columns"][0]
    yield {}, values.statistic(column["measure"], column["mean"])
    for axis in board["axes"]:
        for value in axis["values"]:
            topics = values.slices.get(axis["id"], {}).get(value["id"])
            if value["enough"] and topics is not None:
                where = {"axis": axis["id"], "value": value["id"], "topics": value["topics"]}
                yield where, values.slice_statistic(column["measure"], topics)


def _paired(places: Sequence[tuple[Json, Statistic | None]], seed: int) -> list[_Paired | None]:
    """Pair the systems on each set of topics; None where there are too few units."""
    wanted = [one if one is not None and one.has_enough_units else None for _, one in places]
    resampled = resample((one for one in wanted if one is not None), seed=seed)
    return [None if one is None else _pair(next(resampled)) for one in wanted]


def _pair(resampled: Resampled) -> _Paired:
    statistic = resampled.statistic
    differences = statistic.estimates[1:] - statistic.estimates[0]
    bounds = percentiles(resampled.deviations[1:] - resampled.deviations[0], differences, statistic.n_units)
    by_unit = statistic.contributions(centred=False)
    return _Paired(differences, bounds.low, bounds.high, by_unit[1:] - by_unit[0], statistic.n_units)


def _cells(tested: Sequence[_Paired], seed: int) -> list[list[Json]]:
    """Test all differences with the same flips, correct for their number, and return one cell a system."""
    if not tested:
        return []
    p_values = randomisation_p_values(np.concatenate([paired.by_unit for paired in tested]), seed=seed)
    corrected = holm(p_values).reshape(len(tested), -1).tolist()
    rows = p_values.reshape(len(tested), -1).tolist()
    return [
        [
            _cell(difference, [low, high], p, p_holm)
            for difference, low, high, p, p_holm in zip(
                paired.differences.tolist(), paired.low.tolist(), paired.high.tolist(), row, holm_row, strict=True
            )
        ]
        for paired, row, holm_row in zip(tested, rows, corrected, strict=True)
    ]


def _cell(
    difference: float,
    interval: list[float] | None = None,
    p: float | None = None,
    p_holm: float | None = None,
) -> Json:
    return {
        "difference": round(difference, DIGITS),
        "interval": None if interval is None else [round(end, DIGITS) for end in interval],
        "p": None if p is None else round(p, DIGITS),
        "p_holm": None if p_holm is None else round(p_holm, DIGITS),
        "clear": None if p_holm is None else p_holm <= 1 - LEVEL,
    }


def _plain_differences(statistic: Statistic | None) -> list[float]:
    if statistic is None:
        return []
    estimates = statistic.estimates
    differences: list[float] = (estimates[1:] - estimates[0]).tolist()
    return differences


def _n_clear(slices: Sequence[Json], place: int) -> Json:
    """Count the slices in which one system is clearly better or worse than the reference."""
    cells = [one["others"][place] for one in slices if one["others"] is not None]
    clear = [cell["difference"] for cell in cells if cell["clear"]]
    return {"n_clear_better": sum(gap > 0 for gap in clear), "n_clear_worse": sum(gap < 0 for gap in clear)}
