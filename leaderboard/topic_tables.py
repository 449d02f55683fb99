"""Scores by topic, as the vault keeps them, in the table that intervals and comparisons are computed from.

Only the worker has such scores. Nothing here opens a file.
"""

from collections.abc import Sequence

import numpy as np

from data.task import Task
from evaluation import Evaluation, Flags, Floats, Ints
from leaderboard.certainty import TopicValues
from leaderboard.vault import KeptScores, Opened


def topic_values(task: Task, opened: Opened, kept: Sequence[KeptScores]) -> TopicValues:
    """Put scores of several submissions into one table over the ranked topics, the live half where there are two."""
    table, ranked = opened.gold.topics, opened.ranked_ids
    shown = np.array([i for i, topic_id in enumerate(table.topic_ids) if ranked is None or topic_id in ranked])
    group_of, columns = _groups(table.groups, shown)
    slices: dict[str, dict[str, Flags]] = {}
    for axis in task.axes:
        values = table.axes[axis.id]
        known = dict.fromkeys(value for several in values for value in several)
        slices[axis.id] = {value: np.array([value in several for several in values])[shown] for value in known}
    return TopicValues(
        by_topic={
            m.name: _column([one.by_topic[m.name] for one in kept], shown) for m in task.measures if not m.is_group
        },
        by_group={
            m.name: _column([one.by_group[m.name] for one in kept], columns) for m in task.measures if m.is_group
        },
        group_of=group_of,
        slices=slices,
        n_topics=len(shown),
    )


def scores_of(evaluation: Evaluation) -> KeptScores:
    """Return the scores by topic and by group of an evaluation over all gold topics."""
    scores, groups = evaluation.scores, evaluation.group_scores
    by_group = {} if groups is None else dict(zip(groups.measure_names, groups.values, strict=True))
    return KeptScores(dict(zip(scores.measure_names, scores.values, strict=True)), by_group)


def _column(scores: Sequence[Floats], kept: Ints) -> Floats:
    return np.array([one[kept] for one in scores], dtype=np.float64).reshape(len(scores), len(kept))


def _groups(names: Sequence[str] | None, shown: Ints) -> tuple[Ints | None, Ints]:
    """Give the groups of the shown topics numbers by their first topic; also return their columns among all groups."""
    if names is None:
        return None, np.zeros(0, dtype=np.int64)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(name for name in names if name))}
    group_of = np.array([numbers.get(name, -1) for name in names], dtype=np.int64)[shown]
    columns = np.unique(group_of[group_of >= 0])
    return np.where(group_of < 0, -1, np.searchsorted(columns, group_of)), columns
