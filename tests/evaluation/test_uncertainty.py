"""Intervals and separation against scipy, statsmodels, an all-pairs loop, and simulation."""

import itertools
import math

import numpy as np
import pytest

from evaluation.resampling import (
    N_RESAMPLES,
    Statistic,
    macro_statistic,
    robustness_statistic,
    topic_statistic,
    units_of,
)
from evaluation.uncertainty import Separation, intervals, separate, student, wilson_bounds
from tests.evaluation.systems import resampled, some_values


def separation_of(values: np.ndarray, n_resamples: int = N_RESAMPLES) -> Separation:
    found = separate(resampled(topic_statistic(values, units_of(values.shape[1])), n_resamples=n_resamples))
    assert found is not None
    return found


class TestIntervals:
    def test_no_interval_under_fifty_units(self):
        values = some_values(3, 400)
        groups = np.arange(400)

        few = intervals(resampled(topic_statistic(values, units_of(400, groups % 49)), n_resamples=100))
        enough = intervals(resampled(topic_statistic(values, units_of(400, groups % 50)), n_resamples=100))

        assert (few.n_units, few.bounds) == (49, None)
        assert (enough.n_units, enough.bounds is not None) == (50, True)

    def test_no_interval_of_a_macro_mean_with_a_slice_under_ten_units(self):
        values = some_values(3, 200)
        units = units_of(200)

        bounds = []
        for n_small in (9, 10):
            small = np.arange(200) < n_small
            parts = [topic_statistic(values, units, small), topic_statistic(values, units, ~small)]
            bounds.append(intervals(resampled(macro_statistic(parts), n_resamples=100)).bounds)

        assert [found is None for found in bounds] == [True, False]

    def test_wilson_interval_of_zero_and_one_values(self):
        # 50 of 100: (0.5 + z²/200 ± z·sqrt(0.0025 + z²/40000)) / (1 + z²/100) = 0.40383, 0.59617
        values = np.repeat([[0.0, 1.0]], 50, axis=0).reshape(1, 100)

        bounds = intervals(resampled(topic_statistic(values, units_of(100)), n_resamples=100)).bounds

        assert pytest.approx([0.40383, 0.59617], abs=1e-5) == [bounds.low[0], bounds.high[0]]

    def test_wilson_equals_statsmodels(self):
        proportion = pytest.importorskip("statsmodels.stats.proportion", reason="statsmodels is the reference here")
        successes = np.arange(61)

        bounds = wilson_bounds(successes / 60, 60)

        expected = proportion.proportion_confint(successes, 60, method="wilson")
        assert np.allclose(expected, [bounds.low, bounds.high], atol=1e-12)

    def test_system_that_finds_nothing_is_not_certain_to_find_nothing(self):
        values = np.vstack([np.zeros(80), some_values(1, 80)])
        units = units_of(80)

        bounds = intervals(resampled(topic_statistic(values, units), n_resamples=200)).bounds

        assert (bounds.low[0], 0.03 < bounds.high[0] < 0.06) == (0, True)

    def test_zero_and_one_topics_in_groups_are_not_independent_trials(self):
        # 60 groups of 8 equal topics hold 60 observations, not 480
        groups = np.repeat(np.arange(60), 8)
        values = (groups % 3 == 0).astype(float)[None]

        bounds = intervals(resampled(topic_statistic(values, units_of(480, groups)), n_resamples=100)).bounds

        wilson = wilson_bounds(np.array([1 / 3]), 60)
        assert pytest.approx([wilson.low[0], wilson.high[0]]) == [bounds.low[0], bounds.high[0]]

    def test_percentiles_equal_scipy_bootstrap_within_monte_carlo_error(self):
        stats = pytest.importorskip("scipy.stats", reason="scipy is the reference here")
        values = some_values(1, 400)
        reference = stats.bootstrap(
            (values[0],), np.mean, method="percentile", n_resamples=N_RESAMPLES, rng=np.random.default_rng(1)
        )

        bounds = intervals(resampled(topic_statistic(values, units_of(400)))).bounds

        # each end has a Monte-Carlo error of 0.027 standard errors; allow four times that of a difference
        allowance = 4 * math.sqrt(2) * 0.027 * reference.standard_error
        assert pytest.approx(list(reference.confidence_interval), abs=allowance) == [bounds.low[0], bounds.high[0]]

    @pytest.mark.parametrize("freedom", [49, 99, 999])
    def test_student_quantile_equals_scipy(self, freedom):
        stats = pytest.importorskip("scipy.stats", reason="scipy is the reference here")
        quantiles = [0.5, 1.96, 3.0, 4.0, 5.0]

        found = [student(quantile, freedom) for quantile in quantiles]

        assert pytest.approx(stats.t.isf(stats.norm.sf(quantiles), freedom), abs=1e-3) == found


