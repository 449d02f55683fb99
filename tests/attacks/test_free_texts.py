"""Free texts of strangers, full of markup: pages show them as text, and no look-alike takes a public name."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Error, Page, expect, sync_playwright

from tests.attacks.conftest import SCRIPT, TASK
from tests.attacks.wire import ask, call, event_of, file_data, press, upload
from tests.running import RunningApp

pytestmark = pytest.mark.processes

FREE_TEXTS = {
    "version": f"1 {SCRIPT}"[:40],
    "licence": f"</td>{SCRIPT}",
    "note": f"</script>{SCRIPT}\n[x](javascript:alert(1)) \u27e6submit.title\u27e7 {{{{7*7}}}}",
    "training": "training-part",
    "training_note": f'"{SCRIPT}',
    "link": "https://example.org/?a='&b=<"[:26],
}


@pytest.fixture
def page() -> Iterator[Page]:
    """A Chromium in which no script of a stranger may run: an alert is a failure."""
    alerts: list[str] = []
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        except Error as error:
            pytest.skip(f"no Chromium here: {str(error).splitlines()[0]}")
        opened = browser.new_page()
        opened.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
        yield opened
        browser.close()
    assert alerts == []


@pytest.fixture(scope="module")
def published(target: RunningApp, config: dict[str, Any], example: bytes) -> dict[str, Any]:
    """A public submission whose free texts are full of markup."""
    system = {"name": "Hostile texts", **FREE_TEXTS}
    receipt: dict[str, Any] = call(target, "submit", TASK, file_data(upload(target, example)), system, "")
    assert "submission_id" in receipt, receipt
    given = (receipt["submission_id"], receipt["link_key"])
    target.until(lambda: call(target, "status", *given)["progress"] == "scored")
    number, inputs = event_of(config, "submission-publish", "click")
    press(target, number, [""] * len(inputs), f"?id={given[0]}&key={given[1]}")
    target.until(lambda: given[0] in [row["id"] for row in target.board(TASK)["rows"]])
    return receipt


@pytest.mark.parametrize(
    "name",
    [
        "Hostile texts",
        "hostile-texts",
        "HOSTILE TEXTS",
        "Host1le texts",
        "Hostile.Texts",
        "H\u00f6stile texts",
        "(Hostile) texts",
    ],
)
def test_name_that_looks_like_a_public_one_is_taken(
    target: RunningApp, published: dict[str, Any], line: bytes, name: str
) -> None:
    answer = call(target, "submit", TASK, file_data(upload(target, line)), {"name": name}, "")

    assert answer["error"]["code"] == "form-refused"
    assert [problem["code"] for problem in answer["error"]["problems"]] == ["name-taken"]


def test_no_served_page_holds_them_as_markup(target: RunningApp, published: dict[str, Any]) -> None:
    row = next(row for row in target.board(TASK)["rows"] if row["id"] == published["submission_id"])
    key = published["link_key"]
    paths = (f"/{TASK}", f"/system?id={row['system']}", f"/submission?id={row['id']}&key={key}", "/")

    texts = [ask(target, "GET", path).text for path in paths]

    assert sum("Hostile texts" in text for text in texts) >= 3
    assert not any("<img src=x" in text for text in texts)


@pytest.mark.browser
def test_browser_shows_them_as_text(target: RunningApp, published: dict[str, Any], page: Page) -> None:
    row = next(row for row in target.board(TASK)["rows"] if row["id"] == published["submission_id"])
    shown_at = {
        f"/{TASK}": ("#board tbody", "Hostile texts"),
        f"/system?id={row['system']}": ("#system", SCRIPT),
        f"/submission?id={row['id']}&key={published['link_key']}": ("#submission-details", SCRIPT),
    }

    for path, (place, text) in shown_at.items():
        page.goto(f"{target.url}{path}")
        expect(page.locator(place)).to_contain_text(text, timeout=30_000)
        assert page.locator("img[src=x]").count() == 0, path
        assert page.locator("a[href^=javascript]").count() == 0, path


@pytest.mark.parametrize(
    "content",
    [
        f"{SCRIPT}\n",
        f"{SCRIPT.replace(' ', '/')} Q0 d 1 1 t\n",
        f"{{topic}} Q0 {SCRIPT.replace(' ', '/')} 1 {SCRIPT.replace(' ', '/')} t\n",
        f"# ir_metadata.start\n# tag: '{SCRIPT}'\n# ir_metadata.end\n{{topic}} Q0 d 1 1 <img/src=x>\n",
    ],
    ids=["line", "topic", "score", "header"],
)
def test_what_a_run_holds_is_quoted_as_text(
    target: RunningApp, config: dict[str, Any], line: bytes, content: str
) -> None:
    number, inputs = event_of(config, "submit-file", "upload")
    types = {one["id"]: one["type"] for one in config["components"]}
    run = content.replace("{topic}", line.split()[0].decode())
    place = file_data(upload(target, run.encode(), f"{SCRIPT}.run"))
    plain = {"dropdown": TASK, "file": place, "checkbox": False}
    fields = [plain.get(types[one]) for one in inputs]

    said = press(target, number, fields)

    panel = said.json["data"][0]
    assert said.status == 200
    assert "q-check" in json.dumps(panel)
    assert "<img" not in str(panel)
