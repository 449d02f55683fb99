"""What a board says of its own uncertainty, on systems whose order is known beforehand."""

import json
from typing import Any

import numpy as np
import pytest

from evaluation import Floats, intervals, resample, separate, topic_statistic, units_of
from leaderboard.certainty import TopicValues, half_widths, with_certainty

SEED = 7


def some_values(*means: float, n_topics: int = 400, noise: float = 0.1) -> Floats:
    """Systems that find the same topics hard and differ by their own noise, shape (n, n_topics)."""
    chance = np.random.default_rng(1)
    hard = chance.uniform(-0.2, 0.2, n_topics)
    own = chance.normal(0, noise, (len(means), n_topics))
    centred = own - own.mean(axis=1, keepdims=True)
    return np.clip(np.array(means)[:, None] + (hard - hard.mean()) + centred, 0, 1)


def a_table(values: Floats, **changes: Any) -> TopicValues:
    """Topics of two kinds: the first three quarters are easy, the others hard."""
    n_topics = values.shape[1]
    is_easy = np.arange(n_topics) < n_topics * 3 // 4
    plain: dict[str, Any] = {
        "by_topic": {"nDCG@10": values, "R@10": values**2},
        "by_group": {},
        "group_of": None,
        "slices": {"kind": {"easy": is_easy, "hard": ~is_easy}},
        "n_topics": n_topics,
    }
    return TopicValues(**plain | changes)


def a_board(table: TopicValues, *, mean: str = "topics", enough: bool = True) -> dict[str, Any]:
    """Rows in the order of the table's systems."""
    primary = table.by_topic["nDCG@10"]
    columns = [("nDCG@10", mean), ("R@10", "topics"), *((name, "groups") for name in table.by_group)]
    kinds = table.slices["kind"]
    rows = [
        {
            "id": f"s{place}",
            "scores": [float(scores.mean())] + [0.0] * (len(columns) - 1),
            "slices": {"kind": [[0.0, float(scores[kinds[value]].mean())] if enough else None for value in kinds]},
        }
        for place, scores in enumerate(primary)
    ]
    return {
        "columns": [{"measure": measure, "mean": how} for measure, how in columns],
        "measures": ["R@10", "nDCG@10"],
        "axes": [{"id": "kind", "values": [{"id": value, "enough": enough} for value in kinds]}],
        "rows": rows,
    }


def sure(table: TopicValues, **options: Any) -> dict[str, Any]:
    board = a_board(table, **options)
    return with_certainty(board, table, range(len(board["rows"])), seed=SEED)


def test_clear_leader_is_alone_and_close_followers_are_not_separable() -> None:
    board = sure(a_table(some_values(0.8, 0.5, 0.499)))

    told = [(row["rank_interval"], row["tied_with_first"]) for row in board["rows"]]
    assert told == [([1, 1], True), ([2, 3], False), ([2, 3], False)]


def test_rank_intervals_and_resolution_are_those_of_the_table_of_all_pairs() -> None:
    values = some_values(0.8, 0.79, 0.78, 0.7)
    (found,) = resample([topic_statistic(values, units_of(400))], seed=SEED)
    expected = separate(found)

    board = sure(a_table(values))

    assert expected is not None
    assert board["uncertainty"]["resolution"] == pytest.approx(expected.resolution, abs=1e-6)
    assert [row["rank_interval"] for row in board["rows"]] == np.column_stack(
        [expected.best_ranks, expected.worst_ranks]
    ).tolist()


def test_each_column_has_the_bootstrap_interval_of_its_mean_to_six_digits() -> None:
    values = some_values(0.8, 0.5)
    (found,) = resample([topic_statistic(values**2, units_of(400))], seed=SEED)
    bounds = intervals(found).bounds

    board = sure(a_table(values))

    assert bounds is not None
    assert [row["intervals"][1] for row in board["rows"]] == [
        [round(low, 6), round(high, 6)] for low, high in zip(bounds.low, bounds.high, strict=True)
    ]
    for row in board["rows"]:
        low, high = row["intervals"][0]
        assert low < row["scores"][0] < high


def test_same_seed_gives_the_same_bytes() -> None:
    table = a_table(some_values(0.8, 0.7, 0.6))

    assert json.dumps(sure(table)) == json.dumps(sure(table))


def test_board_says_what_was_drawn_how_often_and_at_which_level() -> None:
    told = sure(a_table(some_values(0.8, 0.7)))["uncertainty"]

    assert {key: told[key] for key in ("unit", "n_units", "level", "n_resamples")} == {
        "unit": "topic",
        "n_units": 400,
        "level": 0.95,
        "n_resamples": 10_000,
    }


def test_equal_systems_are_all_tied_with_the_first() -> None:
    one = some_values(0.6)

    board = sure(a_table(np.vstack([one, one, one])))

    assert [row["rank_interval"] for row in board["rows"]] == [[1, 3]] * 3
    assert [row["tied_with_first"] for row in board["rows"]] == [True] * 3
    assert board["uncertainty"]["resolution"] is None


