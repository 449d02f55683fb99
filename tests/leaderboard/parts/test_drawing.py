"""Axes with round ticks, texts that fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.parts.drawing import Axis, digits_of, fitted, in_lines, text_width

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@given(SCORES, st.integers(2, 8))
def test_ticks_are_few_on_the_axis_and_told_apart(scores: list[float], most: int) -> None:
    axis = Axis.of_scores(scores, 100, 400)

    ticks = axis.ticks(most)

    assert len(ticks) <= most
    assert all(100 - 1e-6 <= axis.at(tick) <= 400 + 1e-6 for tick in ticks)
    written = [f"{tick:.{digits_of(ticks)}f}" for tick in ticks]
    assert len(set(written)) == len(written)


@given(SCORES)
def test_every_score_is_on_the_axis(scores: list[float]) -> None:
    axis = Axis.of_scores(scores, 0, 300)

    assert all(-1e-6 <= axis.at(score) <= 300 + 1e-6 for score in scores)


@pytest.mark.parametrize("room", [20, 60, 200])
@pytest.mark.parametrize("content", ["multilingual-e5-large-instruct", "多语言检索模型第二版", "A"])
def test_cut_text_fits_and_says_that_it_was_cut(content: str, room: int) -> None:
    shown = fitted(content, room)

    assert text_width(shown) <= room
    assert shown == content or shown.endswith("…")


def test_long_label_breaks_at_spaces_into_two_lines() -> None:
    assert in_lines("Extrait de paragraphe", 90) == ["Extrait de", "paragraphe"]
    assert len(in_lines("one two three four five six", 40)) == 2
