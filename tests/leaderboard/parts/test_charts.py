"""Charts of a breakdown: the form follows the axis, the words the numbers; nothing is drawn that is not there."""

import csv
import dataclasses
import io
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from leaderboard.parts.charts import DOT_SYSTEMS, HEAT_ROWS, draw_axis
from leaderboard.texts import LANGUAGES, texts
from tests.leaderboard.parts.boards import HOSTILE, LABELS, a_board, a_row
from tests.leaderboard.parts.drawings import drawing, numbers_of, shown_texts, titles

SURE = {"kind": [[0.45, 0.55], None, None], "grade": [[0.4, 0.6], [0.2, 0.7]]}


def chart(board: dict[str, Any], axis: str = "kind", lang: str = "en") -> str:
    return draw_axis(board, axis, LABELS, texts(lang), "./toy?by=kind")


def some_rows(scores: Sequence[float]) -> list[dict[str, Any]]:
    return [a_row(place, "ABCDEFGH"[place - 1], score) for place, score in enumerate(scores, start=1)]


@pytest.mark.parametrize("sheet", ["wide", "narrow"])
def test_unordered_axis_is_a_heatmap_in_board_order(sheet: str) -> None:
    drawn = drawing(chart(a_board(some_rows([0.8, 0.4]))), sheet)

    said = shown_texts(drawn)
    assert [one for one in said if one in ("A", "B")] == ["A", "B"]
    assert said.index("A") < said.index("0.800") < said.index("0.700") < said.index("B") < said.index("0.400")
    shades = [float(rect.attrib["fill-opacity"]) for rect in drawn.iter() if rect.tag.endswith("rect")]
    assert shades == [1.0, 0.8, 0.2, 0.0]


def test_slice_with_too_few_topics_is_left_out() -> None:
    html = chart(a_board())

    assert {"Easy", "n = 70", "Hard", "n = 38"} <= set(shown_texts(drawing(html)))
    assert "Rare" not in html


def test_ordered_axis_is_a_dot_plot_in_its_own_order_with_topic_counts() -> None:
    said = shown_texts(drawing(chart(a_board(), "grade")))

    assert [one for one in said if one.startswith(("Primary", "n ="))] == [
        *("Primary 1", "n = 1,300"),
        *("Primary 2", "n = 60"),
    ]


def test_dots_show_the_leaders_and_the_best_baseline_each_with_a_mark_of_its_own() -> None:
    rows = [a_row(n, f"S{n}", 0.9 - n / 100, is_baseline=n in (6, 7)) for n in range(1, 9)]

    html = chart(a_board(rows), "grade")

    assert re.findall(r'<li class="q-series-(\d)"><svg.*?</svg>(\w+)</li>', html) == [
        *(("1", "S1"), ("2", "S2"), ("3", "S3"), ("4", "S6"))
    ]
    marks = {mark.attrib["d"] for mark in drawing(html).iter() if "q-mark" in mark.attrib.get("class", "")}
    assert len(marks) == DOT_SYSTEMS


def test_intervals_are_lines_around_the_marks_and_said_in_words() -> None:
    html = chart(a_board([a_row(slice_intervals=SURE)]), "grade")

    drawn = drawing(html)
    assert titles(drawn) == ["BM25: 0.500 [0.400, 0.600]", "BM25: 0.400 [0.200, 0.700]"]
    whiskers = [path.attrib["d"] for path in drawn.iter() if "q-whisker" in path.attrib.get("class", "")]
    (first_low, first_high), (second_low, second_high) = (re.findall(r"([\d.]+) [\d.]+", d) for d in whiskers)
    assert float(second_low) < float(first_low) < float(first_high) < float(second_high)
    assert "95% intervals" in html


@pytest.mark.parametrize("fields", [{}, {"slice_intervals": {}}, {"slice_intervals": {"grade": [None, None]}}], ids=str)
def test_board_without_intervals_draws_dots_alone(fields: dict[str, Any]) -> None:
    html = chart(a_board([a_row(**fields)]), "grade")

    assert "q-whisker" not in html
    assert "95%" not in html
    assert titles(drawing(html)) == ["BM25: 0.500", "BM25: 0.400"]


def test_systems_of_a_value_stand_apart_where_there_are_intervals() -> None:
    rows = [a_row(n, f"S{n}", 0.5, slice_intervals=SURE) for n in range(1, 5)]

    heights = numbers_of(drawing(chart(a_board(rows), "grade")), "q-mark", "transform")

    assert len({y for _, y in heights}) == 8


