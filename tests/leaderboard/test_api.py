"""The five named endpoints as a script meets them: gradio_client against the whole app as real processes."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client, handle_file

from tests.builders import a_run
from tests.running import RunningApp, running_app

pytestmark = pytest.mark.processes

TASK = "irsc"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """The app with sample gold, as soon as one board is there."""
    with running_app(tmp_path_factory.mktemp("api")) as app:
        app.until(lambda: app.board(TASK).get("topics", 0) > 0)
        yield app


@pytest.fixture(scope="module")
def client(app: RunningApp) -> Client:
    return Client(app.url, verbose=False)


@pytest.fixture
def example(app: RunningApp, tmp_path: Path) -> Path:
    path = tmp_path / "example.run"
    path.write_bytes(app.get(f"/examples/{TASK}.run")[1])
    return path


def call(client: Client, *given: Any, api_name: str) -> dict[str, Any]:
    answer: dict[str, Any] = client.predict(*given, api_name=api_name)
    return answer


def count_submissions(app: RunningApp) -> int:
    """Count what was handed in from outside; the app may still be at its own samples."""
    with sqlite3.connect(app.data / "books.sqlite") as books:
        (count,) = books.execute("SELECT count(*) FROM submissions WHERE NOT is_sample").fetchone()
    return int(count)


def scored(app: RunningApp, client: Client, receipt: dict[str, Any]) -> dict[str, Any]:
    """Wait until a submission is scored; returns its status."""

    def ask() -> dict[str, Any]:
        return call(client, receipt["submission_id"], receipt["link_key"], api_name="/status")

    app.until(lambda: ask()["progress"] != "waiting")
    return ask()


def test_exactly_five_endpoints_are_offered(client: Client) -> None:
    offered = client.view_api(return_format="dict", print_info=False)

    assert set(offered["named_endpoints"]) == {"/check", "/submit", "/status", "/board", "/compare"}
    assert offered["unnamed_endpoints"] == {}


def test_example_run_is_accepted_and_nothing_stored(app: RunningApp, client: Client, example: Path) -> None:
    before = count_submissions(app)

    report = call(client, TASK, handle_file(example), api_name="/check")

    assert report["accepted"]
    assert report["topics"] <= report["topics_expected"] == app.board(TASK)["topics"]
    assert count_submissions(app) == before


def test_run_goes_in_and_its_scores_come_out(app: RunningApp, client: Client, example: Path) -> None:
    system = {"name": "API retriever", "version": "1.0", "params_millions": 110, "open_weights": True}

    receipt = call(client, TASK, handle_file(example), system, "", api_name="/submit")
    status = scored(app, client, receipt)

    assert receipt["quota"] is None

    assert (status["progress"], status["visibility"], status["name"]) == ("scored", "private", "API retriever")
    columns = [column["id"] for column in app.board(TASK)["columns"]]
    assert list(status["scores"]) == columns
    assert all(0 <= score <= 1 for score in status["scores"].values())
    for column, (low, high) in status["intervals"].items():
        assert low <= status["scores"][column] <= high
    assert (status["rank"]["is_on_board"], status["rank_interval"]) == (False, None)
    assert receipt["submission_id"] not in [row["id"] for row in app.board(TASK)["rows"]]


def test_same_call_again_is_the_same_submission(app: RunningApp, client: Client, example: Path) -> None:
    first = call(client, TASK, handle_file(example), {"name": "Twice"}, "", api_name="/submit")
    before = count_submissions(app)

    second = call(client, TASK, handle_file(example), {"name": "Twice"}, first["owner_key"], api_name="/submit")

    assert (second["submission_id"], second["link_key"]) == (first["submission_id"], first["link_key"])
    assert not second["is_new"]
    assert count_submissions(app) == before


def test_key_that_cannot_be_one_is_replaced(client: Client, example: Path) -> None:
    receipt = call(client, TASK, handle_file(example), {"name": "Short key"}, "short", api_name="/submit")

    assert len(receipt["owner_key"]) >= 32


def test_quota_is_told_before_and_after_and_the_run_over_it_is_refused(
    app: RunningApp, client: Client, tmp_path: Path
) -> None:
    """Sealed gold has its quota on one's own machine too: two a day."""
    app.until(lambda: app.board("sample-sealed").get("topics", 0) > 0)
    run = tmp_path / "sealed.run"
    run.write_bytes(app.get("/examples/sample-sealed.run")[1])
    key = "q" * 43

    before = call(client, "sample-sealed", handle_file(run), key, api_name="/check")["quota"]
    answers = [
        call(client, "sample-sealed", handle_file(run), {"name": f"Quota {n}"}, key, api_name="/submit")
        for n in range(3)
    ]

    assert (before["left"], before["limit"], before["period"], before["counts"]) == (2, 2, "day", "account")
    assert before["next_at"].endswith("T00:00:00Z")
    assert [answer["quota"]["left"] for answer in answers[:2]] == [1, 0]
    refused = answers[2]["error"]
    assert refused["code"] == "quota-exceeded"
    assert refused["quota"] == {**before, "left": 0}
    assert "0 of 2 submissions left today" in refused["message"]


