"""Runs on sealed gold that look as if they knew or probed it: held for the host, or noted to the host, never refused.

Pure. What is said of a run is for the host alone, and names no topic.
"""

import numpy as np

from data.task import Task
from leaderboard.standings import columns_of
from leaderboard.submissions import Hold, ScoreSheet
from leaderboard.vault import KeptScores

ORACLE_LIKE = "oracle-like"
# better than the best public run by so much, with a relevant document on top of more than this share of all topics
LEAD = 0.1
TOP_SHARE = 0.99
TOP = "Success@1"
# runs of one account whose scores differ in at most this share of the topics
APART = 0.01
_ROUNDING = 1e-9


def primary_of(task: Task, sheet: ScoreSheet) -> float | None:
    """Return the value that ranks a submission."""
    column = columns_of(task)[0]
    return sheet.value(column.measure, column.mean)


def oracle_hold(value: float | None, best: float, top_share: float) -> Hold | None:
    """Return why a run is held as oracle-like: it leads the best public one, 0 where there is none, by too much."""
    if value is None or value <= best + LEAD + _ROUNDING or top_share <= TOP_SHARE:
        return None
    return Hold(ORACLE_LIKE, {"primary": value, "best": best, "top_relevant": round(top_share, 4)})


def n_topics_apart(one: KeptScores, other: KeptScores) -> int | None:
    """Count the topics on which two runs differ in any measure; None where they cannot be compared."""
    measures = one.by_topic.keys() & other.by_topic.keys()
    if not measures or any(one.by_topic[name].shape != other.by_topic[name].shape for name in measures):
        return None
    differ = [np.abs(one.by_topic[name] - other.by_topic[name]) > _ROUNDING for name in sorted(measures)]
    return int(np.any(differ, axis=0).sum())


def is_near(n_apart: int | None, n_topics: int) -> bool:
    """Tell whether two runs that differ on so many topics are near-duplicates; on few topics one may differ."""
    return n_apart is not None and n_apart <= max(1, APART * n_topics)
