"""The headline and the slices of a result: as many digits as the board shows, and no number of a small slice."""

from typing import Any

import pytest

from leaderboard.parts.result_view import headline, primary_score, slices, within_sentence
from leaderboard.texts import texts
from tests.builders import a_task

EN = texts("en")


def a_board(**fields: Any) -> dict[str, Any]:
    column = {"id": "nDCG@10", "measure": "nDCG@10", "label": None, "mean": "macro:kind", "is_primary": True}
    other = {"id": "R@10", "measure": "R@10", "label": "r@10", "mean": "topics", "is_primary": False}
    values = [
        {"id": "easy", "topics": 1200, "groups": None, "enough": True, "digits": 3},
        {"id": "hard", "topics": 40, "groups": None, "enough": True, "digits": 3},
        {"id": "odd", "topics": 12, "groups": None, "enough": False, "digits": 3},
    ]
    board = {
        "gold": {"version": "2026.1", "kind": "open", "is_sample": False, "fingerprint": "sha256:x"},
        "topics": 1252,
        "listed": 1252,
        "digits": 3,
        "columns": [column, other],
        "axes": [{"id": "kind", "ordinal": False, "chart": "dots", "values": values}],
        "measures": ["nDCG@10", "R@10"],
        "rows": [
            {
                "answered": 1250,
                "scores": [0.81249, None],
                "slices": {"kind": [[0.9, 0.5], [0.3, 0.5], None]},
            }
        ],
    }
    return board | fields


def test_headline_shows_score_rank_and_answered_topics() -> None:
    head = headline(a_board(), a_task(), EN, rank=(4, 48), is_on_board=True)

    assert ">0.812<" in head
    assert "mean by kind" in head
    assert "rank 4 of 48" in head
    assert "1,250 of 1,252 topics answered · the rest scored 0" in head


def test_rank_of_a_private_run_is_what_it_would_be() -> None:
    assert "would take rank 4 of 48" in headline(a_board(), a_task(), EN, rank=(4, 48), is_on_board=False)
    assert "rank" not in headline(a_board(), a_task(), EN, rank=None, is_on_board=False).replace("q-rank", "")


def test_headline_shows_how_sure_score_and_rank_are() -> None:
    row = {**a_board()["rows"][0], "intervals": [[0.8031, 0.8204], None], "rank_interval": [3, 7]}

    head = headline(a_board(rows=[row]), a_task(), EN, rank=(4, 48), is_on_board=True)

    assert '0.812 <span class="q-range">[0.803, 0.820]</span>' in head
    assert "rank 4 (3–7) of 48, not separable from 3rd" in head


def test_private_result_has_its_interval_and_no_rank_interval() -> None:
    row = {**a_board()["rows"][0], "intervals": [[0.8031, 0.8204], None], "rank_interval": None}

    head = headline(a_board(rows=[row]), a_task(), EN, rank=(4, 48), is_on_board=False)

    assert "[0.803, 0.820]" in head
    assert "would take rank 4 of 48<" in head


def test_slice_has_its_interval_and_a_glyph_on_the_axis_of_its_table() -> None:
    row = {**a_board()["rows"][0], "slice_intervals": {"kind": [[0.88, 0.92], [0.2, 0.4], None]}}

    shown = slices(a_board(rows=[row]), a_task(), EN)

    assert '0.900<span class="q-glyph has-interval"' in shown
    assert '</span> <span class="q-range">[0.880, 0.920]</span></td>' in shown
    # the axis goes from 0.2 to 0.92
    assert 'style="--at: 97.2%; --low: 94.4%; --high: 100.0%"' in shown
    assert shown.count("q-glyph") == 2


def test_slice_of_a_sealed_board_shows_the_digits_that_its_topics_allow() -> None:
    board = a_board(digits=3)
    board["axes"][0]["values"][1]["digits"] = 2

    shown = slices(board, a_task(), EN)

    assert ">0.900<" in shown
    assert ">0.30<" in shown


def test_missing_score_is_a_dash() -> None:
    assert "<dd>—</dd>" in headline(a_board(), a_task(), EN, rank=None, is_on_board=False)


def test_numbers_follow_the_language() -> None:
    head = headline(a_board(), a_task(), texts("fr"), rank=None, is_on_board=False)

    assert ">0,812<" in head


def test_sealed_boards_show_their_digits() -> None:
    head = headline(a_board(digits=2), a_task(), EN, rank=None, is_on_board=False)

    assert ">0.81<" in head


def test_slices_carry_their_number_of_topics() -> None:
    shown = slices(a_board(), a_task(), EN)

    assert "By kind" in shown
    assert '<th scope="row">Easy</th><td class="is-number q-muted">1,200</td>' in shown
    assert ">0.900<" in shown


def test_small_slice_shows_its_size_and_no_number() -> None:
    shown = slices(a_board(), a_task(), EN)

    assert "too few topics (12)" in shown


def test_shade_runs_within_a_column_and_not_where_all_are_equal() -> None:
    shown = slices(a_board(), a_task(), EN)

    assert 'q-heat-5">0.900<' in shown
    assert 'q-heat-0">0.300<' in shown
    assert 'class="is-number">0.500<' in shown


def test_groups_have_a_column_where_the_task_has_them() -> None:
    board = a_board()
    board["axes"][0]["values"][0]["groups"] = 90

    assert '<th scope="col" class="is-number">Groups</th>' in slices(board, a_task(), EN)
    assert "Groups" not in slices(a_board(), a_task(), EN)


def test_primary_score_is_text_for_the_live_region() -> None:
    assert primary_score(a_board(), EN) == ("nDCG@10", "0.812")


@pytest.mark.parametrize(
    ("name", "inside"), [("Query type", "query type"), ("IRSC", "IRSC"), ("", ""), ("查询类型", "查询类型")]
)
def test_heading_inside_a_sentence_begins_small(name: str, inside: str) -> None:
    assert within_sentence(name) == inside
