"""Charts in a real browser: marks that can be told apart on their ground, a drawing for phones, files to take home."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.test_board import ratio, rgb
from tests.running import RunningApp

pytestmark = pytest.mark.browser


def open_charts(page: Page, site: RunningApp, address: str = "instructir?tab=charts") -> Page:
    page.goto(f"{site.url}/{address}")
    expect(page.locator(".q-drawing:visible").first).to_be_visible()
    return page


def test_charts_are_a_tab_that_is_not_open_at_first(page: Page, site: RunningApp) -> None:
    page.goto(f"{site.url}/instructir")
    expect(page.locator("#board tbody tr").first).to_be_visible()
    assert page.locator(".q-drawing:visible").count() == 0

    page.get_by_role("tab", name="Charts").click()

    expect(page.locator("#charts h2").first).to_contain_text("From nDCG@10 to Robustness@10")
    expect(page.locator("#charts")).to_contain_text("How much does size buy?")
    assert "tab=charts" in page.url


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_and_lines_stand_out_from_their_ground(open_page: OpenPage, site: RunningApp, theme: str) -> None:
    page = open_charts(open_page(color_scheme=theme), site)

    inks = page.evaluate(
        """() => {
          const of = (kind, property) => getComputedStyle(document.querySelector(`.q-drawing ${kind}`))[property];
          const ground = getComputedStyle(document.querySelector(".q-sheet")).backgroundColor;
          return [ground, of(".q-mark.q-series-1", "fill"), of(".q-mark.q-series-2", "fill"), of(".q-joint", "stroke"),
                  of(".q-steps-line", "stroke"), of(".q-reference", "stroke")];
        }"""
    )

    for ink in inks[1:]:
        assert ratio(rgb(ink), rgb(inks[0])) >= 3


@pytest.mark.parametrize("lang", ["en", "fr", "zh"])
@pytest.mark.parametrize("address", ["alloprof-both?tab=grade", "irsc?tab=query_type", "instructir?tab=charts"])
def test_texts_of_the_phone_do_not_touch(open_page: OpenPage, site: RunningApp, address: str, lang: str) -> None:
    page = open_charts(open_page(viewport={"width": 390, "height": 800}), site, f"{address}&lang={lang}")

    touching = page.evaluate(
        """() => [...document.querySelectorAll(".q-drawing.is-narrow")].flatMap((drawing) => {
          const texts = [...drawing.querySelectorAll("text")];
          const boxes = texts.map((text) => text.getBoundingClientRect());
          const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
            && a.top < b.bottom - 4 && b.top < a.bottom - 4;
          return texts.flatMap((one, i) => texts.slice(i + 1)
            .filter((other, j) => meet(boxes[i], boxes[i + 1 + j]))
            .map((other) => [one.textContent, other.textContent]));
        })"""
    )

    assert touching == []


def test_picture_files_hold_title_source_and_the_drawing(page: Page, site: RunningApp, tmp_path: Path) -> None:
    open_charts(page, site)
    files = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.locator("#charts").get_by_role("button", name=kind).first.click()
        assert download.value.suggested_filename == f"instructir-robustness.{kind.lower()}"
        files[kind] = tmp_path / kind
        download.value.save_as(files[kind])

    drawn = ElementTree.fromstring(files["SVG"].read_text(encoding="utf-8"))
    said = " ".join(text.text or "" for text in drawn.iter("{http://www.w3.org/2000/svg}text"))
    assert "From nDCG@10 to Robustness@10" in said
    assert "Source: InstructIR, gold sample" in said
    assert "Sample BM25" in said
    assert "var(--" not in files["SVG"].read_text(encoding="utf-8")
    assert files["PNG"].read_bytes().startswith(b"\x89PNG")
    assert len(files["PNG"].read_bytes()) > 10_000


def test_csv_holds_the_numbers_of_the_board_in_full_precision(page: Page, site: RunningApp, tmp_path: Path) -> None:
    open_charts(page, site)

    with page.expect_download() as download:
        page.locator("#charts").get_by_role("link", name="CSV").first.click()

    download.value.save_as(tmp_path / "numbers.csv")
    lines = (tmp_path / "numbers.csv").read_text(encoding="utf-8").splitlines()
    rows = json.loads(site.get("/boards/instructir.json")[1])["rows"]
    assert lines[0] == "System,nDCG@10,Robustness@10,Difference"
    assert [line.split(",")[:3] for line in lines[1:]] == [
        [row["name"], repr(row["scores"][0]), repr(row["scores"][1])] for row in rows
    ]


@pytest.mark.parametrize(("address", "axis"), [("irsc", "query_type"), ("alloprof-both", "grade")])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_systems_are_explored_with_plotly_in_the_colours_of_the_theme(
    open_page: OpenPage, site: RunningApp, address: str, axis: str, theme: str
) -> None:
    page = open_page(color_scheme=theme)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_charts(page, site, f"{address}?tab={axis}")
    assert [url for url in asked if "plotly" in url.lower()] == []

    page.get_by_role("button", name="Explore every system").click()

    plot = page.locator(f"#plot-{axis}")
    expect(plot.locator(".main-svg").first).to_be_visible()
    assert [url for url in asked if "plotly" in url.lower()] != []
    said = set(plot.locator("text").all_text_contents())
    assert {row["name"] for row in site.board(address)["rows"]} <= said
    inks = plot.evaluate(
        """plot => [getComputedStyle(plot.querySelector(".main-svg")).backgroundColor,
                    ...[...plot.querySelectorAll("text")].map((text) => getComputedStyle(text).fill)]"""
    )
    ground = rgb(inks[0])
    assert ground == rgb(page.evaluate("getComputedStyle(document.querySelector('.q-sheet')).backgroundColor"))
    assert min(ratio(rgb(ink), ground) for ink in inks[1:]) >= 4.5


def test_explored_figure_turns_with_the_theme(page: Page, site: RunningApp) -> None:
    open_charts(page, site, "irsc?tab=query_type")
    page.get_by_role("button", name="Explore every system").click()
    plot = page.locator("#plot-query_type .main-svg").first
    expect(plot).to_be_visible()
    before = plot.evaluate("plot => getComputedStyle(plot).backgroundColor")

    page.get_by_role("button", name="Switch between light and dark").click()

    page.wait_for_function(
        "before => getComputedStyle(document.querySelector('#plot-query_type .main-svg')).backgroundColor !== before",
        arg=before,
    )


def test_explored_figure_has_nothing_serious_and_fits_the_phone(open_page: OpenPage, site: RunningApp) -> None:
    page = open_page(viewport={"width": 390, "height": 800})
    open_charts(page, site, "alloprof-both?tab=grade")
    page.get_by_role("button", name="Explore every system").click()
    expect(page.locator("#plot-grade .main-svg").first).to_be_visible()

    found = Axe().run(page).response["violations"]

    assert [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
