"""Ordered boards are made from the books, once an order, in the form that everybody gets."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.boards import make_boards
from leaderboard.submissions import Actor, Visibility
from tests.builders import NOON
from tests.leaderboard.rooms import Room, a_ranking, a_room

RUN = a_ranking({"t1": ["d1"], "t2": ["d2"], "t3": ["x"]})


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_room(tmp_path) as room:
        room.prepare()
        yield room


def make(room: Room) -> int:
    return make_boards(room.store, room.worker.tasks, lambda: NOON, room.worker.surveyor)


def test_published_gold_has_an_empty_board_at_once(room: Room) -> None:
    assert make(room) == 2

    revision = room.store.revision("toy")
    assert revision is not None
    body = json.loads(revision.body)
    assert (body["task"], body["revision"], body["made_at"], body["rows"]) == ("toy", 1, "2026-03-01T12:00:00Z", [])
    assert revision.etag == hashlib.sha256(revision.body.encode()).hexdigest()[:32]


def test_order_is_served_once(room: Room) -> None:
    make(room)

    assert make(room) == 0
    assert room.store.revision_number("toy") == 1


def test_row_comes_and_goes_with_its_publication(room: Room) -> None:
    make(room)
    new = room.submit(RUN)
    room.worker.examiner.evaluate(new.id)
    private = make(room)

    room.store.move_visibility(new.id, Visibility.PUBLIC, Actor.OWNER, NOON)
    make(room)
    shown = json.loads(room.store.revision("toy").body)["rows"]  # type: ignore[union-attr]
    room.store.move_visibility(new.id, Visibility.WITHDRAWN, Actor.OWNER, NOON)
    make(room)
    after = json.loads(room.store.revision("toy").body)  # type: ignore[union-attr]

    assert private == 0
    assert [(row["rank"], row["id"], row["answered"]) for row in shown] == [(1, new.id, 3)]
    assert shown[0]["scores"] == [pytest.approx(2 / 3), pytest.approx(2 / 3)]
    assert shown[0]["slices"] == {"kind": [[1.0, 1.0], [0.0, 0.0]]}
    assert (after["revision"], after["rows"]) == (3, [])


def test_task_without_gold_keeps_its_order(room: Room) -> None:
    room.store.want_board("irsc")

    make(room)

    assert [task for task, _ in room.store.boards_wanted()] == ["irsc"]
