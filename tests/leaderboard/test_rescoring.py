"""Gold that changed and scores that were lost: all is scored again, one a sweep, and the board follows."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.submissions import Actor, Visibility
from tests.builders import NOON
from tests.leaderboard.rooms import Room, a_ranking, a_room

# under the gold of version 2, t1 has a second relevant document, which nobody finds
RUNS = {
    "Good": a_ranking({"t1": ["d1"], "t2": ["d2"], "t3": ["d3"]}),
    "Fair": a_ranking({"t1": ["d1"], "t2": ["d2"], "t3": ["x"]}),
    "Third": a_ranking({"t1": ["other", "d1"], "t2": ["d2"], "t3": ["x"]}),
}


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_room(tmp_path) as room:
        room.prepare()
        yield room


def publish(room: Room, name: str) -> str:
    new = room.submit(RUNS[name], name=name)
    room.worker.examiner.evaluate(new.id)
    room.store.move_visibility(new.id, Visibility.PUBLIC, Actor.OWNER, NOON)
    return new.id


def change_gold(room: Room) -> None:
    room.write_toy(version="2", extra={"other": 1})
    room.restart()
    room.prepare()


def board(room: Room) -> dict[str, Any]:
    revision = room.store.revision("toy")
    assert revision is not None
    found: dict[str, Any] = json.loads(revision.body)
    return found


def rows(room: Room) -> list[str]:
    return [row["name"] for row in board(room)["rows"]]


def scored_again(room: Room, wanted: str) -> int:
    return [entry.action for entry in room.store.audit_trail(wanted)].count("rescored")


def gold_shown(room: Room) -> str:
    return str(board(room)["gold"]["version"])


def test_board_keeps_the_old_gold_until_all_is_scored_again_one_a_sweep(room: Room) -> None:
    good, fair = publish(room, "Good"), publish(room, "Fair")
    room.worker.sweep(0.0)
    change_gold(room)

    shown = []
    for _ in range(3):
        shown.append((gold_shown(room), rows(room), room.store.rescoring("toy")))
        room.worker.sweep(0.0)

    both = ["Good", "Fair"]
    assert shown == [("1", both, (0, 2)), ("1", both, (1, 2)), ("2", both, (2, 2))]
    assert [room.sheet(one).gold_version for one in (good, fair)] == ["2", "2"]
    assert room.sheet(good).evaluation["means"]["R@10"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert [scored_again(room, one) for one in (good, fair)] == [1, 1]
    assert room.store.boards_wanted() == []


def test_who_leaves_meanwhile_loses_the_name_on_the_old_board_and_the_row_on_the_new_one(room: Room) -> None:
    good, _ = publish(room, "Good"), publish(room, "Fair")
    room.worker.sweep(0.0)
    publish(room, "Third")
    room.worker.sweep(0.0)
    change_gold(room)

    room.store.move_visibility(good, Visibility.DELETED, Actor.OWNER, NOON)
    room.worker.sweep(0.0)
    meanwhile = (gold_shown(room), rows(room))
    for _ in range(3):
        room.worker.sweep(0.0)

    assert meanwhile == ("1", ["", "Fair", "Third"])
    assert (gold_shown(room), rows(room)) == ("2", ["Third", "Fair"])


def test_rows_that_the_new_gold_moved_say_where_they_were(room: Room) -> None:
    publish(room, "Fair")
    publish(room, "Third")
    room.worker.sweep(0.0)
    before = board(room)
    change_gold(room)
    for _ in range(3):
        room.worker.sweep(0.0)
    after = board(room)
    publish(room, "Good")
    room.worker.sweep(0.0)

    assert [row["name"] for row in before["rows"]] == ["Fair", "Third"]
    assert [row["name"] for row in after["rows"]] == ["Third", "Fair"]
    assert [row["was"]["rank"] for row in after["rows"]] == [2, 1]
    assert {row["was"]["gold"] for row in after["rows"]} == {"1"}
    assert [row["was"]["score"] for row in after["rows"]] == [row["scores"][0] for row in reversed(before["rows"])]
    assert [row.get("was", {}).get("rank") for row in board(room)["rows"]] == [None, 2, 1]


def test_private_submission_is_scored_again_after_the_public_ones(room: Room) -> None:
    private = room.submit(RUNS["Good"], name="Good")
    room.worker.examiner.evaluate(private.id)
    public = publish(room, "Fair")
    change_gold(room)

    room.worker.sweep(0.0)
    first = (scored_again(room, private.id), scored_again(room, public))
    room.worker.sweep(0.0)

    assert first == (0, 1)
    assert room.sheet(private.id).gold_version == "2"
    assert room.state(private.id).visibility is Visibility.PRIVATE


def test_submission_that_the_new_gold_cannot_score_is_tried_once_and_keeps_its_old_scores(
    room: Room, caplog: pytest.LogCaptureFixture
) -> None:
    lost, fair = publish(room, "Good"), publish(room, "Fair")
    room.runs.delete(room.state(lost).run_sha256)
    change_gold(room)

    for _ in range(4):
        room.worker.sweep(0.0)

    assert rows(room) == ["Fair"]
    assert (room.sheet(lost).gold_version, room.sheet(fair).gold_version) == ("1", "2")
    assert caplog.text.count(f"cannot be scored again submission={lost} code=run-unreadable") == 1


def test_scores_by_topic_that_were_lost_are_computed_from_the_run(room: Room) -> None:
    shown = publish(room, "Good")
    file = room.settings.vault_folder / "scores" / "toy" / f"{shown}.npz"
    room.worker.sweep(0.0)
    before, number = room.sheet(shown), room.store.revision_number("toy")
    file.unlink()
    room.restart()

    room.worker.sweep(0.0)

    assert file.exists()
    assert room.sheet(shown) == before
    assert room.store.revision_number("toy") == number + 1


def test_nothing_is_done_twice_while_nothing_changes(room: Room) -> None:
    publish(room, "Good")
    change_gold(room)
    for _ in range(3):
        room.worker.sweep(0.0)
    number = room.store.revision_number("toy")

    for _ in range(3):
        room.worker.sweep(0.0)

    assert room.store.revision_number("toy") == number
    assert room.worker._rescorer.score_next() is None
