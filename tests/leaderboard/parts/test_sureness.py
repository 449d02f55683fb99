"""Words and glyphs for how sure a number is, in each language."""

from typing import Any

import pytest

from leaderboard.parts.sureness import glyph, interval, rank_words, shared_axis, tie_words
from leaderboard.texts import format_ordinal, texts

EN, FR, ZH = (texts(lang) for lang in ("en", "fr", "zh"))
COLUMN = {"measure": "nDCG@10", "label": None, "mean": "topics"}


@pytest.mark.parametrize(
    ("possible", "said"),
    [
        (None, "rank 4 of 48"),
        ((4, 4), "rank 4 of 48"),
        ((3, 7), "rank 4 (3–7) of 48, not separable from 3rd"),
        ((1, 7), "rank 4 (1–7) of 48, not separable from 1st"),
        ((4, 7), "rank 4 (4–7) of 48"),
    ],
)
def test_rank_says_what_the_topics_leave_open(possible: tuple[int, int] | None, said: str) -> None:
    assert rank_words((4, 48), possible, EN, is_on_board=True) == said


def test_first_place_that_is_not_decided_says_so() -> None:
    told = rank_words((1, 48), (1, 3), EN, is_on_board=True)

    assert told == "rank 1 (1–3) of 48, the first place is not decided by these topics"


def test_rank_is_told_in_each_language() -> None:
    assert rank_words((4, 48), (1, 7), FR, is_on_board=True) == "rang 4 (1–7) sur 48, non séparable du 1er"
    assert rank_words((4, 48), (3, 7), ZH, is_on_board=True) == "第 4 名（3–7），共 48 个，与第 3 名不可区分"


def test_places_are_written_as_each_language_does() -> None:
    english = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 102: "102nd"}
    assert {number: format_ordinal(number, "en") for number in english} == english
    assert [format_ordinal(n, "fr") for n in (1, 2, 21)] == ["1er", "2e", "21e"]


def test_interval_is_written_with_the_digits_of_the_board() -> None:
    assert interval((0.8031, 0.8204), EN, 3) == "[0.803, 0.820]"
    assert interval((0.8031, 0.8204), FR, 2) == "[0,80\u202f; 0,82]"
    assert interval(None, EN, 3) == ""


def test_axis_reaches_over_all_ends() -> None:
    assert shared_axis([(0.5, (0.4, 0.6)), (None, None), (0.7, None)]) == (0.4, 0.7)
    assert shared_axis([(0.5, None)]) is None
    assert shared_axis([]) is None


def test_glyph_needs_an_interval_and_stays_inside_its_axis() -> None:
    assert glyph(0.5, None, (0.4, 0.6)) == ""
    assert "--at: 50.0%; --low: 0.0%; --high: 100.0%" in glyph(0.5, (0.3, 0.7), (0.4, 0.6))


@pytest.mark.parametrize(
    ("ties", "column", "said"),
    [
        (None, {}, ""),
        ({"n": 9, "low": 0.50001, "high": 0.50002}, {}, ""),
        ({"n": 1, "low": 0.5, "high": 0.51}, {}, "Equal scores in 1 topic leave nDCG@10 open between 0.500 and 0.510"),
        ({"n": 12, "low": 0.5, "high": 0.51}, {"label": "n@10"}, "Equal scores in 12 topics leave n@10 open"),
        ({"n": 12, "low": 0.5, "high": 0.51}, {"mean": "groups"}, "Equal scores in 12 groups of topics leave"),
    ],
)
def test_ties_are_told_where_the_digits_show_them(ties: Any, column: dict[str, Any], said: str) -> None:
    told = tie_words(ties, COLUMN | column, EN, 3)

    assert told.startswith(said) if said else told == ""
