"""How sure a board is: intervals of its numbers, and which of its systems its topics can tell apart.

Everything here follows from shared resamples; no verdict under 50 units, and nothing may enter that is not in them.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from evaluation.resampling import Flags, Resampled, Statistic
from evaluation.types import Floats, Ints

LEVEL = 0.95
# Influences of a unit on two systems that differ by less are equal: values are in [0, 1], rounding is near 1e-16.
SAME = 1e-12
# Below this share of the two variances their difference has lost too many digits and is computed from the units.
CANCELLED = 1e-6
# Numbers in one block of standardised differences, so that it stays in a core's cache.
BLOCK = 2**17


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower and upper ends of intervals, one a system."""

    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True)
class Intervals:
    """The numbers of the systems and their 95% intervals; `bounds` is None where there are too few units."""

    estimates: Floats
    bounds: Bounds | None
    n_units: int


@dataclass(frozen=True, slots=True)
class Separation:
    """What the units decide between all systems at once, with 95% confidence for the whole table.

    `is_better[i, j]`: system i is separably better than j. `half_widths` (n, n) are those of the simultaneous intervals
    of the paired differences. `critical` is the standardised difference that any pair of the table must exceed.
    """

    estimates: Floats
    half_widths: Floats
    is_better: Flags
    critical: float

    @property
    def best_ranks(self) -> Ints:
        """Lower ends of the rank intervals: 1 + the systems that are separably better."""
        ranks: Ints = 1 + self.is_better.sum(axis=0)
        return ranks

    @property
    def worst_ranks(self) -> Ints:
        """Upper ends of the rank intervals: all systems − those that are separably worse."""
        ranks: Ints = len(self.estimates) - self.is_better.sum(axis=1)
        return ranks

    @property
    def can_be_first(self) -> Flags:
        """Not separable from 1st: the rank interval reaches 1, since no system is separably better."""
        reaches: Flags = self.best_ranks == 1
        return reaches

    @property
    def resolution(self) -> float | None:
        """The median half-width over the pairs whose difference varies; None where there is no such pair."""
        widths = self.half_widths[np.triu_indices(len(self.estimates), k=1)]
        return float(np.median(widths[widths > 0])) if (widths > 0).any() else None


def intervals(resampled: Resampled) -> Intervals:
    """Take percentile intervals from the resamples, and Wilson's for a system whose units all have the value 0 or 1.

    The percentiles are a little outside 2.5 and 97.5, as Student's distribution for the number of units asks
    (Hesterberg 2015, "expanded percentile"): plain ones are too narrow by 1.7% at 100 units, by 0.02% at 10,000.
    """
    statistic = resampled.statistic
    if not statistic.has_enough_units:
        return Intervals(statistic.estimates, None, statistic.n_units)
    bounds = percentiles(resampled.deviations, statistic.estimates, statistic.n_units)
    is_binary = _binary_systems(statistic)
    wilson = wilson_bounds(statistic.estimates, statistic.n_units)
    low, high = np.where(is_binary, wilson.low, bounds.low), np.where(is_binary, wilson.high, bounds.high)
    return Intervals(statistic.estimates, Bounds(low, high), statistic.n_units)


def percentiles(deviations: Floats, estimates: Floats, n_units: int) -> Bounds:
    """Take the ends of 95% percentile intervals from deviations (n, n_resamples) around n estimates."""
    normal = NormalDist()
    tail = normal.cdf(-student(-normal.inv_cdf((1 - LEVEL) / 2), n_units - 1) * math.sqrt(n_units / (n_units - 1)))
    low, high = np.quantile(deviations, [tail, 1 - tail], axis=1)
    return Bounds(estimates + low, estimates + high)


def wilson_bounds(shares: Floats, n_units: int) -> Bounds:
    """Return the ends of Wilson's 95% intervals (1927) for shares of successes in `n_units` independent trials."""
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    middle = (shares + z * z / (2 * n_units)) / (1 + z * z / n_units)
    half = z / (1 + z * z / n_units) * np.sqrt(shares * (1 - shares) / n_units + (z / (2 * n_units)) ** 2)
    # Rounding must not take a share of 0 or 1 out of its own interval.
    return Bounds(np.clip(middle - half, 0, shares), np.clip(middle + half, shares, 1))


