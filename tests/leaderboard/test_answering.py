"""Questions of readers, from the asking in the web process to the worker's answer, and every refusal."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.answering import answer_comparisons
from leaderboard.board import Board
from leaderboard.comparisons import Comparison, ComparisonState, NotComparable, Question
from leaderboard.submissions import Actor, Visibility
from leaderboard.surveying import Surveyor
from tests.builders import NOON
from tests.leaderboard.rooms import Room
from tests.leaderboard.surveyed import TOPICS, a_surveyed_room, publish


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_surveyed_room(tmp_path) as room:
        yield room


@pytest.fixture
def ids(room: Room) -> list[str]:
    """The rows of a board: a fair system, a good and a poor one."""
    found = [publish(room, name, finds=finds) for name, finds in (("Fair", 60), ("Good", 110), ("Poor", 20))]
    room.worker.sweep(0.0)
    return found


def a_board(room: Room) -> Board:
    return Board(room.store, room.worker.tasks, lambda: NOON)


def answered(room: Room, ids: list[str]) -> Comparison:
    """Ask, let the worker sweep once, and ask again."""
    assert a_board(room).comparison("toy", ids).state is ComparisonState.ASKED
    room.worker.sweep(0.0)
    return a_board(room).comparison("toy", ids)


def test_question_is_answered_by_the_next_sweep(room: Room, ids: list[str]) -> None:
    answer = answered(room, ids)

    assert answer.state is ComparisonState.ANSWERED
    assert answer.body is not None
    assert (answer.body["task"], answer.body["reference"]) == ("toy", ids[0])
    assert (answer.body["unit"], answer.body["n_units"], answer.body["measure"]) == ("group", 60, "nDCG@10")
    gaps = dict(zip(answer.body["others"], answer.body["overall"], strict=True))
    assert gaps[ids[1]]["difference"] == pytest.approx(50 / 120, abs=1e-6)
    assert gaps[ids[2]]["difference"] == pytest.approx(-40 / 120, abs=1e-6)
    assert all(cell["clear"] for cell in gaps.values())


def test_answer_is_kept_for_the_next_reader(room: Room, ids: list[str]) -> None:
    first = answered(room, ids)

    again = a_board(room).comparison("toy", [ids[0], ids[2], ids[1]])

    assert again.body == first.body
    assert room.store.comparisons_asked(9) == []


@pytest.mark.parametrize(
    ("task_id", "wanted", "code"),
    [
        ("toy", ["one"], "wrong-number"),
        ("toy", ["one", "two"], "not-on-board"),
        ("shut", ["one", "two"], "sealed-gold"),
        ("never-heard-of", ["one", "two"], "no-board"),
    ],
)
def test_what_can_never_be_answered_is_not_even_asked(
    room: Room, ids: list[str], task_id: str, wanted: list[str], code: str
) -> None:
    with pytest.raises(NotComparable) as refusal:
        a_board(room).comparison(task_id, wanted)

    assert refusal.value.code == code
    assert room.store.comparisons_asked(9) == []


def test_private_submission_cannot_be_compared(room: Room, ids: list[str]) -> None:
    private = publish(room, "Mine", finds=50)
    room.store.move_visibility(private, Visibility.PRIVATE, Actor.OWNER, NOON)
    room.worker.sweep(0.0)

    with pytest.raises(NotComparable, match="not-on-board"):
        a_board(room).comparison("toy", [ids[0], private])


def test_answer_names_the_topics_where_each_loses_most_against_the_reference(room: Room, ids: list[str]) -> None:
    answer = answered(room, ids)

    assert answer.body is not None
    lost = dict(zip(answer.body["others"], answer.body["losses"], strict=True))
    assert lost[ids[1]] == []
    assert lost[ids[2]] == [{"topic": topic, "reference": 1.0, "value": 0.0} for topic in TOPICS[20:40]]


def test_owner_sets_a_private_submission_against_a_row_and_nobody_else_does(room: Room, ids: list[str]) -> None:
    owner = "mine"
    private = publish(room, "Mine", finds=50, owner=f"key {owner}")
    room.store.move_visibility(private, Visibility.PRIVATE, Actor.OWNER, NOON)
    room.worker.sweep(0.0)
    board = a_board(room)

    assert board.against(private, owner, ids[0]).state is ComparisonState.ASKED
    room.worker.sweep(0.0)
    answer = board.against(private, owner, ids[0])

    assert answer.body is not None
    assert [one["topic"] for one in answer.body["losses"][0]] == TOPICS[50:60]
    for key, reference in ((None, ids[0]), ("x" * 43, ids[0]), (owner, "one")):
        with pytest.raises(NotComparable, match="not-on-board"):
            board.against(private, key, reference)
    with pytest.raises(NotComparable, match="not-on-board"):
        board.comparison("toy", [ids[0], private])


def test_held_submission_is_set_against_nothing(room: Room, ids: list[str]) -> None:
    owner = "mine"
    held = publish(room, "Mine", finds=50, owner=f"key {owner}")
    room.store.move_visibility(held, Visibility.HELD, Actor.HOST, NOON)
    room.worker.sweep(0.0)

    with pytest.raises(NotComparable, match="not-on-board"):
        a_board(room).against(held, owner, ids[0])


def test_row_that_left_the_board_in_between_is_refused_by_the_worker(room: Room, ids: list[str]) -> None:
    a_board(room).comparison("toy", ids)
    room.store.move_visibility(ids[1], Visibility.WITHDRAWN, Actor.OWNER, NOON)
    question = room.store.comparisons_asked(1)[0]
    room.worker._make_boards()

    room.worker.sweep(0.0)

    refused = room.store.ask_comparison(question, NOON)
    assert (refused.state, refused.code) == (ComparisonState.REFUSED, "not-on-board")


def test_sealed_gold_is_refused_by_the_worker_too(room: Room, ids: list[str]) -> None:
    facts = room.store.gold_facts("shut")
    assert facts is not None
    question = Question.of("shut", facts.fingerprint, ["one", "two"])
    room.store.ask_comparison(question, NOON)

    room.worker.sweep(0.0)

    assert room.store.ask_comparison(question, NOON).code == "sealed-gold"


def test_question_about_gold_that_is_gone_is_refused(room: Room, ids: list[str]) -> None:
    question = Question.of("toy", "sha256:another", ids)
    room.store.ask_comparison(question, NOON)

    room.worker.sweep(0.0)

    assert room.store.ask_comparison(question, NOON).code == "gold-changed"


def test_row_whose_scores_are_lost_is_refused_until_they_are_back(room: Room, ids: list[str]) -> None:
    (room.settings.vault_folder / "scores" / "toy" / f"{ids[1]}.npz").unlink()

    assert answered(room, ids).code == "scores-missing"


class Broken(Surveyor):
    """Cannot compare."""

    def compare(self, *_: Any) -> dict[str, Any]:
        raise ZeroDivisionError("no")


def test_question_that_fails_unexpectedly_does_not_stand_in_the_way_of_others(
    room: Room, ids: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    a_board(room).comparison("toy", ids)

    n_done = answer_comparisons(room.store, room.worker.tasks, Broken(room.worker.examiner), lambda: NOON)

    assert n_done == 1
    assert a_board(room).comparison("toy", ids).code == "unexpected"
    assert "comparison failed task=toy error=ZeroDivisionError" in caplog.text


def test_long_answers_leave_the_rest_for_the_next_sweep(room: Room, ids: list[str]) -> None:
    for asked in (ids[:2], ids[1:], [ids[2], ids[0]]):
        a_board(room).comparison("toy", asked)
    seconds = iter([0.0, 0.0, 1.9, 2.1, 9.0])

    n_done = answer_comparisons(
        room.store, room.worker.tasks, room.worker.surveyor, lambda: NOON, monotonic=lambda: next(seconds)
    )

    assert n_done == 2
    assert len(room.store.comparisons_asked(9)) == 1
