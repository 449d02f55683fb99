"""The books' side of comparisons, the same on SQLite and on PostgreSQL: asked once, answered once, kept for a while."""

import pytest

from leaderboard.books_comparisons import KEPT, MOST_ASKED, OWNERS_PLACES
from leaderboard.comparisons import ComparisonState, NotComparable, Question
from leaderboard.store import Store
from tests.builders import NOON, at, some_facts


@pytest.fixture
def gold(store: Store) -> Store:
    """Books that know the gold of `toy`."""
    store.publish_gold(some_facts(), ["t1", "t2"], NOON)
    return store


def a_question(number: int = 0) -> Question:
    return Question.of("toy", "sha256:1", [f"reference-{number}", "a", "b"])


def test_question_waits_until_it_is_answered(gold: Store) -> None:
    asked = gold.ask_comparison(a_question(), NOON)
    waiting = gold.comparisons_asked(9)
    is_first = gold.answer_comparison(a_question(), {"overall": [0.25]}, at(1))

    answered = gold.ask_comparison(a_question(), at(2))

    assert (asked.state, asked.body, is_first) == (ComparisonState.ASKED, None, True)
    assert waiting == [a_question()]
    assert (answered.state, answered.body, answered.code) == (ComparisonState.ANSWERED, {"overall": [0.25]}, "")
    assert gold.comparisons_asked(9) == []


def test_questions_that_name_a_submission_are_forgotten_with_it(gold: Store) -> None:
    named = Question.of("toy", "sha256:1", ["a%b", "c"])
    alike = Question.of("toy", "sha256:1", ["axb", "c"])
    for question in (named, alike):
        gold.ask_comparison(question, NOON)

    gold.forget_comparisons("a%b")

    assert gold.comparisons_asked(9) == [alike]


def test_same_question_waits_once(gold: Store) -> None:
    for minutes in range(3):
        gold.ask_comparison(a_question(), at(minutes))

    assert gold.comparisons_asked(9) == [a_question()]


def test_first_answer_stays(gold: Store) -> None:
    gold.ask_comparison(a_question(), NOON)
    gold.answer_comparison(a_question(), {"n": 1}, NOON)

    assert not gold.answer_comparison(a_question(), {"n": 2}, NOON)
    assert not gold.refuse_comparison(a_question(), "scores-missing", NOON)
    assert gold.ask_comparison(a_question(), NOON).body == {"n": 1}


def test_refused_question_is_asked_again_a_minute_later(gold: Store) -> None:
    gold.ask_comparison(a_question(), NOON)
    gold.refuse_comparison(a_question(), "scores-missing", NOON)

    soon = gold.ask_comparison(a_question(), at(0.9))
    later = gold.ask_comparison(a_question(), at(1.1))

    assert (soon.state, soon.code) == (ComparisonState.REFUSED, "scores-missing")
    assert (later.state, later.code) == (ComparisonState.ASKED, "")
    assert gold.comparisons_asked(9) == [a_question()]


def test_those_who_wait_longest_come_first(gold: Store) -> None:
    for number in (2, 0, 1):
        gold.ask_comparison(a_question(number), at(number))

    assert gold.comparisons_asked(2) == [a_question(0), a_question(1)]


def test_too_many_waiting_questions_turn_the_next_away_and_not_the_known_ones(gold: Store) -> None:
    for number in range(MOST_ASKED):
        gold.ask_comparison(a_question(number), NOON)

    with pytest.raises(NotComparable, match="busy"):
        gold.ask_comparison(a_question(MOST_ASKED), NOON)

    assert gold.ask_comparison(a_question(0), NOON).state is ComparisonState.ASKED


def test_questions_of_strangers_leave_places_to_owners(gold: Store) -> None:
    for number in range(MOST_ASKED):
        gold.ask_comparison(a_question(number), NOON)

    asked = gold.ask_comparison(a_question(MOST_ASKED), NOON, most=MOST_ASKED + OWNERS_PLACES)

    assert asked.state is ComparisonState.ASKED


def test_who_may_ask_nothing_new_still_hears_what_was_asked_before(gold: Store) -> None:
    calls: list[int] = []

    def may_not() -> bool:
        calls.append(1)
        return False

    gold.ask_comparison(a_question(0), NOON)

    with pytest.raises(NotComparable, match="busy"):
        gold.ask_comparison(a_question(1), NOON, may_ask=may_not)

    assert calls == [1]
    assert gold.ask_comparison(a_question(0), NOON, may_ask=may_not).state is ComparisonState.ASKED
    assert (calls, gold.comparisons_asked(9)) == ([1], [a_question(0)])


def test_oldest_answers_are_forgotten(gold: Store) -> None:
    for number in range(KEPT + 2):
        gold.ask_comparison(a_question(number), at(number))
        gold.answer_comparison(a_question(number), {"n": number}, at(number))

    assert gold.ask_comparison(a_question(2), at(KEPT)).state is ComparisonState.ANSWERED
    assert gold.ask_comparison(a_question(1), at(KEPT)).state is ComparisonState.ASKED
