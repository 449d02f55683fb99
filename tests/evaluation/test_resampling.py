"""Statistics against worked examples, resamples against topics drawn by hand."""

import itertools
import tracemalloc

import numpy as np
import pytest

from evaluation.errors import MissingGroups
from evaluation.resampling import (
    group_statistic,
    macro_statistic,
    resample,
    robustness_statistic,
    seed_of,
    topic_statistic,
    units_of,
)
from tests.evaluation.systems import resampled, some_values


class TestStatistics:
    def test_worked_example_of_robustness(self):
        # three groups, relevant document at ranks 1, 1, 11 / 1, 2 / 3, 4, 5, 6, 7; beyond rank 10 counts 0
        ranks = np.array([1, 1, 11, 1, 2, 3, 4, 5, 6, 7])
        values = np.where(ranks <= 10, 1 / np.log2(ranks + 1), 0)[None]
        units = units_of(10, np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 2]))

        means = [of(values, units).estimates[0] for of in (topic_statistic, group_statistic, robustness_statistic)]

        assert pytest.approx(means, abs=5e-6) == [0.56380, 0.62785, 0.32142]

    def test_macro_mean_weighs_each_slice_the_same(self):
        values = np.array([[1.0, 0.0, 0.0, 0.5]])
        units = units_of(4)
        first, second = np.array([True, True, True, False]), np.array([False, False, False, True])

        macro = macro_statistic([topic_statistic(values, units, first), topic_statistic(values, units, second)])

        assert pytest.approx([(1 / 3 + 0.5) / 2]) == macro.estimates

    def test_topic_without_a_group_is_a_unit_that_robustness_does_not_count(self):
        values = np.array([[0.2, 0.4, 1.0]])
        units = units_of(3, np.array([7, 7, -1]))

        lowest = robustness_statistic(values, units)

        assert (units.n, topic_statistic(values, units).n_units) == (2, 2)
        assert (lowest.n_units, lowest.estimates[0]) == (1, 0.2)

    def test_group_that_a_slice_splits_counts_with_its_topics_there(self):
        values = np.array([[0.1, 0.4, 0.6]])
        units = units_of(3, np.array([0, 0, 1]))

        sliced = robustness_statistic(values, units, np.array([False, True, True]))

        assert pytest.approx([0.5]) == sliced.estimates

    def test_contributions_add_up_to_the_number_and_centred_to_zero(self):
        values = some_values(3, 40)
        units = units_of(40, np.arange(40) // 3)
        halves = np.arange(40) < 15
        macro = macro_statistic([topic_statistic(values, units, halves), topic_statistic(values, units, ~halves)])

        plain, centred = (macro.contributions(centred=centred).sum(axis=1) for centred in (False, True))

        assert pytest.approx(macro.estimates) == plain
        assert pytest.approx([0, 0, 0], abs=1e-14) == centred

    def test_robustness_without_groups_is_refused(self):
        with pytest.raises(MissingGroups) as refused:
            robustness_statistic(some_values(2, 5), units_of(5))

        assert refused.value.name == "Robustness"

    @pytest.mark.parametrize(
        ("values", "topics"),
        [(np.zeros((2, 4)), None), (np.zeros(5), None), (np.zeros((2, 5)), np.zeros(5, dtype=bool))],
    )
    def test_values_of_another_shape_and_empty_slices_are_refused(self, values, topics):
        with pytest.raises(ValueError, match=r"expected \(n_systems, 5\)|no topic"):
            topic_statistic(values, units_of(5), topics)


class TestResampling:
    def test_seed_comes_from_the_gold_version_alone(self):
        assert seed_of("2026.1") == 2481453527602051569
        assert seed_of("2026.1") != seed_of("2026.2")

    def test_deviations_are_those_of_topics_drawn_by_hand(self):
        # 12 groups of 1 to 4 topics, two overlapping slices; the oracle repeats whole groups of topics
        groups = np.repeat(np.arange(12), [1, 2, 3, 4] * 3)
        n_topics = len(groups)
        values = some_values(2, n_topics)
        units = units_of(n_topics, groups)
        slices = [np.arange(n_topics) % 3 > 0, groups > 4]
        macro = macro_statistic([topic_statistic(values, units, row) for row in slices])
        drawn = np.random.default_rng(3).integers(0, 12, (200, 12))
        expected = []
        for draw in drawn:
            topics = np.concatenate([np.flatnonzero(groups == unit) for unit in draw])
            expected.append(np.mean([values[:, topics[row[topics]]].mean(axis=1) for row in slices], axis=0))

        found = resampled(macro, seed=3, n_resamples=200)

        assert np.allclose(np.transpose(expected), macro.estimates[:, None] + found.deviations, atol=1e-14)

    def test_draws_do_not_depend_on_how_many_are_asked_for(self):
        # at 200,000 units a batch is ten resamples
        statistic = topic_statistic(some_values(2, 200_000), units_of(200_000))

        short, long = (resampled(statistic, n_resamples=n).deviations for n in (13, 27))

        assert np.allclose(short, long[:, :13], atol=1e-14)

    def test_statistics_of_a_later_pass_come_from_the_same_draws(self):
        # 1,000 systems: three statistics fill a pass
        values = some_values(1000, 60)
        statistic = topic_statistic(values, units_of(60))

        first, *_, last = resample(itertools.repeat(statistic, 4), seed=2)

        assert np.allclose(first.deviations, last.deviations, atol=1e-14)

    def test_slice_that_a_resample_missed_keeps_its_mean(self):
        values = np.array([[0.0] * 9 + [1.0]])
        units = units_of(10)
        lone = np.arange(10) == 9
        macro = macro_statistic([topic_statistic(values, units, ~lone), topic_statistic(values, units, lone)])

        found = resampled(macro, n_resamples=500)

        assert pytest.approx(0, abs=1e-15) == np.abs(found.deviations).max()

    def test_statistics_over_other_units_are_refused(self):
        statistics = [topic_statistic(some_values(2, n), units_of(n)) for n in (5, 6)]

        with pytest.raises(ValueError, match="same units"):
            list(resample(statistics, seed=1, n_resamples=10))

    def test_memory_is_bounded_by_a_batch(self):
        # all counts at once would take 320 MB
        statistic = topic_statistic(some_values(1, 20_000), units_of(20_000))

        tracemalloc.start()
        resampled(statistic, n_resamples=2000)
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()

        assert peak_bytes < 64 * 1024**2
