"""The interactive figure of a breakdown: every system, the theme's colours, words that cannot become markup."""

import json
from typing import Any

import plotly.graph_objects as go
import pytest

from leaderboard.parts.explore import MOST_PRINTED, Look, explore
from leaderboard.parts.theme import tokens
from leaderboard.texts import texts
from tests.leaderboard.parts.boards import HOSTILE, LABELS, a_board, a_row

SURE = {"kind": [[0.45, 0.55], None, None], "grade": [[0.4, 0.6], None]}


def figure(board: dict[str, Any], axis: str = "kind", lang: str = "en", look: str = "light") -> go.Figure:
    drawn = json.loads(explore(board, axis, LABELS, texts(lang), Look.of(look)))
    assert drawn.pop("config")["displayModeBar"] is False
    return go.Figure(drawn)


def some_rows(n: int) -> list[dict[str, Any]]:
    return [a_row(place, f"S{place}", 0.9 - place / 1000) for place in range(1, n + 1)]


def test_heatmap_holds_every_system_in_board_order() -> None:
    drawn = figure(a_board(some_rows(60)))

    assert list(drawn.layout.yaxis.ticktext) == [f"S{place}" for place in range(1, 61)]
    assert drawn.layout.yaxis.autorange == "reversed"
    assert list(drawn.data[0].z[0]) == pytest.approx([0.899, 0.799])
    assert drawn.data[0].hovertext[0][1] == "S1<br>Hard<br>0.799"
    assert list(drawn.layout.xaxis.ticktext) == ["Easy<br>n = 70", "Hard<br>n = 38"]


def test_digits_are_printed_while_there_is_room() -> None:
    assert figure(a_board(some_rows(MOST_PRINTED // 2))).data[0].text[0][0] == "0.899"
    assert figure(a_board(some_rows(MOST_PRINTED // 2 + 1))).data[0].text is None


def test_dots_hold_every_system_and_show_those_of_the_picture_first() -> None:
    rows = [a_row(n, f"S{n}", 0.9 - n / 100, is_baseline=n == 6) for n in range(1, 9)]

    drawn = figure(a_board(rows), "grade")

    shown = [trace.name for trace in drawn.data if trace.visible is True]
    assert shown == ["S1", "S2", "S3", "S6"]
    assert {trace.name for trace in drawn.data if trace.visible == "legendonly"} == {"S4", "S5", "S7", "S8"}
    looks = [(trace.marker.color, trace.marker.symbol) for trace in drawn.data]
    assert len(set(looks)) == len(looks)
    assert list(drawn.layout.yaxis.ticktext) == ["Primary 1<br>n = 1,300", "Primary 2<br>n = 60"]


def test_intervals_are_bars_from_the_score_where_they_are_known() -> None:
    (trace,) = figure(a_board([a_row(slice_intervals=SURE)]), "grade").data

    assert list(trace.error_x.array) == [pytest.approx(0.1), None]
    assert list(trace.error_x.arrayminus) == [pytest.approx(0.1), None]
    assert trace.text[0] == "BM25<br>Primary 1<br>0.500 [0.400, 0.600]"


@pytest.mark.parametrize(("look", "place"), [("light", 0), ("dark", 1), ("dark phone", 1), ("<script>", 0)])
@pytest.mark.parametrize("axis", ["kind", "grade"])
def test_colours_are_those_of_the_theme(axis: str, look: str, place: int) -> None:
    drawn = figure(a_board(some_rows(3)), axis, look=look)

    assert drawn.layout.plot_bgcolor == drawn.layout.paper_bgcolor == tokens()["surface"][place]
    assert drawn.layout.font.color == drawn.layout.yaxis.color == tokens()["text"][place]
    if axis == "kind":
        assert drawn.data[0].textfont.color == tokens()["text"][place]
        assert [colour for _, colour in drawn.data[0].colorscale] == [
            tokens()["surface"][place],
            tokens()["heat"][place],
        ]
    else:
        assert drawn.data[0].marker.color == tokens()["series-1"][place]
        assert drawn.layout.xaxis.gridcolor == tokens()["line"][place]


@pytest.mark.parametrize("axis", ["kind", "grade"])
def test_markup_in_a_name_is_text(axis: str) -> None:
    board = a_board([a_row(name=HOSTILE)])

    assert "<img" not in explore(board, axis, LABELS, texts("en"), Look.of("light"))


def test_french_numbers_have_commas() -> None:
    drawn = figure(a_board([a_row()]), "grade", "fr")

    assert drawn.layout.separators.startswith(",")
    assert "0,500" in drawn.data[0].text[0]


@pytest.mark.parametrize(("rows", "axis"), [([], "kind"), ([], "grade"), ([a_row()], "no such axis")], ids=str)
def test_nothing_to_draw_is_no_figure(rows: list[dict[str, Any]], axis: str) -> None:
    assert explore(a_board(rows), axis, LABELS, texts("en"), Look.of("light")) == ""