def test_private_submission_needs_its_key(client: Client, example: Path) -> None:
    receipt = call(client, TASK, handle_file(example), {"name": "Secret one"}, "", api_name="/submit")

    answers = [call(client, receipt["submission_id"], key, api_name="/status") for key in ("", "wrong", "é" * 43)]
    unknown = call(client, "0" * 24, "", api_name="/status")

    assert answers == [unknown] * 3
    assert unknown["error"]["code"] == "unknown-submission"
    for key in (receipt["link_key"], receipt["owner_key"]):
        assert call(client, receipt["submission_id"], key, api_name="/status")["name"] == "Secret one"


def test_board_is_the_one_that_machines_get(app: RunningApp, client: Client) -> None:
    assert call(client, TASK, api_name="/board")["columns"] == app.board(TASK)["columns"]
    assert call(client, "no-such-task", api_name="/board")["error"]["code"] == "no-board"


def test_rows_are_compared_by_a_script(app: RunningApp, client: Client) -> None:
    app.until(lambda: len(app.board(TASK)["rows"]) > 1)
    ids = [row["id"] for row in app.board(TASK)["rows"][:2]]

    app.until(lambda: call(client, TASK, ids, api_name="/compare")["state"] == "answered")
    answer = call(client, TASK, ids, api_name="/compare")
    status, body = app.get(f"/comparisons/{TASK}.json?ids={','.join(ids)}")

    assert (answer["reference"], answer["others"]) == (ids[0], ids[1:])
    assert answer["headlines"][0]["difference"] < 0
    assert "losses" not in answer
    assert (status, json.loads(body)) == (200, answer)


