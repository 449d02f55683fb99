"""Units of topics, means over them, and the bootstrap resamples that all systems share.

A unit is what is drawn: a group of topics where there are groups, else a topic. Columns in, columns out; no file, no
clock and no other source of chance than the seed may enter here.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import MissingGroups
from evaluation.types import Floats, Ints

Flags = NDArray[np.bool_]

N_RESAMPLES = 10_000
MIN_UNITS = 50
# A slice with fewer units hides its own variance from any resampling, whatever the number of units in all.
MIN_UNITS_OF_MACRO_SLICE = 10
# A batch is three arrays of 8-byte numbers: draws, the next draws, counts. Larger ones leave the cache, and are slower.
BATCH_BYTES = 48 * 1024**2
# Deviations that wait to be read.
CHUNK_BYTES = 256 * 1024**2


@dataclass(frozen=True, slots=True)
class Units:
    """Units and their topics: `of_topic` (n_topics,) holds numbers in [0, n), `are_groups` (n,) says of which kind."""

    n: int
    of_topic: Ints
    are_groups: Flags


@dataclass(frozen=True, slots=True)
class Part:
    """One mean: the sum of `sums` (n_systems, k) over the sum of `sizes` (k,), for the k units numbered `units`."""

    units: Ints
    sums: Floats
    sizes: Floats

    @property
    def means(self) -> Floats:
        """The mean of each system, shape (n_systems,)."""
        means: Floats = self.sums.sum(axis=1) / self.sizes.sum()
        return means

    def residuals(self) -> Floats:
        """Return what each unit's sum is above its system's mean, shape (n_systems, k); rows add up to 0."""
        return self.sums - np.multiply.outer(self.means, self.sizes)


@dataclass(frozen=True, slots=True)
class Statistic:
    """One number a system: the plain mean of the means of its parts, over units of which there are `n_all`.

    A mean over topics or groups has one part, a macro mean has one for each value of the axis.
    """

    n_all: int
    parts: tuple[Part, ...]

    @property
    def n_systems(self) -> int:
        """Systems that are measured."""
        return len(self.parts[0].sums)

    @property
    def n_units(self) -> int:
        """Units that count in at least one part."""
        return len(np.unique(np.concatenate([part.units for part in self.parts])))

    @property
    def has_enough_units(self) -> bool:
        """At least 50 units, and in a macro mean at least 10 for each value: else no interval and no verdict."""
        least = min(len(part.units) for part in self.parts)
        return self.n_units >= MIN_UNITS and (len(self.parts) == 1 or least >= MIN_UNITS_OF_MACRO_SLICE)

    @property
    def estimates(self) -> Floats:
        """The number of each system, shape (n_systems,)."""
        estimates: Floats = np.mean([part.means for part in self.parts], axis=0)
        return estimates

    def contributions(self, *, centred: bool) -> Floats:
        """Return what each unit adds to each system's number, shape (n_systems, n_all).

        Rows add up to the estimates, or to 0 when centred on each part's mean. Centred, they are also what one more
        copy of the unit changes in a resample, to first order.
        """
        added = np.zeros((self.n_systems, self.n_all))
        for part in self.parts:
            sums = part.residuals() if centred else part.sums
            added[:, part.units] += sums / (part.sizes.sum() * len(self.parts))
        return added


@dataclass(frozen=True, slots=True)
class Resampled:
    """A statistic with its resamples: `deviations` (n_systems, n_resamples) are resampled numbers minus the estimate.

    Column b comes from the same units for every system, and for every statistic of one seed and one `Units`.
    """

    statistic: Statistic
    deviations: Floats


def seed_of(text: str) -> int:
    """Derive a seed from a gold version, the same one on every machine and in every process."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def units_of(n_topics: int, groups: Ints | None = None) -> Units:
    """Make each group a unit, or each topic where `groups` is None.

    `groups` (n_topics,) holds any whole numbers; a negative one means "no group", and such a topic is a unit of its own
    that no group measure counts. Units are numbered by their group's number first, lone topics last.
    """
    if groups is None:
        return Units(n_topics, np.arange(n_topics, dtype=np.int64), np.zeros(n_topics, dtype=np.bool_))
    if groups.shape != (n_topics,):
        raise ValueError(f"groups: found shape {groups.shape}, expected ({n_topics},), one number a topic")
    is_alone = groups < 0
    names = np.where(is_alone, int(groups.max(initial=-1)) + 1 + np.arange(n_topics), groups)
    kept, of_topic = np.unique(names, return_inverse=True)
    n_alone = int(is_alone.sum())
    return Units(len(kept), of_topic.astype(np.int64), np.arange(len(kept)) < len(kept) - n_alone)


def topic_statistic(values: Floats, units: Units, topics: Flags | None = None) -> Statistic:
    """Take the mean over topics, or over those of a slice when `topics` (n_topics,) marks them.

    `values` has shape (n_systems, n_topics). Where units differ in size the resampled mean is a ratio of two sums.
    """
    order, starts, part_units = _by_unit(values, units, topics)
    sizes = np.diff(starts, append=len(order)).astype(np.float64)
    return Statistic(units.n, (Part(part_units, np.add.reduceat(values[:, order], starts, axis=1), sizes),))


def robustness_statistic(values: Floats, units: Units, topics: Flags | None = None) -> Statistic:
    """Take the mean over groups of the minimum in the group; a group counts with its marked topics.

    Raises MissingGroups where no topic has a group.
    """
    order, starts, part_units = _by_unit(values, units, _grouped(units, topics, "Robustness"))
    lowest = np.minimum.reduceat(values[:, order], starts, axis=1)
    return Statistic(units.n, (Part(part_units, lowest, np.ones(len(part_units))),))


