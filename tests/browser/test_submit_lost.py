"""When the site does not answer, or a file is too big, the submit page says so in our words and keeps the form."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.conftest import Example
from tests.browser.submitting import fill_name, hand_in, open_form, submit
from tests.running import RunningApp

pytestmark = pytest.mark.browser

LOST = "The site does not answer at the moment"


def test_page_says_in_its_own_words_that_the_site_does_not_answer(
    page: Page, site: RunningApp, example: Example
) -> None:
    asked = re.compile(r"/gradio_api/(upload\?|run/)")
    open_form(page, site)
    fill_name(page, "Lost and found")
    expect(page.locator("#submit-preview")).to_contain_text("Lost and found")
    page.route(asked, lambda route: route.abort())
    page.locator("#submit-file input[type=file]").set_input_files(example("lost"))
    expect(page.locator("#submit-check-told")).to_contain_text(LOST)
    expect(page.get_by_text("Failed to fetch")).to_be_hidden()
    expect(page.locator("#submit-file .error")).to_be_hidden()

    page.unroute(asked)
    hand_in(page, example("lost"))
    expect(page.locator("#submit-check-told")).to_have_count(0)

    page.route(asked, lambda route: route.abort())
    page.locator("#submit-run").click()
    expect(page.locator("#submit-summary-told")).to_contain_text(f"{LOST}. What you wrote stays here")
    expect(page.locator("#field-name textarea, #field-name input")).to_have_value("Lost and found")
    expect(page.locator("#submit-run")).to_be_enabled()

    page.unroute(asked)
    submit(page)


@pytest.mark.parametrize(
    ("lang", "sentence"), [("en", LOST), ("fr", "Le site ne répond pas"), ("zh", "网站暂时没有响应")]
)
def test_check_that_is_not_answered_leaves_its_place_to_a_sentence(
    page: Page, site: RunningApp, example: Example, lang: str, sentence: str
) -> None:
    open_form(page, site, lang)
    page.route("**/gradio_api/run/**", lambda route: route.fulfill(status=502, body="Bad gateway"))
    page.locator("#submit-file input[type=file]").set_input_files(example("unchecked"))

    expect(page.locator("#submit-check-told")).to_contain_text(sentence)
    expect(page.locator("#submit-check")).to_be_hidden()
    expect(page.get_by_text("Bad gateway")).to_be_hidden()
    page.unroute("**/gradio_api/run/**")
    fill_name(page, "Checked by submitting")
    submit(page)


def test_file_that_is_too_big_is_refused_before_it_is_sent(page: Page, site: RunningApp, tmp_path: Path) -> None:
    open_form(page, site)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    with (tmp_path / "big.run").open("wb") as file:
        file.truncate((256 << 20) + 1)
    page.locator("#submit-file input[type=file]").set_input_files(tmp_path / "big.run")

    expect(page.locator("#submit-check-told")).to_contain_text("The upload is larger than 268 MB")
    assert not any("/upload" in url for url in sent)


def test_upload_that_the_site_finds_too_big_is_refused_in_our_words(
    page: Page, site: RunningApp, example: Example
) -> None:
    open_form(page, site, "fr")
    page.route(
        re.compile(r"/gradio_api/upload\?"),
        lambda route: route.fulfill(status=413, body="File size exceeded", content_type="text/plain"),
    )
    page.locator("#submit-file input[type=file]").set_input_files(example("large"))

    expect(page.locator("#submit-check-told")).to_contain_text("268")
    expect(page.get_by_text("File size exceeded")).to_be_hidden()


def test_browser_is_never_told_where_an_upload_lies(page: Page, site: RunningApp, example: Example) -> None:
    answers: list[str] = []

    def note(response: Response) -> None:
        if "/gradio_api/upload?" in response.url:
            answers.append(response.text())

    page.on("response", note)
    open_form(page, site)
    hand_in(page, example("placed"))

    assert len(answers) == 1
    assert re.fullmatch(r'\["[0-9a-f]{64}/placed.run"\]', answers[0])
    assert str(site.folder) not in page.content()
