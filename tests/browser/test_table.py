"""The board's table in a browser, without an app: certainty, pins, filters, columns, the view as an address, speed."""

import csv
import io
import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from leaderboard.parts.board_text import short_text
from leaderboard.parts.table import MOST_WHOLE
from tests.browser.conftest import OpenPage
from tests.browser.drawn import ADDRESS, ROWS, draw, large_board, sure_board
from tests.leaderboard.parts.boards import HOSTILE, a_board, a_row

pytestmark = pytest.mark.browser


def names(page: Page) -> list[str]:
    return page.locator(f"{ROWS} th a").all_inner_texts()


def line(page: Page, name: str) -> Locator:
    return page.locator(ROWS).filter(has=page.get_by_role("link", name=name, exact=True))


def scroll_through(page: Page, n_rows: int) -> None:
    """Scroll down until the last row is there: rows are drawn as the reader comes near them."""
    page.wait_for_function(
        """n => {
          const box = document.querySelector("#board .q-board-box");
          box.scrollTop = box.scrollHeight;
          return document.querySelectorAll("#board tbody tr").length === n;
        }""",
        arg=n_rows,
        timeout=120_000,
    )


def pin(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Pin {name}", exact=True).click()


def test_score_cells_hold_the_interval_as_text_and_as_a_line(page: Page) -> None:
    draw(page, sure_board())

    first = page.locator(ROWS).first
    expect(first.locator("td.is-primary .q-range")).to_have_text("[0.802, 0.822]")
    expect(first.locator("td .q-glyph.has-interval")).to_have_count(2)
    expect(first.locator("td.is-score .q-hidden")).to_have_text("[0.692, 0.732]")
    expect(page.locator("thead .q-axis").first).to_have_text("0.240.82")


def test_rank_shows_its_interval_only_where_it_is_wider(page: Page) -> None:
    draw(page, sure_board())

    shown = [cell.inner_text().split() for cell in page.locator(f"{ROWS} td.is-rank").all()]

    assert shown == [["1", "1–2"], ["2", "1–2"], ["3"], ["4"]]


def test_tie_with_the_first_is_a_bar_and_words_that_focus_shows(page: Page) -> None:
    draw(page, sure_board())
    words = "not separable from 1st on these topics"
    expect(page.locator(f"{ROWS}.is-tied")).to_have_count(1)
    expect(line(page, "Beta").locator("th .q-hidden")).to_have_text(words)

    page.get_by_role("link", name="Beta").focus()

    expect(page.get_by_role("tooltip")).to_have_text(words)
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip")).to_have_count(0)


def test_caption_says_what_the_topics_do_not_decide(page: Page) -> None:
    draw(page, sure_board())

    expect(page.locator("caption")).to_contain_text("Differences under 0.012 are not decided by these topics.")


def test_whole_caption_is_in_sight_of_a_table_that_scrolls_sideways(page: Page) -> None:
    draw(page, large_board(5, 30), lang="fr")

    box, caption = page.locator(".q-board-box").bounding_box(), page.locator("caption span").bounding_box()

    assert box is not None
    assert caption is not None
    assert caption["x"] + caption["width"] <= box["x"] + box["width"]


def test_header_explains_itself_on_focus(page: Page) -> None:
    draw(page, sure_board())

    page.get_by_role("button", name="n@10 ↑").focus()

    expect(page.get_by_role("tooltip")).to_contain_text("nDCG@10: Gain of the first ten places.")
    expect(page.get_by_role("tooltip")).to_contain_text("95% of the time")


def test_slice_cell_says_its_interval_and_possible_ranks(page: Page) -> None:
    draw(page, sure_board(), f"{ADDRESS}?by=kind")

    cell = line(page, "Beta").locator("td.is-slice").first

    told = "[0.780, 0.820] · rank 2 in this column, 1–3 possible"
    expect(cell).to_have_attribute("title", told)
    expect(cell.locator(".q-hidden")).to_have_text(told)


def test_sealed_board_shows_one_half_width_a_column(page: Page) -> None:
    gold = {"version": "2026.1", "kind": "sealed", "is_sample": False, "fingerprint": "sha256:ab"}
    draw(page, a_board(gold=gold, digits=2, half_widths=[0.034, None]))

    expect(page.locator("thead th.is-primary")).to_contain_text("± 0.03")
    expect(page.locator("thead")).not_to_contain_text("null")
    expect(page.locator("tbody .q-range")).to_have_count(0)


def test_board_without_intervals_is_drawn_without_them(page: Page) -> None:
    draw(page, a_board([a_row(), a_row(2, "Other", 0.4)]))

    expect(page.locator(ROWS)).to_have_count(2)
    expect(page.locator("tbody .q-range")).to_have_count(0)
    expect(page.locator("thead th.is-primary .q-axis")).to_have_count(1)


def test_pinned_rows_stay_on_top_and_lead_to_their_comparison(page: Page) -> None:
    draw(page, sure_board())

    pin(page, "Gamma")
    expect(page.get_by_text("Pin a second system to compare.")).to_be_visible()
    pin(page, "BM25")

    assert names(page) == ["Gamma", "BM25", "Alpha", "Beta"]
    expect(page.get_by_role("button", name="Pin BM25")).to_be_focused()
    expect(page.get_by_role("button", name="Pin BM25")).to_have_attribute("aria-pressed", "true")
    compare = page.get_by_role("link", name="Compare 2 systems")
    expect(compare).to_have_attribute("href", "./compare?task=toy&ids=id3,id4")
    assert page.url == f"{ADDRESS}?pin=id3,id4"
    page.get_by_role("button", name="Unpin all").click()
    assert names(page) == ["Alpha", "Beta", "Gamma", "BM25"]
    assert page.url == ADDRESS


def test_pinned_rows_stay_when_a_search_leaves_them_out(page: Page) -> None:
    draw(page, sure_board(), f"{ADDRESS}?pin=id3")

    page.get_by_label("Search systems").fill("beta")

    assert names(page) == ["Gamma", "Beta"]
    expect(page.locator("#board [role=status]")).to_have_text("1 of 4 systems")


def test_fifth_pin_is_refused_in_words(page: Page) -> None:
    draw(page, a_board([a_row(n, f"System {n}", 0.9 - n / 100) for n in range(1, 7)]))

    for n in (1, 2, 3, 4, 5):
        pin(page, f"System {n}")

    expect(page.locator(f"{ROWS}.is-pinned")).to_have_count(4)
    expect(page.locator("#board [aria-live]")).to_contain_text("4 systems are pinned")


def test_filters_narrow_count_and_clear(page: Page) -> None:
    draw(page, sure_board())

    page.get_by_role("button", name="Open weights").click()
    assert names(page) == ["Alpha"]
    expect(page.locator("#board [role=status]")).to_have_text("1 of 4 systems")
    expect(page.get_by_role("button", name="Open weights")).to_be_focused()
    page.get_by_role("button", name="Clear all").click()

    assert len(names(page)) == 4
    expect(page.get_by_role("button", name="Clear all")).to_have_count(0)
    assert page.url == ADDRESS


def test_sizes_to_choose_follow_the_data(page: Page) -> None:
    draw(page, sure_board())

    options = page.get_by_label("Size").locator("option").all_inner_texts()
    page.get_by_label("Size").select_option("1000")

    assert options == ["any", "≤ 1 B", "≤ 2 B", "≤ 5 B", "≤ 10 B"]
    assert names(page) == ["Beta"]


def test_filter_that_leaves_nothing_says_which(page: Page) -> None:
    draw(page, sure_board(), f"{ADDRESS}?only=open&size=100&q=alp")

    expect(page.locator("#board")).to_contain_text("No system matches: “alp”, Open weights, ≤ 100 M.")
    page.locator("#board .q-empty").get_by_role("button", name="Clear all").click()
    assert len(names(page)) == 4


def test_impossible_filter_is_shown_disabled_with_the_reason(page: Page) -> None:
    draw(page, a_board([a_row(), a_row(2, "Other", 0.4)]))

    chip = page.get_by_role("button", name="Open weights")
    chip.click(force=True)

    expect(chip).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_role("tooltip")).to_have_text("No system here says so.")
    expect(page.get_by_label("Size")).to_be_disabled()
    assert len(names(page)) == 2


