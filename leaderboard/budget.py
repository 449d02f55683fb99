"""What a sealed board gives away: bits a submission, the share of the live gold that its full quota reads, close cells.

Pure. Counts numbers and topics; no judgement enters.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from data.task import Task
from evaluation import TopicTable
from leaderboard.standings import columns_of, sealed_digits, shown_values

MOST_BITS = 90.0
MOST_SHARE = 0.05
# measured: who parks a score at a rounding edge reads so many judgements a submission from each cell
READ_A_CELL = 0.2


@dataclass(frozen=True, slots=True)
class Budget:
    """What one submission is told, and what one account's whole quota can read of the live half."""

    n_numbers: int
    n_cells: int
    bits: float
    share: float

    @property
    def is_too_much(self) -> bool:
        """True where the host must lower the quota, merge cells or show fewer measures."""
        return self.bits > MOST_BITS or self.share > MOST_SHARE + 1e-9


def budget(task: Task, table: TopicTable) -> Budget:
    """Return the budget of a task whose board ranks by the topics of `table`, its live half."""
    n_topics = len(table.topic_ids)
    sizes = [len(cell) for cells in _shown_cells(task, table).values() for cell in cells.values()]
    n_measures = len(task.measures)
    numbers = [(len(columns_of(task)), n_topics), *((n_measures, size) for size in sizes)]
    bits = sum(count * math.log2(10 ** sealed_digits(size) + 1) for count, size in numbers)
    n_cells = 1 + len(sizes)
    share = n_cells * task.limits.total * READ_A_CELL / n_topics
    return Budget(sum(count for count, _ in numbers), n_cells, bits, share)


def close_cells(task: Task, table: TopicTable) -> Iterator[tuple[str, str, int]]:
    """Find pairs of sets of topics that shown numbers tell apart by fewer topics than a cell must have.

    A set is a shown cell, all topics, or what an axis leaves over: the difference of two sums over them is a sum over
    the topics in which they differ. Yields both names and the number of these topics.
    """
    everything = frozenset(range(len(table.topic_ids)))
    sets = {"all topics": everything}
    for axis, cells in _shown_cells(task, table).items():
        sets |= {f"{axis} {value}": topics for value, topics in cells.items()}
        rest = everything.difference(*cells.values())
        if rest and cells and sum(map(len, cells.values())) + len(rest) == len(everything):
            sets[f"{axis}, the rest"] = rest
    for (one, topics), (other, more) in combinations(sets.items(), 2):
        if 0 < len(topics ^ more) < task.limits.min_slice_topics:
            yield one, other, len(topics ^ more)


def budget_lines(task: Task, table: TopicTable) -> tuple[str, list[str]]:
    """Return the line that `check` prints of a sealed task, and its problems."""
    found = budget(task, table)
    line = (
        f"Given away: {found.bits:.1f} bits a submission ({found.n_numbers} numbers); at full quota "
        f"({task.limits.total}) {found.share:.1%} of the live gold expected read"
    )
    problems = [
        f"Shown numbers tell {one!r} and {other!r} apart by {n} topics; at least {task.limits.min_slice_topics} "
        "are needed: merge values or drop an axis."
        for one, other, n in close_cells(task, table)
    ]
    if found.is_too_much:
        problems.append(
            f"The board gives away too much ({found.bits:.1f} bits of at most {MOST_BITS:g}, {found.share:.1%} of at "
            f"most {MOST_SHARE:.0%}): lower limits.total, merge slices, or show one measure."
        )
    return line, problems


def _shown_cells(task: Task, table: TopicTable) -> Mapping[str, Mapping[str, frozenset[int]]]:
    """Return the topics of every slice that the board shows, by axis and value."""
    found: dict[str, dict[str, frozenset[int]]] = {}
    for axis in task.axes:
        cells = _cells(table.axes[axis.id])
        shown = shown_values({value: len(topics) for value, topics in cells.items()}, len(table.topic_ids), task)
        found[axis.id] = {value: topics for value, topics in cells.items() if value in shown}
    return found


def _cells(values: Sequence[Sequence[str]]) -> dict[str, frozenset[int]]:
    names = dict.fromkeys(value for several in values for value in several)
    return {name: frozenset(i for i, several in enumerate(values) if name in several) for name in names}
