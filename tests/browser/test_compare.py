"""The way of a reader who compares: from the pins of a board to words, figures, other systems, and a link."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.running import RunningApp

pytestmark = pytest.mark.browser

ANSWER_MS = 60_000


@pytest.fixture
def ids(site: RunningApp) -> list[str]:
    return [row["id"] for row in site.board("irsc")["rows"]]


def address(site: RunningApp, ids: list[str], **more: str) -> str:
    return f"{site.url}/compare?task=irsc&ids={','.join(ids)}" + "".join(f"&{k}={v}" for k, v in more.items())


def answered(page: Page) -> None:
    expect(page.locator("#compare-figures .q-figure").first).to_be_visible(timeout=ANSWER_MS)


def ids_of(page: Page) -> list[str]:
    return parse_qs(urlsplit(page.url).query)["ids"][0].split(",")


def test_pinned_rows_are_compared_in_words_that_equal_the_json(page: Page, site: RunningApp, ids: list[str]) -> None:
    page.goto(f"{site.url}/irsc?pin={ids[2]},{ids[0]}")
    page.locator(".q-board-pins a.is-primary").click()
    answered(page)

    compared = ids_of(page)
    status, body = site.get(f"/comparisons/irsc.json?ids={','.join(compared)}")
    (found,) = json.loads(body)["headlines"]
    low, high = found["interval"]
    assert status == 200
    assert sorted(compared) == sorted([ids[0], ids[2]])
    words = page.locator("#compare-verdicts li").inner_text()
    gap, low, high = (f"{abs(value):.3f}" for value in (found["difference"], low, high))
    assert gap in words
    assert sorted(re.findall(r"\[(\S+), (\S+)\]", words)[0]) == sorted([low, high])
    clear = found["n_clear_better"] + found["n_clear_worse"]
    assert f"clear in {clear} of {found['n_slices']} slices after correction" in words


def test_systems_and_reference_are_changed_on_the_page(page: Page, site: RunningApp, ids: list[str]) -> None:
    names = {row["id"]: row["name"] for row in site.board("irsc")["rows"]}
    page.goto(address(site, ids[:2]))
    answered(page)

    page.locator("select[name=add]").select_option(ids[5])
    page.get_by_role("button", name="Add").click()
    page.wait_for_url(lambda url: ids[5] in url)
    assert ids_of(page) == [*ids[:2], ids[5]]
    answered(page)
    expect(page.locator("#compare-verdicts li")).to_have_count(2)

    page.get_by_role("link", name=f"Make {names[ids[5]]} the reference").click()
    page.wait_for_url(lambda url: f"ids={ids[5]}" in url)
    answered(page)
    expect(page.locator(".q-chosen li").first).to_contain_text(names[ids[5]])

    page.locator("select[name=add]").select_option(ids[3])
    page.get_by_label("Add it").select_option(ids[0])
    page.get_by_role("button", name="Add").click()
    page.wait_for_url(lambda url: ids[3] in url)
    assert ids_of(page) == [ids[5], ids[3], ids[1]]
    answered(page)

    page.get_by_role("link", name=f"Remove {names[ids[3]]}").click()
    page.wait_for_url(lambda url: ids[3] not in url)
    answered(page)
    page.go_back()
    page.wait_for_url(lambda url: ids[3] in url)
    answered(page)
    expect(page.locator("#compare-verdicts li")).to_have_count(2)


def test_everything_is_reached_by_keyboard(page: Page, site: RunningApp, ids: list[str]) -> None:
    page.goto(address(site, ids[:2]))
    answered(page)

    page.get_by_role("link", name="Make", exact=False).first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: f"ids={ids[1]},{ids[0]}" in url)
    answered(page)
    page.get_by_text("View as table").first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("table").first).to_be_visible()
    page.locator("select[name=add]").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function("location.search.split(',').length === 3")


def test_figure_is_saved_as_csv_in_full_precision(page: Page, site: RunningApp, ids: list[str]) -> None:
    page.goto(address(site, ids[:2]))
    answered(page)
    _, body = site.get(f"/comparisons/irsc.json?ids={','.join(ids[:2])}")
    answer = json.loads(body)

    with page.expect_download() as saved:
        page.locator("[data-q-figure='irsc-comparison']").get_by_role("link", name="CSV").click()

    lines = saved.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0] == "slice,topics,system,difference,low,high,p,p_holm,clear"
    assert str(answer["overall"][0]["difference"]) in lines[1]
    assert len(lines) == 2 + sum(one["others"] is not None for one in answer["slices"])


@pytest.mark.parametrize(("lang", "theme"), [("en", "light"), ("fr", "dark"), ("zh", "light"), ("zh", "dark")])
def test_page_has_no_serious_accessibility_finding(
    open_page: OpenPage, site: RunningApp, ids: list[str], lang: str, theme: str
) -> None:
    page = open_page(color_scheme=theme)
    page.goto(address(site, ids[:4], lang=lang))
    answered(page)

    found = Axe().run(page).response["violations"]

    assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")] == []


def test_page_fits_a_small_phone(open_page: OpenPage, site: RunningApp, ids: list[str]) -> None:
    page = open_page(viewport={"width": 320, "height": 700})
    page.goto(address(site, ids[:4], lang="fr"))
    answered(page)

    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    expect(page.locator(".q-drawing.is-narrow").first).to_be_visible()
    expect(page.locator(".q-drawing.is-wide").first).to_be_hidden()


def test_sealed_gold_is_refused_in_the_readers_language(page: Page, site: RunningApp) -> None:
    page.goto(f"{site.url}/compare?task=sample-sealed&ids=a,b&lang=fr")

    expect(page.locator("#compare-verdicts")).to_contain_text("Rien n’est comparé sur des jugements scellés")
    expect(page.locator("#compare-figures .q-figure")).to_have_count(0)


def test_readers_without_scripts_get_the_answer_on_a_second_look(
    open_page: OpenPage, site: RunningApp, ids: list[str]
) -> None:
    page = open_page(java_script_enabled=False)
    query = f"ids={ids[1]},{ids[4]}"
    site.until(lambda: site.get(f"/comparisons/irsc.json?{query}")[0] == 200)

    page.goto(f"{site.url}/compare?task=irsc&{query}")

    expect(page.locator("noscript .q-verdicts, .q-verdicts").first).to_contain_text("is better than")
    page.locator("select[name='add']").select_option(ids[0])
    page.locator("form[data-q-compare] button").click()
    expect(page.locator(".q-chosen li")).to_have_count(3)
