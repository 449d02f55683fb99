"""What calls of strangers leave in the log: little, and nothing that is secret."""

import time
from typing import Any

import pytest

from leaderboard.logs import MOST_CHARACTERS, MOST_LINES
from tests.attacks.conftest import SECRETS, TASK
from tests.attacks.test_inputs import ODD
from tests.attacks.wire import ask, call, file_data, press, upload
from tests.running import RunningApp

pytestmark = pytest.mark.processes

MOST_BYTES_A_LINE = MOST_CHARACTERS + 100
A_MINUTE_S = 60.0


def test_odd_calls_leave_at_most_a_short_line_each_and_a_bounded_number_of_them(
    target: RunningApp, config: dict[str, Any], example: bytes
) -> None:
    path = upload(target, example, "odd.run")
    receipt = call(target, "submit", TASK, file_data(path), {"name": "Logged"}, "")
    keys = [receipt["link_key"], receipt["owner_key"]]
    before, n_calls = len(target.words()), 0
    for value in [*ODD.values(), file_data(path), keys[0]]:
        for endpoint, n_places in {"check": 2, "submit": 4, "status": 2, "board": 1}.items():
            ask(target, "POST", f"/gradio_api/run/{endpoint}", {"data": [value] * n_places})
            ask(target, "POST", f"/gradio_api/run/{endpoint}", {"data": [value] * (n_places + 1)})
            n_calls += 2
    numbers = [(one["id"], len(one["inputs"])) for one in config["dependencies"] if one["backend_fn"]]
    for number, n_inputs in [*numbers, (9999, 0), (-1, 3)]:
        for value in ({}, "\ud800", keys[1], file_data(path), [[1]]):
            press(target, number, [value] * n_inputs, f"?id={receipt['submission_id']}&key={keys[0]}", "logged")
            ask(target, "POST", "/gradio_api/queue/join", {"data": [value], "fn_index": number, "session_hash": "l"})
            n_calls += 2
    said = target.words()[before:]

    lines = said.splitlines()
    assert n_calls > 300
    assert lines, "a call that fails leaves a line"
    assert len(lines) <= 3 * MOST_LINES
    assert max(map(len, lines)) <= MOST_BYTES_A_LINE
    assert len(said) / n_calls <= MOST_BYTES_A_LINE
    assert "Traceback" not in target.words()
    assert [secret for secret in [*keys, path, *SECRETS.values()] if secret in target.words()] == []


def test_a_failing_event_answers_in_words_with_the_number_of_its_line(
    target: RunningApp, config: dict[str, Any]
) -> None:
    number = next(one["id"] for one in config["dependencies"] if one["backend_fn"] and len(one["inputs"]) > 10)
    n_inputs = next(len(one["inputs"]) for one in config["dependencies"] if one["id"] == number)

    deadline = time.monotonic() + A_MINUTE_S + 30
    while True:  # the tests before may have used up the lines of this minute
        said = press(target, number, [{}] * n_inputs)
        assert said.status == 500
        assert said.json["error"].startswith("This request could not be answered.")
        is_noted = said.json["error"].split(": ")[-1].rstrip(".") in target.words()
        if is_noted or time.monotonic() > deadline:
            break
        time.sleep(2)

    assert is_noted