def test_phone_has_fewer_ticks_that_do_not_touch() -> None:
    html = chart(a_board(some_rows([0.91, 0.13])), "grade")

    wide, narrow = (
        [float(tick.attrib["x"]) for tick in drawing(html, sheet).iter() if tick.attrib.get("class") == "q-tick"]
        for sheet in ("wide", "narrow")
    )
    assert len(wide) > len(narrow) >= 2
    assert min(after - before for before, after in pairwise(narrow)) > 40


def test_heatmap_stops_where_nobody_would_read_on() -> None:
    rows = [a_row(n, f"S{n}", 0.9 - n / 1000) for n in range(1, 501)]

    html = chart(a_board(rows))

    assert len([one for one in shown_texts(drawing(html)) if one.startswith("S")]) == HEAT_ROWS
    assert len(html) < 60_000


def sure_rows(scores: Sequence[float], half_width: float) -> list[dict[str, Any]]:
    """Rows whose slices have intervals of one width: the second slice scores 0.1 less than the first."""

    def around(score: float) -> list[float]:
        return [score - half_width, score + half_width]

    return [
        {**row, "slice_intervals": {axis: [around(score), around(score - 0.1)] for axis in ("kind", "grade")}}
        for row, score in zip(some_rows(scores), scores, strict=True)
    ]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (sure_rows([0.8, 0.4, 0.2], 0.08), "the intervals of two sets of topics may part by so much"),
        (some_rows([0.8, 0.4, 0.2]), "nothing is known of the intervals"),
        ([a_row(slices={"kind": [[0.5001, 0.4], [0.5, 0.4], None]})], "equal at the digits shown"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_slice_that_is_not_clearly_lowest_is_not_called_hardest(
    rows: list[dict[str, Any]], why: str, lang: str
) -> None:
    words = texts(lang)

    html = chart(a_board(rows), lang=lang)

    assert f"<h2>{words.get('charts.question', axis='kind')}</h2>" in html, why
    assert words.get("charts.not_apart") in html


def test_one_slice_alone_is_no_hardest_one() -> None:
    html = chart(a_board([a_row(slices={"kind": [[0.5, 0.4], None, None]}, slice_intervals=SURE)]))

    assert "Hardest" not in html


def test_chart_says_why_it_does_not_show_all_systems() -> None:
    html = chart(a_board(some_rows([0.8, 0.7, 0.6, 0.5, 0.4, 0.3])), "grade")

    assert "Shown: 4 of 6 systems, the first of the board and the best baseline." in html
    assert "Shown:" not in chart(a_board(some_rows([0.8, 0.7, 0.6, 0.5])), "grade")


def test_axis_of_scores_ends_at_one() -> None:
    rows = [a_row(slices={"grade": [[1.0, 1.0], [0.99, 0.9]]}, slice_intervals={"grade": [[0.9, 1.0], [0.95, 1.0]]})]

    said = shown_texts(drawing(chart(a_board(rows), "grade")))

    ticks = [float(one) for one in said if re.fullmatch(r"\d\.\d+", one)]
    assert ticks
    assert max(ticks) <= 1


def test_marks_of_a_value_do_not_hide_each_other() -> None:
    """Also where there are no intervals: equal scores stand one below the other."""
    rows = [a_row(n, f"S{n}", 0.5) for n in range(1, 5)]

    for sheet in ("wide", "narrow"):
        places = numbers_of(drawing(chart(a_board(rows), "grade"), sheet), "q-mark", "transform")
        heights = sorted(y for _, y in places)
        assert min(below - above for above, below in pairwise(heights)) >= 11


def test_long_words_of_a_card_are_broken_on_a_phone_and_not_cut() -> None:
    values = {"kind": {"easy": "Extrait de paragraphe", "hard": "Mots-clés"}}
    many = [{"id": f"v{n}", "topics": 50, "groups": None, "enough": True} for n in range(3)]
    board = a_board()
    axis = {**board["axes"][0], "values": [*board["axes"][0]["values"][:2], *many]}
    board = {**board, "axes": [axis], "rows": [a_row(slices={"kind": [[0.5, 0.4]] * 5})]}

    html = draw_axis(board, "kind", dataclasses.replace(LABELS, values=values), texts("fr"), "./toy")

    said = shown_texts(drawing(html, "narrow"))
    assert said[said.index("Extrait") :][:4] == ["Extrait", "de", "paragra-", "phe"]
    assert said[said.index("Mots-") + 1] == "clés"


def test_title_names_the_hardest_slice_by_the_median() -> None:
    html = chart(a_board(sure_rows([0.8, 0.4, 0.2], 0.02)))

    assert "<h2>Hardest for these systems: Hard, median 0.300</h2>" in html
    assert "n@10, mean over topics, by kind. 3 systems, 120 topics in all, 2026-11-30." in html
    assert "Median of the systems shown: Easy 0.400, Hard 0.300." in html
    assert "Source: Toy, gold 2026.1 · sha256:ab12cd, scored here." in html
    assert drawing(html).attrib["aria-label"] == "Median of the systems shown: Easy 0.400, Hard 0.300."


def test_table_holds_the_same_numbers_with_the_best_of_each_slice_in_bold() -> None:
    rows = some_rows([0.8, 0.4])

    heat, dots = chart(a_board(rows)), chart(a_board(rows), "grade")

    assert (
        '<th scope="row">A</th><td class="is-number"><b>0.800</b></td><td class="is-number"><b>0.700</b></td>' in heat
    )
    assert "Easy (n = 70)" in heat
    assert (
        '<th scope="row">Primary 1</th><td class="is-number">1,300</td><td class="is-number"><b>0.800</b></td>' in dots
    )


def test_table_and_file_hold_the_intervals_that_are_known() -> None:
    html = chart(a_board([a_row(slice_intervals=SURE)]))

    assert '<td class="is-number">0.500 <span class="q-range">[0.450, 0.550]</span></td>' in html
    assert '<td class="is-number">0.400</td>' in html
    found = re.search(r'href="data:text/csv;charset=utf-8,([^"]*)"', html)
    assert found
    assert list(csv.reader(io.StringIO(unquote(found.group(1))))) == [
        ["Kind", "Topics", "BM25", "BM25 low", "BM25 high"],
        ["Easy", "70", "0.5", "0.45", "0.55"],
        ["Hard", "38", "0.4", "", ""],
    ]


def test_download_has_full_precision_and_no_formula() -> None:
    html = chart(a_board([a_row(1, "=A", 0.123456789)]))

    found = re.search(r'href="data:text/csv;charset=utf-8,([^"]*)" download="toy-kind.csv"', html)
    assert found
    assert list(csv.reader(io.StringIO(unquote(found.group(1))))) == [
        ["Kind", "Topics", "'=A"],
        ["Easy", "70", "0.123456789"],
        ["Hard", "38", repr(0.123456789 - 0.1)],
    ]


@pytest.mark.parametrize("axis", ["kind", "grade"])
def test_french_chart_writes_commas(axis: str) -> None:
    html = chart(a_board(), axis, "fr")

    assert "Médiane des systèmes affichés : " in html.replace("\u202f", " ")
    assert "0,400" in html
    said = shown_texts(drawing(html))
    assert [one for one in said if re.fullmatch(r"\d\.\d+", one)] == []
    assert any(re.fullmatch(r"0,\d+", one) for one in said)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("axis", ["kind", "grade"])
def test_markup_in_a_name_is_text_and_the_drawing_well_formed(axis: str, lang: str) -> None:
    html = chart(a_board([a_row(name=HOSTILE)]), axis, lang)

    assert "<img" not in html
    for sheet in ("wide", "narrow"):
        assert isinstance(drawing(html, sheet), ElementTree.Element)


@pytest.mark.parametrize("axis", ["kind", "grade"])
def test_drawing_brings_no_colours_of_a_theme(axis: str) -> None:
    html = chart(a_board([a_row(slice_intervals=SURE)]), axis)

    assert re.findall(r"#[0-9a-f]{3,6}\b|rgb\(", html) == []


@pytest.mark.parametrize(
    ("rows", "axis"), [([], "kind"), ([a_row(score=None)], "kind"), ([a_row()], "no such axis")], ids=str
)
def test_nothing_to_draw_is_said_in_a_sentence(rows: list[dict[str, Any]], axis: str) -> None:
    html = chart(a_board([{**row, "slices": {}} if row["scores"][0] is None else row for row in rows]), axis)

    assert "<svg" not in html
    assert "No slice has enough topics" in html