def test_columns_can_be_put_away_and_the_address_remembers(page: Page) -> None:
    draw(page, sure_board())
    page.get_by_text("Columns", exact=True).first.click()

    page.get_by_label("Params").uncheck()
    page.get_by_label("R@10").uncheck()

    assert "hide=params,R%4010" in page.url
    page.reload()
    heads = page.locator("thead th button").all_inner_texts()
    assert [head.strip() for head in heads] == ["Rank", "System", "n@10 ↑", "Answered", "Submitted"]


def test_open_list_of_columns_closes_with_escape_and_a_click_elsewhere(page: Page) -> None:
    draw(page, sure_board())
    fold = page.locator(".q-fold.is-columns")

    fold.locator("summary").click()
    page.get_by_label("Params").focus()
    page.keyboard.press("Escape")
    expect(fold.locator("summary")).to_be_focused()
    assert fold.get_attribute("open") is None
    fold.locator("summary").click()
    page.locator("caption").click()

    assert fold.get_attribute("open") is None


def test_whole_view_is_the_address(page: Page) -> None:
    draw(page, sure_board(), f"{ADDRESS}?lang=en")
    page.get_by_label("Break down by").select_option("kind")
    page.get_by_label("Measure").select_option("R@10")
    page.get_by_role("button", name="Easy").click()
    page.get_by_role("button", name="Easy").click()
    pin(page, "BM25")
    page.get_by_label("Search systems").fill("a")
    seen = page.locator("#board table").inner_text()

    page.reload()

    assert page.locator("#board table").inner_text() == seen
    expect(page.get_by_label("Search systems")).to_have_value("a")
    expect(page.get_by_label("Measure")).to_have_value("R@10")
    assert "lang=en" in page.url
    page.get_by_role("button", name="Clear all").click()
    assert page.url == f"{ADDRESS}?lang=en"


