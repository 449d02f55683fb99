"""A question about rows: which rows, how many, and that the same question has one key."""

import pytest

from leaderboard.comparisons import NotComparable, Question


def test_first_row_is_the_reference_and_the_order_of_the_others_does_not_matter() -> None:
    one, other = (Question.of("toy", "sha256:1", ids) for ids in (["r", "b", "a"], ["r", "a", "b"]))

    assert (one.reference, one.others) == ("r", ("a", "b"))
    assert one.key == other.key


@pytest.mark.parametrize(
    ("task_id", "fingerprint", "ids"),
    [("other", "sha256:1", ["r", "a"]), ("toy", "sha256:2", ["r", "a"]), ("toy", "sha256:1", ["a", "r"])],
    ids=["task", "gold", "reference"],
)
def test_another_question_has_another_key(task_id: str, fingerprint: str, ids: list[str]) -> None:
    assert Question.of(task_id, fingerprint, ids).key != Question.of("toy", "sha256:1", ["r", "a"]).key


@pytest.mark.parametrize(
    ("ids", "code"),
    [
        ([], "wrong-number"),
        (["a"], "wrong-number"),
        (["a", "b", "c", "d", "e"], "wrong-number"),
        (["a", "b", "a"], "same-system"),
    ],
)
def test_two_to_four_different_rows_can_be_compared(ids: list[str], code: str) -> None:
    with pytest.raises(NotComparable) as refusal:
        Question.of("toy", "sha256:1", ids)

    assert refusal.value.code == code
