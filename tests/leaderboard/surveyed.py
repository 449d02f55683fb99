"""A room whose open task has enough topics for intervals, in groups of two, and systems that find as many as asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data.package import write_package
from leaderboard.submissions import Actor, Visibility
from tests.builders import NOON
from tests.leaderboard.rooms import Room, a_ranking, a_room

N_TOPICS = 120
TOPICS = [f"t{number:03d}" for number in range(N_TOPICS)]


@contextmanager
def a_surveyed_room(folder: Path) -> Iterator[Room]:
    """`toy` has 120 topics in 60 groups; the first 80 are easy. Its gold is prepared, its board is not made."""
    with a_room(folder) as room:
        judgements = {topic: {f"d-{topic}": 1} for topic in TOPICS}
        rows = [
            {"topic_id": topic, "kind": "easy" if place < 80 else "hard", "group": f"g{place // 2}"}
            for place, topic in enumerate(TOPICS)
        ]
        write_package(room.gold / "toy", judgements, rows, version="1")
        card = room.folder / "tasks" / "toy" / "card.toml"
        card.write_text("has_groups = true\n" + card.read_text("utf-8"), encoding="utf-8")
        room.restart()
        room.prepare()
        yield room


def publish(room: Room, name: str, *, finds: int, **fields: Any) -> str:
    """Put a system on the board that finds the first topics, each at rank 1, and no other."""
    run = a_ranking({topic: [f"d-{topic}" if place < finds else "x"] for place, topic in enumerate(TOPICS)})
    new = room.submit(run, name=name, **fields)
    room.worker.examiner.evaluate(new.id)
    room.store.move_visibility(new.id, Visibility.PUBLIC, Actor.OWNER, NOON)
    return new.id
