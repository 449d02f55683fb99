"""The submit page as a visitor uses it: open it, hand a file in, give a name, press Submit."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.running import RunningApp


def open_form(page: Page, site: RunningApp, lang: str = "en") -> None:
    page.goto(f"{site.url}/submit?task=irsc&lang={lang}")
    expect(page.locator("#submit-data")).to_contain_text("irsc-")


def hand_in(page: Page, file: Path) -> None:
    page.locator("#submit-file input[type=file]").set_input_files(file)
    expect(page.locator("#submit-check")).to_contain_text("The file can be scored")


def fill_name(page: Page, name: str) -> None:
    page.locator("#field-name textarea, #field-name input").fill(name)


def submit(page: Page) -> str:
    page.locator("#submit-run").click()
    expect(page).to_have_url(re.compile(r"/submission\?"))
    found = re.search(r"[?&]id=([^&]+)", page.url)
    assert found is not None
    return found[1]
