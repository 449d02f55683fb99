"""Two real collections: added by a host's files alone, uploaded in a browser, scored, published."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from leaderboard.store import Store
from tests.cases import CASES, needs_cases
from tests.running import ROOT, RunningApp, running_app

pytestmark = [pytest.mark.browser, needs_cases]

# our name of a measure → trec_eval's
NAMES = {
    "AP": "map",
    "AP@10": "map_cut_10",
    "RR": "recip_rank",
    "P@10": "P_10",
    "R@10": "recall_10",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "Success@10": "success_10",
}
REFERENCE = "reference.trec_eval-10.test-c.txt"
CARD = """
id = "trec-test"
benchmark = "trec_eval"
version = "10"
gold = "open"
depth = 1000
mean = "topics"
[name]
en = "trec_eval's test collection"
[summary]
en = "Three topics that every trec_eval is tested with."
""" + "".join(f'[[measure]]\nname = "{name}"\n' + ("primary = true\n" if name == "AP" else "") for name in NAMES)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """The app with real gold for two tasks, put there as a host would: files only."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "tasks" / "trec-test").mkdir(parents=True)
    (folder / "tasks" / "trec-test" / "card.toml").write_text(CARD, encoding="utf-8")
    (folder / "gold" / "trec-test").mkdir(parents=True, mode=0o700)
    shutil.copy(CASES / "cases/usnistgov-trec_eval/qrels.test", folder / "gold/trec-test/qrels.trec")
    importer = [sys.executable, "-m", "data.importers.instructir", str(CASES / "benchmarks/instructir")]
    subprocess.run([*importer, str(folder / "gold")], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    with running_app(folder, QRELBOARD_TASKS=str(folder / "tasks"), GOLD_SOURCE=str(folder / "gold")) as app:
        app.until(lambda: all(app.board(task).get("topics") for task in ("trec-test", "instructir")))
        yield app


def publish_in_browser(page: Page, app: RunningApp, task: str, run: Path, name: str) -> str:
    """Upload a run, describe the system, submit, wait for the scores, publish; returns the submission's id."""
    page.goto(f"{app.url}/submit?task={task}")
    page.locator("#submit-file input[type=file]").set_input_files(run)
    expect(page.locator("#submit-check")).to_contain_text("The file can be scored", timeout=60_000)
    page.locator("#field-name textarea, #field-name input").fill(name)
    page.locator("#submit-run").click()
    page.wait_for_url(re.compile("/submission"), timeout=20_000)
    number = re.search(r"[?&]id=([^&]+)", page.url)
    assert number is not None
    publish = page.get_by_role("button", name="Publish", exact=True)
    expect(publish).to_be_visible(timeout=90_000)
    publish.click()
    app.until(lambda: number[1] in [row["id"] for row in app.board(task)["rows"]])
    return number[1]


def row_of(app: RunningApp, task: str, submission: str) -> tuple[dict[str, float], dict[str, Any]]:
    board = app.board(task)
    row = next(row for row in board["rows"] if row["id"] == submission)
    return dict(zip((column["id"] for column in board["columns"]), row["scores"], strict=True)), row


def shown(value: float) -> str:
    return f"{value:.3f}"


def test_trec_eval_collection_shows_trec_evals_values(page: Page, app: RunningApp) -> None:
    folder = CASES / "cases/usnistgov-trec_eval"
    reference = {
        name: float(value)
        for name, topic, value in map(str.split, (folder / REFERENCE).read_text(encoding="utf-8").splitlines())
        if topic == "all"
    }

    submission = publish_in_browser(page, app, "trec-test", folder / "results.test", "Results of the test")

    scores, row = row_of(app, "trec-test", submission)
    assert {NAMES[name]: round(value, 4) for name, value in scores.items()} == {
        name: reference[name] for name in NAMES.values()
    }
    assert row["answered"] == reference["num_q"]
    page.goto(f"{app.url}/trec-test")
    on_page = page.locator("tbody tr", has_text="Results of the test")
    for value in scores.values():
        expect(on_page).to_contain_text(shown(value))


@pytest.mark.parametrize("number", [0, 1])
def test_instructir_run_has_the_expected_values(
    page: Page, app: RunningApp, tmp_path: Path, number: int, made_run: Callable[[dict[str, Any], Path], Path]
) -> None:
    expected = json.loads((CASES / "benchmarks/instructir/expected.json").read_text(encoding="utf-8"))[number]
    run = made_run(expected, tmp_path)
    renamed = {"group_mean": "GroupMean(nDCG@10)"}
    means = {
        renamed.get(name, name): value
        for name, value in expected.items()
        if name in ("nDCG@10", "Robustness@10", "group_mean", "AP@10", "R@10", "RR", "nDCG")
    }

    submission = publish_in_browser(page, app, "instructir", run, f"Simulated system {number}")

    store = Store.open(f"sqlite:///{app.data / 'books.sqlite'}")
    sheet = store.sheet(submission)
    store.close()
    assert sheet is not None
    assert (sheet.n_topics, sheet.n_answered) == (expected["topics"], expected["answered"])
    assert {name: sheet.evaluation["means"][name] for name in means} == pytest.approx(means, abs=1e-12, rel=0)
    for kind, values in expected["by_query_type"].items():
        found = sheet.evaluation["slices"]["query_type"][kind]
        assert {name: found[name] for name in values} == pytest.approx(values, abs=1e-12, rel=0)
    scores, _ = row_of(app, "instructir", submission)
    assert {name: scores[name] for name in means} == pytest.approx(means, abs=1e-12, rel=0)
    page.goto(f"{app.url}/instructir")
    on_page = page.locator("tbody tr", has_text=f"Simulated system {number}")
    for value in means.values():
        expect(on_page).to_contain_text(shown(value))
    page.goto(f"{app.url}/submission?id={submission}")
    expect(page.locator("body")).to_contain_text("Breakdown", timeout=20_000)
    for values in expected["by_query_type"].values():
        expect(page.locator("body")).to_contain_text(shown(values["nDCG@10"]))
        expect(page.locator("body")).to_contain_text(shown(values["Robustness@10"]))


@pytest.fixture
def made_run() -> Callable[[dict[str, Any], Path], Path]:
    """Make the run that an entry of the expected values speaks of, and confirm that it is that one."""

    def make(expected: dict[str, Any], folder: Path) -> Path:
        script, qrels, _, *options = expected["made_with"].split()
        out = folder / "made.run"
        subprocess.run([sys.executable, str(CASES / script), str(CASES / qrels), str(out), *options], check=True)
        assert hashlib.sha256(out.read_bytes()).hexdigest() == expected["sha256"]
        return out

    return make
