"""A keyboard is enough for a task page, and the focus is drawn all the way."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.running import RunningApp

pytestmark = pytest.mark.browser


def focused(page: Page) -> str:
    """Return what has the focus, as a screen reader would call it."""
    return str(page.evaluate(NAME))


def press_until(page: Page, wanted: str, key: str = "Tab", most: int = 60) -> None:
    """Press a key until the focus is on what has this name, and see that the focus is drawn all the way."""
    for _ in range(most):
        page.keyboard.press(key)
        assert page.evaluate(IS_SEEN), f"no focus to be seen on {focused(page)!r}"
        if focused(page).startswith(wanted):
            return
    raise AssertionError(f"{wanted!r} is not reached; the focus is on {focused(page)!r}")


NAME = """() => {
  const one = document.activeElement;
  return (one.getAttribute("aria-label") || one.innerText || one.placeholder || "").trim();
}"""
# an outline, a shadow or a border of its own, on the element or on what stands around it, inside the window
IS_SEEN = """() => {
  const one = document.activeElement, at = one.getBoundingClientRect();
  if (one === document.body) return false;
  const around = [one, one.parentElement, one.closest("label")].filter(Boolean);
  const drawn = around.some((each) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  });
  return drawn && at.bottom > 0 && at.top < innerHeight;
}"""


def test_keyboard_is_enough_for_a_task(open_page: OpenPage, site: RunningApp) -> None:
    page = open_page()
    page.goto(f"{site.url}/irsc?lang=en")
    expect(page.locator("#legend li").first).to_be_visible()
    names = [row["name"] for row in site.board("irsc")["rows"]]

    page.keyboard.press("Tab")
    assert focused(page) == "Skip to content"
    page.keyboard.press("Enter")
    expect(page.locator("#q-main")).to_be_focused()

    press_until(page, "Leaderboard")
    press_until(page, "Search systems")
    page.keyboard.type(names[2])
    expect(page.locator("#board tbody tr")).to_have_count(1)
    for _ in names[2]:
        page.keyboard.press("Backspace")
    expect(page.locator("#board tbody tr")).to_have_count(len(names))

    press_until(page, "Params")
    page.keyboard.press("Enter")
    expect(page.locator("#board th[aria-sort=ascending]")).to_contain_text("Params")
    for name in names[:2]:
        page.locator("#board thead button").first.focus()
        press_until(page, f"Pin {name}")
        page.keyboard.press("Space")
        expect(page.locator("#board tr.is-pinned")).to_have_count(names.index(name) + 1)
    with page.expect_download() as download:
        press_until(page, "Download CSV")
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".csv")

    press_until(page, "Leaderboard", "Shift+Tab")
    page.keyboard.press("ArrowRight")
    if focused(page) != "Query type":
        press_until(page, "Query type")
    page.keyboard.press("Enter")
    expect(page.locator("#panel-query_type .q-drawing text").first).to_be_visible()
    press_until(page, "View as table")
    page.keyboard.press("Enter")
    expect(page.locator("#panel-query_type table").first).to_be_visible()

    press_until(page, "Leaderboard", "Shift+Tab")
    page.keyboard.press("Enter")
    press_until(page, "Compare 2 systems")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text(" against ")
    assert "ids=" in page.url
