"""The board in a real browser: sorted, searched, broken down without a request; legible in both themes, on a phone."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.running import RunningApp

pytestmark = pytest.mark.browser

ROWS = "#board tbody tr"


def open_board(page: Page, site: RunningApp, address: str = "irsc") -> Page:
    page.goto(f"{site.url}/{address}")
    expect(page.locator(ROWS).first).to_be_visible()
    return page


def header(page: Page, label: str) -> Locator:
    return page.locator("#board thead th").filter(has=page.get_by_role("button", name=label, exact=True))


def column(page: Page, label: str) -> list[str]:
    heads = page.locator("#board thead th").all()
    place = next(i for i, head in enumerate(heads) if head.get_by_role("button", name=label, exact=True).count())
    return [row.locator("th, td").nth(place).inner_text() for row in page.locator(ROWS).all()]


def numbers(shown: list[str]) -> list[float]:
    return [float(text.split()[0].replace(",", ".")) for text in shown]


def test_first_screen_shows_title_measure_topics_and_rows(page: Page, site: RunningApp) -> None:
    open_board(page, site)
    board = site.board("irsc")

    expect(page.locator("h1")).to_have_text("IRSC")
    expect(page.locator("#board caption")).to_contain_text(f"{board['topics']} topics, gold sample")
    assert page.locator(ROWS).count() == len(board["rows"])
    assert page.locator(ROWS).last.bounding_box()["y"] < 800  # type: ignore[index]


def test_header_click_sorts_turns_round_and_returns(page: Page, site: RunningApp) -> None:
    open_board(page, site)
    in_rank_order = column(page, "m@10 ↑")
    button = header(page, "m@10 ↑").get_by_role("button")

    button.click()

    expect(header(page, "m@10 ↑")).to_have_attribute("aria-sort", "descending")
    assert numbers(column(page, "m@10 ↑")) == sorted(numbers(in_rank_order), reverse=True)
    assert "sort=AP%4010" in page.url
    button.click()
    expect(header(page, "m@10 ↑")).to_have_attribute("aria-sort", "ascending")
    assert numbers(column(page, "m@10 ↑")) == sorted(numbers(in_rank_order))
    button.click()
    assert header(page, "m@10 ↑").get_attribute("aria-sort") is None
    assert column(page, "m@10 ↑") == in_rank_order
    assert "sort" not in page.url


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_keyboard_sorts_and_keeps_the_focus(page: Page, site: RunningApp, key: str) -> None:
    open_board(page, site)
    button = header(page, "Params").get_by_role("button")

    button.focus()
    page.keyboard.press(key)

    expect(header(page, "Params")).to_have_attribute("aria-sort", "ascending")
    expect(button).to_be_focused()


def test_missing_values_stay_last_in_both_directions(page: Page, site: RunningApp) -> None:
    open_board(page, site)
    assert "n/a" in column(page, "Params")

    header(page, "Params").get_by_role("button").click()
    upwards = column(page, "Params")
    header(page, "Params").get_by_role("button").click()
    downwards = column(page, "Params")

    n_missing = upwards.count("n/a")
    assert upwards[-n_missing:] == downwards[-n_missing:] == ["n/a"] * n_missing


def test_every_column_can_be_sorted_and_ranks_stay(page: Page, site: RunningApp) -> None:
    open_board(page, site, "alloprof-both?by=grade")
    ranks = dict(zip(column(page, "System"), column(page, "Rank"), strict=True))

    for button in page.locator("#board thead button").all():
        button.click()
        place = button.locator("xpath=ancestor::th")
        assert place.get_attribute("aria-sort") in ("ascending", "descending")
        assert dict(zip(column(page, "System"), column(page, "Rank"), strict=True)) == ranks


def test_reload_gives_the_same_view(page: Page, site: RunningApp) -> None:
    open_board(page, site)
    page.get_by_label("Break down by").select_option("query_type")
    header(page, "Title").get_by_role("button").click()
    seen = page.locator(ROWS).all_inner_texts()

    page.reload()
    expect(page.locator(ROWS).first).to_be_visible()

    assert page.locator(ROWS).all_inner_texts() == seen
    expect(header(page, "Title")).to_have_attribute("aria-sort", "descending")


def test_search_narrows_counts_and_explains_itself(page: Page, site: RunningApp) -> None:
    open_board(page, site)
    name = site.board("irsc")["rows"][2]["name"]

    page.get_by_label("Search systems").fill(name)

    expect(page.locator(ROWS)).to_have_count(1)
    expect(page.locator("#board [role=status]")).to_have_text("1 of 6 systems")
    page.get_by_label("Search systems").fill("no such system")
    expect(page.locator("#board")).to_contain_text("No system matches “no such system”.")
    page.locator("#board").get_by_role("button", name="Clear all").first.click()
    expect(page.locator(ROWS)).to_have_count(6)


def test_sorting_and_searching_ask_the_server_nothing(page: Page, site: RunningApp) -> None:
    open_board(page, site)
    expect(page.locator("#legend li").first).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    header(page, "P@3 ↑").get_by_role("button").click()
    page.get_by_label("Search systems").fill("sample")
    page.get_by_label("Break down by").select_option("language")

    assert asked == []


def test_breakdown_shows_topic_counts_and_the_scores_of_the_board(page: Page, site: RunningApp) -> None:
    board = site.board("irsc")
    axis = board["axes"][0]
    at = board["measures"].index(board["columns"][0]["measure"])
    open_board(page, site, f"irsc?by={axis['id']}")

    heads = page.locator("#board thead th.is-slice").all_inner_texts()

    assert [re.search(r"n = (\d+)", head)[1] for head in heads] == [str(v["topics"]) for v in axis["values"]]  # type: ignore[index]
    first = page.locator(ROWS).first.locator("td.is-slice").all_inner_texts()
    assert [text.split()[0] for text in first] == [f"{cell[at]:.3f}" for cell in board["rows"][0]["slices"][axis["id"]]]


def test_sample_rows_are_marked_and_a_name_leads_to_its_system(page: Page, site: RunningApp) -> None:
    open_board(page, site)

    assert page.locator(f"{ROWS} .q-badge", has_text="sample").count() == 6
    target = page.locator(f"{ROWS} th a").first.get_attribute("href")
    assert target == f"./system?id={site.board('irsc')['rows'][0]['system']}"


def test_tabs_hold_a_chart_its_alternative_and_the_same_numbers(page: Page, site: RunningApp) -> None:
    open_board(page, site)

    page.get_by_role("tab", name="Query type").click()

    panel = page.locator("#panel-query_type")
    expect(panel.locator(".q-drawing .q-cell").first).to_be_visible()
    titles = [f"Where are these systems weak, by {what}?" for what in ("query type", "query type and language")]
    expect(panel.locator("h2")).to_have_text(titles)
    first, crossed = panel.locator("figure").all()
    for figure, said in ((first, "Median of the systems shown"), (crossed, "panel by panel: English: ")):
        expect(figure).to_contain_text(said)
        expect(figure).to_contain_text("Source: IRSC, gold sample")
    assert "tab=query_type" in page.url
    in_chart = set(first.locator(".q-drawing.is-wide .q-cell").all_text_contents())
    first.get_by_text("View as table").click()
    in_table = {cell.split()[0] for cell in first.locator("table td").all_inner_texts()}
    assert in_chart
    assert in_chart <= in_table
    names = [row["name"] for row in site.board("irsc")["rows"]]
    crossed.get_by_text("View as table").click()
    shown = crossed.locator("table thead th").all_inner_texts()[3:]
    assert set(shown) < set(names)
    expect(crossed.locator("table tbody tr")).to_have_count(15)


def test_address_opens_its_tab(page: Page, site: RunningApp) -> None:
    page.goto(f"{site.url}/alloprof-both?tab=grade")

    expect(page.get_by_role("tab", name="Grade")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#panel-grade .q-chart-legend li")).to_have_count(4)


@pytest.mark.parametrize("width", [390, 1280])
def test_cite_leads_to_the_citation_and_marks_it(open_page: OpenPage, site: RunningApp, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 700})
    page.goto(f"{site.url}/irsc")

    page.get_by_role("link", name="Cite").click()

    expect(page.locator("#cite.is-sought")).to_be_in_viewport()
    expect(page.locator("#cite pre")).to_be_in_viewport()
    expect(page.locator("#cite")).to_be_focused()


def test_task_without_a_citation_offers_none(page: Page, site: RunningApp) -> None:
    open_board(page, site, "sample-sealed")

    expect(page.get_by_role("link", name="Submit a run")).to_be_visible()
    expect(page.get_by_role("link", name="Cite")).to_have_count(0)


def test_page_of_published_numbers_leads_to_its_citation(page: Page, site: RunningApp) -> None:
    page.goto(f"{site.url}/alloprof-mteb")

    page.get_by_role("link", name="Cite").click()

    expect(page.locator("#cite.is-sought pre")).to_be_in_viewport()


def test_breakdown_of_the_address_shows_on_a_phone(open_page: OpenPage, site: RunningApp) -> None:
    page = open_page(viewport={"width": 390, "height": 800})
    open_board(page, site, "irsc?by=query_type&sort=query_type:title")
    expect(page.locator("#board thead th").last).to_contain_text("Title")
    assert page.locator("#board thead th").count() == 4

    open_board(page, site, "irsc?by=language")

    expect(page.get_by_label("Show")).not_to_have_value("")
    chosen = page.get_by_label("Show").locator("option:checked").inner_text().split(" · ")[0]
    expect(page.locator("#board thead th").last).to_contain_text(chosen)


def test_no_page_loads_plotly(page: Page, site: RunningApp) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.goto(f"{site.url}/instructir?tab=charts")
    expect(page.locator("#charts .q-drawing").first).to_be_visible()

    assert [url for url in asked if "plotly" in url.lower()] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("task", "axis"), [("irsc", "query_type"), ("alloprof-both", "grade"), ("instructir", "charts")]
)
def test_chart_text_is_legible(open_page: OpenPage, site: RunningApp, theme: str, task: str, axis: str) -> None:
    page = open_page(color_scheme=theme)
    page.goto(f"{site.url}/{task}?tab={axis}")
    expect(page.locator(f"#panel-{axis} .q-drawing text").first).to_be_visible()

    colours = page.evaluate(
        """axis => {
          const ground = getComputedStyle(document.querySelector(`#panel-${axis} .q-sheet`)).backgroundColor;
          const texts = [...document.querySelectorAll(`#panel-${axis} .q-drawing text`)];
          return { ground, texts: [...new Set(texts.map((text) => getComputedStyle(text).fill))] };
        }""",
        axis,
    )

    strongest = (156, 196, 238) if theme == "light" else (43, 84, 128)
    for text in colours["texts"]:
        assert ratio(rgb(text), rgb(colours["ground"])) >= 4.5
    if axis == "query_type":
        cells = page.locator(f"#panel-{axis} .q-cell").first.evaluate("cell => getComputedStyle(cell).fill")
        assert ratio(rgb(cells), strongest) >= 4.5


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize(
    ("address", "last"),
    [
        ("", "#how li"),
        ("irsc", ROWS),
        ("alloprof-both?tab=grade", ".q-drawing.is-narrow text"),
        ("instructir?tab=charts", "#charts .q-drawing.is-narrow text"),
        ("alloprof-mteb", "#elsewhere-block table"),
        ("about", "#api"),
    ],
)
def test_page_does_not_scroll_sideways(
    open_page: OpenPage, site: RunningApp, width: int, address: str, last: str
) -> None:
    page = open_page(viewport={"width": width, "height": 700})
    page.goto(f"{site.url}/{address}")
    expect(page.locator(last).first).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_phone_shows_rank_system_score_and_one_chosen_column(open_page: OpenPage, site: RunningApp) -> None:
    page = open_board(open_page(viewport={"width": 390, "height": 800}), site)
    assert page.locator("#board thead th").count() == 3

    page.get_by_label("Show").select_option("query_type:title")

    assert page.locator("#board thead th").count() == 4
    expect(page.locator("#board thead th").last).to_contain_text("Title")
    name = page.locator(f"{ROWS} th").first.bounding_box()
    assert name is not None
    assert name["width"] <= 0.45 * 390


def test_french_board_writes_commas_and_french_words(page: Page, site: RunningApp) -> None:
    open_board(page, site, "irsc?lang=fr&by=query_type")

    expect(page.locator("html")).to_have_attribute("lang", "fr")
    assert page.title() == "IRSC · Qrelboard"
    first = site.board("irsc")["rows"][0]
    expect(page.locator(ROWS).first).to_contain_text(f"{first['scores'][0]:.3f}".replace(".", ","))
    expect(page.locator("#board thead")).to_contain_text("Titre")
    expect(page.get_by_role("tab").first).to_have_text("Classement")


def test_board_json_is_what_the_table_shows(page: Page, site: RunningApp) -> None:
    open_board(page, site)

    shown = json.loads(site.get("/boards/irsc.json")[1])

    names = page.locator(f"{ROWS} th a").all_inner_texts()
    assert names == [row["name"] for row in shown["rows"]]


def rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = re.findall(r"[\d.]+", colour)[:3]
    return float(red), float(green), float(blue)


def ratio(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    def luminance(colour: tuple[float, float, float]) -> float:
        parts = [c / 255 for c in colour]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_numbers_reported_elsewhere_stand_under_the_board_with_their_source(page: Page, site: RunningApp) -> None:
    page.goto(f"{site.url}/irsc")
    elsewhere = page.locator("#elsewhere-block")

    expect(elsewhere.locator("tbody tr").first).to_contain_text("arXiv:2409.15763")
    board, below = page.locator("#board table").bounding_box(), elsewhere.bounding_box()
    assert board is not None
    assert below is not None
    assert below["y"] >= board["y"] + board["height"]
    reported = elsewhere.locator("tbody th").first.inner_text()
    assert reported not in [row["name"] for row in site.board("irsc")["rows"]]
