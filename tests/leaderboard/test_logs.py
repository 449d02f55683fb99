"""The log: one bounded line a fault, without the words of the error, keys, paths or traces."""

import logging
import secrets
import sys
from pathlib import Path

import pytest

from leaderboard.logs import MOST_CHARACTERS, Budget, OneLine

FOLDER = Path("/srv/board/data")


def line(message: str, *values: object, error: BaseException | None = None) -> str:
    info = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("leaderboard.x", logging.ERROR, "x.py", 1, message, values, info)
    return OneLine([FOLDER]).format(record)


def failure(words: str) -> BaseException:
    try:
        raise ValueError(words)
    except ValueError as error:
        return error


def test_a_fault_is_one_line_with_its_type_and_places() -> None:
    said = line("event failed, %s", "12ab34cd", error=failure("topic-7 is judged"))

    assert "\n" not in said
    assert "12ab34cd" in said
    assert "error=ValueError at failure:" in said
    assert "topic-7" not in said


def test_length_is_bounded_and_signs_that_cannot_be_seen_are_written_out() -> None:
    said = line("%s", "\x1b[2J\n\ud800\u202e" + "x" * 100_000)

    assert len(said) < MOST_CHARACTERS + 100
    assert "\\x1b[2J\\n\\ud800\\u202e" in said


@pytest.mark.parametrize("_", range(20))
def test_keys_and_folders_are_left_out(_: int) -> None:
    key = secrets.token_urlsafe(32)

    said = line("asked for /submission?id=1&key=%s in %s", key, FOLDER / "tmp" / "a.run")

    assert key not in said
    assert "/srv" not in said
    assert "<data>/tmp/a.run" in said


def test_names_of_submissions_stay() -> None:
    assert "87cb647b89fd339620c7ff8c" in line("scored submission=%s", "87cb647b89fd339620c7ff8c")


def test_more_lines_than_the_budget_are_counted_and_not_said() -> None:
    clock = [0.0]
    budget = Budget(3, lambda: clock[0])

    def record() -> logging.LogRecord:
        return logging.LogRecord("x", logging.WARNING, "x.py", 1, "again", (), None)

    said = [budget.filter(record()) for _ in range(10)]
    clock[0] = 61.0
    later = record()

    assert said == [True] * 3 + [False] * 7
    assert budget.filter(later)
    assert later.getMessage() == "again (7 lines left out before)"
    assert sys.getsizeof(budget) < 1000