@pytest.mark.parametrize(
    ("task", "ids", "code"),
    [
        (TASK, ["x"], "wrong-number"),
        (TASK, ["x"] * 5000, "wrong-number"),
        (TASK, ["x", "x"], "same-system"),
        (TASK, ["x", "y"], "not-on-board"),
        ("sample-sealed", ["x", "y"], "sealed-gold"),
        ("no-such-task", ["x", "y"], "no-board"),
        (TASK, "x,y", "not-a-list"),
        (TASK, [1, None], "not-text"),
        (TASK, ["x" * 500, "y"], "not-text"),
        (None, ["x", "y"], "not-text"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_sentence(
    app: RunningApp, client: Client, task: Any, ids: Any, code: str
) -> None:
    app.until(lambda: app.board("sample-sealed").get("topics", 0) > 0)

    refused = call(client, task, ids, api_name="/compare")["error"]

    assert refused["code"] == code
    assert refused["message"].endswith(".")


@pytest.mark.parametrize(
    ("run", "code", "line"),
    [
        (b"", "empty_file", None),
        (b"irsc-0001 Q0 d1 1 1.0\n", "too_few_fields", 1),
        (b"irsc-0001 Q0 d1 1 nan t\n", "score_not_finite", 1),
        (b"irsc-0001 Q0 d1 1 1.0 t\nirsc-0001 Q0 d1 2 0.5 t\n", "duplicate_document", 2),
        (a_run(("of-another-task",)), "no_known_topic", None),
    ],
)
def test_faulty_run_is_refused_with_its_faults(
    app: RunningApp, client: Client, tmp_path: Path, run: bytes, code: str, line: int | None
) -> None:
    path = tmp_path / "faulty.run"
    path.write_bytes(run)
    before = count_submissions(app)

    checked = call(client, TASK, handle_file(path), api_name="/check")
    refused = call(client, TASK, handle_file(path), {"name": "Faulty"}, "", api_name="/submit")["error"]

    assert (checked["faults"][0]["code"], checked["faults"][0]["line"]) == (code, line)
    assert refused["code"] == "run-refused"
    assert refused["faults"] == checked["faults"]
    assert count_submissions(app) == before


@pytest.mark.parametrize(
    ("system", "field", "code"),
    [
        ({}, "name", "required"),
        ({"name": "<img src=x onerror=alert(1)>"}, "name", "name-character"),
        ({"name": "Good", "link": "javascript:alert(1)"}, "link", "link-not-https"),
        ({"name": "Good", "version": 3}, "version", "not-text"),
        ({"name": "Good", "params_millions": "many"}, "params_millions", "not-a-number"),
        ({"name": "Good", "is_baseline": True}, "form", "unknown-field"),
        (["name"], "form", "not-an-object"),
        ("name", "form", "not-an-object"),
    ],
)
def test_faulty_description_is_refused_field_by_field(
    app: RunningApp, client: Client, example: Path, system: Any, field: str, code: str
) -> None:
    before = count_submissions(app)

    refused = call(client, TASK, handle_file(example), system, "", api_name="/submit")["error"]

    assert refused["code"] == "form-refused"
    assert (refused["problems"][0]["field"], refused["problems"][0]["code"]) == (field, code)
    assert refused["problems"][0]["message"] != code
    assert count_submissions(app) == before


@pytest.mark.parametrize(
    "run",
    [
        {"path": "/etc/passwd"},
        {"path": "../../../../etc/passwd"},
        {"path": "books.sqlite"},
        {"path": ""},
        {"path": None},
        {"nothing": 1},
        "/etc/passwd",
        ["/etc/passwd"],
        None,
        7,
    ],
    ids=repr,
)
def test_only_uploads_are_read(client: Client, run: Any) -> None:
    answers = [
        call(client, TASK, run, api_name="/check"),
        call(client, TASK, run, {"name": "Good"}, "", api_name="/submit"),
    ]

    assert [answer["error"]["code"] for answer in answers] == ["upload-foreign"] * 2


def test_file_beside_the_uploads_is_not_read(app: RunningApp, client: Client) -> None:
    answer = call(client, TASK, {"path": str(app.data / "books.sqlite")}, api_name="/check")

    assert answer["error"]["code"] == "upload-foreign"


@pytest.mark.parametrize("task", ["no-such-task", "alloprof-mteb", "", "../irsc", "x" * 5000, 7, None, {}])
def test_odd_task_is_an_answer_and_not_a_crash(client: Client, example: Path, task: Any) -> None:
    submitted = call(client, task, handle_file(example), {"name": "Good"}, "", api_name="/submit")
    boards = call(client, task, api_name="/board")

    assert submitted["error"]["code"] in ("unknown-task", "no-gold", "not-text")
    assert boards["error"]["code"] in ("no-board", "not-text")


@pytest.mark.parametrize("given", [None, 7, [], {"id": "x"}, "x" * 5000], ids=lambda given: repr(given)[:12])
def test_odd_submission_id_is_an_answer_and_not_a_crash(client: Client, given: Any) -> None:
    assert call(client, given, "", api_name="/status")["error"]["code"] in ("not-text", "unknown-submission")


def test_no_answer_names_a_path_or_a_key(app: RunningApp, client: Client, example: Path) -> None:
    receipt = call(client, TASK, handle_file(example), {"name": "Quiet"}, "", api_name="/submit")
    answers = [
        call(client, receipt["submission_id"], receipt["link_key"], api_name="/status"),
        call(client, TASK, {"path": "/etc/passwd"}, api_name="/check"),
        call(client, TASK, handle_file(example), api_name="/check"),
        call(client, TASK, api_name="/board"),
    ]

    told = json.dumps(answers)
    assert str(app.folder) not in told
    assert "Traceback" not in told
    assert receipt["link_key"] not in told
    assert receipt["owner_key"] not in told
