"""What equal scores leave open: the same run with its ties in the best and in the worst order that they allow.

No measure is computed here, since one order is the worst for all of them and one the best.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evaluation.scoring import Evaluation
from evaluation.types import Hits, Ints, Notice, RunReading


class TieExtremes(NamedTuple):
    """A run with the documents of each tie in the worst order, and in the best one."""

    worst: RunReading
    best: RunReading


def tie_extremes(reading: RunReading) -> TieExtremes:
    """Order the ties of an accepted run, which was read with judgements, in both extreme ways.

    Score both as one scores the run itself, and every number (topic, mean, macro mean, slice, group) is the lowest or
    highest that an order of the ties allows:

        extremes = tie_extremes(reading)
        lowest = evaluate(qrels, extremes.worst, measures, topics=…, axes=…, relevant_from=…, only=…).means
        highest = evaluate(qrels, extremes.best, measures, topics=…, axes=…, relevant_from=…, only=…).means

    This holds since no measure falls when a document rises above one of a lower grade, or a judged one above one
    without judgement (Judged@k), and since means and minima over topics follow theirs. Documents beyond the depth take
    part where they share a score with one inside. Raises ValueError for a run without hits.
    """
    hits = reading.hits
    if hits is None:
        raise ValueError("only an accepted run that was read with judgements has ties to order")
    n_above = _n_of_higher_grade(hits)
    worst, best = _moved(hits, hits.last - n_above), _moved(hits, hits.first + n_above)
    return TieExtremes(replace(reading, hits=worst), replace(reading, hits=best))


def tie_notices(worst: Evaluation, best: Evaluation) -> list[Notice]:
    """Say for each measure that ties leave open how far; the count is of the topics, or groups, where they do."""
    differing: dict[str, int] = {}
    for low, high in ((worst.scores, best.scores), (worst.group_scores, best.group_scores)):
        if low is not None and high is not None:
            differing |= dict(zip(low.measure_names, np.count_nonzero(low.values < high.values, axis=1), strict=True))
    return [
        Notice(
            "tie_range", int(count), None, {"measure": name, "lowest": worst.means[name], "highest": best.means[name]}
        )
        for name, count in differing.items()
        if count
    ]


def _n_of_higher_grade(hits: Hits) -> Ints:
    """Count for each hit those of its tie that stand above it when the highest grade comes first."""
    order = np.lexsort((-hits.grade, hits.first, hits.topic))
    topic, first = hits.topic[order], hits.first[order]
    is_new_tie = np.ones(len(order), dtype=np.bool_)
    is_new_tie[1:] = (topic[1:] != topic[:-1]) | (first[1:] != first[:-1])
    begins = np.flatnonzero(is_new_tie)
    n_above = np.empty(len(order), dtype=np.int64)
    n_above[order] = np.arange(len(order)) - begins[np.cumsum(is_new_tie) - 1]
    return n_above


def _moved(hits: Hits, rank: Ints) -> Hits:
    """Put the hits at other ranks, and keep them sorted."""
    order = np.lexsort((rank, hits.topic))
    return replace(
        hits,
        topic=hits.topic[order],
        rank=rank[order],
        grade=hits.grade[order],
        first=hits.first[order],
        last=hits.last[order],
    )
