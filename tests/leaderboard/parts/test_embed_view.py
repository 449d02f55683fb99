"""A board inside another page: nothing but caption, rows, source and the way back; and the snippet for it."""

import re

import pytest

from data.cards import load_catalogue
from leaderboard.parts.embed_view import embedded, offer, rows_asked
from leaderboard.texts import LANGUAGES, texts
from tests.leaderboard.parts.boards import HOSTILE, LABELS, a_board, a_row
from tests.leaderboard.parts.test_task_view import TASKS

EN = texts("en")


def shown(board: dict[str, object] | None, lang: str = "en", top: int = 10) -> str:
    return embedded(board, LABELS, texts(lang), top=top, home="./toy?lang=en", system="./system?id=SYSTEM")


@pytest.mark.parametrize(
    ("asked", "rows"), [("", 10), ("3", 3), ("0", 10), ("-1", 10), ("5000", 100), ("9" * 5000, 100), ("²", 10)]
)
def test_number_of_rows_is_what_was_asked_within_reason(asked: str, rows: int) -> None:
    assert rows_asked(asked) == rows


def test_first_rows_come_with_caption_source_and_the_way_back() -> None:
    html = shown(a_board([a_row(n, f"S{n}", 0.9 - n / 100) for n in range(1, 9)]), top=3)

    assert re.findall(r">(S\d)</a>", html) == ["S1", "S2", "S3"]
    assert "The first 3 systems. Toy: n@10, mean by kind. 120 topics, gold 2026.1" in html
    assert '<a href="./toy?lang=en" target="_blank" rel="noopener">The whole board</a>' in html
    assert 'href="./system?id=sys1" target="_blank"' in html


def test_interval_and_rank_interval_are_shown_where_the_board_has_them() -> None:
    sure = a_row(1, "A", 0.8, intervals=[[0.7, 0.9], None], rank_interval=[1, 3])
    flat = a_row(2, "B", 0.6, intervals=[None, None], rank_interval=[2, 2])

    html = shown(a_board([sure, flat]), "fr")

    assert "[0,700\u202f; 0,900]" in html
    assert "1–3" in html
    assert "2–2" not in html
    assert html.count("<path") == 1
    assert html.count("<circle") == 2


@pytest.mark.parametrize("board", [None, a_board([])], ids=["no board", "no row"])
def test_empty_board_says_so(board: dict[str, object] | None) -> None:
    assert "no system on the board yet" in shown(board)


def test_markup_in_a_name_is_text() -> None:
    assert "<img" not in shown(a_board([a_row(name=HOSTILE)]))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_snippet_is_an_iframe_of_this_board_in_this_language(lang: str) -> None:
    task = load_catalogue([TASKS])["irsc"]

    html = offer(task, texts(lang), site="https://example.org", lang=lang)

    query = f"embed=1&amp;amp;top=10&amp;amp;theme=light&amp;amp;lang={lang}"
    assert f"&lt;iframe src=&quot;https://example.org/irsc?{query}&quot;" in html
    assert "data-q-copy" in html


def test_task_is_the_title_and_rows_are_marked() -> None:
    html = shown(a_board([a_row(1, "A", is_sample=True), a_row(2, "BM25", 0.4, is_sample=True, is_baseline=True)]))

    assert '<caption><b class="q-embed-title">Toy</b>' in html
    assert re.findall(r'<span class="q-badge">(\w+)</span>', html) == ["sample", "sample", "baseline"]
