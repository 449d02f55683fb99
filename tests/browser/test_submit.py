"""A run goes in through the browser and a row comes out; a bad file is refused with its reason and costs nothing."""

import gzip
import io
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from leaderboard.store import Store
from tests.browser.conftest import Example, OpenPage
from tests.browser.submitting import fill_name, hand_in, open_form, submit
from tests.running import RunningApp

pytestmark = pytest.mark.browser


def a_zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("my.run", "irsc-0001 Q0 d1 1 1.0 t\n")
    return packed.getvalue()


# what is handed in, and what the page must say of it
BAD = {
    "empty": (b"", "The file is empty."),
    "five-columns": (b"irsc-0001 Q0 d1 1 2.0\n", "Line 1"),
    "nan": (b"irsc-0001 Q0 d1 1 2.0 t\nirsc-0001 Q0 d2 2 nan t\n", "Line 2"),
    "duplicate": (b"irsc-0001 Q0 d1 1 2.0 t\nirsc-0001 Q0 d1 2 1.0 t\n", "first on line 1"),
    "zip": (a_zip(), "not plain text"),
    "bomb": (gzip.compress(b"\n" * 60_000_000, mtime=0), "more than 200 times its size"),
    "wrong-task": (b"quelconque Q0 d1 1 2.0 t\n", "belongs to this task"),
}


def n_in_the_books(site: RunningApp) -> int:
    store = Store.open(f"sqlite:///{site.data / 'books.sqlite'}")
    try:
        return len(store.waiting()) + sum(len(store.published(task)) for task in ("irsc",))
    finally:
        store.close()


@pytest.mark.parametrize("kind", BAD)
def test_bad_file_is_refused_with_its_reason_and_nothing_is_queued(
    page: Page, site: RunningApp, tmp_path: Path, kind: str
) -> None:
    content, reason = BAD[kind]
    file = tmp_path / f"{kind}.run"
    file.write_bytes(content)
    n_before = n_in_the_books(site)

    open_form(page, site)
    fill_name(page, "Kept name")
    page.locator("#submit-file input[type=file]").set_input_files(file)
    panel = page.locator("#submit-check [role=alert]")
    expect(panel).to_contain_text(reason)
    page.locator("#submit-run").click()
    expect(page.locator("#submit-summary")).to_contain_text("to mend")

    expect(page.locator("#field-name textarea, #field-name input")).to_have_value("Kept name")
    assert "Traceback" not in page.content()
    assert str(site.folder) not in page.inner_text("body")
    assert "/submission" not in page.url
    assert n_in_the_books(site) == n_before


def test_forty_faults_show_twenty_five_with_lines_and_count_the_rest(
    page: Page, site: RunningApp, tmp_path: Path
) -> None:
    file = tmp_path / "forty.run"
    file.write_text("".join(f"irsc-0001 Q0 d{n} {n} high t\n" for n in range(1, 41)), encoding="utf-8")

    open_form(page, site)
    page.locator("#submit-file input[type=file]").set_input_files(file)

    lines = ", ".join(str(line) for line in range(1, 26))
    expect(page.locator("#submit-check .q-faults > li")).to_have_count(1)
    expect(page.locator("#submit-check .q-fault-place")).to_have_text(f"Lines {lines}")
    expect(page.locator("#submit-check")).to_contain_text("and 15 more of this kind")


def test_run_is_scored_published_and_on_the_board_without_a_restart(
    open_page: OpenPage, site: RunningApp, example: Example
) -> None:
    page = open_page()
    open_form(page, site)
    hand_in(page, example("first-try"))
    fill_name(page, "A first try")
    expect(page.locator("#submit-preview")).to_contain_text("A first try")
    number = submit(page)
    link = page.url
    page.context.close()

    again = open_page()
    again.goto(link)
    publish = again.get_by_role("button", name="Publish", exact=True)
    expect(publish).to_be_visible(timeout=60_000)
    expect(again.locator("body")).to_contain_text(re.compile(r"would take rank \d+ of \d+"))
    publish.click()
    site.until(lambda: number in [row["id"] for row in site.board("irsc")["rows"]])

    again.goto(f"{site.url}/irsc")
    expect(again.locator("tbody tr", has_text="A first try")).to_be_visible()
    again.goto(link)
    again.get_by_role("button", name="Withdraw", exact=True).click()
    again.get_by_role("button", name="Yes, withdraw", exact=True).click()
    site.until(lambda: number not in [row["id"] for row in site.board("irsc")["rows"]])