class TestCoverage:
    """2,000 data sets each, as 2,000 rows; Monte-Carlo error of a coverage of 95% is 0.5 points."""

    N = 2000

    def coverage(self, statistic: Statistic, truth: float) -> float:
        bounds = intervals(resampled(statistic)).bounds
        return float(np.mean((bounds.low <= truth) & (truth <= bounds.high)))

    @pytest.mark.parametrize(
        ("a", "b", "n_topics"), [(0.2, 1.8, 150), (0.5, 0.5, 100), (2.0, 3.0, 100), (1.8, 0.2, 150)]
    )
    def test_interval_of_a_topic_mean_covers(self, a, b, n_topics):
        values = np.random.default_rng(11).beta(a, b, (self.N, n_topics))

        found = self.coverage(topic_statistic(values, units_of(n_topics)), a / (a + b))

        assert 0.93 <= found <= 0.97

    def test_interval_of_a_share_covers(self):
        values = (np.random.default_rng(12).random((self.N, 100)) < 0.1).astype(float)

        assert 0.93 <= self.coverage(topic_statistic(values, units_of(100)), 0.1) <= 0.97

    def test_groups_cover_where_topics_as_units_do_not(self):
        # 100 groups of 6 to 10 topics; a topic is near its group's own mean, which has mean 0.5
        chance = np.random.default_rng(13)
        groups = np.repeat(np.arange(100), chance.integers(6, 11, 100))
        own = np.clip(chance.beta(1, 1, (self.N, 100)), 0.01, 0.99)[:, groups]
        values = chance.beta(4 * own, 4 * (1 - own))

        by_group = self.coverage(topic_statistic(values, units_of(len(groups), groups)), 0.5)
        by_topic = self.coverage(topic_statistic(values, units_of(len(groups))), 0.5)

        assert 0.93 <= by_group <= 0.97
        assert by_topic < 0.80

    def test_interval_of_robustness_covers(self):
        # the lowest of four uniform values has mean 1/5
        values = np.random.default_rng(14).random((self.N, 400))

        found = self.coverage(robustness_statistic(values, units_of(400, np.arange(400) // 4)), 1 / 5)

        assert 0.93 <= found <= 0.97

    def test_interval_of_a_macro_mean_covers(self):
        # 20 topics of mean 0.2 and 130 of mean 0.6: macro mean 0.4
        chance = np.random.default_rng(15)
        values = np.hstack([chance.beta(1, 4, (self.N, 20)), chance.beta(3, 2, (self.N, 130))])
        units, small = units_of(150), np.arange(150) < 20
        macro = macro_statistic([topic_statistic(values, units, small), topic_statistic(values, units, ~small)])

        assert 0.93 <= self.coverage(macro, 0.4) <= 0.97


class TestSeparation:
    def test_critical_value_is_the_quantile_of_the_largest_difference_of_all_pairs(self):
        values = some_values(4, 60)
        statistic = topic_statistic(values, units_of(60))
        found = resampled(statistic, n_resamples=500)
        centred = values - values.mean(axis=1, keepdims=True)
        largest = np.zeros(500)
        for one, other in itertools.combinations(range(4), 2):
            spread = math.sqrt(((centred[one] - centred[other]) ** 2).sum()) / 60
            largest = np.maximum(largest, np.abs(found.deviations[one] - found.deviations[other]) / spread)

        table = separate(found)

        assert pytest.approx(student(np.quantile(largest, 0.95), 59)) == table.critical

    def test_one_pair_is_the_paired_t_test(self):
        stats = pytest.importorskip("scipy.stats", reason="scipy is the reference here")
        values = some_values(2, 300)
        interval = stats.ttest_rel(values[0], values[1]).confidence_interval()

        table = separation_of(values)

        # the critical value has a Monte-Carlo error of about 1%
        assert pytest.approx((interval.high - interval.low) / 2, rel=0.03) == table.half_widths[0, 1]

    def test_ranks_follow_from_the_table(self):
        values = some_values(1, 200) * 0 + np.array([[0.9], [0.5], [0.5], [0.1]])
        values = values - 0.05 + 0.1 * np.random.default_rng(0).random((4, 200))

        table = separation_of(values, n_resamples=1000)

        assert table.best_ranks.tolist() == [1, 2, 2, 4]
        assert table.worst_ranks.tolist() == [1, 3, 3, 4]
        assert table.can_be_first.tolist() == [True, False, False, False]

    def test_resolution_is_the_median_half_width_over_pairs(self):
        values = some_values(5, 120)

        table = separation_of(values, n_resamples=1000)

        pairs = [table.half_widths[pair] for pair in itertools.combinations(range(5), 2)]
        assert pytest.approx(np.median(pairs)) == table.resolution

    def test_equal_systems_are_tied_and_a_constant_difference_is_not(self):
        base = 0.5 * some_values(1, 100)[0]
        values = np.vstack([base, base, base + 0.1, np.full(100, 0.3), np.full(100, 0.3)])

        table = separation_of(values, n_resamples=1000)

        assert (table.is_better[0, 1], table.is_better[2, 0], table.is_better[3, 4]) == (False, True, False)
        assert pytest.approx([table.half_widths[0, 1], table.half_widths[2, 0]]) == [0, 0]
        assert np.isfinite(table.half_widths).all()
        assert np.isfinite(table.critical)

    def test_pair_that_differs_in_one_topic_stays_in_the_family(self):
        values = some_values(2, 100)
        twin = values[0].copy()
        twin[17] += 1e-7

        with_twin = separation_of(np.vstack([values, twin]), n_resamples=2000)

        # standardised, the twin's difference is the number of extra draws of topic 17: ±1, 2, 3 …
        assert with_twin.critical > separation_of(values, n_resamples=2000).critical + 0.2
        assert 0 < with_twin.half_widths[0, 2] < 1e-8
        assert not with_twin.is_better[2, 0]

    def test_single_system_has_rank_one_and_no_resolution(self):
        table = separation_of(some_values(1, 100), n_resamples=100)

        assert (table.best_ranks.tolist(), table.worst_ranks.tolist(), table.resolution) == ([1], [1], None)

    def test_no_verdict_under_fifty_units(self):
        statistic = topic_statistic(some_values(3, 49), units_of(49))

        assert separate(resampled(statistic, n_resamples=100)) is None

    @pytest.mark.parametrize(("n_systems", "n_repeats"), [(10, 600), (30, 400), (100, 150)])
    def test_equal_systems_are_rarely_separated_from_the_first(self, n_systems, n_repeats):
        chance = np.random.default_rng(21)
        n_false = 0
        for repeat in range(n_repeats):
            hard = chance.beta(0.5, 0.5, (1, 100))
            values = chance.beta(2 * hard + 0.05, 2 * (1 - hard) + 0.05, (n_systems, 100))
            table = separate(resampled(topic_statistic(values, units_of(100)), seed=repeat, n_resamples=500))
            n_false += not table.can_be_first.all()

        # 6%, and three Monte-Carlo errors of the number of repeats: 2.9 points at 600, 5.8 at 150
        assert n_false / n_repeats <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / n_repeats)

    def test_rank_intervals_hold_all_true_ranks_at_once(self):
        # 20 systems, neighbours 0.004 apart where a difference has a standard error of about 0.014
        chance = np.random.default_rng(22)
        offsets = 0.004 * np.arange(20)[::-1]
        n_held, n_repeats = 0, 300
        for repeat in range(n_repeats):
            values = 0.4 + offsets[:, None] + chance.normal(0, 0.1, (1, 100)) + chance.normal(0, 0.1, (20, 100))
            table = separate(resampled(topic_statistic(values, units_of(100)), seed=repeat, n_resamples=500))
            truth = np.arange(1, 21)
            n_held += bool(((table.best_ranks <= truth) & (truth <= table.worst_ranks)).all())

        # 95%, less three Monte-Carlo errors
        assert n_held / n_repeats >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / n_repeats)
