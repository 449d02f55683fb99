"""The short text of a board: every number still reads as the whole one does, and no slice comes unasked."""

import json
import random

import pytest

from leaderboard.parts.board_text import short_text, shortened
from tests.leaderboard.parts.boards import a_board, a_row


@pytest.mark.parametrize("value", [0.8134996, 0.8135004, 0.81349999999, 0.0004999999, -0.0125004, 0.8135, 1.0, 0.0])
@pytest.mark.parametrize("shown", [2, 3])
def test_short_number_reads_as_the_whole_one(value: float, shown: int) -> None:
    short = shortened(value, shown)

    assert short is not None
    assert f"{short:.{shown}f}" == f"{value:.{shown}f}"
    assert len(repr(abs(short))) <= shown + 3
    assert abs(short - value) < 10 ** -(shown + 1)


def test_many_numbers_read_as_they_did() -> None:
    draws = random.Random(1)
    values = [draws.choice([1, 1e-1]) * draws.random() + draws.choice([0, 5e-8, -5e-8]) for _ in range(20_000)]
    values += [round(value, 3) + 0.0005 + draws.uniform(-1e-7, 1e-7) for value in values[:5000]]

    assert [v for v in values if f"{shortened(v, 3):.3f}" != f"{v:.3f}"] == []


def test_missing_number_stays_missing() -> None:
    assert shortened(None, 3) is None


def a_body() -> str:
    row = a_row(
        score=0.123456789,
        intervals=[[0.111111, 0.134567], None],
        slice_intervals={"kind": [[0.1, 0.2], None, None], "grade": [[0.25, 0.3123456], None]},
        slice_ranks={"kind": [[1, 1, 2], None, None], "grade": [[1, 1, 1], None]},
    )
    return json.dumps(a_board([row]))


def test_numbers_are_short_and_no_slice_comes_unasked() -> None:
    row = json.loads(short_text(a_body()))["rows"][0]

    assert row["scores"] == [0.1235, 0.0234]
    assert row["intervals"] == [[0.111, 0.135], None]
    assert not {"slices", "slice_intervals", "slice_ranks"} & row.keys()
    assert short_text(a_body(), "no-such-axis") == short_text(a_body())


def test_slices_of_the_asked_axis_come_with_what_is_known_of_them() -> None:
    row = json.loads(short_text(a_body(), "grade"))["rows"][0]

    assert row["slices"] == {"grade": [[0.1235, 0.0234], [0.0234, 0.0234]]}
    assert row["slice_intervals"] == {"grade": [[0.25, 0.312], None]}
    assert row["slice_ranks"] == {"grade": [[1, 1, 1], None]}


def test_everything_else_is_as_it_was() -> None:
    whole, short = json.loads(a_body()), json.loads(short_text(a_body(), "kind"))

    assert {k: v for k, v in short.items() if k != "rows"} == {k: v for k, v in whole.items() if k != "rows"}
    changed = {"scores", "intervals", "slices", "slice_intervals", "slice_ranks"}
    assert {k: v for k, v in short["rows"][0].items() if k not in changed} == {
        k: v for k, v in whole["rows"][0].items() if k not in changed
    }
