"""The sheet of a run: on open gold its own intervals and the reach of its ties, on sealed gold neither."""

import json
from collections.abc import Iterator
from io import BytesIO
from itertools import permutations
from pathlib import Path

import pytest

from evaluation import Evaluation, RunReading, evaluate, read_run
from leaderboard.boards import make_boards
from leaderboard.sheets import tie_range
from leaderboard.submissions import ScoreSheet
from leaderboard.vault import Opened
from tests.builders import NOON
from tests.leaderboard.rooms import Room, a_ranking, a_room, sealed_judgements
from tests.leaderboard.surveyed import TOPICS, a_surveyed_room, publish


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_surveyed_room(tmp_path) as room:
        yield room


def toy(room: Room) -> Opened:
    opened = room.worker.examiner.gold_of("toy")
    assert opened is not None
    return opened


def sheet_of(room: Room, run: bytes) -> ScoreSheet:
    new = room.submit(run, name="Mine")
    room.worker.examiner.evaluate(new.id)
    return room.sheet(new.id)


def tied(order: dict[str, list[tuple[str, float]]]) -> bytes:
    return "".join(
        f"{topic} Q0 {document} 0 {score} tag\n" for topic, found in order.items() for document, score in found
    ).encode()


def test_private_run_has_the_intervals_that_its_row_will_have(room: Room) -> None:
    publish(room, "Good", finds=110)
    publish(room, "Poor", finds=20)
    mine = publish(room, "Mine", finds=60)
    make_boards(room.store, room.worker.tasks, lambda: NOON, room.worker.surveyor)
    revision = room.store.revision("toy")
    assert revision is not None
    board = json.loads(revision.body)
    row = next(row for row in board["rows"] if row["id"] == mine)

    certainty = room.sheet(mine).certainty

    assert row["intervals"][0] is not None
    columns = [column["id"] for column in board["columns"]]
    for place, column in enumerate(columns):
        assert certainty["intervals"][column] == pytest.approx(row["intervals"][place], abs=2e-6)
    values = [value["id"] for value in board["axes"][0]["values"]]
    assert [certainty["slices"]["kind"][value] for value in values] == row["slice_intervals"]["kind"]


def test_few_topics_have_no_interval(tmp_path: Path) -> None:
    with a_room(tmp_path) as room:
        room.prepare()

        sheet = sheet_of(room, a_ranking({"t1": ["d1"]}))

        assert set(sheet.certainty["intervals"].values()) == {None}


def test_sealed_gold_has_no_interval_and_no_reach_of_ties(room: Room) -> None:
    equal = {topic: [(document, 1.0), ("x", 1.0)] for topic, found in sealed_judgements().items() for document in found}
    new = room.submit(tied(equal), task_id="shut")

    room.worker.examiner.evaluate(new.id)

    assert set(room.sheet(new.id).evaluation) == {"topics", "means", "macro", "slices"}


def test_reach_of_ties_is_that_of_all_orders_of_the_tied_documents(room: Room) -> None:
    first, second = TOPICS[:2]
    groups = {first: [f"d-{first}", "a", "z"], second: ["x", f"d-{second}"]}
    run = {first: [(document, 1.0) for document in groups[first]], second: [(d, 2.0) for d in groups[second]]}
    opened = toy(room)
    task = room.worker.tasks["toy"]

    def value(rankings: dict[str, list[str]]) -> float:
        reading = read_run(BytesIO(a_ranking(rankings)), topics=opened.topic_ids, qrels=opened.gold.qrels)
        return evaluate(opened.gold.qrels, reading, ["nDCG@10"]).means["nDCG@10"]

    every = [
        value({first: list(one), second: list(other)})
        for one in permutations(groups[first])
        for other in permutations(groups[second])
    ]

    ties = sheet_of(room, tied(run)).ties

    assert task.primary.name == "nDCG@10"
    assert ties is not None
    assert ties["n"] == 2
    assert (ties["low"], ties["high"]) == pytest.approx((min(every), max(every)))


def test_ties_that_decide_nothing_are_not_told(room: Room) -> None:
    topic = TOPICS[0]

    assert sheet_of(room, tied({topic: [(f"d-{topic}", 2.0), ("a", 1.0), ("b", 1.0)]})).ties is None


def test_run_without_ties_is_not_scored_again(room: Room) -> None:
    opened = toy(room)
    run = BytesIO(a_ranking({TOPICS[0]: ["a", "b"]}))
    reading = read_run(run, topics=opened.topic_ids, qrels=opened.gold.qrels)

    def never(_: RunReading) -> Evaluation:
        raise AssertionError("scored again")

    assert tie_range(room.worker.tasks["toy"], reading, never) is None
