"""Every page in both themes: nothing serious for axe, no sideways scroll at 320 pixels."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.everywhere import PAGES, Places

pytestmark = pytest.mark.browser

# what another language changes is the length of words: pages of each layout
IN_OTHER_WORDS = ("home", "irsc by language", "instructir charts", "submit", "submission private", "compare", "system")
LONG_TIME_MS = 60_000
CONTRAST = ("color-contrast", "link-in-text-block")  # what a theme can change


@pytest.fixture(scope="module")
def tabs(browser: Browser) -> Iterator[dict[str, Page]]:
    """One page a theme for all looks: a page that changes its theme while axe looks has colours of both."""
    contexts = {
        theme: browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=theme, reduced_motion="reduce")
        for theme in ("light", "dark")
    }
    found = {theme: context.new_page() for theme, context in contexts.items()}
    for page in found.values():
        page.set_default_timeout(LONG_TIME_MS)
    yield found
    for context in contexts.values():
        context.close()


def serious(page: Page, *rules: str) -> dict[str, list[str]]:
    options = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    # of a long table the first rows stand for all
    context = {"include": ["html"], "exclude": ["tbody tr:nth-child(n+13)"]}
    found = Axe().run(page, context, {**options, "resultTypes": ["violations"]}).response["violations"]
    return {
        rule["id"]: [node["html"][:160] for node in rule["nodes"]]
        for rule in found
        if rule["impact"] in ("serious", "critical")
    }


def widest(page: Page) -> int:
    """Return the width that the page takes on the narrowest phone."""
    page.set_viewport_size({"width": 320, "height": 700})
    page.wait_for_function("innerWidth === 320")
    width = int(page.evaluate("document.documentElement.scrollWidth"))
    page.set_viewport_size({"width": 1280, "height": 800})
    return width


@pytest.mark.parametrize("name", PAGES)
def test_page_is_for_everybody(tabs: dict[str, Page], places: Places, name: str) -> None:
    for theme, page in tabs.items():
        places.open(page, name)
        assert page.evaluate("document.documentElement.dataset.theme") == theme

    assert serious(tabs["light"]) == {}
    assert serious(tabs["dark"], *CONTRAST) == {}
    assert widest(tabs["dark"]) <= 320


@pytest.mark.parametrize("lang", ["fr", "zh"])
@pytest.mark.parametrize("name", IN_OTHER_WORDS)
def test_page_is_for_everybody_in_other_words(tabs: dict[str, Page], places: Places, name: str, lang: str) -> None:
    places.open(tabs["dark"], name, lang)

    assert serious(tabs["dark"]) == {}
    assert widest(tabs["dark"]) <= 320
