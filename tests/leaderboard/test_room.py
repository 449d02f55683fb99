"""Room for uploads: its bound, what goes first, what a page holds, and the sweep."""

import os
from pathlib import Path

import pytest

from leaderboard.room import GRACE_S, HELD_S, KEPT_S, LEAST_COST, STEP_BYTES, Passage, Room, sweep

SIZE = 2 * LEAST_COST


class Clock:
    def __init__(self) -> None:
        self.now = 100_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def room(tmp_path: Path, clock: Clock) -> Room:
    """Room for four files."""
    return Room(tmp_path, 4 * SIZE, clock)


def put(folder: Path, name: str, changed: float) -> str:
    path = folder / name / "a.run"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"x" * SIZE)
    os.utime(path, (changed, changed))
    return str(path)


def names(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.rglob("*.run"))


def test_uploads_on_their_way_count_until_they_leave(room: Room) -> None:
    assert [room.enter(SIZE) for _ in range(5)] == [True] * 4 + [False]

    room.leave(SIZE)

    assert room.enter(SIZE)


def test_full_room_makes_room_by_its_oldest_files(room: Room, tmp_path: Path, clock: Clock) -> None:
    for age in (400, 100, 300, 200):
        put(tmp_path, str(age), clock.now - age)

    assert room.enter(2 * SIZE)

    assert names(tmp_path) == ["100", "200"]


def test_young_files_and_files_that_a_page_holds_stay_and_the_upload_is_refused(
    room: Room, tmp_path: Path, clock: Clock
) -> None:
    for number in range(3):
        put(tmp_path, f"young {number}", clock.now - 1)
    room.hold("page", put(tmp_path, "held", clock.now - 500))

    assert not room.enter(SIZE)

    assert len(names(tmp_path)) == 4


def test_a_page_that_was_left_holds_nothing_any_more(room: Room, tmp_path: Path, clock: Clock) -> None:
    path = put(tmp_path, "held", clock.now)
    room.hold("page", path)
    clock.now += HELD_S + 1

    assert room.enter(4 * SIZE)

    assert names(tmp_path) == []


def test_many_small_files_fill_it_too(tmp_path: Path, clock: Clock) -> None:
    for number in range(4):
        (tmp_path / f"{number}.run").write_bytes(b"")
        os.utime(tmp_path / f"{number}.run", (clock.now, clock.now))

    assert not Room(tmp_path, 4 * LEAST_COST, clock).enter(1)


def test_file_that_was_handed_in_is_swept_a_minute_later(room: Room, tmp_path: Path, clock: Clock) -> None:
    path = put(tmp_path, "mine", clock.now)
    room.hold("page", path)

    room.let_go(path, "page")

    assert room.sweep() == 0
    clock.now += GRACE_S + 1
    assert room.sweep() == 1


def test_file_that_was_replaced_is_let_go(room: Room, tmp_path: Path, clock: Clock) -> None:
    room.hold("page", put(tmp_path, "first", clock.now))
    room.hold("page", put(tmp_path, "second", clock.now))
    clock.now += GRACE_S + 1

    room.sweep()

    assert names(tmp_path) == ["second"]


def test_file_that_another_page_holds_stays(room: Room, tmp_path: Path, clock: Clock) -> None:
    path = put(tmp_path, "example", clock.now)
    room.hold("one", path)
    room.hold("other", path)

    room.let_go(path, "one")
    clock.now += GRACE_S + 1
    room.sweep()

    assert names(tmp_path) == ["example"]


def test_letting_go_touches_nothing_outside(room: Room, tmp_path: Path, clock: Clock) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.write_bytes(b"x")
    os.utime(outside, (clock.now, clock.now))

    for path in (str(outside), str(tmp_path / ".." / outside.name), "a\0b", ""):
        room.let_go(path)

    assert outside.stat().st_mtime == clock.now


def test_pages_that_hold_are_counted(room: Room, tmp_path: Path, clock: Clock) -> None:
    path = put(tmp_path, "first", clock.now)
    for number in range(3000):
        room.hold(f"page {number}", path)

    assert len(room._held) == 2000


def test_sweep_deletes_old_uploads_and_keeps_young_ones(tmp_path: Path) -> None:
    for name, age in (("old/run.txt", 5000), ("young/run.txt", 10), ("tmpabc", 5000)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x", encoding="utf-8")
        os.utime(path, (100_000 - age, 100_000 - age))

    n_deleted = sweep(tmp_path, KEPT_S, lambda: 100_000.0)

    assert n_deleted == 2
    assert [path.name for path in tmp_path.rglob("*.txt")] == ["run.txt"]
    assert (tmp_path / "young" / "run.txt").exists()


def test_room_is_kept_for_what_has_arrived_and_not_for_what_was_announced(tmp_path: Path, clock: Clock) -> None:
    room = Room(tmp_path, 4 * STEP_BYTES, clock)
    idle = [Passage(room, 100 * STEP_BYTES) for _ in range(3)]

    assert [passage.reach(1) for passage in idle] == [True] * 3
    assert room.enter(STEP_BYTES)
    assert not idle[0].reach(STEP_BYTES + 1)

    idle[1].end()

    assert idle[0].reach(STEP_BYTES + 1)
    assert not idle[0].reach(3 * STEP_BYTES)


def test_passage_gives_back_all_that_it_kept_and_keeps_no_more_than_was_announced(tmp_path: Path, clock: Clock) -> None:
    room = Room(tmp_path, 4 * STEP_BYTES, clock)
    passage = Passage(room, 2 * STEP_BYTES + 7)

    assert passage.reach(9 * STEP_BYTES)
    assert passage.n_bytes == 2 * STEP_BYTES + 7
    passage.end()

    assert room.enter(4 * STEP_BYTES)
