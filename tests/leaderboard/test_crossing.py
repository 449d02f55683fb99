"""The cells where two axes cross: means over the topics that have both values, and nothing of few topics."""

from typing import Any

import numpy as np
import pytest

from leaderboard.certainty import TopicValues
from leaderboard.crossing import with_crossed

SCORES = np.array([[0.0, 0.5, 1.0, 0.25, 0.75, 0.1], [1.0, 1.0, 0.0, 0.0, 0.5, 0.2]])
SLICES = {
    "kind": {"easy": np.array([1, 1, 1, 0, 0, 0], dtype=bool), "hard": np.array([0, 0, 0, 1, 1, 1], dtype=bool)},
    "language": {"en": np.array([1, 1, 0, 1, 0, 0], dtype=bool), "fr": np.array([0, 0, 1, 0, 1, 1], dtype=bool)},
}


def a_table(**changes: Any) -> TopicValues:
    plain = {"by_topic": {"RR": SCORES}, "by_group": {}, "group_of": None, "slices": SLICES, "n_topics": 6}
    return TopicValues(**plain | changes)


def a_board(n_rows: int = 2) -> dict[str, Any]:
    return {
        "columns": [{"measure": "RR", "mean": "topics"}],
        "axes": [{"id": axis, "values": [{"id": value} for value in values]} for axis, values in SLICES.items()],
        "rows": [{"id": f"s{place}"} for place in range(n_rows)],
    }


def test_cell_is_the_mean_of_the_topics_that_have_both_values() -> None:
    board = with_crossed(a_board(), a_table(), [0, 1], {"kind": "language"}, least=1)

    assert board["axes"][0]["panels"] == {"axis": "language", "topics": [[2, 1], [1, 2]]}
    assert "panels" not in board["axes"][1]
    assert board["rows"][0]["crossed"] == {"kind": [[0.25, 1.0], [0.25, pytest.approx(0.425)]]}
    assert board["rows"][1]["crossed"] == {"kind": [[1.0, 0.0], [0.0, pytest.approx(0.35)]]}


def test_cell_with_few_topics_and_row_without_scores_say_nothing() -> None:
    board = with_crossed(a_board(3), a_table(), [0, 2], {"kind": "language"}, least=2)

    assert [row["crossed"]["kind"] for row in board["rows"]] == [
        [[0.25, None], [None, pytest.approx(0.425)]],
        [[None, None], [None, None]],
        [[1.0, None], [None, pytest.approx(0.35)]],
    ]


def test_nothing_is_added_where_nothing_can_be_crossed() -> None:
    plain = a_board()

    assert with_crossed(plain, a_table(), [0, 1], {}, least=1) == plain
    assert with_crossed(plain, a_table(by_topic={}), [0, 1], {"kind": "language"}, least=1) == plain
    assert with_crossed(plain, a_table(), [0, 1], {"kind": "gone"}, least=1) == plain