def test_two_clicks_make_one_submission(page: Page, site: RunningApp, example: Example) -> None:
    open_form(page, site)
    hand_in(page, example("twice"))
    fill_name(page, "Clicked twice")
    page.locator("#submit-run").dblclick()
    expect(page).to_have_url(re.compile(r"/submission\?"))
    first = re.search(r"[?&]id=([^&]+)", page.url)

    page.goto(f"{site.url}/submit?task=irsc")
    hand_in(page, example("twice"))
    fill_name(page, "Clicked twice")

    assert first is not None
    assert submit(page) == first[1]


def test_private_submission_shows_nothing_without_its_key(
    open_page: OpenPage, site: RunningApp, example: Example
) -> None:
    page = open_page()
    open_form(page, site)
    hand_in(page, example("secret"))
    fill_name(page, "A secret system")
    number = submit(page)

    stranger = open_page()
    stranger.goto(f"{site.url}/submission?id={number}")

    expect(stranger.locator("body")).to_contain_text("There is no public submission under this address")
    assert "A secret system" not in stranger.content()


def test_hostile_name_is_refused_beside_its_field(page: Page, site: RunningApp, example: Example) -> None:
    open_form(page, site)
    hand_in(page, example("hostile"))
    fill_name(page, "<img src=x onerror=alert(1)>")
    page.locator("#submit-run").click()

    expect(page.locator("#submit-summary")).to_contain_text("cannot stand in a name")
    expect(page.locator("#field-name")).to_contain_text("cannot stand in a name")
    assert page.locator("img[src='x']").count() == 0


@pytest.mark.parametrize(("lang", "sentence"), [("fr", "Le fichier est vide"), ("zh", "文件")])
def test_faults_are_said_in_the_readers_language(
    page: Page, site: RunningApp, tmp_path: Path, lang: str, sentence: str
) -> None:
    (tmp_path / "empty.run").write_bytes(b"")

    open_form(page, site, lang)
    page.locator("#submit-file input[type=file]").set_input_files(tmp_path / "empty.run")

    expect(page.locator("#submit-check [role=alert]")).to_contain_text(sentence)
    expect(page.locator("#submit-check")).not_to_contain_text("The file")


def test_link_alone_is_enough_for_a_further_version_in_another_browser(
    open_page: OpenPage, site: RunningApp, example: Example
) -> None:
    page = open_page()
    open_form(page, site)
    hand_in(page, example("version-one"))
    fill_name(page, "Twice at home")
    page.locator("#field-licence textarea, #field-licence input").fill("CC0")
    submit(page)
    link = page.url
    publish = page.get_by_role("button", name="Publish", exact=True)
    expect(publish).to_be_visible(timeout=60_000)
    publish.click()
    expect(page.locator("#submission-feedback")).to_contain_text("Published")
    page.context.close()

    elsewhere = open_page()
    elsewhere.goto(link)
    sent: list[str] = []
    elsewhere.on("request", lambda request: sent.append(request.url))
    elsewhere.get_by_role("link", name="Submit another run").click()
    expect(elsewhere.locator("#submit-earlier")).to_contain_text("your earlier run of Twice at home")
    expect(elsewhere.locator("#field-name textarea, #field-name input")).to_have_value("Twice at home")
    expect(elsewhere.locator("#field-licence textarea, #field-licence input")).to_have_value("CC0")
    expect(elsewhere.locator("#field-version textarea, #field-version input")).to_have_value("")
    asked = [url.partition("#")[0] for url in sent if "from=" in url]  # what goes over the wire
    assert asked
    assert not any("key=" in url for url in asked)
    hand_in(elsewhere, example("version-two"))
    elsewhere.locator("#field-version textarea, #field-version input").fill("2")
    submit(elsewhere)
    expect(elsewhere.get_by_role("button", name="Publish", exact=True)).to_be_visible(timeout=60_000)
    elsewhere.get_by_role("button", name="Publish", exact=True).click()
    expect(elsewhere.locator("#submission-feedback")).to_contain_text("Published")

    def rows() -> list[str]:
        return [row["version"] for row in site.board("irsc")["rows"] if row["name"] == "Twice at home"]

    site.until(lambda: rows() == ["2"])
    elsewhere.get_by_role("button", name="Withdraw", exact=True).click()
    elsewhere.get_by_role("button", name="Yes, withdraw", exact=True).click()
    first = open_page()
    first.goto(link)
    first.get_by_role("button", name="Withdraw", exact=True).click()
    first.get_by_role("button", name="Yes, withdraw", exact=True).click()
    site.until(lambda: rows() == [])


