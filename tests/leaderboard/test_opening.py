"""Waiting for a database: tries that grow rarer, the sign meanwhile, and errors that are no reason to wait."""

import http.client
import socket
from contextlib import closing

import pytest
from sqlalchemy.exc import OperationalError

from app import TRY_AGAIN_EXIT as EXPECTED_BY_THE_DOOR
from leaderboard.opening import TRY_AGAIN_EXIT, PortTaken, closed_sign, is_out_of_reach, wait_until_open


class Database:
    """Answers at the n-th try."""

    def __init__(self, n_failures: int) -> None:
        self.left = n_failures

    def open(self) -> str:
        self.left -= 1
        if self.left >= 0:
            raise OperationalError("SELECT 1", None, Exception("postgresql://user:secret@host refused"))
        return "open"


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def get(port: int, method: str = "GET", **headers: str) -> tuple[int, str, str]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        connection.request(method, "/irsc", headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers["Retry-After"], answer.read().decode()


def test_it_waits_longer_each_time_up_to_a_bound_and_says_so_without_the_address() -> None:
    waits: list[float] = []
    said: list[str] = []

    assert wait_until_open(Database(7).open, say=said.append, sleep=waits.append) == "open"

    assert waits == [1, 2, 4, 8, 16, 30, 30]
    assert said[0] == "the database is out of reach (OperationalError); next try in 1 s"
    assert "secret" not in "".join(said)


def test_other_errors_end_it_at_once() -> None:
    def broken() -> None:
        raise ValueError("card")

    with pytest.raises(ValueError, match="card"):
        wait_until_open(broken, say=print)


def test_cause_of_an_error_counts() -> None:
    wrapped = RuntimeError("no queue")
    wrapped.__cause__ = OperationalError("SELECT 1", None, Exception())

    assert is_out_of_reach(wrapped)
    assert not is_out_of_reach(RuntimeError("no queue"))


def test_sign_answers_in_the_language_of_the_reader_until_the_books_are_open() -> None:
    port, answers = free_port(), []

    def look(_: float) -> None:
        answers.append(get(port, **{"Accept-Language": "fr"}))
        answers.append(get(port, "POST"))

    wait_until_open(Database(2).open, say=lambda _: None, sign=closed_sign("127.0.0.1", port), sleep=look)

    assert [(status, retry) for status, retry, _ in answers] == [(503, "5")] * 4
    assert "De retour dans un instant" in answers[0][2]
    assert "Back in a moment" in answers[1][2]
    with pytest.raises(ConnectionRefusedError):
        get(port)


def test_no_sign_where_the_books_open_at_once() -> None:
    port = free_port()

    def attempt() -> None:
        with pytest.raises(ConnectionRefusedError):
            get(port)

    wait_until_open(attempt, say=print, sign=closed_sign("127.0.0.1", port))


def test_taken_port_is_told_apart() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        sign = closed_sign("127.0.0.1", other.getsockname()[1])

        with pytest.raises(PortTaken):
            wait_until_open(Database(1).open, say=lambda _: None, sign=sign)


def test_both_sides_mean_the_same_exit() -> None:
    assert TRY_AGAIN_EXIT == EXPECTED_BY_THE_DOOR
