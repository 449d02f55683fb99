"""The commands as a shell sees them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.data.makers import CARD, SEALED_CARD, a_card, a_package

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "leaderboard", *arguments],
        env=os.environ | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("role", ["web", "worker"])
def test_refused_setting_ends_each_process_with_its_name_and_no_trace(role: str, tmp_path: Path) -> None:
    done = run(role, QRELBOARD_DATA=str(tmp_path), QRELBOARD_JOB_SECONDS="soon")

    assert done.returncode == 2
    assert done.stderr.startswith("qrelboard: QRELBOARD_JOB_SECONDS: found 'soon'")
    assert "Traceback" not in done.stderr


def test_unknown_command_names_those_there_are() -> None:
    done = run("serve")

    assert done.returncode == 2
    assert all(command in done.stderr for command in ("web", "worker", "check"))


def test_check_prints_the_fingerprint_of_generated_gold(tmp_path: Path) -> None:
    done = run("check", "irsc", QRELBOARD_DATA=str(tmp_path / "data"))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Fingerprint: sha256:" in done.stdout


BROKEN_CARD = """\
id = "broken"
benchmrk = "Broken"
version = 1
gold = "opne"
languages = ["English", "en", "en"]

[name]
en = "Broken"
de = "Kaputt"

[[measure]]
name = "nDGC@10"
primary = "yes"

[[axis]]
id = "Kind"
ordinal = true
name = { fr = "Genre" }

[limits]
per_day = 0

[source]
paper = "http://example.org"
"""
CARD_KEYS = (
    *("gold", "axis[1].id", "axis[1].order", "axis[1].name.en", "benchmark", "version", "name.de", "summary.en"),
    *("languages[1]", "languages[3]", "measure[1].name", "measure[1].primary", "limits.per_day", "source.paper"),
)


def test_check_names_every_fault_of_card_gold_topics_and_texts_at_once(tmp_path: Path) -> None:
    task, gold = tmp_path / "data" / "tasks" / "broken", tmp_path / "data" / "gold" / "broken"
    task.mkdir(parents=True)
    gold.mkdir(parents=True)
    (task / "card.toml").write_text(BROKEN_CARD, encoding="utf-8")
    (task / "about.en.md").write_bytes(b"Plain.\nCaf\xe9")
    (task / "about.de.md").write_text("Kein Deutsch.", encoding="utf-8")
    (task / "topics.txt").write_bytes(b"t1\nt\xff\n")
    (gold / "qrels.trec").write_text("t1 0 d1 half\nt1 0 d2\nt1 0 d3 1\nt1 0 d3 2\n", encoding="utf-8")
    (gold / "topics.jsonl").write_text('{"topic_id": "t1"}\n[]\n{"topic_id": "t1"}\n{}\n', encoding="utf-8")
    (gold / "gold.toml").write_text("version = 1\n", encoding="utf-8")

    done = run("check", "broken", QRELBOARD_DATA=str(tmp_path / "data"))

    problems = [line for line in done.stdout.splitlines() if line.startswith("Problem: ")]
    assert done.returncode == 1, done.stderr
    for key in CARD_KEYS:
        assert sum(f'broken/card.toml: key "{key}" ' in line for line in problems) == 1, (key, done.stdout)
    for place in (
        *("about.en.md is not UTF-8 (line 2)", "about.de.md: no page shows this", "topics.txt: Line 2"),
        *("qrels.trec, line 1", "qrels.trec, line 2", "qrels.trec, line 4", "gold.toml"),
        *("topics.jsonl, line 2", "topics.jsonl, line 3", "topics.jsonl, line 4"),
    ):
        assert sum(f"broken/{place}" in line for line in problems) == 1, (place, done.stdout)
    assert len(problems) == len(CARD_KEYS) + 10
    assert f"{len(problems)} to mend." in done.stdout


def test_check_names_every_place_where_a_sound_card_and_its_gold_disagree(tmp_path: Path) -> None:
    a_card(tmp_path / "data" / "tasks", CARD)
    a_package(tmp_path / "data" / "gold", rows=({"topic_id": "t1"}, {"topic_id": "t2"}))

    done = run("check", "toy", QRELBOARD_DATA=str(tmp_path / "data"))

    assert done.returncode == 1
    assert "no row for 1 judged topics, first t3" in done.stdout
    assert 'the attribute "kind"' in done.stdout
    assert 'the attribute "size"' in done.stdout
    assert "2 judged topics have no group" in done.stdout
    assert "4 to mend." in done.stdout


def test_unknown_task_names_the_folders_searched_and_the_tasks_there(tmp_path: Path) -> None:
    done = run("check", "irs", QRELBOARD_DATA=str(tmp_path / "data"))

    assert done.returncode == 1
    assert str(tmp_path / "data" / "tasks") in done.stdout
    assert str(ROOT / "data" / "tasks") in done.stdout
    assert "irsc, instructir, alloprof-pages" in done.stdout


def test_sealed_minimum_says_why_it_is_what_it_is(tmp_path: Path) -> None:
    a_card(tmp_path / "data" / "tasks", SEALED_CARD + "[limits]\nmin_slice_topics = 20\n")

    done = run("check", "toy", QRELBOARD_DATA=str(tmp_path / "data"))

    assert "expected a whole number from 100" in done.stdout
    assert "gives away their judgements" in done.stdout
