"""Log in at a Hub, submit to a board on sealed gold, see what is left of the quota; log out again."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.submitting import fill_name, hand_in, submit
from tests.browser.test_accessibility import serious, widest
from tests.provider import Provider, a_provider
from tests.running import RunningApp, running_app

pytestmark = pytest.mark.browser
SEALED = "sample-sealed"


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with a_provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def site(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """A site with a login; it needs one board alone."""
    with running_app(tmp_path_factory.mktemp("login"), **provider.settings) as app:
        app.until(lambda: bool(app.board(SEALED).get("topics")))
        yield app


def photograph(page: Page, name: str) -> None:
    """Keep a picture where the person who runs the test asks for it."""
    if folder := os.environ.get("QRELBOARD_SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_visitor_logs_in_submits_to_a_sealed_board_and_sees_the_quota_of_the_account(
    site: RunningApp, open_page: OpenPage, tmp_path: Path
) -> None:
    page, run = open_page(), tmp_path / "example.run"
    run.write_bytes(site.get(f"/examples/{SEALED}.run")[1])
    page.goto(f"{site.url}/submit?task={SEALED}&lang=en")
    expect(page.locator("#submit-data")).to_contain_text("Log in first; checking a file needs no account.")
    hand_in(page, run)  # a check needs no account
    fill_name(page, "Too early")
    page.locator("#submit-run").click()
    expect(page.locator("#submit-summary")).to_contain_text("Log in first")

    page.locator("#submit-data .q-login").click()
    expect(page).to_have_url(re.compile(rf"/submit\?task={SEALED}&lang=en$"))
    expect(page.locator(".q-who")).to_have_text("ada")
    expect(page.locator("#submit-quota")).to_have_text("2 of 2 submissions left today.")
    hand_in(page, run)
    fill_name(page, "With an account")
    submit(page)
    expect(page.locator("#submission-next")).to_contain_text("1 of 2 submissions left today.")
    photograph(page, "account-submitted")

    elsewhere = open_page()  # another browser: the account has one quota wherever it is
    elsewhere.goto(f"{site.url}/account?lang=en")
    elsewhere.locator(".q-intro .q-login").click()
    expect(elsewhere.locator("#account-runs")).to_contain_text("With an account")
    photograph(elsewhere, "account")
    elsewhere.goto(f"{site.url}/submit?task={SEALED}&lang=en")
    expect(elsewhere.locator("#submit-quota")).to_contain_text("1 of 2 submissions left today.")


def test_token_is_shown_once_and_revoked_by_its_button(site: RunningApp, open_page: OpenPage) -> None:
    page = open_page()
    page.goto(f"{site.url}/login/huggingface?next=/account%3Flang%3Dfr")
    page.locator("#account-label textarea, #account-label input").fill("CI <b>de nuit</b>")
    page.locator("#account-scopes input").first.check()
    page.locator("#account-make").click()
    expect(page.locator("#account-made pre")).to_have_text(re.compile(r"^qrel_[\w-]{43}$"))
    expect(page.locator("#account-tokens")).to_contain_text("CI <b>de nuit</b>")
    expect(page.locator("#account-scopes")).not_to_contain_text("hôte")

    page.reload()
    expect(page.locator("#account-tokens")).to_contain_text("CI <b>de nuit</b>")
    expect(page.locator("#account-made pre")).to_have_count(0)
    page.get_by_role("button", name="Révoquer").click()

    expect(page.locator(".q-intro")).to_contain_text("Le jeton ne fonctionne plus.")
    expect(page.locator("#account-tokens")).to_contain_text("Aucun jeton ne fonctionne.")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_account_page_is_for_everybody(site: RunningApp, open_page: OpenPage, theme: str) -> None:
    page = open_page(color_scheme=theme, reduced_motion="reduce")
    for address in ("/account?lang=en&problem=state", "/login/huggingface?next=/account%3Flang%3Dfr"):
        page.goto(f"{site.url}{address}")
        expect(page.locator(".q-intro h1")).to_be_visible()
        if "login" in address:
            expect(page.locator("#account-make")).to_be_visible()
        assert serious(page) == {}
        assert widest(page) <= 320


def test_who_logs_out_is_nobody_again(site: RunningApp, open_page: OpenPage) -> None:
    page = open_page()
    page.goto(f"{site.url}/login/huggingface?next=/account")
    page.get_by_role("button", name="Log out").click()

    expect(page.locator(".q-top .q-login")).to_be_visible()
    page.goto(f"{site.url}/account")
    expect(page.locator(".q-intro .q-login")).to_be_visible()


def test_login_that_is_refused_says_so_and_that_inside_a_frame_opens_on_its_own(
    site: RunningApp, provider: Provider, open_page: OpenPage
) -> None:
    page = open_page()
    provider.refuses = True
    page.goto(f"{site.url}/account?lang=en")
    page.locator(".q-intro .q-login").click()
    expect(page.locator(".q-notice.is-error")).to_contain_text("refused at Hugging Face")
    provider.refuses = False

    page.set_content(f'<iframe src="{site.url}/account?lang=en" width="800" height="600"></iframe>')
    with page.expect_popup() as opened:
        page.frame_locator("iframe").locator(".q-intro .q-login").click()
    expect(opened.value.locator(".q-who")).to_have_text("ada")
