"""Every command block of the documents, typed as a newcomer would; only names of files and addresses are filled in."""

import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.data.importers.test_alloprof import a_source as alloprof_files
from tests.data.importers.test_instructir import a_copy as instructir_files
from tests.data.importers.test_irsc import a_source as irsc_files
from tests.hub import READ, WRITE, Hub, a_hub
from tests.running import ROOT, running_app

# who runs the blocks of a document; README's and api.md's talk to a running app
RUN_BY = {
    "README.md": "tests/browser/test_readme.py",
    "docs/api.md": "tests/leaderboard/test_calling.py",
    "docs/hosting-a-task.md": "tests/test_docs.py",
    "docs/hosting.md": "tests/test_docs.py",
    "docs/measures.md": "tests/test_docs.py",
    "docs/submitting.md": "tests/test_docs.py",
}
PYTHON = ".venv/bin/python"


def blocks_of(name: str, language: str = "sh") -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return [textwrap.dedent(block) for block in re.findall(rf"^ *```{language}\n(.*?)^ *```$", text, re.M | re.S)]


def typed(script: str, folder: Path, filled: Mapping[str, str] | None = None, **environment: str) -> str:
    """Run a block in a folder; fails with what it said unless each of its commands ends with 0."""
    for what, value in {
        PYTHON: sys.executable,
        ".venv/bin/hf": f"{Path(sys.executable).parent}/hf",
        **(filled or {}),
    }.items():
        script = script.replace(what, value)
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("QRELBOARD_", "GOLD_", "ARCHIVE_", "HF_"))
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def a_benchmark(folder: Path, n_topics: int = 600) -> Path:
    """A benchmark in BEIR's layout, with one axis."""
    topics = [
        {"_id": f"q{number}", "text": f"word{number}", "metadata": {"level": ("easy", "hard")[number % 2]}}
        for number in range(n_topics)
    ]
    documents = [{"_id": f"d{number}", "title": "", "text": f"word{number} and more"} for number in range(n_topics)]
    judged = ["query-id\tcorpus-id\tscore", *(f"q{number}\td{number}\t1" for number in range(n_topics))]
    (folder / "qrels").mkdir(parents=True)
    (folder / "qrels" / "test.tsv").write_text("\n".join(judged) + "\n", encoding="utf-8")
    for name, rows in (("queries", topics), ("corpus", documents)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def test_every_command_block_is_run_somewhere() -> None:
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]

    with_blocks = {str(path.relative_to(ROOT)) for path in documents if blocks_of(str(path.relative_to(ROOT)))}

    assert with_blocks == RUN_BY.keys()
    for name, test in RUN_BY.items():
        assert Path(name).name in (ROOT / test).read_text(encoding="utf-8"), test


@pytest.mark.parametrize("name", ["docs/measures.md", "docs/submitting.md"])
def test_commands_on_ones_own_machine(name: str, tmp_path: Path) -> None:
    for own, source in (("my.run", "run.trec"), ("my.qrels", "qrels.trec"), ("topics.jsonl", "topics.jsonl")):
        (tmp_path / own).write_bytes((ROOT / "tests" / "collection" / source).read_bytes())

    said = [typed(block, tmp_path, {"--by level": "--by kind"}) for block in blocks_of(name)]

    assert said
    assert all(said)


def test_example_of_a_run_file_is_one(tmp_path: Path) -> None:
    (tmp_path / "my.run").write_text(blocks_of("docs/submitting.md", "text")[0], encoding="utf-8")

    said = typed(f"{PYTHON} -m evaluation check my.run --format json", tmp_path)

    assert json.loads(said) | {"accepted": True, "lines": 2, "topics": 1, "faults": []} == json.loads(said)


