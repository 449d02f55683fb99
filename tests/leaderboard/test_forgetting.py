"""Nothing of the scores by topic outlives the deletion of a submission, on disk or in an answer that was kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.comparisons import Question
from leaderboard.evaluating import Examiner
from leaderboard.submissions import Actor, Visibility
from tests.builders import NOON
from tests.leaderboard.rooms import Room, a_ranking, a_room

RUN = a_ranking({"t1": ["d1"], "t2": ["d2"], "t3": ["x"]})


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_room(tmp_path) as room:
        room.prepare()
        yield room


def files_of(room: Room, submission_id: str) -> list[str]:
    """The names of all files anywhere in the data folder that are called after a submission."""
    return sorted(path.name for path in room.settings.data_folder.rglob(f"*{submission_id}*"))


def take_back(room: Room, submission_id: str, to: Visibility = Visibility.DELETED) -> None:
    room.store.move_visibility(submission_id, to, Actor.OWNER, NOON)


def test_scores_by_topic_go_with_a_deleted_submission_and_no_others(room: Room) -> None:
    gone, kept = room.submit(RUN), room.submit(RUN, name="Other")
    for one in (gone, kept):
        room.worker.examiner.evaluate(one.id)
    before = files_of(room, gone.id)
    take_back(room, gone.id)

    room.worker.sweep(0.0)

    assert before == [f"{gone.id}.csv", f"{gone.id}.npz"]
    assert files_of(room, gone.id) == []
    assert files_of(room, kept.id) == [f"{kept.id}.csv", f"{kept.id}.npz"]


def test_withdrawn_submission_keeps_its_scores_for_its_owner(room: Room) -> None:
    new = room.submit(RUN)
    room.worker.examiner.evaluate(new.id)
    take_back(room, new.id, Visibility.WITHDRAWN)

    room.worker.sweep(0.0)

    assert len(files_of(room, new.id)) == 2


def test_what_was_deleted_while_no_worker_lived_is_forgotten_at_the_next_start(room: Room) -> None:
    first, second = room.submit(RUN), room.submit(RUN, name="Other")
    for one in (first, second):
        room.worker.examiner.evaluate(one.id)
    take_back(room, first.id)
    room.worker.sweep(0.0)
    take_back(room, second.id)
    room.restart()

    room.worker.sweep(0.0)

    assert files_of(room, first.id) + files_of(room, second.id) == []


def test_submission_that_is_deleted_while_it_is_scored_leaves_nothing(room: Room) -> None:
    new = room.submit(RUN)

    class Late(Examiner):
        def _outcome(self, submission_id: str) -> object:
            outcome = super()._outcome(submission_id)
            take_back(room, submission_id)
            room.worker.sweep(0.0)
            return outcome

    examiner = room.worker.examiner
    late = Late(**{name: getattr(examiner, name) for name in examiner.__dataclass_fields__})

    late.evaluate(new.id)

    assert files_of(room, new.id) == []


def test_kept_answers_that_name_a_deleted_submission_go_too(room: Room) -> None:
    gone, other = room.submit(RUN), room.submit(RUN, name="Other")
    with_it = Question.of("toy", "sha256:1", [other.id, gone.id])
    without = Question.of("toy", "sha256:1", [other.id, "third"])
    for question in (with_it, without):
        room.store.ask_comparison(question, NOON)
        room.store.answer_comparison(question, {"losses": []}, NOON)
    take_back(room, gone.id)

    room.worker.sweep(0.0)

    assert room.store.ask_comparison(without, NOON).body == {"losses": []}
    assert room.store.ask_comparison(with_it, NOON).body is None