def test_under_fifty_topics_nothing_is_said_but_their_number() -> None:
    board = sure(a_table(some_values(0.9, 0.1, n_topics=49)))

    assert board["uncertainty"]["n_units"] == 49
    assert board["uncertainty"]["resolution"] is None
    for row in board["rows"]:
        assert row["intervals"] == [None, None]
        assert (row["rank_interval"], row["tied_with_first"]) == (None, None)
        assert row["slice_intervals"] == row["slice_ranks"] == {"kind": [None, None]}


def test_slice_has_its_own_interval_rank_and_resolution() -> None:
    board = sure(a_table(some_values(0.8, 0.5, 0.499)))

    [easy, hard] = board["axes"][0]["values"]
    assert 0 < easy["resolution"] < hard["resolution"]
    assert board["rows"][0]["slice_ranks"]["kind"][0] == [1, 1, 1]
    assert sorted(row["slice_ranks"]["kind"][0][0] for row in board["rows"]) == [1, 2, 3]
    for row in board["rows"]:
        low, high = row["slice_intervals"]["kind"][0]
        assert low < row["slices"]["kind"][0][1] < high


def test_slice_under_fifty_topics_has_neither_interval_nor_rank() -> None:
    board = sure(a_table(some_values(0.8, 0.5, n_topics=180)))

    assert [row["slice_intervals"]["kind"][1] for row in board["rows"]] == [None, None]
    assert [row["slice_ranks"]["kind"][1] for row in board["rows"]] == [None, None]
    assert [value["resolution"] is None for value in board["axes"][0]["values"]] == [False, True]


def test_slice_that_the_card_hides_stays_hidden() -> None:
    board = sure(a_table(some_values(0.8, 0.5)), enough=False)

    assert [row["slice_intervals"]["kind"] for row in board["rows"]] == [[None, None]] * 2


def test_macro_mean_is_resampled_as_the_mean_over_its_slices() -> None:
    values = some_values(0.8, 0.5)

    board = sure(a_table(values), mean="macro:kind")

    macro = (values[0, :300].mean() + values[0, 300:].mean()) / 2
    low, high = board["rows"][0]["intervals"][0]
    assert low < macro < high
    # the hard quarter counts as much as the easy rest, so this mean is less sure than that over topics
    plain = sure(a_table(values))["rows"][0]["intervals"][0]
    assert high - low > plain[1] - plain[0]


def test_unit_is_the_group_where_there_are_groups() -> None:
    values = some_values(0.8, 0.5)
    group_of = np.arange(400) // 4
    lowest = values.reshape(2, 100, 4).min(axis=2)
    table = a_table(values, by_group={"Robustness@10": lowest}, group_of=group_of)

    board = sure(table)

    assert (board["uncertainty"]["unit"], board["uncertainty"]["n_units"]) == ("group", 100)
    low, high = board["rows"][0]["intervals"][2]
    assert low < lowest[0].mean() < high


def test_group_measure_of_a_slice_that_splits_a_group_is_not_known() -> None:
    values = some_values(0.8)
    group_of = np.arange(400) // 4
    table = a_table(values, by_group={"Robustness@10": values[:, ::4]}, group_of=group_of)

    whole = table.slice_statistic("Robustness@10", np.arange(400) < 300)
    split = table.slice_statistic("Robustness@10", np.arange(400) < 301)

    assert whole is not None
    assert (whole.n_units, split) == (75, None)


def test_row_without_scores_could_be_anywhere_in_the_ranks_of_the_others() -> None:
    table = a_table(some_values(0.8, 0.5))
    board = a_board(a_table(some_values(0.8, 0.65, 0.5)))

    told = with_certainty(board, table, [0, 2], seed=SEED)["rows"]

    assert [row["rank_interval"] for row in told] == [[1, 2], None, [2, 3]]
    assert told[1]["intervals"] == [None, None]


def test_board_that_comes_in_is_not_changed() -> None:
    table = a_table(some_values(0.8, 0.5))
    board = a_board(table)
    before = json.dumps(board)

    with_certainty(board, table, [0, 1], seed=SEED)

    assert json.dumps(board) == before


def test_board_without_rows_has_no_intervals() -> None:
    table = a_table(some_values())

    board = with_certainty(a_board(table), table, [], seed=SEED)

    assert board["rows"] == []
    assert board["uncertainty"]["n_units"] == 400


def test_sealed_half_width_is_rounded_up_to_the_shown_digits() -> None:
    table = a_table(some_values(0.6))
    columns = a_board(table)["columns"]
    low, high = sure(table)["rows"][0]["intervals"][0]

    [width, _] = half_widths(columns, table, digits=2, seed=SEED)

    assert width is not None
    assert width == round(width, 2)
    assert 0 <= width - (high - low) / 2 < 0.01


@pytest.mark.parametrize("table", [a_table(some_values(0.6, n_topics=49)), a_table(some_values())], ids=["few", "none"])
def test_sealed_half_width_needs_fifty_topics_and_a_baseline(table: TopicValues) -> None:
    assert half_widths(a_board(table)["columns"], table, digits=2, seed=SEED) == [None, None]
