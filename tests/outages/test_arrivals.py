"""A task that a host puts into the folders of the running app has a page, takes a run and gets a board, by itself."""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client, handle_file

from tests.data.makers import CARD, PLAIN_CARD, a_card, a_package
from tests.running import RunningApp, running_app

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    with running_app(tmp_path_factory.mktemp("arrivals")) as app:
        yield app


def page_of(app: RunningApp, path: str) -> str:
    return app.get(path, Accept="text/html")[1].decode()


def test_first_start_says_little_and_where_everything_is(app: RunningApp) -> None:
    app.until(lambda: len(app.board("alloprof-both")["rows"]) == 6)

    said = app.words().splitlines()

    assert len(said) <= 4, said
    assert any(f"{app.url} (data in {app.data}; Ctrl-C stops it)" in line for line in said)
    assert any("6 boards show generated gold" in line for line in said)


def submit(client: Client, task_id: str, run: Path) -> dict[str, Any]:
    answer: dict[str, Any] = client.predict(
        task_id, handle_file(run), {"name": "Toys", "version": "1.0"}, "", api_name="/submit"
    )
    return answer


def submitted(app: RunningApp, client: Client, task_id: str, run: Path) -> dict[str, Any]:
    """Submit until the gold is there, which a worker opens a moment after the page."""
    answers: list[dict[str, Any]] = []

    def is_taken() -> bool:
        answers.append(submit(client, task_id, run))
        time.sleep(0.5)
        return "error" not in answers[-1]

    app.until(is_taken)
    return answers[-1]


def test_task_is_open_without_a_restart_and_old_pages_go_on(app: RunningApp, tmp_path: Path) -> None:
    before = Client(app.url, verbose=False)
    assert app.get("/toy", Accept="text/html")[0] == 404
    a_package(app.data / "gold", rows=None)
    prepared = a_card(tmp_path, PLAIN_CARD)
    (prepared / "example.run").write_text("t1 Q0 d1 1 1 x\n", encoding="utf-8")

    shutil.copytree(prepared, app.data / "tasks" / "toy")

    app.until(lambda: app.get("/toy", Accept="text/html")[0] == 200)
    assert "<h1" in page_of(app, "/toy")
    assert "Find the toy." in page_of(app, "/toy")
    assert "Find the toy." in page_of(app, "/")
    assert json.loads(app.get("/config")[1])["pages"]
    run = tmp_path / "my.run"
    run.write_text("t1 Q0 d1 1 3 x\nt2 Q0 d1 1 3 x\nt3 Q0 d9 1 3 x\n", encoding="utf-8")
    receipt = submitted(app, before, "toy", run)
    key = receipt["link_key"]
    app.until(lambda: before.predict(receipt["submission_id"], key, api_name="/status")["progress"] == "scored")
    assert app.get("/irsc", Accept="text/html")[0] == 200
    assert len([1 for line in app.words().splitlines() if "ended with code" in line]) == 0


def test_wrong_card_is_named_and_taken_once_it_is_mended(app: RunningApp) -> None:
    text = CARD.replace('id = "toy"', 'id = "late"')
    folder = a_card(app.data / "tasks", text.replace('version = "1"', "version = 1"), "late")
    app.until(lambda: 'late/card.toml: key "version"' in app.words() or not app.get("/healthz"))
    assert app.get("/late", Accept="text/html")[0] == 404
    assert app.get("/irsc", Accept="text/html")[0] == 200

    (folder / "card.toml").write_text(text, encoding="utf-8")

    app.until(lambda: app.get("/late", Accept="text/html")[0] == 200)


def test_gold_that_comes_after_its_card_opens_uploads(app: RunningApp, tmp_path: Path) -> None:
    a_card(app.data / "tasks", PLAIN_CARD.replace('id = "toy"', 'id = "golden"'), "golden")
    client = Client(app.url, verbose=False)
    run = tmp_path / "my.run"
    run.write_text("t1 Q0 d1 1 3 x\n", encoding="utf-8")
    app.until(lambda: app.get("/golden", Accept="text/html")[0] == 200)
    assert submit(client, "golden", run)["error"]["code"] == "no-gold"

    a_package(app.data / "gold", rows=None, task_id="golden")

    assert "link_key" in submitted(app, client, "golden", run)
