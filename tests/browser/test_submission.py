"""The way of a run after and around its submission: corrected, pasted, come back to, published, marked, deleted."""

import csv
import io
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.running import ROOT, RunningApp

pytestmark = pytest.mark.browser

TASK = "alloprof-both"
Example = Callable[[str], bytes]


@pytest.fixture
def example(site: RunningApp) -> Example:
    """The example run of the task with a tag of its own, so that each is another file."""

    def fetch(tag: str) -> bytes:
        status, body = site.get(f"/examples/{TASK}.run")
        assert status == 200
        return re.sub(rb"\S+$", tag.encode(), body, flags=re.MULTILINE)

    return fetch


def open_form(page: Page, site: RunningApp, lang: str = "en") -> None:
    page.goto(f"{site.url}/submit?task={TASK}&lang={lang}")
    expect(page.locator("#submit-data dl")).to_be_visible()


def drop(page: Page, content: bytes, name: str = "my.run") -> None:
    file = {"name": name, "mimeType": "text/plain", "buffer": content}
    page.locator("#submit-file input[type=file]").set_input_files(file)  # type: ignore[arg-type]


def field(page: Page, name: str) -> str:
    return f"#field-{name} textarea"


def hand_in(page: Page, site: RunningApp, content: bytes, name: str, lang: str = "en") -> str:
    """Submit a run and wait on its page until it is scored; returns its id."""
    open_form(page, site, lang)
    drop(page, content)
    expect(page.locator("#submit-check .is-accepted")).to_be_visible()
    page.locator(field(page, "name")).fill(name)
    page.locator("#submit-run").click()
    expect(page).to_have_url(re.compile(r"/submission\?"))
    expect(page.locator("#submission-publish")).to_be_visible(timeout=90_000)
    found = re.search(r"[?&]id=([^&]+)", page.url)
    assert found is not None
    return found[1]


def publish(page: Page, site: RunningApp, number: str) -> None:
    page.locator("#submission-publish").click()
    expect(page.locator("#submission-feedback [role=status]")).to_be_visible()
    site.until(lambda: number in ids(site))


def take_back(page: Page, site: RunningApp, number: str) -> None:
    page.locator("#submission-delete").click()
    page.locator("#submission-delete-yes").click()
    expect(page.locator("#submission-feedback")).to_contain_text("The file is gone")
    site.until(lambda: number not in ids(site))


def ids(site: RunningApp) -> list[str]:
    return [row["id"] for row in site.board(TASK)["rows"]]


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id || document.activeElement.className"))


def test_summary_takes_focus_and_leads_to_the_field(page: Page, site: RunningApp, example: Example) -> None:
    open_form(page, site)
    drop(page, example("summary"))
    page.locator(field(page, "name")).fill("=1+1")
    page.locator(field(page, "link")).fill("http://example.org")
    page.locator("#submit-run").click()
    expect(page.locator(".q-summary a").first).to_be_focused()

    page.get_by_role("link", name=re.compile("^Link: ")).click()

    expect(page.locator(field(page, "link"))).to_be_focused()
    expect(page.locator(field(page, "link"))).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#field-link")).to_contain_text("Begin the link with https://")


def test_mark_of_a_fault_goes_while_it_is_mended(page: Page, site: RunningApp, example: Example) -> None:
    open_form(page, site)
    drop(page, example("mended"))
    page.locator("#submit-run").click()
    name = page.locator(field(page, "name"))
    expect(name).to_have_attribute("aria-invalid", "true")

    name.fill("Mended")

    expect(name).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator("#submit-preview")).to_contain_text("Mended")


def test_faulty_file_is_replaced_and_the_form_stays(page: Page, site: RunningApp, example: Example) -> None:
    open_form(page, site)
    page.locator(field(page, "name")).fill("Stays")
    page.locator(field(page, "params-millions")).fill("7.1 B")
    drop(page, b"five columns are too few\n")
    expect(page.locator("#submit-check [role=alert]")).to_be_visible()
    page.locator("#submit-file button[aria-label]").first.click()
    expect(page.locator("#submit-check .is-idle")).to_be_visible()

    drop(page, example("replaced"))

    expect(page.locator("#submit-check .is-accepted")).to_be_visible()
    expect(page.locator(field(page, "name"))).to_have_value("Stays")
    expect(page.locator("#submit-preview")).to_contain_text("7.1 B")


def test_other_task_checks_the_same_file_again(page: Page, site: RunningApp, example: Example) -> None:
    open_form(page, site)
    drop(page, example("other-task"))
    expect(page.locator("#submit-check .is-accepted")).to_be_visible()

    page.locator("#submit-task input").click()
    page.get_by_role("option", name="IRSC", exact=True).click()

    expect(page.locator("#submit-check [role=alert]")).to_contain_text("looks made for another task")
    assert "task=irsc" in page.url


