"""What a sealed board gives away: bits and judgements by hand, and cells that differ by too few topics."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from data.task import Axis, Limits, Task
from evaluation import TopicTable
from leaderboard.budget import budget, budget_lines, close_cells
from tests.builders import a_task


def a_table(**axes: Sequence[str]) -> TopicTable:
    n_topics = len(next(iter(axes.values())))
    values = {axis: tuple((value,) for value in column) for axis, column in axes.items()}
    return TopicTable(tuple(f"t{n}" for n in range(n_topics)), None, values)


def a_sealed_task(*axes: str, total: int = 20) -> Task:
    return replace(
        a_task(gold="sealed"),
        axes=tuple(Axis(axis, {"en": axis}, False, (), {}, "dots") for axis in axes),
        limits=Limits(2, 10, total, 100),
        mean="topics",
    )


def test_bits_and_share_count_every_shown_number() -> None:
    task = a_sealed_task("kind")
    table = a_table(kind=["x"] * 600 + ["y"] * 400)

    found = budget(task, table)

    n_measures = len(task.measures)
    # over all topics 3 digits, in the slices 2; three cells, 0.2 judgements each, twenty times, of 1000 topics
    assert found.bits == pytest.approx(n_measures * (math.log2(1001) + 2 * math.log2(101)))
    assert (found.n_numbers, found.n_cells) == (3 * n_measures, 3)
    assert found.share == pytest.approx(3 * 20 * 0.2 / 1000)


def test_slices_that_are_not_shown_give_nothing_away() -> None:
    assert budget(a_sealed_task("kind"), a_table(kind=["x"] * 150 + ["y"] * 50)).n_cells == 1


@pytest.mark.parametrize(("total", "is_refused"), [(125, False), (126, True)])
def test_share_over_five_per_cent_is_a_problem(total: int, is_refused: bool) -> None:
    line, problems = budget_lines(a_sealed_task("kind", total=total), a_table(kind=["x"] * 1000))

    assert f"at full quota ({total})" in line
    assert bool(problems) == is_refused


def test_more_than_ninety_bits_are_a_problem() -> None:
    axes = {f"a{n}": ["x"] * 500 + ["y"] * 500 for n in range(9)}
    _, problems = budget_lines(a_sealed_task(*axes, total=1), a_table(**axes))

    assert any("gives away too much" in problem for problem in problems)


def test_cells_of_two_axes_that_differ_by_few_topics_are_found() -> None:
    kind = ["x"] * 300 + ["y"] * 300
    length = ["x"] * 305 + ["y"] * 295

    found = set(close_cells(a_sealed_task("kind", "length"), a_table(kind=kind, length=length)))

    assert found == {("kind x", "length x", 5), ("kind y", "length y", 5)}


def test_what_is_left_over_by_two_axes_is_compared_too() -> None:
    # each axis hides its small values, and what they hide differs by four topics
    kind = ["x"] * 400 + ["p"] * 60 + ["q"] * 60
    length = ["s"] * 404 + ["u"] * 58 + ["v"] * 58

    found = set(close_cells(a_sealed_task("kind", "length"), a_table(kind=kind, length=length)))

    assert ("kind, the rest", "length, the rest", 4) in found


def test_cells_that_are_equal_or_far_apart_are_no_problem() -> None:
    kind = ["x"] * 300 + ["y"] * 300
    length = ["s"] * 150 + ["l"] * 150 + ["s"] * 150 + ["l"] * 150

    assert (
        list(close_cells(a_sealed_task("kind", "length", "again"), a_table(kind=kind, length=length, again=kind))) == []
    )
