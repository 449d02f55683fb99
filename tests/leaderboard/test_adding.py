"""`python -m leaderboard add FOLDER` as a host runs it: real files of every layout, in a data folder of its own."""

import csv
import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas
import pytest

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("roof", "river", "park", "bridge", "tower")
BIRDS = ("heron", "crow", "swift", "gull", "finch", "robin")
LEVELS = ("easy", "medium", "hard")

Judgement = tuple[str, str, int]
DOCUMENTS = [
    {"_id": f"d{bird}{place}", "title": bird, "text": f"The {bird} nests on the {place}"}
    for bird in BIRDS
    for place in PLACES
]
TOPICS = [
    {
        "_id": f"q{number}",
        "text": f"{bird} {place}",
        "level": LEVELS[number % 3],
        "season": ["spring", "autumn"][number % 2],
    }
    for number, (bird, place) in enumerate((bird, place) for bird in BIRDS for place in PLACES)
]
QRELS: list[Judgement] = [
    judgement
    for number, topic in enumerate(TOPICS)
    for judgement in (
        (topic["_id"], DOCUMENTS[number]["_id"], 2),
        (topic["_id"], DOCUMENTS[(number + 1) % 30]["_id"], 1),
    )
]


def run(data: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("QRELBOARD_", "GOLD_"))}
    return subprocess.run(
        [sys.executable, "-m", "leaderboard", *arguments],
        env={**kept, "QRELBOARD_DATA": str(data), **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def write_lines(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_json(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    write_lines(path, [json.dumps(row) for row in rows])


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_parquet(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pandas.DataFrame(rows).to_parquet(path)


def named(qrels: Sequence[Judgement], grade: Callable[[int], Any] = int) -> list[dict[str, Any]]:
    return [{"query-id": topic, "corpus-id": document, "score": grade(value)} for topic, document, value in qrels]


def as_beir(folder: Path) -> None:
    nested = [
        {"_id": row["_id"], "text": row["text"], "metadata": {"level": row["level"], "season": row["season"]}}
        for row in TOPICS
    ]
    write_json(folder / "corpus.jsonl", DOCUMENTS)
    write_json(folder / "queries.jsonl", nested)
    write_lines(folder / "qrels" / "test.tsv", ["query-id\tcorpus-id\tscore", *(f"{t}\t{d}\t{g}" for t, d, g in QRELS)])
    write_lines(folder / "qrels" / "train.tsv", ["query-id\tcorpus-id\tscore", "other\td1\t1"])


def as_mteb(folder: Path) -> None:
    # the columns of MTEB's datasets on the Hub, grades as they have them
    write_parquet(folder / "corpus" / "test-00000-of-00001.parquet", DOCUMENTS)
    write_parquet(folder / "queries" / "test-00000-of-00002.parquet", TOPICS[:10])
    write_parquet(folder / "queries" / "test-00001-of-00002.parquet", TOPICS[10:])
    write_parquet(folder / "qrels" / "test-00000-of-00001.parquet", named(QRELS, float))
    write_lines(folder / "README.md", ["---", "language: en", "---"])


def as_jsonl(folder: Path) -> None:
    write_json(folder / "qrels.jsonl", named(QRELS))
    write_json(
        folder / "topics.jsonl", [{"topic_id" if k == "_id" else k: v for k, v in row.items()} for row in TOPICS]
    )
    packed = "".join(json.dumps(row) + "\n" for row in DOCUMENTS).encode()
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(packed))


def as_csv(folder: Path) -> None:
    write_csv(folder / "qrels.csv", named(QRELS))
    write_csv(folder / "queries.csv", TOPICS)
    write_csv(folder / "documents.csv", DOCUMENTS)


LAYOUTS = {"beir": as_beir, "mteb": as_mteb, "jsonl": as_jsonl, "csv": as_csv}


def fingerprint(said: str) -> str:
    return re.findall(r"^Fingerprint: (sha256:\w+)$", said, re.MULTILINE)[0]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The fingerprint of the same benchmark, written by hand as a gold package."""
    data = tmp_path_factory.mktemp("expected")
    gold, task = data / "gold" / "birds", data / "tasks" / "birds"
    write_lines(gold / "qrels.trec", [f"{t} 0 {d} {g}" for t, d, g in QRELS])
    rows = [{"topic_id": row["_id"], "level": row["level"], "season": row["season"]} for row in TOPICS]
    write_json(gold / "topics.jsonl", rows)
    axes = [f'[[axis]]\nid = "{axis}"\nname = {{ en = "A" }}' for axis in ("level", "season")]
    card = ['id = "birds"\nbenchmark = "B"\nversion = "1"\ngold = "open"\nname = {en = "B"}\nsummary = {en = "S"}']
    write_lines(task / "card.toml", [*card, '[[measure]]\nname = "RR"\nprimary = true', *axes])
    return fingerprint(run(data, "check", "birds").stdout)


@pytest.mark.parametrize("write", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_layout_becomes_the_same_task(tmp_path: Path, expected: str, write: Callable[[Path], None]) -> None:
    folder = tmp_path / "City Birds"
    folder.mkdir()
    write(folder)

    done = run(tmp_path / "data", "add", str(folder))

    assert done.returncode == 0, done.stdout + done.stderr
    assert fingerprint(done.stdout) == expected
    assert "axis level (in this order): easy 10, medium 10, hard 10" in done.stdout
    assert "axis season: autumn 15, spring 15" in done.stdout
    assert "measures: nDCG@10, AP@100, R@100, RR@10" in done.stdout
    assert re.search(r"oracle: 1\.0000, 1\.0000, 1\.0000, 1\.0000", done.stdout)
    assert re.search(r"random: 0\.[0-9]{4}", done.stdout)
    # every topic names both words of its one best document
    assert re.search(r"bm25: 0\.[6-9][0-9]{3}, .*, 1\.0000$", done.stdout, re.MULTILINE)
    assert "Board: http://127.0.0.1:7860/city-birds" in done.stdout
    assert "Slices of axis level under 20 topics" in done.stdout
    checked = run(tmp_path / "data", "check", "city-birds")
    assert checked.returncode == 0, checked.stdout
    assert fingerprint(checked.stdout) == expected


def test_trec_files_become_a_task(tmp_path: Path) -> None:
    folder = tmp_path / "vaswani"
    write_lines(folder / "qrels.txt", [f"{t} 0 {d} {g}" for t, d, g in QRELS])
    tops = [
        f"<top>\n<num> Number: {row['_id']}\n<title> {row['text']}\n<desc> Description:\nMore.\n</top>"
        for row in TOPICS
    ]
    write_lines(folder / "topics.txt.trec", tops)
    write_json(folder / "corpus.jsonl", DOCUMENTS)

    done = run(tmp_path / "data", "add", str(folder))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Topics: 30 judged, 60 judgements, 30 with a text" in done.stdout
    assert "bm25:" in done.stdout


def test_gold_is_closed_and_public_files_say_nothing_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "birds"
    as_beir(folder)

    run(tmp_path / "data", "add", str(folder))

    gold = tmp_path / "data" / "gold" / "birds"
    assert gold.stat().st_mode & 0o077 == 0
    task = tmp_path / "data" / "tasks" / "birds"
    assert sorted(path.name for path in task.iterdir()) == ["card.toml", "documents.txt", "example.run", "topics.txt"]
    assert len((task / "documents.txt").read_text(encoding="utf-8").splitlines()) == 30
    assert not list((tmp_path / "data" / "tasks").glob(".*"))
    assert not list((tmp_path / "data" / "gold").glob(".*"))


def test_trial_prints_the_card_and_installs_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "birds"
    folder.mkdir()
    as_csv(folder)

    done = run(tmp_path / "data", "add", str(folder), "--dry-run", "--name", "Birds of the city")

    assert done.returncode == 0
    assert 'en = "Birds of the city"' in done.stdout
    assert not list((tmp_path / "data" / "tasks").iterdir())
    assert not list((tmp_path / "data" / "gold").iterdir())


def test_card_in_the_folder_is_used_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "anything"
    as_beir(folder)
    card = (
        'id = "own"\nbenchmark = "B"\nversion = "1"\ngold = "open"\nname = {en = "Own"}\nsummary = {en = "S"}\n'
        '[[measure]]\nname = "P@3"\nprimary = true\n[[axis]]\nid = "season"\nname = { en = "Season" }\n'
    )
    (folder / "card.toml").write_text(card, encoding="utf-8")
    (folder / "about.en.md").write_text("All about it.", encoding="utf-8")

    done = run(tmp_path / "data", "add", str(folder))

    assert done.returncode == 0, done.stdout
    assert (tmp_path / "data" / "tasks" / "own" / "card.toml").read_text(encoding="utf-8") == card
    assert (tmp_path / "data" / "tasks" / "own" / "about.en.md").is_file()


def test_second_task_of_one_id_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "birds"
    as_beir(folder)
    run(tmp_path / "data", "add", str(folder))

    done = run(tmp_path / "data", "add", str(folder))

    assert done.returncode == 1
    assert "There is a task 'birds' already" in done.stdout


FAULTS: dict[str, tuple[str, Sequence[str], str]] = {
    "a fraction": ("qrels.tsv", ["query-id\tcorpus-id\tscore", "q1\td1\t1", "q1\td2\t0.5"], "qrels.tsv, line 3: "),
    "two grades": ("qrels.trec", ["q1 0 d1 1", "q2 0 d1 1", "q1 0 d1 0"], "qrels.trec, line 3: "),
    "a fraction in JSON": (
        "qrels.jsonl",
        ['{"qid": "q1", "pid": "d1", "score": 1}', "", '{"qid": "q1", "pid": "d2", "score": 0.5}'],
        "qrels.jsonl, line 3: ",
    ),
    "a column missing": ("qrels.csv", ["qid,grade", "q1,1"], "qrels.csv, line 2: no column named doc_id"),
    "broken JSON": ("qrels.jsonl", ['{"qid": "q1"'], "qrels.jsonl, line 1: is not JSON"),
    "a short row": ("qrels.csv", ["qid,pid,score", "q1,d1,1", "q1,d2"], "qrels.csv, line 3: has 2 columns"),
}


@pytest.mark.parametrize(("name", "lines", "says"), FAULTS.values(), ids=FAULTS.keys())
def test_fault_in_judgements_names_file_and_line(tmp_path: Path, name: str, lines: Sequence[str], says: str) -> None:
    write_lines(tmp_path / "bench" / name, lines)
    write_lines(tmp_path / "bench" / "topics.jsonl", ['{"topic_id": "q1"}', '{"topic_id": "q1"}', '{"text": "x"}'])

    done = run(tmp_path / "data", "add", str(tmp_path / "bench"))

    assert done.returncode == 1
    assert says in done.stdout
    assert "topics.jsonl, line 2: topic q1 stands twice, first on line 1" in done.stdout
    assert "topics.jsonl, line 3: no id" in done.stdout
    assert "nothing was installed" in done.stdout
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "data" / "tasks").iterdir())


def test_folder_without_judgements_says_what_it_looked_for(tmp_path: Path) -> None:
    write_lines(tmp_path / "bench" / "notes.txt", ["hello"])

    done = run(tmp_path / "data", "add", str(tmp_path / "bench"))

    assert done.returncode == 1
    assert "no judgements. Expected a file such as qrels.trec" in done.stdout
    assert "notes.txt" in done.stdout


def test_lint_says_what_a_host_should_know(tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    judgements = [f"q{n} 0 d{n} {1 if n else 0}" for n in range(30)]
    write_lines(folder / "qrels.trec", [*judgements, judgements[1]])
    write_json(folder / "topics.jsonl", [{"topic_id": f"q{n}", "kind": "ab"[n % 2]} for n in range(32)])
    write_json(folder / "corpus.jsonl", [{"_id": f"d{n}", "text": f"text {n}"} for n in range(29)])

    done = run(tmp_path / "data", "add", str(folder))

    assert done.returncode == 0, done.stdout
    for said in (
        "1 judgements that repeat an earlier one",
        "2 topics without a judgement",
        "Topics without any relevant document: 1",
        "Judged documents that the corpus does not have: 1 of 30",
        "Ids give answers away: for 100% of the topics, the number in it",
        "Slices of axis kind under 20 topics, shown without a number: a (15), b (15)",
    ):
        assert said in done.stdout, done.stdout
    again = run(tmp_path / "data", "check", "odd")
    assert "Ids give answers away" in again.stdout
    assert "Judged documents that the corpus does not have: 1 of 30" in again.stdout


def test_without_bm25s_the_other_baselines_are_scored_and_the_cure_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "birds"
    as_beir(folder)
    write_lines(tmp_path / "shadow" / "bm25s.py", ["raise ModuleNotFoundError('bm25s')"])

    done = run(tmp_path / "data", "add", str(folder), PYTHONPATH=str(tmp_path / "shadow"))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "pip install 'bm25s>=0.3,<0.4'" in done.stdout
    assert "oracle: 1.0000" in done.stdout
