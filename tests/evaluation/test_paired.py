"""Paired tests against the exact distribution, scipy and statsmodels."""

import itertools
import math

import numpy as np
import pytest

from evaluation.paired import compare, holm, randomisation_p_values
from evaluation.resampling import topic_statistic, units_of
from tests.evaluation.systems import resampled, some_values


class TestPaired:
    @pytest.mark.parametrize(
        "row",
        [[0.5, 0.5, -0.5, 1, 0, 1, 0.5, -1, 1, 1], [0.1, 0.2, -0.3, 0.31, 0.17, 0.4, -0.05, 0.2, 0.33, 0.02, 0.6, 0.1]],
    )
    def test_p_value_is_that_of_the_exact_distribution(self, row):
        differences = np.array([row], dtype=float)
        flips = np.array(list(itertools.product([-1, 1], repeat=len(row))))
        exact = np.mean(np.abs(flips @ differences[0]) >= abs(differences.sum()) - 1e-9)

        found = randomisation_p_values(differences, seed=4)[0]

        assert pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 10_000) + 1e-4) == found

    def test_sums_that_differ_by_rounding_count_as_equal(self):
        # every one of the four signed sums of (0.3, −0.1 − 0.2) that is not 0 is as far away as the first
        differences = np.array([[0.3, 0.1 + 0.2], [0.1 + 0.2, 0.3]])

        found = randomisation_p_values(differences, seed=4)

        assert pytest.approx([0.5, 0.5], abs=0.02) == found

    def test_two_systems_that_differ_in_few_topics_are_tested_on_these(self):
        # three differences of one sign among 5,000 topics: exactly 2 of 8 sign patterns are as extreme
        differences = np.zeros((1, 5000))
        differences[0, [3, 400, 4999]] = 0.7, 1e-3, 0.2

        found = randomisation_p_values(differences, seed=4)[0]

        assert pytest.approx(0.25, abs=4 * math.sqrt(0.25 * 0.75 / 10_000)) == found

    def test_p_value_is_never_zero(self):
        assert pytest.approx(1 / 10_001) == randomisation_p_values(np.ones((1, 200)), seed=1)[0]

    def test_p_values_equal_scipy_permutation_test_within_monte_carlo_error(self):
        stats = pytest.importorskip("scipy.stats", reason="scipy is the reference here")
        values = some_values(2, 150)
        values[1] += 0.008
        reference = stats.permutation_test(
            (values[0], values[1]),
            lambda one, other, axis: np.mean(one - other, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=10_000,
            rng=np.random.default_rng(2),
        ).pvalue

        found = randomisation_p_values(values[1:] - values[:1], seed=6)[0]

        assert pytest.approx(reference, abs=4 * math.sqrt(2 * reference * (1 - reference) / 10_000)) == found

    def test_comparison_agrees_with_the_paired_t_test_on_many_topics(self):
        stats = pytest.importorskip("scipy.stats", reason="scipy is the reference here")
        values = some_values(2, 2000)
        values[1] += 0.003
        reference = stats.ttest_rel(values[1], values[0])
        interval = reference.confidence_interval()

        found = compare(resampled(topic_statistic(values, units_of(2000))), reference=0, seed=3)

        spread = reference.pvalue * (1 - reference.pvalue)
        assert pytest.approx(reference.pvalue, abs=4 * math.sqrt(spread / 10_000) + 2e-3) == found.p_values[1]
        allowance = 4 * 0.027 * (interval.high - interval.low) / 4 + 2e-5
        assert pytest.approx([interval.low, interval.high], abs=allowance) == [
            found.bounds.low[1],
            found.bounds.high[1],
        ]

    def test_reference_differs_from_itself_by_nothing(self):
        found = compare(
            resampled(topic_statistic(some_values(3, 60), units_of(60)), n_resamples=200), reference=1, seed=3
        )

        own = (found.differences[1], found.bounds.low[1], found.bounds.high[1], found.p_values[1])
        assert own == (0, 0, 0, 1)

    def test_groups_are_flipped_as_a_whole(self):
        # 60 groups of 5 equal differences are 60 observations
        groups = np.repeat(np.arange(60), 5)
        own = np.random.default_rng(8).normal(0.02, 0.1, 60)
        grouped = topic_statistic(np.vstack([np.full(300, 0.5), 0.5 + own[groups]]), units_of(300, groups))

        found = compare(resampled(grouped, n_resamples=200), reference=0, seed=9)

        assert pytest.approx(randomisation_p_values(own[None], seed=9)[0]) == found.p_values[1]

    def test_no_verdict_under_fifty_units(self):
        found = compare(
            resampled(topic_statistic(some_values(2, 49), units_of(49)), n_resamples=10), reference=0, seed=1
        )

        assert (found.n_units, found.bounds, found.p_values) == (49, None, None)

    def test_holm_by_hand(self):
        # sorted: 0.01·4, 0.02·3, 0.03·2 raised to 0.06, 0.5
        assert pytest.approx(holm(np.array([0.02, 0.01, 0.5, 0.03])).tolist()) == [0.06, 0.04, 0.5, 0.06]

    def test_holm_equals_statsmodels(self):
        multitest = pytest.importorskip("statsmodels.stats.multitest", reason="statsmodels is the reference here")
        p_values = np.random.default_rng(7).random((3, 15)) ** 3

        found = holm(p_values)

        assert np.allclose(multitest.multipletests(p_values.ravel(), method="holm")[1].reshape(3, 15), found)
