"""The sealed half after the host revealed it: both ranks, from the sealed half alone, and nothing before."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.boards import make_boards
from leaderboard.revealing import main, with_sealed_ranks
from leaderboard.submissions import Actor, Visibility
from tests.builders import NOON
from tests.leaderboard.rooms import Room, a_ranking, a_room, sealed_judgements

TOPICS = list(sealed_judgements().items())


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_room(tmp_path) as room:
        room.prepare()
        yield room


def publish(room: Room, name: str, *, n_live: int, n_sealed: int) -> str:
    """A public run that finds so many live topics (odd ones) and so many sealed ones."""
    left = {"live": n_live, "sealed": n_sealed}
    rankings = {}
    for topic, found in TOPICS:
        half = "live" if int(topic[1:]) % 2 else "sealed"
        rankings[topic] = [*found] if left[half] > 0 else ["x"]
        left[half] -= 1
    new = room.submit(a_ranking(rankings), task_id="shut", name=name)
    room.worker.examiner.evaluate(new.id)
    room.store.move_visibility(new.id, Visibility.PUBLIC, Actor.OWNER, NOON)
    return new.id


def board_of(room: Room) -> dict[str, Any]:
    make_boards(room.store, room.worker.tasks, lambda: NOON, room.worker.surveyor)
    revision = room.store.revision("shut")
    assert revision is not None
    found: dict[str, Any] = json.loads(revision.body)
    return found


@pytest.fixture
def fitted(room: Room) -> Room:
    """Three systems; the first of the board was fitted to the live half."""
    publish(room, "Fitted", n_live=180, n_sealed=40)
    publish(room, "Honest", n_live=120, n_sealed=118)
    publish(room, "Plain", n_live=60, n_sealed=62)
    return room


def test_board_shows_both_ranks_once_they_are_published(fitted: Room, capsys: pytest.CaptureFixture[str]) -> None:
    before = board_of(fitted)

    assert main(fitted.settings, "shut", is_published=True) == 0
    after = board_of(fitted)

    assert "sealed" not in json.dumps(before["rows"])
    assert [(row["name"], row["rank"], row["sealed"]) for row in after["rows"]] == [
        ("Fitted", 1, {"rank": 3, "score": 0.2}),
        ("Honest", 2, {"rank": 1, "score": 0.59}),
        ("Plain", 3, {"rank": 2, "score": 0.31}),
    ]
    assert "1 → 3  (0.9 → 0.2)  Fitted" in capsys.readouterr().out


def test_nothing_is_published_without_being_asked_for(fitted: Room, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(fitted.settings, "shut", is_published=False) == 0

    assert "Nothing was published" in capsys.readouterr().out
    assert fitted.store.boards_wanted() == [] or "sealed" not in json.dumps(board_of(fitted)["rows"])


def test_run_that_comes_later_has_no_sealed_rank(fitted: Room) -> None:
    main(fitted.settings, "shut", is_published=True)

    later = publish(fitted, "Later", n_live=100, n_sealed=100)

    assert {row["id"]: row["sealed"] for row in board_of(fitted)["rows"]}[later] is None


def test_what_was_revealed_of_other_gold_is_not_shown(fitted: Room) -> None:
    main(fitted.settings, "shut", is_published=True)
    path = fitted.settings.vault_folder / "revealed" / "shut.json"
    assert path.stat().st_mode & 0o077 == 0
    path.write_text(json.dumps({"fingerprint": "other", "scores": {}}), encoding="utf-8")
    fitted.store.want_board("shut")

    assert "sealed" not in json.dumps(board_of(fitted)["rows"])


@pytest.mark.parametrize("task_id", ["toy", "nowhere"])
def test_task_without_a_sealed_half_is_refused(room: Room, task_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(room.settings, task_id, is_published=True) == 1

    assert repr(task_id) in capsys.readouterr().out


def test_equal_scores_share_a_rank() -> None:
    board = {"rows": [{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "d"}]}

    ranked = with_sealed_ranks(board, {"a": 0.5, "b": 0.7, "c": 0.5})

    assert [row["sealed"] and row["sealed"]["rank"] for row in ranked["rows"]] == [2, 1, 2, None]
