"""Scores by topic from the vault to the board: what open gold shows, what sealed gold does not, what is missing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.boards import make_boards
from leaderboard.submissions import Actor, Visibility
from leaderboard.surveying import Surveyor
from tests.builders import NOON
from tests.leaderboard.rooms import Room, a_ranking, sealed_judgements
from tests.leaderboard.surveyed import a_surveyed_room, publish

# what only the survey adds to a board, wherever it stands
ADDED = ("uncertainty", "intervals", "rank_interval", "tied_with_first", "slice_intervals", "slice_ranks", "resolution")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_surveyed_room(tmp_path) as room:
        yield room


def board_of(room: Room, task_id: str = "toy", surveyor: Surveyor | None = None) -> dict[str, Any]:
    make_boards(room.store, room.worker.tasks, lambda: NOON, surveyor or room.worker.surveyor)
    revision = room.store.revision(task_id)
    assert revision is not None
    body: dict[str, Any] = json.loads(revision.body)
    return body


def test_open_board_says_how_sure_it_is(room: Room) -> None:
    publish(room, "Good", finds=110)
    publish(room, "Poor", finds=20)

    board = board_of(room)

    assert (board["uncertainty"]["unit"], board["uncertainty"]["n_units"]) == ("group", 60)
    assert [row["rank_interval"] for row in board["rows"]] == [[1, 1], [2, 2]]
    for row in board["rows"]:
        low, high = row["intervals"][0]
        assert low < row["scores"][0] < high
    # 40 and 20 groups are too few
    assert [value["resolution"] for value in board["axes"][0]["values"]] == [None, None]


def test_no_count_of_a_sealed_board_tells_which_topics_are_live(room: Room) -> None:
    halves = [[f"s{number:03d}" for number in range(half, 400, 2)][:7] for half in (0, 1)]
    runs = [a_ranking({topic: ["wrong"] for topic in half}) for half in halves]
    ids = []
    for place, run in enumerate(runs):
        new = room.submit(run, task_id="shut", name=f"System {place}")
        room.worker.examiner.evaluate(new.id)
        room.store.move_visibility(new.id, Visibility.PUBLIC, Actor.OWNER, NOON)
        ids.append(new.id)

    board = board_of(room, "shut")

    sheets = [room.sheet(one) for one in ids]
    assert sheets[0] == sheets[1]
    assert (sheets[0].n_answered, sheets[0].n_topics) == (7, 400)
    assert [row["answered"] for row in board["rows"]] == [7, 7]
    assert (board["listed"], board["topics"]) == (400, 200)


def test_sealed_board_shows_one_half_width_a_column_and_nothing_else(room: Room) -> None:
    every_other = {topic: [*found] if int(topic[1:]) % 4 < 2 else ["x"] for topic, found in sealed_judgements().items()}
    new = room.submit(a_ranking(every_other), task_id="shut", is_baseline=True)
    room.worker.examiner.evaluate(new.id)
    room.store.move_visibility(new.id, Visibility.PUBLIC, Actor.OWNER, NOON)

    board = board_of(room, "shut")

    # 200 live topics, half of them found: 1.96 × 0.5 / √200 = 0.069, and up to the next of two digits
    assert board["half_widths"] == [0.07, 0.07]
    assert not any(f'"{key}"' in json.dumps(board) for key in ADDED)


def test_sealed_board_without_a_baseline_has_no_half_width(room: Room) -> None:
    board = board_of(room, "shut")

    assert board["half_widths"] == [None, None]


def test_row_whose_scores_are_lost_keeps_its_place_without_an_interval(room: Room) -> None:
    lost = publish(room, "Good", finds=110)
    kept = publish(room, "Poor", finds=20)
    (room.settings.vault_folder / "scores" / "toy" / f"{lost}.npz").unlink()

    board = board_of(room)

    assert [(row["id"], row["rank_interval"]) for row in board["rows"]] == [(lost, None), (kept, [1, 2])]
    assert room.worker.surveyor.missing(room.worker.tasks["toy"], [lost, kept]) == [lost]


@pytest.mark.parametrize("content", [b"", b"not an archive"], ids=["empty", "garbage"])
def test_scores_that_cannot_be_read_are_missing(room: Room, content: bytes) -> None:
    broken = publish(room, "Good", finds=110)
    (room.settings.vault_folder / "scores" / "toy" / f"{broken}.npz").write_bytes(content)

    assert board_of(room)["rows"][0]["rank_interval"] is None
    assert room.worker.surveyor.missing(room.worker.tasks["toy"], [broken]) == [broken]


def test_scores_of_another_gold_are_missing(room: Room) -> None:
    old = publish(room, "Good", finds=110)
    (room.gold / "toy" / "qrels.trec").write_text("t000 0 d-t000 1\n", encoding="utf-8")
    room.restart()
    room.prepare()

    assert room.worker.surveyor.missing(room.worker.tasks["toy"], [old]) == [old]


class Slow(Surveyor):
    """Takes every board for a large one."""

    def takes_long(self, board: dict[str, Any]) -> bool:
        return True


def test_large_board_shows_its_rows_at_once_and_its_intervals_the_next_time(room: Room) -> None:
    slow = Slow(room.worker.examiner)
    publish(room, "Good", finds=110)

    at_once = board_of(room, surveyor=slow)
    wanted = room.store.boards_wanted()
    later = board_of(room, surveyor=slow)

    assert ("uncertainty" in at_once, "uncertainty" in later) == (False, True)
    assert [task_id for task_id, _ in wanted] == ["shut", "toy"]
    assert room.store.boards_wanted() == []
    assert at_once["rows"][0]["scores"] == later["rows"][0]["scores"]


class Broken(Surveyor):
    """Cannot say anything."""

    def survey(self, *_: Any) -> dict[str, Any]:
        raise ZeroDivisionError("no")


def test_board_appears_without_its_uncertainty_where_that_fails(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    shown = publish(room, "Good", finds=110)

    board = board_of(room, surveyor=Broken(room.worker.examiner))

    assert [row["id"] for row in board["rows"]] == [shown]
    assert "board without its uncertainty task=toy error=ZeroDivisionError" in caplog.text
