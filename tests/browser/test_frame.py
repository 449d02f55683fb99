"""What every page has around it: theme, language, first paint, plain fallback, unknown addresses."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.running import RunningApp

pytestmark = pytest.mark.browser

LAST = {"": "#how li", "irsc": "#board tbody tr", "alloprof-mteb": "#elsewhere-block table", "about": "#api"}


def theme_of(page: Page) -> tuple[str, bool]:
    return page.evaluate("[document.documentElement.dataset.theme, document.body.classList.contains('dark')]")  # type: ignore[no-any-return]


def test_theme_follows_the_system_until_the_reader_chooses(open_page: OpenPage, site: RunningApp) -> None:
    page = open_page(color_scheme="dark")
    page.goto(f"{site.url}/about")
    expect(page.locator("#api")).to_be_visible()
    assert theme_of(page) == ["dark", True]

    page.emulate_media(color_scheme="light")
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")
    assert theme_of(page) == ["light", False]
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    assert theme_of(page) == ["dark", True]
    page.get_by_role("button", name="Switch between light and dark").click()

    assert theme_of(page) == ["light", False]
    page.goto(f"{site.url}/irsc")
    expect(page.locator("#board tbody tr").first).to_be_visible()
    assert theme_of(page) == ["light", False]


def test_theme_of_the_address_comes_before_all(open_page: OpenPage, site: RunningApp) -> None:
    page = open_page(color_scheme="light")
    page.goto(f"{site.url}/about?theme=dark")
    expect(page.locator("#api")).to_be_visible()

    assert theme_of(page) == ["dark", True]


def test_language_switch_keeps_the_view(page: Page, site: RunningApp) -> None:
    page.goto(f"{site.url}/irsc")
    expect(page.locator("#board tbody tr").first).to_be_visible()
    page.get_by_label("Break down by").select_option("language")

    page.get_by_role("link", name="Français").click()

    expect(page.locator("html")).to_have_attribute("lang", "fr")
    assert "by=language" in page.url
    expect(page.locator("#board thead")).to_contain_text("Anglais")


@pytest.mark.parametrize("lang", ["fr", "zh"])
def test_gradios_own_words_follow_the_page(page: Page, site: RunningApp, lang: str) -> None:
    page.goto(f"{site.url}/submit?lang={lang}")

    expect(page.locator("#submit-file")).to_contain_text({"fr": "Déposez le fichier ici", "zh": "将文件拖放"}[lang])


def test_reader_without_scripts_sees_title_and_first_rows(open_page: OpenPage, site: RunningApp) -> None:
    page = open_page(java_script_enabled=False)

    page.goto(f"{site.url}/irsc")

    expect(page.locator("h1")).to_have_text("IRSC")
    names = page.locator("noscript table tbody th a, .q-scroll table tbody th a").all_inner_texts()
    assert names == [row["name"] for row in site.board("irsc")["rows"]]


def test_title_and_header_are_painted_before_gradio_is_there(open_page: OpenPage, site: RunningApp) -> None:
    page = open_page()
    page.route(re.compile("/assets/"), lambda route: route.abort())

    page.goto(f"{site.url}/irsc?lang=fr")

    expect(page.locator("h1")).to_have_text("IRSC")
    expect(page.get_by_role("link", name="Bancs d’essai")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize") == "28px"


def test_unknown_address_gets_a_page_with_a_way_home(page: Page, site: RunningApp) -> None:
    answer = page.goto(f"{site.url}/no-such-task?lang=fr")

    assert answer is not None
    assert answer.status == 404
    expect(page.locator("h1")).to_have_text("Page introuvable")
    page.get_by_role("link", name="Tous les bancs d’essai").click()
    expect(page.locator("#cards li").first).to_be_visible()


def test_citation_is_copied(open_page: OpenPage, site: RunningApp) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{site.url}/irsc?tab=about")

    page.get_by_role("button", name="Copy").first.click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith("@misc{lin2024irsc")


def test_console_is_silent(page: Page, site: RunningApp) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)

    for path, last in LAST.items():
        page.goto(f"{site.url}/{path}")
        expect(page.locator(last).first).to_be_visible()

    assert said == []


@pytest.mark.parametrize("path", LAST)
def test_everything_on_a_page_is_inside_a_landmark(page: Page, site: RunningApp, path: str) -> None:
    page.goto(f"{site.url}/{path}")
    expect(page.locator(LAST[path]).first).to_be_visible()

    found = Axe().run(page, options={"runOnly": {"type": "rule", "values": ["region"]}}).response["violations"]

    assert [node["html"][:120] for rule in found for node in rule["nodes"]] == []