def group_statistic(values: Floats, units: Units, topics: Flags | None = None) -> Statistic:
    """Take the mean over groups of the mean in the group, otherwise as `robustness_statistic`."""
    order, starts, part_units = _by_unit(values, units, _grouped(units, topics, "GroupMean"))
    means = np.add.reduceat(values[:, order], starts, axis=1) / np.diff(starts, append=len(order))
    return Statistic(units.n, (Part(part_units, means, np.ones(len(part_units))),))


def macro_statistic(slices: Sequence[Statistic]) -> Statistic:
    """Take the macro mean: the plain mean over the slices of an axis, each made by one of the functions above.

    A topic may be in several slices. A resample that draws no unit of a slice leaves that slice's mean where it is.
    """
    if not slices:
        raise ValueError("macro mean: found no slice, expected at least one")
    return Statistic(slices[0].n_all, tuple(part for piece in slices for part in piece.parts))


def resample(statistics: Iterable[Statistic], *, seed: int, n_resamples: int = N_RESAMPLES) -> Iterator[Resampled]:
    """Draw the units with replacement, `n_resamples` times, and yield each statistic with its deviations, in order.

    Memory beyond the statistics and their residuals: at most 48 MiB of draws and counts (one resample's, from 2 million
    units on), 16 MiB for the columns of a slice, and 256 MiB of deviations (one statistic's, where that is more: 8
    bytes × n_systems × n_resamples). Statistics beyond that go into a further pass over the very same draws: hand in a
    generator and keep no result longer than needed. Raises ValueError when they are not over the same units.
    """
    for chunk in _chunks(statistics, n_resamples):
        n_all = chunk[0].n_all
        if any(statistic.n_all != n_all for statistic in chunk):
            raise ValueError("statistics of one resampling must be over the same units")
        residuals = [[part.residuals() for part in statistic.parts] for statistic in chunk]
        resampled = [Resampled(statistic, np.empty((statistic.n_systems, n_resamples))) for statistic in chunk]
        first = 0
        for counts in _counts(n_all, n_resamples, seed):
            columns = slice(first, first + len(counts))
            for entry, parts in zip(resampled, residuals, strict=True):
                entry.deviations[:, columns] = _deviations(entry.statistic, parts, counts)
            first += len(counts)
        del residuals
        yield from resampled


def _deviations(statistic: Statistic, residuals: list[Floats], counts: Floats) -> Floats:
    """Return resampled minus estimated numbers, shape (n_systems, len(counts))."""
    total = np.zeros((statistic.n_systems, len(counts)))
    for part, part_residuals in zip(statistic.parts, residuals, strict=True):
        drawn = counts if len(part.units) == statistic.n_all else counts[:, part.units]
        sizes = drawn @ part.sizes
        total += (part_residuals @ drawn.T) / np.where(sizes > 0, sizes, 1) / len(statistic.parts)
    return total


def _counts(n_units: int, n_resamples: int, seed: int) -> Iterator[Floats]:
    """Yield batches (n, n_units) of how often each unit was drawn; the draws do not depend on the size of a batch."""
    chance = np.random.default_rng(seed)
    n_rows = max(1, BATCH_BYTES // (3 * 8 * n_units))
    sizes = [min(n_rows, n_resamples - first) for first in range(0, n_resamples, n_rows)]
    # One thread, so the order of the draws is fixed; it works while the batch before is counted and used.
    with ThreadPoolExecutor(max_workers=1) as ahead:
        coming = ahead.submit(chance.integers, 0, n_units, (sizes[0], n_units))
        for size in [*sizes[1:], 0]:
            draws = coming.result()
            coming = ahead.submit(chance.integers, 0, n_units, (size, n_units))
            counts = np.empty(draws.shape)
            for row, drawn in zip(counts, draws, strict=True):
                row[:] = np.bincount(drawn, minlength=n_units)
            yield counts


def _chunks(statistics: Iterable[Statistic], n_resamples: int) -> Iterator[list[Statistic]]:
    chunk: list[Statistic] = []
    size_bytes = 0
    for statistic in statistics:
        added_bytes = 8 * statistic.n_systems * n_resamples
        if chunk and size_bytes + added_bytes > CHUNK_BYTES:
            yield chunk
            chunk, size_bytes = [], 0
        chunk.append(statistic)
        size_bytes += added_bytes
    if chunk:
        yield chunk


def _grouped(units: Units, topics: Flags | None, name: str) -> Flags:
    if not units.are_groups.any():
        raise MissingGroups(name)
    is_grouped: Flags = units.are_groups[units.of_topic]
    return is_grouped if topics is None else is_grouped & topics


def _by_unit(values: Floats, units: Units, topics: Flags | None) -> tuple[Ints, Ints, Ints]:
    """Return the marked topics in the order of their units, where each unit starts in it, and the units' numbers."""
    n_topics = len(units.of_topic)
    if values.ndim != 2 or values.shape[1] != n_topics:
        raise ValueError(f"values: found shape {values.shape}, expected (n_systems, {n_topics})")
    marked = np.arange(n_topics) if topics is None else np.flatnonzero(topics)
    if not len(marked):
        raise ValueError("no topic to take a mean over")
    order = marked[np.argsort(units.of_topic[marked], kind="stable")]
    part_units, starts = np.unique(units.of_topic[order], return_index=True)
    return order, starts, part_units