def test_small_run_can_be_pasted(page: Page, site: RunningApp, example: Example) -> None:
    open_form(page, site)
    page.get_by_role("tab", name="Paste").click()
    page.locator("#submit-paste textarea").fill(b"".join(example("pasted").splitlines(keepends=True)[:20]).decode())

    page.locator("#submit-paste-check").click()

    expect(page.locator("#submit-check .is-accepted")).to_contain_text("20 lines")


def test_header_of_the_file_fills_the_form(page: Page, site: RunningApp, example: Example) -> None:
    header = (
        b"# ir_metadata.start\n# tag: header-system\n# method:\n#   retrieval:\n#     - name: x\n#       reranks: y\n"
    )
    open_form(page, site)

    drop(page, header + b"# ir_metadata.end\n" + example("header"))

    expect(page.locator("#submit-check")).to_contain_text("header filled in")
    expect(page.locator(field(page, "name"))).to_have_value("header-system")
    expect(page.get_by_role("radio", name="Reranker")).to_be_checked()


def test_same_browser_comes_back_without_the_key_and_a_stranger_does_not(
    open_page: OpenPage, site: RunningApp, example: Example
) -> None:
    page = open_page()
    number = hand_in(page, site, example("come-back"), "Come back")
    page.close()

    again = page.context.new_page()
    again.goto(f"{site.url}/submission?id={number}")
    stranger = open_page()
    stranger.goto(f"{site.url}/submission?id={number}")

    expect(again.locator("#submission-publish")).to_be_visible()
    expect(again.locator("#submission-next pre")).to_contain_text(f"{site.url}/submission?id={number}&key=")
    expect(stranger.locator("#submission-status")).to_contain_text("no public submission")
    expect(stranger.locator("#submission-publish")).to_be_hidden()


def test_page_stops_asking_when_all_is_done(page: Page, site: RunningApp, example: Example) -> None:
    hand_in(page, site, example("quiet"), "Quiet now")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.wait_for_timeout(5_000)

    assert asked == []


def test_state_is_announced_and_shown_with_times(page: Page, site: RunningApp, example: Example) -> None:
    hand_in(page, site, example("announced"), "Announced")

    live = page.locator("#submission-live [role=status]")
    expect(live).to_have_text(re.compile(r"^Scored: nDCG 0\.\d{3}\.$"))
    present = page.locator("#submission-status [aria-current=step]")
    expect(present).to_contain_text(re.compile(r"Done\s*\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"))
    expect(page.locator("#submission-outcome")).to_contain_text(re.compile(r"\d+ of \d+ topics answered"))
    expect(page.locator("#submission-details table").first).to_be_visible()


def test_private_result_says_how_sure_it_is_and_where_it_loses_most(
    page: Page, site: RunningApp, example: Example
) -> None:
    hand_in(page, site, example("sure"), "How sure")
    outcome = page.locator("#submission-outcome")
    expect(outcome).to_contain_text(re.compile(r"0\.\d{3} \[0\.\d{3}, 0\.\d{3}\]"))
    expect(outcome).to_contain_text(re.compile(r"would take rank \d of 7"))
    expect(page.locator("#submission-details .q-glyph").first).to_be_visible()
    best = site.board(TASK)["rows"][0]

    page.get_by_label("Against").select_option(best["id"])
    page.get_by_role("button", name="Show topics").click()

    lost = page.get_by_role("table", name=f"Largest losses against {best['name']}")
    expect(lost.locator("tbody tr")).to_have_count(20)
    status, body = site.get(
        page.locator("a[download][href*='scores/']").evaluate(
            "one => new URL(one.href).pathname + new URL(one.href).search"
        )
    )
    assert status == 200
    scores = {row["topic"]: row["nDCG"] for row in csv.DictReader(io.StringIO(body.decode()))}
    shown = [row.split("\t") for row in lost.locator("tbody tr").all_inner_texts()]
    assert [value for _, value in shown] == [f"{float(scores[topic]):.3f}" for topic, _ in shown]
    assert max(float(value) for _, value in shown) < 1


def test_older_version_is_put_on_the_board_and_its_system_lists_both(
    page: Page, site: RunningApp, example: Example
) -> None:
    first = hand_in(page, site, example("version-one"), "Two versions")
    older = page.url
    publish(page, site, first)
    second = hand_in(page, site, example("version-two"), "Two versions")
    newer = page.url
    publish(page, site, second)
    site.until(lambda: first not in ids(site))

    page.goto(older)
    page.locator("#submission-mark").click()
    site.until(lambda: first in ids(site) and second not in ids(site))

    expect(page.locator("#submission-status")).to_contain_text("This is the submission that stands on the board")
    expect(page.locator("#submission-mark")).to_be_hidden()
    page.locator("#submission-next").get_by_role("link", name="All submissions of this system").click()
    expect(page.locator("h1")).to_have_text("Two versions")
    expect(page.locator("#system table").last.locator("tbody tr")).to_have_count(2)
    for address, number in ((older, first), (newer, second)):
        page.goto(address)
        take_back(page, site, number)


