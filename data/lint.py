"""What a host should know about gold that is fit for use: barren topics, slices that are too small, odd values."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from data.task import Axis, Task
from evaluation import UNSPECIFIED, Qrels, TopicTable


@dataclass(frozen=True, slots=True)
class GoldNotice:
    """Something about the gold that blocks nothing; `count` counts what the message names. For the host alone."""

    code: str
    count: int
    message: str


@dataclass(frozen=True, slots=True)
class SliceSize:
    """How many topics share a value of an axis, and how many groups they come from (None without groups)."""

    n_topics: int
    n_groups: int | None


def slice_sizes(topics: TopicTable, axis: Axis) -> Mapping[str, SliceSize]:
    """Return the size of every slice along an axis, in the card's order; a topic counts in each of its values."""
    n_topics: dict[str, int] = {}
    groups: dict[str, set[str]] = {}
    for index, values in enumerate(topics.axes[axis.id]):
        for value in values:
            n_topics[value] = n_topics.get(value, 0) + 1
            if topics.groups:
                groups.setdefault(value, set()).add(topics.groups[index])
    return {
        value: SliceSize(n_topics[value], len(groups[value]) if topics.groups else None)
        for value in axis.sorted_values(set(n_topics))
    }


def lint(task: Task, qrels: Qrels, topics: TopicTable, *, n_ignored: int, n_repeats: int = 0) -> tuple[GoldNotice, ...]:
    """Return the notices for gold whose shown topics are `topics`.

    `n_ignored` rows had no judgement, and `n_repeats` judgements stood before.
    """
    notices = []
    if n_repeats:
        message = f"Judgements that repeat an earlier one: {n_repeats}. Each counts once."
        notices.append(GoldNotice("repeated_judgements", n_repeats, message))
    if n_ignored:
        message = f"Rows of the topic table without a judgement: {n_ignored}. They are ignored."
        notices.append(GoldNotice("rows_without_judgement", n_ignored, message))
    n_barren = _topics_without_relevant(qrels, task.relevant_from)
    if n_barren:
        message = f"Topics without any relevant document: {n_barren}. They score 0 and count in every mean."
        notices.append(GoldNotice("topics_without_relevant", n_barren, message))
    for axis in task.axes:
        notices.extend(_axis_notices(task, axis, slice_sizes(topics, axis)))
    return tuple(notices)


def _topics_without_relevant(qrels: Qrels, relevant_from: int) -> int:
    # every gold topic has at least one judgement, so no segment is empty
    best = np.maximum.reduceat(qrels.grades, qrels.starts[:-1])
    return int((best < relevant_from).sum())


def _axis_notices(task: Task, axis: Axis, sizes: Mapping[str, SliceSize]) -> list[GoldNotice]:
    notices = []
    least = task.limits.min_slice_topics
    small = {value: size.n_topics for value, size in sizes.items() if size.n_topics < least}
    if small:
        listed = ", ".join(f"{value} ({n_topics})" for value, n_topics in small.items())
        message = f"Slices of axis {axis.id} under {least} topics, shown without a number: {listed}."
        notices.append(GoldNotice("small_slices", len(small), message))
    strange = [value for value in sizes if axis.order and value not in axis.order and value != UNSPECIFIED]
    if strange:
        message = (
            f"Values of axis {axis.id} that the card does not name, shown last and as they are: {', '.join(strange)}."
        )
        notices.append(GoldNotice("unnamed_values", len(strange), message))
    absent = [value for value in axis.order if value not in sizes]
    if absent:
        message = f"Values of axis {axis.id} that no topic has: {', '.join(absent)}."
        notices.append(GoldNotice("absent_values", len(absent), message))
    return notices
