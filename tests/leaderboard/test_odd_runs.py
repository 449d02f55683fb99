"""Runs on sealed gold that know or probe it: what is held, what is noted, and what an honest run never meets."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.odd_runs import ORACLE_LIKE, is_near, n_topics_apart, oracle_hold
from leaderboard.submissions import Actor, Progress, Visibility
from tests.builders import NOON
from tests.leaderboard.rooms import Room, a_ranking, a_room, sealed_judgements

GOLD = {topic: next(iter(found)) for topic, found in sealed_judgements().items()}


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_room(tmp_path) as room:
        room.prepare()
        yield room


def run(n_first: int, n_second: int = 0, *, tag: str = "x") -> bytes:
    """Rank the relevant document first in so many topics, second in the next so many, nowhere in the rest."""
    rankings = {}
    for place, (topic, document) in enumerate(GOLD.items()):
        is_second = n_first <= place < n_first + n_second
        rankings[topic] = [document] if place < n_first else [tag, document] if is_second else [tag]
    return a_ranking(rankings)


def evaluated(room: Room, content: bytes, name: str, task_id: str = "shut", **fields: object) -> str:
    new = room.submit(content, task_id=task_id, name=name, **fields)
    room.worker.examiner.evaluate(new.id)
    assert room.state(new.id).progress is Progress.SCORED
    return new.id


def notes(room: Room, submission_id: str) -> list[str]:
    return [entry.action for entry in room.store.audit_trail(submission_id)]


@pytest.mark.parametrize(
    ("value", "best", "top_share", "is_held"),
    [
        (1.0, 0.0, 1.0, True),
        (0.71, 0.6, 0.995, True),
        (0.7, 0.6, 1.0, False),
        (1.0, 0.95, 1.0, False),
        (1.0, 0.0, 0.99, False),
        (None, 0.0, 1.0, False),
    ],
    ids=["perfect", "just over", "just at", "others as good", "top not always right", "no value"],
)
def test_both_signs_together_hold_a_run(value: float | None, best: float, top_share: float, is_held: bool) -> None:
    assert (oracle_hold(value, best, top_share) is not None) == is_held


def test_run_that_knows_the_sealed_gold_is_held_with_its_reason_and_scored_all_the_same(room: Room) -> None:
    known = evaluated(room, run(400), "Oracle")

    trail = room.store.audit_trail(known)
    assert room.state(known).visibility is Visibility.HELD
    held = next(entry for entry in trail if entry.action == "held")
    assert (held.actor, held.facts["reason"]) == (Actor.WORKER, ORACLE_LIKE)
    assert {"primary", "best", "top_relevant"} < held.facts.keys()
    assert not any(topic in str(held.facts) for topic in GOLD)


def test_host_lets_it_go_and_scoring_again_does_not_hold_it_again(room: Room) -> None:
    known = evaluated(room, run(400), "Oracle")

    room.store.move_visibility(known, Visibility.PUBLIC, Actor.HOST, NOON)
    assert room.worker.examiner.evaluate_again(known)

    assert room.state(known).visibility is Visibility.PUBLIC


def test_honest_strong_run_is_not_held(room: Room) -> None:
    strong = evaluated(room, run(380, 20), "Strong")

    assert room.state(strong).visibility is Visibility.PRIVATE


def test_another_as_good_as_the_best_public_one_is_not_held(room: Room) -> None:
    first = evaluated(room, run(400), "Oracle")
    room.store.move_visibility(first, Visibility.PUBLIC, Actor.HOST, NOON)

    second = evaluated(room, run(399, 1), "As good", owner="other")

    assert room.state(second).visibility is Visibility.PRIVATE


def test_private_runs_of_others_are_not_compared(room: Room) -> None:
    evaluated(room, run(380, 20), "Private and strong")

    known = evaluated(room, run(400), "Oracle", owner="other")

    assert room.state(known).visibility is Visibility.HELD


def test_open_gold_holds_nobody_for_being_right(room: Room) -> None:
    right = evaluated(room, a_ranking({"t1": ["d1"], "t2": ["d2"], "t3": ["d3"]}), "Right", "toy")

    assert room.state(right).visibility is Visibility.PRIVATE


def test_runs_of_one_owner_that_differ_on_hardly_any_topic_are_noted_to_the_host(room: Room) -> None:
    first = evaluated(room, run(200), "Prober")
    second = evaluated(room, run(201), "Prober two")
    far = evaluated(room, run(100, 100), "Prober three")
    stranger = evaluated(room, run(202), "Stranger", owner="other")

    trail = room.store.audit_trail(second)
    assert [entry.facts for entry in trail if entry.action == "near-duplicate"] == [{"of": first}]
    assert [one for one in (first, far, stranger) if "near-duplicate" in notes(room, one)] == []
    assert room.state(second).visibility is Visibility.PRIVATE


@pytest.mark.parametrize(
    ("n_apart", "n_topics", "expected"),
    [(0, 9, True), (1, 9, True), (2, 9, False), (4, 400, True), (5, 400, False), (None, 9, False)],
)
def test_near_is_one_topic_or_one_in_a_hundred(n_apart: int | None, n_topics: int, expected: bool) -> None:
    assert is_near(n_apart, n_topics) == expected


def test_scores_of_different_gold_are_not_compared(room: Room) -> None:
    one = room.worker.examiner
    toy = evaluated(room, a_ranking({"t1": ["d1"]}), "Toy", "toy")
    shut = evaluated(room, run(10), "Shut")
    kept = [
        one.vault.kept_scores(opened, submission)
        for task, submission in (("toy", toy), ("shut", shut))
        if (opened := one.vault.open(task)) is not None
    ]

    assert kept[0] is not None
    assert kept[1] is not None
    assert n_topics_apart(kept[0], kept[1]) is None
