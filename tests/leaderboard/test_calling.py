"""The commands for submitters, as a person types them, against a running site; and the same by plain HTTP."""

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from leaderboard.parts.api_view import CALLS
from leaderboard.texts import LANGUAGES
from tests.running import ROOT, RunningApp, running_app

pytestmark = pytest.mark.processes

DOC = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
ACTION = (ROOT / "docs" / "github-action.yml").read_text(encoding="utf-8")
PYTHON = ".venv/bin/python"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    with running_app(tmp_path_factory.mktemp("calling")) as app:
        app.until(lambda: len(app.board("irsc")["rows"]) >= 2)
        yield app


@pytest.fixture
def run_file(site: RunningApp, tmp_path: Path) -> Path:
    path = tmp_path / "my.run"
    path.write_bytes(site.get("/examples/irsc.run")[1])
    return path


def call(site: RunningApp, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return shell([sys.executable, "-m", "leaderboard", *arguments, "--url", site.url], ROOT, environment)


def shell(command: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    own = {key: value for key, value in os.environ.items() if not key.startswith("QRELBOARD_")}
    return subprocess.run(
        command, cwd=folder, env={**own, **environment}, capture_output=True, text=True, timeout=200, check=False
    )


def test_run_is_checked_submitted_and_scored(site: RunningApp, run_file: Path, tmp_path: Path) -> None:
    receipt = tmp_path / "receipt.json"

    checked = call(site, "submit", "irsc", str(run_file), "--dry-run")
    done = call(
        site, "submit", "irsc", str(run_file), "--name", "By command", "--receipt", str(receipt), "--wait", "90"
    )
    asked = call(site, "status", str(receipt))

    assert (checked.returncode, json.loads(checked.stdout)["accepted"]) == (0, True), checked.stderr
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["progress"] == "scored"
    assert json.loads(done.stdout)["scores"]
    assert asked.stdout == done.stdout
    keys = json.loads(receipt.read_text("utf-8"))
    assert stat.S_IMODE(receipt.stat().st_mode) == 0o600
    assert keys["link_key"] not in done.stdout + done.stderr
    assert keys["owner_key"] not in done.stdout + done.stderr


def test_board_and_comparison_are_printed(site: RunningApp) -> None:
    board = call(site, "board", "irsc")
    lines = [line.split("\t") for line in board.stdout.splitlines()]
    whole = json.loads(call(site, "board", "irsc", "--json").stdout)
    compared = call(site, "compare", "irsc", lines[1][4], lines[0][4])

    assert [line[2] for line in lines] == [row["name"] for row in whole["rows"]]
    assert [line[0] for line in lines] == [str(row["rank"]) for row in whole["rows"]]
    assert compared.returncode == 0, compared.stderr
    assert json.loads(compared.stdout)["state"] == "answered"


def test_what_the_site_refuses_ends_with_1_and_its_reason(site: RunningApp, tmp_path: Path) -> None:
    bad = tmp_path / "bad.run"
    bad.write_text("only three columns\n", encoding="utf-8")

    faulty = call(site, "submit", "irsc", str(bad), "--name", "X")
    unknown = call(site, "board", "nothing")
    closed = call(site, "status", "0" * 32)

    assert [one.returncode for one in (faulty, unknown, closed)] == [1, 1, 1]
    assert "Line 1" in faulty.stderr
    assert "no board" in unknown.stderr
    assert closed.stderr
    for one in (faulty, unknown, closed):
        assert "Traceback" not in one.stderr


def test_wrong_command_line_ends_with_2(site: RunningApp, run_file: Path) -> None:
    for arguments in (
        ("submit", "irsc", "nowhere.run", "--name", "X"),
        ("submit", "irsc", str(run_file)),
        ("submit", "irsc", str(run_file), "--name", "X", "--field", "link"),
        ("compare", "irsc"),
    ):
        assert call(site, *arguments).returncode == 2


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "ftp://127.0.0.1", "nonsense"])
def test_site_that_does_not_answer_ends_with_3_in_one_line(url: str) -> None:
    done = shell([sys.executable, "-m", "leaderboard", "board", "irsc", "--url", url], ROOT, {})

    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1


def blocks_of(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_every_command_block_of_the_guide_works(site: RunningApp, run_file: Path, tmp_path: Path) -> None:
    script = "\n".join(blocks_of(DOC, "sh")).replace(PYTHON, sys.executable)
    environment = {"QRELBOARD_URL": site.url, "PYTHONPATH": str(ROOT)}

    done = shell(["bash", "-euo", "pipefail", "-c", script], tmp_path, environment)

    assert done.returncode == 0, done.stderr + done.stdout
    assert "scored" in done.stdout
    assert '"error"' not in done.stdout


def test_steps_of_the_github_action_work(site: RunningApp, run_file: Path, tmp_path: Path) -> None:
    steps = re.findall(r"^ +run: \|\n((?:(?: {10}.*)?\n)+)", ACTION, re.MULTILINE)
    script = "\n".join(re.sub(r"^ {10}", "", step, flags=re.MULTILINE) for step in steps[1:])
    script = script.replace("python3", sys.executable)
    environment = {"QRELBOARD_URL": site.url, "TASK": "irsc", "RUN": "my.run", "NAME": "By action", "OWNER_KEY": ""}

    assert len(steps) >= 3
    done = shell(["bash", "-euo", "pipefail", "-c", script], tmp_path, environment)

    assert done.returncode == 0, done.stderr + done.stdout
    assert "scored" in done.stdout


def post(site: RunningApp, name: str, *data: object) -> dict[str, Any]:
    request = Request(
        f"{site.url}/gradio_api/run/{name}",
        json.dumps({"data": data}).encode(),
        {"content-type": "application/json"},
    )
    with urlopen(request, timeout=60) as answer:
        found: dict[str, Any] = json.load(answer)["data"][0]
    return found


def test_page_of_the_calls_names_the_arguments_and_the_keys_that_there_are(site: RunningApp, run_file: Path) -> None:
    info = json.loads(site.get("/gradio_api/info")[1])["named_endpoints"]
    uploaded = shell(["curl", "-sSf", "-F", f"files=@{run_file}", f"{site.url}/gradio_api/upload"], ROOT, {})
    run = {"path": json.loads(uploaded.stdout)[0], "meta": {"_type": "gradio.FileData"}}
    rows = site.board("irsc")["rows"]
    answers = {
        "check": post(site, "check", "irsc", run),
        "submit": post(site, "submit", "irsc", run, {"name": "By page"}, ""),
        "board": post(site, "board", "irsc"),
    }
    receipt = answers["submit"]
    answers["status"] = post(site, "status", receipt["submission_id"], receipt["link_key"])
    answers["compare"] = post(site, "compare", "irsc", [rows[0]["id"], rows[1]["id"]])

    for call in CALLS:
        assert list(call.given) == [one["parameter_name"] for one in info[f"/{call.name}"]["parameters"]]
        must = {key for key in call.answer if not key.endswith("?")}
        may = must | {key.removesuffix("?") for key in call.answer}
        found = set(answers[call.name])
        assert must <= found, call.name
        assert found <= may or "…" in may, call.name


def test_page_and_text_for_programs_answer(site: RunningApp) -> None:
    for lang in LANGUAGES:
        status, page = site.get(f"/api?lang={lang}")
        assert status == 200
        assert all(f'id="{call.name}"' in page.decode() for call in CALLS)
    status, text = site.get("/llms.txt")

    assert status == 200
    for address in re.findall(rf"\({re.escape(site.url)}(/[^)]*)\)", text.decode()):
        assert site.get(address)[0] == 200, address