def test_file_and_form_are_mended_in_one_go(page: Page, site: RunningApp) -> None:
    open_form(page, site)
    page.get_by_role("tab", name="Paste").click()
    page.locator("#submit-paste textarea").fill("irsc-0001 Q0 d1 1 nan t\nirsc-0001 Q0 d2 2\n")
    fill_name(page, "=A name")
    page.locator("#field-link textarea, #field-link input").fill("http://example.org")
    page.locator("#field-params-millions textarea, #field-params-millions input").fill("many")
    page.locator("#submit-run").click()

    summary = page.locator("#submit-summary")
    expect(summary).to_contain_text("4 things to mend")
    expect(summary.locator("a").first).to_be_focused()
    expect(summary.locator("a").first).to_have_text("Run file: 2 faults, named under the file.")
    expect(page.locator("#submit-check")).to_contain_text("The file has 2 faults")
    for field, said in (("name", "formula"), ("link", "https://"), ("params-millions", "plain number")):
        expect(page.locator(f"#field-{field}.q-field-wrong")).to_contain_text(said)
    expect(page.locator("#field-name textarea, #field-name input")).to_have_value("=A name")
    expect(page.locator("#submit-paste textarea")).to_have_value(re.compile("nan"))


def test_header_of_a_run_fills_the_form_and_the_preview(page: Page, site: RunningApp, example: Example) -> None:
    file = example("headed")
    header = (
        "# ir_metadata.start\n# tag: Headed system\n# method:\n#   description: Two steps.\n#   retrieval:\n"
        "#     - name: bm25\n#     - name: monot5\n#       reranks: bm25\n# implementation:\n#   source:\n"
        "#     repository: https://example.org/code\n#     commit: abc1234\n# ir_metadata.end\n"
    )
    file.write_bytes(header.encode() + file.read_bytes())

    open_form(page, site)
    hand_in(page, file)

    expect(page.locator("#submit-check")).to_contain_text("header filled in some fields")
    for name, value in (("name", "Headed system"), ("version", "abc1234"), ("link", "https://example.org/code")):
        expect(page.locator(f"#field-{name} textarea, #field-{name} input")).to_have_value(value)
    expect(page.locator("#field-run-type input[value=reranker]")).to_be_checked()
    expect(page.locator("#submit-preview")).to_contain_text("Headed system")
    expect(page.locator("#submit-preview")).to_contain_text("Reranker")
    expect(page.locator("#submit-preview")).to_contain_text("418 of 420")


def test_data_of_a_task_are_named_and_help_stays_in_sight_beside_the_steps(page: Page, site: RunningApp) -> None:
    page.goto(f"{site.url}/submit?task=instructir&lang=en")
    data = page.locator("#submit-data")

    expect(data).to_contain_text("Version of the data1615ed0ee07d6d33b0082362f008bfe62041a54b")
    for said in ("A topic id", "A document id", "The first ", "Go to the data"):
        expect(data).to_contain_text(said)
    expect(data.get_by_role("link", name="Download the example run")).to_have_attribute(
        "href", "./examples/instructir.run"
    )
    steps, guide = page.locator("#submit-steps").bounding_box(), page.locator("#submit-help").bounding_box()
    assert steps is not None
    assert guide is not None
    assert guide["x"] > steps["x"] + steps["width"]
    page.locator("#field-name").evaluate("field => field.scrollIntoView({ block: 'center' })")
    assert page.evaluate("scrollY") > 400
    expect(page.locator("#submit-help summary")).to_be_in_viewport()
    page.locator("#submit-run").scroll_into_view_if_needed()
    expect(page.locator("#submit-help")).to_be_in_viewport(ratio=0.7)


def test_help_is_folded_on_a_phone(open_page: OpenPage, site: RunningApp) -> None:
    page = open_page(viewport={"width": 390, "height": 800})
    open_form(page, site)

    expect(page.locator("#submit-guide details")).to_be_attached()
    expect(page.locator("#submit-guide .q-columns")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