@pytest.mark.parametrize(
    "query", ["pin=nobody&only=none&size=-1&by=x&of=y&dir=z", "size=NaN&pin=,,&hide=nothing&sort=no"]
)
def test_address_that_asks_for_what_is_not_there_gives_the_whole_board(page: Page, query: str) -> None:
    draw(page, sure_board(), f"{ADDRESS}?{query}")

    assert names(page) == ["Alpha", "Beta", "Gamma", "BM25"]


def test_copied_link_is_the_view(open_page: OpenPage) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    draw(page, sure_board(), f"{ADDRESS}?q=alpha")

    page.get_by_role("button", name="Copy link").click()

    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{ADDRESS}?q=alpha"


def test_link_can_be_copied_by_hand_where_the_clipboard_is_closed(page: Page) -> None:
    draw(page, sure_board())
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('closed')); }")

    page.get_by_role("button", name="Copy link").click()

    expect(page.get_by_role("textbox", name="Copy link")).to_have_value(ADDRESS)


def test_page_around_a_framed_board_hears_of_its_view(page: Page) -> None:
    """On the Hub a Space stands in a frame: the address that people copy is the one around it."""
    draw(page, sure_board())
    page.evaluate(
        """address => {
          window.heard = [];
          window.postMessage = (message, origin) => window.heard.push([message, origin]);
          const frame = document.createElement("iframe");
          frame.src = address;
          frame.style.width = "900px";
          document.body.append(frame);
        }""",
        f"{ADDRESS}?inner",
    )

    page.frame_locator("iframe").get_by_label("Search systems").fill("beta")

    page.wait_for_function("window.heard.length > 0")
    assert page.evaluate("window.heard.at(-1)") == [{"queryString": "inner=&q=beta"}, "https://huggingface.co"]


def test_phone_has_its_filters_behind_one_button(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 390, "height": 800})
    draw(page, sure_board())
    expect(page.get_by_role("button", name="Open weights")).not_to_be_visible()

    page.get_by_text("Filters", exact=True).click()
    page.get_by_role("button", name="Open weights").click()

    assert names(page) == ["Alpha"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("address", [ADDRESS, f"{ADDRESS}?rows=all"])
def test_sort_search_and_filter_of_500_by_30_ask_for_nothing(page: Page, address: str) -> None:
    """How long they take is measured by benchmarks/bench_board.py."""
    draw(page, large_board(500, 30), address)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.locator("thead button").nth(5).click()
    expect(page.locator("thead th[aria-sort]:not([aria-sort=none])")).to_have_count(1)
    page.get_by_label("Search systems").fill("system 2")
    expect(page.locator("tbody tr").first).to_contain_text("ystem 2")
    page.get_by_role("button", name="Open weights").click()
    expect(page.locator("#board")).to_contain_text("of 500 systems")

    assert asked == []


def test_2000_systems_can_be_scrolled_through_and_sorted(page: Page) -> None:
    draw(page, large_board(2000, 8), f"{ADDRESS}?rows=all")
    scroll_through(page, 2000)

    page.get_by_role("button", name="System", exact=True).click()

    assert names(page)[:3] == ["System 0", "System 1", "System 10"]
    expect(page.locator("#board table")).to_have_attribute("aria-rowcount", "2001")


def test_a_name_with_markup_is_shown_as_text(page: Page) -> None:
    draw(page, a_board([a_row(name=HOSTILE, version=HOSTILE), a_row(2, "Other", 0.4)]), f"{ADDRESS}?pin=id1")

    assert names(page)[0] == HOSTILE
    expect(page.get_by_role("button", name=f"Pin {HOSTILE}")).to_be_visible()
    expect(page.locator("img")).to_have_count(0)


def test_long_board_shows_25_rows_then_all(page: Page) -> None:
    draw(page, large_board(260, 3))
    assert page.locator(ROWS).count() == 25

    page.get_by_role("button", name="Show all 260 systems").click()

    scroll_through(page, 260)
    assert page.url == f"{ADDRESS}?rows=all"


def test_numbers_and_words_are_french_on_a_french_board(page: Page) -> None:
    draw(page, sure_board(), lang="fr")

    expect(page.locator("td.is-primary .q-range").first).to_have_text("[0,802\u202f; 0,822]")
    options = page.get_by_label("Taille").locator("option").all_inner_texts()
    assert options[1] == "≤ 1\u202fMd"
    assert re.search(r"[A-Za-z]+ systems", page.locator("#board").inner_text()) is None


def long_board() -> dict[str, Any]:
    """A board so long that its slices come later."""
    return a_board([a_row(n, f"System {n}", round(0.9 - n / 1000, 3)) for n in range(1, MOST_WHOLE + 2)])


def with_slices(page: Page, board: dict[str, Any], status: int = 200) -> list[str]:
    """Serve the whole board at its own address; returns the requests for it."""
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url.partition("toy.json")[2])
        axis = parse_qs(urlsplit(route.request.url).query).get("by", [""])[0]
        body = short_text(json.dumps(board), axis) if axis else json.dumps(board)
        route.fulfill(status=status, body=body, content_type="application/json")

    page.route(re.compile(r"/boards/toy\.json"), answer)
    return asked


