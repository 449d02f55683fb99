"""Score against size and over time: who stands on the line, who is only listed, and when there is nothing to draw."""

from typing import Any

import pytest

from leaderboard.parts.charts_plane import draw_progress, draw_sizes
from leaderboard.texts import LANGUAGES, texts
from tests.leaderboard.parts.boards import HOSTILE, LABELS, a_board, a_row
from tests.leaderboard.parts.drawings import drawing, numbers_of, shown_texts, titles

SIZED = [
    a_row(1, "Huge", 0.80, params_millions=7000.0),
    a_row(2, "Closed", 0.75),
    a_row(3, "Middle", 0.70, params_millions=110.0),
    a_row(4, "Waste", 0.60, params_millions=330.0),
    a_row(5, "Small", 0.50, params_millions=33.0),
    a_row(6, "BM25", 0.40, is_baseline=True),
]
DATED = [
    a_row(1, "Newest", 0.80, submitted_at="2026-11-01T10:00:00Z"),
    a_row(2, "Second", 0.70, submitted_at="2026-05-01T10:00:00Z"),
    a_row(3, "Late", 0.60, submitted_at="2026-08-01T10:00:00Z"),
    a_row(4, "First", 0.50, submitted_at="2026-01-01T10:00:00Z"),
]


def sizes(rows: list[dict[str, Any]], lang: str = "en") -> str:
    return draw_sizes(a_board(rows), LABELS, texts(lang))


def progress(rows: list[dict[str, Any]], lang: str = "en") -> str:
    return draw_progress(a_board(rows), LABELS, texts(lang))


def test_frontier_holds_who_is_better_than_all_that_are_smaller() -> None:
    html = sizes(SIZED)

    assert titles(drawing(html)) == [
        *("Small: 33 M, 0.500", "Middle: 110 M, 0.700", "Waste: 330 M, 0.600", "Huge: 7.0 B, 0.800")
    ]
    assert "the largest first: Huge (7.0 B, 0.800), Middle (110 M, 0.700), Small (33 M, 0.500)." in html
    marks = {one.attrib["class"] for one in drawing(html).iter() if "q-mark" in one.attrib.get("class", "")}
    assert len([mark for mark in marks if "is-plain" in mark]) == 1


@pytest.mark.parametrize("sheet", ["wide", "narrow"])
def test_names_stand_on_the_line_only_and_do_not_touch(sheet: str) -> None:
    drawn = drawing(sizes(SIZED), sheet)

    said = shown_texts(drawn)
    assert "Waste" not in said
    assert "Huge" in said
    assert "BM25 0.400" in said


def test_size_is_logarithmic() -> None:
    drawn = drawing(sizes([a_row(n, f"S{n}", 0.2 * n, params_millions=10.0**n) for n in (1, 2, 3)]))

    (small, _), (middle, _), (large, _) = numbers_of(drawn, "q-mark", "transform")
    assert middle - small == pytest.approx(large - middle, abs=0.2)


def test_unknown_sizes_are_listed_and_not_drawn() -> None:
    html = sizes(SIZED)

    assert "Size not stated: Closed 0.750, BM25 0.400." in html
    assert "Closed" not in " ".join(titles(drawing(html)))
    assert ",,0.75" in html or "Closed%2C%2C0.75" in html


@pytest.mark.parametrize(
    "rows",
    [[], [a_row()], [a_row(params_millions=5.0)], [a_row(1, params_millions=5.0), a_row(2, params_millions=5.0)]],
)
def test_fewer_than_two_sizes_are_no_chart(rows: list[dict[str, Any]]) -> None:
    html = sizes(rows)

    assert "<svg" not in html
    assert "nothing to draw yet" in html


def test_best_so_far_steps_up_with_each_record() -> None:
    html = progress(DATED)

    assert "<h2>Newest leads since 2026-11-01</h2>" in html
    assert (
        "the latest first: Newest (2026-11-01, 0.800), Second (2026-05-01, 0.700), First (2026-01-01, 0.500)." in html
    )
    steps = next(one.attrib["d"] for one in drawing(html).iter() if one.attrib.get("class") == "q-steps-line")
    assert (steps.count("V"), steps.count("H")) == (2, 3)


def test_equal_score_later_is_no_record() -> None:
    html = progress([*DATED, a_row(1, "Echo", 0.80, submitted_at="2026-11-20T10:00:00Z")])

    assert "Newest leads since" in html


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("rows", [[], [a_row()], [a_row(1), a_row(2)]], ids=["none", "one", "same day"])
def test_progress_starts_with_the_second_day(rows: list[dict[str, Any]], lang: str) -> None:
    html = progress(rows, lang)

    assert "<svg" not in html
    assert texts(lang).get("charts.progress_none") in html


def test_ticks_of_two_days_and_of_ten_years_are_few() -> None:
    for last in ("2026-01-02", "2035-12-31"):
        drawn = drawing(
            progress(
                [
                    a_row(1, "A", 0.5, submitted_at="2026-01-01T00:00:00Z"),
                    a_row(2, "B", 0.6, submitted_at=f"{last}T00:00:00Z"),
                ]
            )
        )
        dates = [one for one in shown_texts(drawn) if one.startswith("20")]
        assert 1 <= len(dates) <= 5


@pytest.mark.parametrize("draw", [sizes, progress])
def test_markup_in_a_name_is_text(draw: Any) -> None:
    rows = [
        a_row(1, HOSTILE, 0.8, params_millions=7.0, submitted_at="2026-01-01T10:00:00Z"),
        a_row(2, HOSTILE, 0.7, params_millions=5.0),
    ]

    assert "<img" not in draw(rows)