def test_delete_asks_first_and_can_be_declined(page: Page, site: RunningApp, example: Example) -> None:
    number = hand_in(page, site, example("declined"), "Declined")
    publish(page, site, number)

    page.locator("#submission-delete").click()
    expect(page.locator("#submission-delete-no")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.locator("#submission-delete-question")).to_be_hidden()
    expect(page.locator("#submission-delete")).to_be_focused()
    assert number in ids(site)
    take_back(page, site, number)
    expect(page.locator("#submission-status")).to_contain_text("Its hash stays")
    expect(page.locator("#submission-actions")).to_be_hidden()


def test_text_of_a_stranger_is_shown_as_text_everywhere(page: Page, site: RunningApp, example: Example) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    page.on("dialog", lambda dialog: pytest.fail(f"a script of a stranger ran: {dialog.message}"))
    open_form(page, site)
    drop(page, example("<img/src=x>"), "<img src=x>.run")
    page.locator(field(page, "name")).fill("Hostile words")
    for name in ("note", "training-note", "licence"):
        page.locator(field(page, name)).fill(hostile)
    page.locator("#submit-run").click()
    expect(page.locator("#submission-publish")).to_be_visible(timeout=90_000)

    expect(page.locator("#submission-details")).to_contain_text(hostile)
    assert page.locator("img[src='x']").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_the_way_of_a_run(
    open_page: OpenPage, site: RunningApp, example: Example, theme: str
) -> None:
    page = open_page(color_scheme=theme, bypass_csp=True)
    found: list[str] = []

    def look(where: str) -> None:
        page.wait_for_timeout(300)
        flaws = Axe().run(page).response["violations"]
        found.extend(f"{where}: {flaw['id']}" for flaw in flaws if flaw["impact"] in ("serious", "critical"))

    open_form(page, site)
    look("submit")
    drop(page, b"five columns are too few\n")
    page.locator("#submit-run").click()
    expect(page.locator(".q-summary a").first).to_be_focused()
    look("refused")
    number = hand_in(page, site, example(f"axe-{theme}"), f"Accessible {theme}")
    look("private")
    publish(page, site, number)
    page.locator("#submission-delete").click()
    expect(page.locator("#submission-delete-no")).to_be_focused()
    look("question")
    page.locator("#submission-delete-no").click()
    expect(page.locator("#submission-next")).to_contain_text("All submissions of this system")
    address = page.url
    page.locator("#submission-next").get_by_role("link", name="All submissions of this system").click()
    expect(page.locator("#system table").first).to_be_visible()
    look("system")
    page.goto(address)
    take_back(page, site, number)

    assert found == []


@pytest.mark.parametrize("width", [320, 390])
def test_no_page_scrolls_sideways_on_a_phone(
    open_page: OpenPage, site: RunningApp, example: Example, width: int
) -> None:
    page = open_page(viewport={"width": width, "height": 700})
    widths = []
    open_form(page, site, "fr")
    drop(page, b"five columns are too few\n")
    expect(page.locator("#submit-check [role=alert]")).to_be_visible()
    widths.append(page.evaluate("document.documentElement.scrollWidth"))

    hand_in(page, site, example(f"phone-{width}"), f"Phone of {width}", "fr")
    widths.append(page.evaluate("document.documentElement.scrollWidth"))

    assert widths == [width, width]
    open_form(page, site, "fr")
    expect(page.locator(".q-help details")).not_to_have_attribute("open", "")


@pytest.mark.parametrize("lang", ["fr", "zh"])
def test_no_english_sentence_of_ours_is_left(page: Page, site: RunningApp, example: Example, lang: str) -> None:
    folder = Path(ROOT) / "leaderboard" / "texts" / "en"
    ours = [
        sentence
        for section in ("submit", "submission", "form", "faults", "errors", "common")
        for sentence in tomllib.loads((folder / f"{section}.toml").read_text(encoding="utf-8")).values()
        if "{" not in sentence and len(sentence.split()) >= 3
    ]
    open_form(page, site, lang)
    drop(page, b"five columns are few\n")
    expect(page.locator("#submit-check [role=alert]")).to_be_visible()
    page.locator("#submit-run").click()
    expect(page.locator(".q-summary a").first).to_be_focused()
    shown = page.locator("body").inner_text()

    hand_in(page, site, example(f"words-{lang}"), f"Words {lang}", lang)
    shown += page.locator("body").inner_text()

    assert [sentence for sentence in ours if sentence in shown] == []
