"""Small multiples: one panel a value of the other axis, on one scale, with what has too few topics left blank."""

import csv
import io
import re
from typing import Any
from urllib.parse import unquote

import pytest

from leaderboard.parts.charts_panels import draw_panels
from leaderboard.texts import LANGUAGES, texts
from tests.leaderboard.parts.boards import HOSTILE, LABELS, a_board, a_row
from tests.leaderboard.parts.drawings import drawing, shown_texts

CROSSED = [[0.5, 0.25], [0.125, None], [None, None]]
TOPICS = [[40, 30], [22, 16], [12, 0]]


def crossed_board(**fields: Any) -> dict[str, Any]:
    board = a_board([a_row(1, "A", crossed={"kind": CROSSED}), a_row(2, HOSTILE, crossed={"kind": CROSSED})], **fields)
    board["axes"][0]["panels"] = {"axis": "grade", "topics": TOPICS}
    return board


def panels(board: dict[str, Any], lang: str = "en") -> str:
    return draw_panels(board, "kind", LABELS, texts(lang), "./toy?by=kind")


@pytest.mark.parametrize("sheet", ["wide", "narrow"])
def test_every_panel_has_its_name_and_the_topics_of_each_cell(sheet: str) -> None:
    drawn = drawing(panels(crossed_board()), sheet)

    said = shown_texts(drawn)
    assert [one for one in said if one.startswith("Primary")] == ["Primary 1", "Primary 2"]
    assert [one for one in said if one.startswith("n =")] == ["n = 40", "n = 22", "n = 12", "n = 30", "n = 16", "n = 0"]
    assert len([one for one in drawn.iter() if "q-mark" in one.attrib.get("class", "")]) == 2 * 3


def test_all_panels_have_one_scale_and_equal_scores_one_place() -> None:
    board = crossed_board()
    for row in board["rows"]:
        row["crossed"] = {"kind": [[0.5, 0.5], [0.1, 0.1], [None, None]]}

    drawn = drawing(panels(board), "wide")

    marks = [one.attrib["transform"] for one in drawn.iter() if "q-mark" in one.attrib.get("class", "")]
    places = sorted({float(re.findall(r"[\d.]+", one)[0]) for one in marks})
    assert len(places) == 4
    assert places[1] - places[0] == pytest.approx(places[3] - places[2], abs=0.2)


def test_words_name_the_lowest_cell_of_each_panel_and_what_is_blank() -> None:
    html = panels(crossed_board())

    assert "Lowest median of the systems shown, panel by panel: Primary 1: Hard 0.125; Primary 2: Easy 0.250." in html
    assert "No mark: the cell has too few topics." in html


def test_file_has_a_line_a_cell_in_full_precision() -> None:
    html = panels(crossed_board())

    [address] = re.findall(r'href="data:text/csv;charset=utf-8,([^"]*)"', html)
    rows = list(csv.reader(io.StringIO(unquote(address))))
    assert rows[0][:4] == ["Kind", "Grade", "Topics", "A"]
    assert rows[1:5] == [
        ["Easy", "Primary 1", "40", "0.5", "0.5"],
        ["Easy", "Primary 2", "30", "0.25", "0.25"],
        ["Hard", "Primary 1", "22", "0.125", "0.125"],
        ["Hard", "Primary 2", "16", "", ""],
    ]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_names_of_strangers_are_text(lang: str) -> None:
    assert HOSTILE not in panels(crossed_board(), lang)


def test_board_without_crossed_cells_has_no_panels() -> None:
    empty = crossed_board()
    for row in empty["rows"]:
        row["crossed"] = {"kind": [[None, None]] * 3}

    assert panels(a_board()) == ""
    assert panels(empty) == ""
    assert draw_panels(crossed_board(), "gone", LABELS, texts("en"), "") == ""
