"""Simulated values of systems on topics, and one statistic's resamples, for the tests of intervals and comparisons."""

import numpy as np

from evaluation.resampling import N_RESAMPLES, Resampled, Statistic, resample


def resampled(statistic: Statistic, seed: int = 1, n_resamples: int = N_RESAMPLES) -> Resampled:
    (only,) = resample([statistic], seed=seed, n_resamples=n_resamples)
    return only


def some_values(n_systems: int, n_topics: int, seed: int = 5) -> np.ndarray:
    """Systems that find the same topics hard, means between 0.4 and 0.6."""
    chance = np.random.default_rng(seed)
    hard = chance.beta(0.7, 0.7, (1, n_topics))
    return np.clip(0.8 * hard + 0.2 * chance.random((n_systems, n_topics)), 0, 1)
