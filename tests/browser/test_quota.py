"""What is left of a quota, as a visitor sees it: before submitting, after it, and when nothing is left."""

import os
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.submitting import fill_name, hand_in, submit
from tests.running import RunningApp

SEALED = "sample-sealed"  # two a day, also on one's own machine


def open_sealed(page: Page, site: RunningApp) -> None:
    page.goto(f"{site.url}/submit?task={SEALED}&lang=en")
    expect(page.locator("#submit-data")).to_contain_text("Get the data")


def photograph(page: Page, name: str) -> None:
    """Keep a picture where the person who runs the test asks for it."""
    if folder := os.environ.get("QRELBOARD_SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_visitor_sees_the_quota_shrink_and_is_told_when_it_is_used_up(
    site: RunningApp, open_page: OpenPage, tmp_path: Path
) -> None:
    page, run = open_page(), tmp_path / "example.run"
    run.write_bytes(site.get(f"/examples/{SEALED}.run")[1])
    told = page.locator("#submit-quota")
    open_sealed(page, site)
    expect(told).to_have_text("2 of 2 submissions left today.")
    photograph(page, "before")

    for number, left in enumerate(("1 of 2", "0 of 2")):
        open_sealed(page, site)
        hand_in(page, run)
        fill_name(page, f"Quota {number}")
        submit(page)
        expect(page.locator("#submission-next")).to_contain_text(
            f"{left} submissions left today. The count begins anew on"
        )
    photograph(page, "after")

    open_sealed(page, site)
    expect(told).to_contain_text("0 of 2 submissions left today. The count begins anew on")
    hand_in(page, run)
    fill_name(page, "Quota 3")
    page.locator("#submit-run").click()
    expect(page.locator("#submit-summary")).to_contain_text("The run was not taken. 0 of 2 submissions left today.")
    photograph(page, "refused")
    for lang, words in (
        ("fr", "Soumissions restantes aujourd’hui\u202f: 0 sur 2."),
        ("zh", "今天还可提交 0 次，共 2 次。"),
    ):
        page.goto(f"{site.url}/submit?task={SEALED}&lang={lang}")
        expect(told).to_contain_text(words)
        page.set_viewport_size({"width": 390, "height": 800})
        page.emulate_media(color_scheme="dark")
        photograph(page, f"{lang}-phone-dark")


def test_choosing_another_task_tells_its_quota_and_open_sample_gold_has_none(
    site: RunningApp, open_page: OpenPage
) -> None:
    page = open_page()
    open_sealed(page, site)
    expect(page.locator("#submit-quota")).to_contain_text("2 of 2")

    page.locator("#submit-task input").click()
    page.get_by_role("option").first.click()

    expect(page.locator("#submit-quota")).to_have_text("")
