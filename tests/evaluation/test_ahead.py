"""Reading ahead: the same items and errors as without it, and no thread left behind."""

import itertools
import threading
from collections.abc import Iterator

import pytest

from evaluation.ahead import ReadAhead


def is_reading() -> bool:
    return any(thread.name == "read-ahead" for thread in threading.enumerate())


def test_items_come_in_their_order() -> None:
    with ReadAhead(iter(range(100)), 3) as items:
        assert list(range(100)) == list(items)


def test_error_comes_after_the_items_before_it() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    with ReadAhead(broken(), 3) as items:
        assert next(items) == 1
        with pytest.raises(ValueError, match="broken"):
            next(items)

    assert not is_reading()


def test_reader_that_leaves_early_stops_the_thread() -> None:
    with ReadAhead(itertools.count(), 3) as items:
        assert next(items) == 0

    assert not is_reading()


def test_no_more_is_made_than_was_asked_for() -> None:
    made = []

    def counted() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            yield number

    with ReadAhead(counted(), 3) as items:
        next(items)

    assert len(made) <= 1 + 3 + 2
