"""What `python -m leaderboard check` tells a host, and what it never tells."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard import checking
from tests.leaderboard.rooms import Room, a_room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_room(tmp_path) as room:
        yield room


def test_sound_task_is_described_with_its_fingerprint(room: Room, capsys: pytest.CaptureFixture[str]) -> None:
    code = checking.main(room.settings, "toy")

    said = capsys.readouterr().out
    assert code == 0
    assert "Gold: open, version 1, 3 topics" in said
    assert "Fingerprint: sha256:" in said
    assert "Topics by kind: easy 2, hard 1" in said
    assert "Fit for use." in said


def test_sealed_task_names_what_is_not_shown(room: Room, capsys: pytest.CaptureFixture[str]) -> None:
    checking.main(room.settings, "shut")

    said = capsys.readouterr().out
    assert "400 topics, 200 of them live" in said
    assert "Published instead: sealed:" in said
    assert "Topics by kind: easy 150 (not shown), hard 50 (not shown)" in said


def test_judged_topic_missing_from_the_public_list_is_a_problem(room: Room, capsys: pytest.CaptureFixture[str]) -> None:
    (room.folder / "tasks" / "toy" / "topics.txt").write_text("t1\nt2\n", encoding="utf-8")

    code = checking.main(room.settings, "toy")

    assert code == 1
    assert "toy/topics.txt: 1 judged topics are missing" in capsys.readouterr().out


def test_example_run_with_a_fault_is_a_problem_with_its_line(room: Room, capsys: pytest.CaptureFixture[str]) -> None:
    (room.folder / "tasks" / "toy" / "example.run").write_text("t1 Q0 d1 1 2.0 tag\nt1 Q0 d2 2\n", encoding="utf-8")

    code = checking.main(room.settings, "toy")

    assert code == 1
    assert "toy/example.run: Line 2" in capsys.readouterr().out


def test_broken_gold_names_file_and_line_and_not_what_stands_there(
    room: Room, capsys: pytest.CaptureFixture[str]
) -> None:
    (room.gold / "toy" / "qrels.trec").write_text("t1 0 secret-document one\n", encoding="utf-8")

    code = checking.main(room.settings, "toy")

    said = capsys.readouterr().out
    assert code == 1
    assert "toy/qrels.trec, line 1" in said
    assert "secret-document" not in said


@pytest.mark.parametrize("task_id", ["never-heard-of", "irsc"])
def test_task_or_gold_that_is_not_there_is_a_problem(
    room: Room, task_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checking.main(room.settings, task_id) == 1
    assert "Problem: There is no" in capsys.readouterr().out


def test_task_of_published_numbers_needs_no_gold(room: Room, capsys: pytest.CaptureFixture[str]) -> None:
    assert checking.main(room.settings, "alloprof-mteb") == 0
    assert "Gold: none" in capsys.readouterr().out
