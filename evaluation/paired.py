"""Systems against a reference that the reader fixed beforehand: paired differences, randomisation test, Holm.

Not for a leader that the data chose: that family is all pairs, and `evaluation.uncertainty.separate` answers for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.resampling import Resampled
from evaluation.types import Floats
from evaluation.uncertainty import Bounds, percentiles

N_FLIPS = 10_000
# A batch of signs, as bytes and as 32-bit numbers; twice as much takes a quarter longer.
BATCH_BYTES = 24 * 1024**2
# Signed sums are 32-bit: two are equal when they differ by less than this share of the row's absolute sum, ten times
# their rounding.
TIE = 4e-6


@dataclass(frozen=True, slots=True)
class Comparison:
    """Each system minus the reference: differences, 95% intervals and two-sided p-values, uncorrected for their number.

    The reference's own row is 0, [0, 0] and 1. `bounds` and `p_values` are None where there are too few units.
    """

    differences: Floats
    bounds: Bounds | None
    p_values: Floats | None
    n_units: int


def compare(resampled: Resampled, *, reference: int, seed: int, n_flips: int = N_FLIPS) -> Comparison:
    """Compare every system of a statistic with the one numbered `reference`, unit by unit."""
    statistic = resampled.statistic
    differences = statistic.estimates - statistic.estimates[reference]
    if not statistic.has_enough_units:
        return Comparison(differences, None, None, statistic.n_units)
    deviations = resampled.deviations - resampled.deviations[reference]
    contributions = statistic.contributions(centred=False)
    return Comparison(
        differences,
        percentiles(deviations, differences, statistic.n_units),
        randomisation_p_values(contributions - contributions[reference], seed=seed, n_flips=n_flips),
        statistic.n_units,
    )


def randomisation_p_values(differences: Floats, *, seed: int, n_flips: int = N_FLIPS) -> Floats:
    """Test that the two systems of each row of paired differences (n, n_units) could be exchanged in every unit.

    One matrix of random signs serves all rows. p = (count + 1) / (n_flips + 1), where count is the flips whose sum is
    at least as far from 0 as the sum itself, or nearer by rounding alone. Memory: a batch of signs, at most 24 MiB.
    """
    observed = np.abs(differences.sum(axis=1))
    threshold = observed - TIE * np.abs(differences).sum(axis=1)
    # ±1 times d, summed, is twice the 0/1 sum minus the sum of all: the signs stay 0 and 1.
    halves = (2 * differences).astype(np.float32)
    all_plus = differences.sum(axis=1)[:, None]
    count = np.zeros(len(differences), dtype=np.int64)
    for signs in _signs(differences.shape[1], n_flips, seed):
        count += (np.abs(halves @ signs.T - all_plus) >= threshold[:, None]).sum(axis=1)
    p_values: Floats = (count + 1) / (n_flips + 1)
    return p_values


def holm(p_values: Floats) -> Floats:
    """Correct p-values for their number (Holm 1979), in the shape in which they come; none is above 1."""
    flat = p_values.ravel()
    order = np.argsort(flat, kind="stable")
    corrected = np.empty(len(flat))
    corrected[order] = np.minimum(1, np.maximum.accumulate(flat[order] * np.arange(len(flat), 0, -1)))
    return corrected.reshape(p_values.shape)


def _signs(n_units: int, n_flips: int, seed: int) -> Iterator[NDArray[np.float32]]:
    """Yield batches (n, n_units) of fair 0 and 1; whole bytes a row, so that the size of a batch does not matter."""
    chance = np.random.default_rng(seed)
    row_bytes = -(-n_units // 8)
    n_rows = max(1, BATCH_BYTES // (5 * 8 * row_bytes))
    for first in range(0, n_flips, n_rows):
        rows = min(n_rows, n_flips - first)
        packed = np.frombuffer(chance.bytes(rows * row_bytes), dtype=np.uint8).reshape(rows, row_bytes)
        yield np.unpackbits(packed, axis=1, count=n_units).astype(np.float32)
