"""The file of scores by topic: what is in it, who may open it on this machine, and that sealed gold has none."""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from evaluation import TopicScores
from leaderboard.downloads import topic_scores_file, write_topic_scores
from tests.leaderboard.rooms import Room, a_ranking, a_room, sealed_judgements


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_room(tmp_path) as room:
        room.prepare()
        yield room


def test_every_topic_has_a_line_with_its_measures_at_full_precision(room: Room) -> None:
    new = room.submit(a_ranking({"t1": ["d1"], "t2": ["x", "d2"], "t3": ["x"]}))

    room.worker.examiner.evaluate(new.id)

    file = topic_scores_file(room.settings.topic_scores_folder, new.id)
    with file.open(encoding="utf-8", newline="") as stream:
        lines = list(csv.reader(stream))
    assert lines[0] == ["topic", "nDCG@10", "R@10"]
    assert [(topic, float(ndcg), float(recall)) for topic, ndcg, recall in lines[1:]] == [
        ("t1", 1.0, 1.0),
        ("t2", 1 / np.log2(3), 1.0),
        ("t3", 0.0, 0.0),
    ]
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_sealed_gold_leaves_no_file(room: Room) -> None:
    everything = {topic: list(found) for topic, found in sealed_judgements().items()}
    new = room.submit(a_ranking(everything), task_id="shut")

    room.worker.examiner.evaluate(new.id)

    assert room.sheet(new.id).evaluation["topics"] == 200
    assert list(room.settings.topic_scores_folder.iterdir()) == []


def test_topic_that_looks_like_a_formula_cannot_become_one(tmp_path: Path) -> None:
    file = write_topic_scores(tmp_path, "one", TopicScores(("RR",), ("=1+1", "t,2"), np.array([[0.1, 1 / 3]])))

    assert file.read_text("utf-8") == 'topic,RR\n\'=1+1,0.1\n"t,2",0.3333333333333333\n'


def test_writing_again_replaces_the_file(tmp_path: Path) -> None:
    for value in (0.25, 0.5):
        file = write_topic_scores(tmp_path, "one", TopicScores(("RR",), ("t1",), np.array([[value]])))

    assert file.read_text("utf-8") == "topic,RR\nt1,0.5\n"
    assert list(tmp_path.iterdir()) == [file]
