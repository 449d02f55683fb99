"""Differences from a reference: overall and by slice, with interval, test, correction and headline."""

import json
from typing import Any

import numpy as np
import pytest

from evaluation import Floats, compare, holm, resample, topic_statistic, units_of
from leaderboard.comparing import compare_rows, losses
from tests.leaderboard.test_certainty import SEED, a_board, a_table, some_values


def compared(values: Floats, **changes: Any) -> dict[str, Any]:
    table = a_table(values, **changes)
    board = a_board(table)
    for axis in board["axes"]:
        for value in axis["values"]:
            value["topics"] = int(table.slices[axis["id"]][value["id"]].sum())
    return compare_rows(board, table, [row["id"] for row in board["rows"]], seed=SEED)


def test_overall_cell_is_the_paired_comparison_of_the_scales() -> None:
    values = some_values(0.6, 0.62, 0.5)
    (found,) = resample([topic_statistic(values, units_of(400))], seed=SEED)
    expected = compare(found, reference=0, seed=SEED)

    told = compared(values)

    assert expected.bounds is not None
    assert expected.p_values is not None
    for place, cell in enumerate(told["overall"], 1):
        assert cell["difference"] == pytest.approx(expected.differences[place], abs=1e-6)
        assert cell["interval"] == pytest.approx([expected.bounds.low[place], expected.bounds.high[place]], abs=1e-6)
        assert cell["p"] == pytest.approx(expected.p_values[place], abs=1e-6)


def test_every_shown_p_value_is_in_one_family() -> None:
    told = compared(some_values(0.6, 0.62, 0.61))

    cells = [*told["overall"], *(cell for one in told["slices"] for cell in one["others"])]
    assert told["n_comparisons"] == len(cells) == 6
    expected = holm(np.array([cell["p"] for cell in cells]))
    assert [cell["p_holm"] for cell in cells] == pytest.approx(expected.tolist(), abs=1e-5)
    assert [cell["clear"] for cell in cells] == [cell["p_holm"] <= 0.05 for cell in cells]


def test_headline_counts_the_slices_in_which_the_difference_is_clear() -> None:
    told = compared(some_values(0.5, 0.8, 0.2))

    better, worse = told["headlines"]
    assert (better["n_clear_better"], better["n_clear_worse"], better["n_slices"]) == (2, 0, 2)
    assert (worse["n_clear_better"], worse["n_clear_worse"], worse["n_slices"]) == (0, 2, 2)
    assert better["difference"] == pytest.approx(0.3, abs=0.01)
    low, high = better["interval"]
    assert low < better["difference"] < high
    assert better["clear"]


def test_equal_systems_are_never_clear() -> None:
    one = some_values(0.6)

    told = compared(np.vstack([one, one]))

    assert told["overall"] == [{"difference": 0.0, "interval": [0.0, 0.0], "p": 1.0, "p_holm": 1.0, "clear": False}]


def test_small_slice_shows_its_topics_and_no_verdict() -> None:
    told = compared(some_values(0.6, 0.7, n_topics=180))

    assert told["slices"][1] == {"axis": "kind", "value": "hard", "topics": 45, "units": None, "others": None}
    assert told["headlines"][0]["n_slices"] == 1


def test_under_fifty_topics_there_is_a_difference_and_no_verdict() -> None:
    told = compared(some_values(0.5, 0.8, n_topics=49))

    [cell] = told["overall"]
    assert cell["difference"] == pytest.approx(0.3, abs=0.01)
    assert (cell["interval"], cell["p"], cell["p_holm"], cell["clear"]) == (None, None, None, None)
    assert told["n_comparisons"] == 0


def test_same_question_has_the_same_answer_to_the_byte() -> None:
    values = some_values(0.6, 0.62)

    assert json.dumps(compared(values)) == json.dumps(compared(values))


def test_groups_are_flipped_whole() -> None:
    values = some_values(0.6, 0.62)

    told = compared(values, group_of=np.arange(400) // 4)

    assert (told["unit"], told["n_units"]) == ("group", 100)
    assert [one["units"] for one in told["slices"]] == [75, None]


def test_losses_are_the_topics_that_are_worse_than_the_reference_the_worst_first() -> None:
    table = a_table(np.array([[0.5, 1.0, 0.2, 0.9], [0.4, 0.0, 0.2, 1.0]]))

    [lost] = losses(table, ["t1", "t2", "t3", "t4"], "nDCG@10")

    assert lost == [
        {"topic": "t2", "reference": 1.0, "value": 0.0},
        {"topic": "t1", "reference": 0.5, "value": 0.4},
    ]


def test_at_most_twenty_losses_are_told_equal_ones_in_topic_order() -> None:
    table = a_table(np.vstack([np.ones(30), np.full(30, 0.25), np.ones(30)]))

    some, none = losses(table, [f"t{number:02d}" for number in range(30)], "nDCG@10")

    assert [one["topic"] for one in some] == [f"t{number:02d}" for number in range(20)]
    assert none == []


def test_measure_over_groups_has_no_losses_by_topic() -> None:
    assert losses(a_table(some_values(0.5, 0.6)), [], "Robustness@10") == [[]]