def test_slices_of_a_long_board_come_once_they_are_asked_for(page: Page) -> None:
    board = long_board()
    draw(page, board)
    asked = with_slices(page, board)
    page.get_by_label("Search systems").fill("System 1")
    assert asked == []

    page.get_by_label("Break down by").select_option("kind")

    expect(page.locator("thead th.is-slice")).to_have_count(3)
    expect(page.locator(ROWS).first.locator("td.is-slice").first).to_contain_text("0.899")
    expect(page.get_by_label("Break down by")).to_be_focused()
    page.get_by_label("Break down by").select_option("grade")
    expect(page.locator("thead th.is-slice")).to_have_count(2)
    expect(page.locator(ROWS).first.locator("td.is-slice").first).to_contain_text("0.899")
    page.get_by_label("Break down by").select_option("")
    assert asked == ["?by=kind", "?by=grade"]


def test_file_of_a_long_board_has_full_precision(page: Page) -> None:
    scores = [0.1234567890123 + n / 1000 for n in range(MOST_WHOLE + 1, 0, -1)]
    board = a_board([a_row(n, f"System {n}", score) for n, score in enumerate(scores, 1)])
    draw(page, board)
    asked = with_slices(page, board)

    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()

    lines = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
    assert [float(line["nDCG@10"]) for line in lines] == scores
    assert asked == [""]
    expect(page.get_by_role("button", name="Download CSV")).to_be_focused()


def test_breakdown_in_the_address_of_a_long_board_is_shown(page: Page) -> None:
    board = long_board()
    draw(page, board)
    asked = with_slices(page, board)

    page.goto(f"{ADDRESS}?by=kind")

    expect(page.locator(ROWS).first.locator("td.is-slice").first).to_contain_text("0.899")
    assert asked == ["?by=kind"]


def test_breakdown_that_cannot_be_loaded_is_said(page: Page) -> None:
    board = long_board()
    draw(page, board)
    with_slices(page, board, status=503)

    page.get_by_label("Break down by").select_option("kind")

    expect(page.locator("#board .q-board-sad")).to_contain_text("could not be loaded")
    expect(page.locator(ROWS).first).to_be_visible()


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_numbers_of_a_column_have_the_same_decimals_and_edge(page: Page, lang: str) -> None:
    draw(page, sure_board(), f"{ADDRESS}?by=kind", lang=lang)

    seen = page.evaluate(
        """() => [...document.querySelectorAll("#board thead th")].map((head, place) => ({
          kind: head.className,
          cells: [...document.querySelectorAll(`#board tbody tr > :nth-child(${place + 1})`)].map((cell) => {
            const number = cell.querySelector("span");
            return [number.textContent, number.getBoundingClientRect().right];
          }),
        })).filter(({ kind }) => /is-(primary|score|slice)/.test(kind))"""
    )

    assert len(seen) == 5
    for column in seen:
        shown = [(text, right) for text, right in column["cells"] if text != "—"]
        assert all(re.fullmatch(r"\d[.,]\d{3}", text) for text, _ in shown)
        edges = [right for _, right in shown]
        assert not edges or max(edges) - min(edges) < 1
