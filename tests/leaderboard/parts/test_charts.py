"""Charts of a breakdown: the form follows the axis, the words the numbers; nothing is drawn that is not there."""

import json
from typing import Any

import pytest

from leaderboard.parts.charts import DOT_SYSTEMS, HEAT_ROWS, draw_axis
from leaderboard.texts import texts
from tests.leaderboard.parts.boards import HOSTILE, LABELS, a_board, a_row

EN = texts("en")


def chart(board: dict[str, Any], axis: str = "kind", lang: str = "en") -> tuple[dict[str, Any], str, str]:
    drawn = draw_axis(board, axis, LABELS, texts(lang), "./toy?by=kind")
    return ({} if drawn.figure is None else json.loads(drawn.figure.to_json())), drawn.above, drawn.below


def test_unordered_axis_is_a_heatmap_in_board_order() -> None:
    figure, _, _ = chart(a_board([a_row(1, "A", 0.8), a_row(2, "B", 0.4)]))

    assert figure["data"][0]["type"] == "heatmap"
    assert figure["layout"]["yaxis"]["ticktext"] == ["A", "B"]
    assert figure["layout"]["yaxis"]["autorange"] == "reversed"
    assert figure["data"][0]["text"] == [["0.800", "0.700"], ["0.400", "0.300"]]


def test_slice_with_too_few_topics_is_left_out() -> None:
    figure, above, below = chart(a_board())

    assert figure["layout"]["xaxis"]["ticktext"] == ["Easy<br>n = 70", "Hard<br>n = 38"]
    assert "Rare" not in above + below


def test_ordered_axis_is_a_dot_plot_in_its_own_order_with_topic_counts() -> None:
    figure, _, _ = chart(a_board(), "grade")

    assert figure["data"][0]["mode"] == "markers"
    assert figure["layout"]["yaxis"]["ticktext"] == ["Primary 1", "Primary 2"]
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["n = 1,300", "n = 60"]


def test_dots_show_the_leaders_and_the_best_baseline() -> None:
    rows = [a_row(n, f"S{n}", 0.9 - n / 100, is_baseline=n in (6, 7)) for n in range(1, 9)]

    figure, _, _ = chart(a_board(rows), "grade")

    assert [trace["name"] for trace in figure["data"]] == ["S1", "S2", "S3", "S6"]
    assert len(figure["data"]) == DOT_SYSTEMS
    assert len({trace["marker"]["symbol"] for trace in figure["data"]}) == DOT_SYSTEMS


def test_heatmap_stops_where_nobody_would_read_on() -> None:
    rows = [a_row(n, f"S{n}", 0.9 - n / 1000) for n in range(1, 501)]

    figure, _, _ = chart(a_board(rows))

    assert len(figure["data"][0]["z"]) == HEAT_ROWS


def test_title_names_the_hardest_slice_by_the_median() -> None:
    _, above, below = chart(a_board([a_row(1, "A", 0.8), a_row(2, "B", 0.4), a_row(3, "C", 0.2)]))

    assert "<h2>Hardest for these systems: Hard, median 0.300</h2>" in above
    assert "n@10, mean over topics, by kind. 3 systems, 120 topics in all, 2026-11-30." in above
    assert "Median of the systems shown: Easy 0.400, Hard 0.300." in below
    assert "Source: Toy, gold 2026.1 · sha256:ab12cd, scored here." in below


def test_table_holds_the_same_numbers_with_the_best_of_each_slice_in_bold() -> None:
    rows = [a_row(1, "A", 0.8), a_row(2, "B", 0.4)]

    _, _, heat = chart(a_board(rows))
    _, _, dots = chart(a_board(rows), "grade")

    assert (
        '<th scope="row">A</th><td class="is-number"><b>0.800</b></td><td class="is-number"><b>0.700</b></td>' in heat
    )
    assert "Easy (n = 70)" in heat
    assert (
        '<th scope="row">Primary 1</th><td class="is-number">1,300</td><td class="is-number"><b>0.800</b></td>' in dots
    )


def test_french_chart_writes_commas() -> None:
    figure, above, _ = chart(a_board(), "grade", "fr")

    assert figure["layout"]["separators"] == ",\u202f"
    assert figure["data"][0]["text"] == ["0,500", "0,400"]
    assert "médiane 0,400" in above


@pytest.mark.parametrize("axis", ["kind", "grade"])
def test_markup_in_a_name_is_text_in_the_chart_and_around_it(axis: str) -> None:
    figure, above, below = chart(a_board([a_row(name=HOSTILE)]), axis)

    assert "<img" not in json.dumps(figure)
    assert "<img" not in above + below


@pytest.mark.parametrize("axis", ["kind", "grade"])
def test_figure_brings_no_colours_of_a_theme_and_has_a_height(axis: str) -> None:
    figure, _, _ = chart(a_board(), axis)

    assert figure["layout"]["height"] > 0
    assert figure["layout"]["paper_bgcolor"] == figure["layout"]["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert "template" not in figure["layout"] or not figure["layout"]["template"].get("data")
    assert len(json.dumps(figure)) < 20_000


@pytest.mark.parametrize(
    ("rows", "axis"), [([], "kind"), ([a_row(score=None)], "kind"), ([a_row()], "no such axis")], ids=str
)
def test_nothing_to_draw_is_said_in_a_sentence(rows: list[dict[str, Any]], axis: str) -> None:
    figure, above, _ = chart(
        a_board([{**row, "slices": {}} if row["scores"][0] is None else row for row in rows]), axis
    )

    assert figure == {}
    assert "No slice has enough topics" in above
