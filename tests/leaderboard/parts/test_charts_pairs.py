"""The dumbbell: two measures a system, the widest gap in the title; absent where there is no measure over groups."""

from typing import Any

import pytest

from data.published import PublishedRow
from leaderboard.parts.charts_pairs import MOST_PAIRS, MOST_TOLD, draw_pairs
from leaderboard.texts import texts
from tests.leaderboard.parts.boards import HOSTILE, LABELS, a_board, a_row
from tests.leaderboard.parts.drawings import drawing, numbers_of, shown_texts, titles

GROUPED = {
    "columns": [
        {"id": "nDCG@10", "measure": "nDCG@10", "label": "n@10", "mean": "topics", "is_primary": True},
        {"id": "Robustness@10", "measure": "Robustness@10", "label": None, "mean": "groups", "is_primary": False},
    ]
}


def pairs(rows: list[dict[str, Any]], lang: str = "en") -> str:
    return draw_pairs(a_board(rows, **GROUPED), LABELS, texts(lang))


def test_each_system_has_a_line_between_its_two_marks() -> None:
    html = pairs([a_row(1, "A", scores=[0.8, 0.2]), a_row(2, "B", scores=[0.6, 0.5])])

    drawn = drawing(html)
    assert titles(drawn) == ["A: 0.200", "A: 0.800", "B: 0.500", "B: 0.600"]
    joints = numbers_of(drawn, "q-joint", "d")
    marks = numbers_of(drawn, "q-mark", "transform")
    assert [(x1, x2) for x1, _, x2, _ in joints] == [(marks[1][0], marks[0][0]), (marks[3][0], marks[2][0])]
    assert "From n@10 to Robustness@10, A changes most: 0.600" in html
    assert "n@10 → Robustness@10: A 0.800 → 0.200, B 0.600 → 0.500." in html


@pytest.mark.parametrize("sheet", ["wide", "narrow"])
def test_numbers_stand_outside_of_the_line_and_on_the_sheet(sheet: str) -> None:
    drawn = drawing(pairs([a_row(1, "A", scores=[1.0, 0.0]), a_row(2, "B", scores=[0.3, 0.5])]), sheet)

    assert {"1.000", "0.000", "0.300", "0.500"} <= set(shown_texts(drawn))
    places = [float(one.attrib["x"]) for one in drawn.iter() if "q-haloed" in one.attrib.get("class", "")]
    assert min(places) > 40
    assert max(places) < float(drawn.attrib["width"]) - 40


def test_long_board_shows_the_first_and_a_baseline_and_tells_a_few() -> None:
    rows = [a_row(n, f"S{n}", scores=[0.9 - n / 100, 0.1], is_baseline=n == 40) for n in range(1, 41)]

    html = pairs(rows)

    assert len(titles(drawing(html))) == 2 * MOST_PAIRS
    assert "S40" in html
    assert f"and {MOST_PAIRS - MOST_TOLD} more" in html


@pytest.mark.parametrize("rows", [[], [a_row(scores=[0.5, None])], [a_row(scores=[None, 0.5])]], ids=str)
def test_nothing_is_drawn_where_nobody_has_both_values(rows: list[dict[str, Any]]) -> None:
    assert pairs(rows) == ""


def test_board_without_a_measure_over_groups_has_no_dumbbell() -> None:
    assert draw_pairs(a_board(), LABELS, texts("en")) == ""


def test_markup_in_a_name_is_text() -> None:
    assert "<img" not in pairs([a_row(1, HOSTILE, scores=[0.8, 0.2])])


def test_equal_gaps_at_the_digits_shown_name_nobody() -> None:
    html = pairs([a_row(1, "A", scores=[0.8, 0.2]), a_row(2, "B", scores=[0.70001, 0.1])])

    assert "<h2>How far is it from n@10 to Robustness@10?</h2>" in html
    assert "changes most" not in html


def published(system: str, measure: str, value: float, source: str = "Paper A") -> PublishedRow:
    return PublishedRow(system, None, measure, value, "", source)


def test_published_numbers_are_hollow_marks_in_a_drawing_that_is_opened() -> None:
    rows = [
        published("Theirs", "nDCG@10", 0.7),
        published("Theirs", "Robustness@10", 0.3),
        published("Half", "nDCG@10", 0.9),
        published("Split", "nDCG@10", 0.9),
        published("Split", "Robustness@10", 0.1, "Paper B"),
    ]

    html = draw_pairs(a_board([a_row(1, "A", scores=[0.8, 0.2])], **GROUPED), LABELS, texts("en"), rows)

    plain, _, opened = html.partition('<details class="q-fold"><summary>Show numbers reported elsewhere')
    assert "Theirs" not in plain
    assert "have no rank" in opened
    drawn = drawing(opened)
    assert titles(drawn) == ["A: 0.200", "A: 0.800", "Theirs: 0.300", "Theirs: 0.700"]
    hollow = ["is-plain" in mark.attrib["class"] for mark in drawn.iter() if "q-mark" in mark.attrib.get("class", "")]
    assert hollow == [False, False, True, True]


def test_nothing_published_is_no_offer() -> None:
    assert "reported elsewhere" not in pairs([a_row(1, "A", scores=[0.8, 0.2])])