class TestBoardOfOnesOwn:
    """docs/hosting-a-task.md, from its first block to its last."""

    @pytest.fixture
    def data(self, tmp_path: Path) -> Path:
        return tmp_path / "data"

    def test_the_short_way_and_gold_that_is_sealed(self, tmp_path: Path, data: Path) -> None:
        folder = a_benchmark(tmp_path / "my-benchmark")
        where, trial, add, check, sealed = blocks_of("docs/hosting-a-task.md")[:5]
        filled = {"/path/to/my-benchmark": str(folder)}

        assert typed(where, ROOT, QRELBOARD_DATA=str(data)).strip() == str(data)
        assert 'id = "my-benchmark"' in typed(trial, ROOT, filled, QRELBOARD_DATA=str(data))
        assert not data.exists() or not list((data / "tasks").glob("*"))
        assert "my-benchmark" in typed(add, ROOT, filled, QRELBOARD_DATA=str(data))
        assert "sha256:" in typed(check, ROOT, QRELBOARD_DATA=str(data))
        card = data / "tasks" / "my-benchmark" / "card.toml"
        limits = blocks_of("docs/hosting-a-task.md", "toml")[1]
        sealed_card = re.sub('gold = "open"', 'gold = "sealed"', card.read_text("utf-8"))
        card.write_text(f"{sealed_card}\n{limits}", encoding="utf-8")
        *begin, end = sealed.splitlines()
        said = typed("\n".join(begin), ROOT, QRELBOARD_DATA=str(data))
        assert re.search(r"level easy: \d+ live, \d+ sealed", said)
        assert "of the live gold expected read" in said
        with running_app(tmp_path) as app:
            app.until(lambda: app.get("/boards/my-benchmark.json")[0] == 200)
        assert "sealed rank" in typed(end, ROOT, QRELBOARD_DATA=str(data))

    def test_by_hand(self, data: Path) -> None:
        qrels, topics = blocks_of("docs/hosting-a-task.md", "text")[:2]
        [card] = blocks_of("docs/hosting-a-task.md", "toml")[:1]
        gold, task = data / "gold" / "my-benchmark", data / "tasks" / "my-benchmark"
        for path, text in ((gold / "qrels.trec", qrels), (gold / "topics.jsonl", topics), (task / "card.toml", card)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

        said = typed(blocks_of("docs/hosting-a-task.md")[3], ROOT, QRELBOARD_DATA=str(data))

        assert "sha256:" in said

    def test_importers(self, tmp_path: Path) -> None:
        [importers] = blocks_of("docs/hosting-a-task.md")[5:]
        instructir_files(tmp_path / "instructir")
        alloprof_files(tmp_path / "alloprof-data")
        (tmp_path / "IRSC_Benchmark").mkdir()
        irsc_files(tmp_path / "IRSC_Benchmark")
        (tmp_path / "IRSC_Benchmark" / "map.toml").rename(tmp_path / "mapping.toml")

        typed(importers, tmp_path, {"kaist-ai/InstructIR": "instructir"})

        made = {path.parent.name for path in (tmp_path / "GOLD").rglob("qrels.*")}
        assert made == {"instructir", "alloprof-pages", "alloprof-questions", "alloprof-both", "irsc"}


class TestSpace:
    """docs/hosting.md, against a Hub of the tests; signing in wants a terminal and is left out."""

    @pytest.fixture
    def hub(self) -> Iterator[Hub]:
        with a_hub() as hub:
            yield hub

    def test_gold_space_and_restore(self, hub: Hub, tmp_path: Path) -> None:
        data = tmp_path / "data"
        gold = data / "gold" / "irsc"
        gold.mkdir(parents=True)
        (gold / "qrels.trec").write_text("t1 0 d1 1\n", encoding="utf-8")
        signed_in = {"HF_ENDPOINT": hub.endpoint, "HF_TOKEN": WRITE, "QRELBOARD_DATA": str(data)}
        put, deploy, restore = blocks_of("docs/hosting.md")
        put = put.replace(".venv/bin/hf auth login\n", "")
        tokens = {"ORG": "org", "GOLD_TOKEN=hf_…": f"GOLD_TOKEN={READ}", "ARCHIVE_TOKEN=hf_…": f"ARCHIVE_TOKEN={WRITE}"}

        typed(put, ROOT, tokens, **signed_in)
        assert hub.dataset("org/gold").files["irsc/qrels.trec"] == b"t1 0 d1 1\n"
        typed(deploy, ROOT, tokens, **signed_in)
        assert hub.repositories["spaces/org/board"].secrets["GOLD_TOKEN"] == READ
        empty = {
            "/an/empty/folder": str(tmp_path / "empty"),
            "GOLD_REVISION=…": f"GOLD_REVISION={hub.dataset('org/gold').sha}",
        }
        typed(restore, ROOT, {**tokens, **empty}, HF_ENDPOINT=hub.endpoint)