def separate(resampled: Resampled) -> Separation | None:
    """Tell apart all pairs of systems by single-step max-T (Westfall & Young 1993); None where there are too few units.

    The critical value is the 95% quantile, over the resamples, of the largest standardised paired difference of all
    pairs, each centred on its own estimate. It then passes through Student's distribution, since the standard errors
    come from the same units: without that, 30 equal systems on 50 units were separated in 12% of simulations.

    A pair whose difference is the same in every unit has no standard error and cannot enter the maximum. Its half-width
    is 0: equal systems are not separable, and a difference that no unit contradicts is.
    """
    statistic = resampled.statistic
    if not statistic.has_enough_units:
        return None
    n_units = statistic.n_units
    spreads = _paired_spreads(statistic.contributions(centred=True))
    largest = _largest_differences(resampled.deviations, spreads)
    critical = student(float(np.quantile(largest, LEVEL)), n_units - 1)
    half_widths = critical * math.sqrt(n_units / (n_units - 1)) * spreads
    differences = np.subtract.outer(statistic.estimates, statistic.estimates)
    return Separation(statistic.estimates, half_widths, differences > np.maximum(half_widths, SAME), critical)


def student(normal_quantile: float, freedom: int) -> float:
    """Return Student's quantile at the probability where the normal distribution has this one.

    Cornish–Fisher expansion (Abramowitz & Stegun 26.7.5), for at least 49 degrees of freedom: right to 1e-3 to z = 5.
    """
    z, square = normal_quantile, normal_quantile**2
    first = (square + 1) / 4
    second = ((5 * square + 16) * square + 3) / 96
    third = (((3 * square + 19) * square + 17) * square - 15) / 384
    return z * (1 + (first + (second + third / freedom) / freedom) / freedom)


def _binary_systems(statistic: Statistic) -> Flags:
    """Mark the systems that are a share of successes: each unit's own mean is 0 or 1, and units weigh the same.

    With units of different sizes only a system that is constant qualifies.
    """
    if len(statistic.parts) > 1:
        return np.zeros(statistic.n_systems, dtype=np.bool_)
    part = statistic.parts[0]
    is_zero, is_one = part.sums == 0, part.sums == part.sizes
    is_constant = is_zero.all(axis=1) | is_one.all(axis=1)
    is_even = bool((part.sizes == part.sizes[0]).all())
    is_binary: Flags = is_constant | ((is_zero | is_one).all(axis=1) & is_even)
    return is_binary


def _paired_spreads(contributions: Floats) -> Floats:
    """Return the resampled standard deviation of each paired difference, shape (n, n); 0 where it does not vary."""
    products = contributions @ contributions.T
    own = np.diag(products)
    both = np.add.outer(own, own)
    variances = both - 2 * products
    n_units = contributions.shape[1]
    for system, suspects in enumerate(variances <= CANCELLED * both):
        others = np.flatnonzero(suspects)
        others = others[others > system]
        if not len(others):
            continue
        gaps = contributions[others] - contributions[system]
        exact = np.where(np.abs(gaps).max(axis=1) * n_units > SAME, np.einsum("ij,ij->i", gaps, gaps), 0)
        variances[system, others] = variances[others, system] = exact
    np.fill_diagonal(variances, 0)
    spreads: Floats = np.sqrt(variances)
    return spreads


def _largest_differences(deviations: Floats, spreads: Floats) -> Floats:
    """Return the largest standardised difference of all pairs in each resample, shape (n_resamples,)."""
    n_systems, n_resamples = deviations.shape
    inverse = np.divide(1, spreads, out=np.zeros_like(spreads), where=spreads > 0)
    largest = np.zeros(n_resamples)
    n_columns = max(64, BLOCK // n_systems)
    for first in range(0, n_resamples, n_columns):
        block = np.ascontiguousarray(deviations[:, first : first + n_columns])
        highest = np.zeros_like(block)
        for system in range(n_systems - 1):
            gaps = block[system + 1 :] - block[system]
            gaps *= inverse[system, system + 1 :, None]
            np.abs(gaps, out=gaps)
            np.maximum(highest[system + 1 :], gaps, out=highest[system + 1 :])
        largest[first : first + n_columns] = highest.max(axis=0)
    return largest
