"""What a call of an event gets: our words where it fails, and a wait where one address has runs read too often."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.running import ROOT


@pytest.fixture(scope="module")
def ran() -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tests.leaderboard.pages.events_process"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)


@pytest.fixture(scope="module")
def answers(ran: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def test_reading_runs_by_the_number_of_an_event_is_counted_and_other_events_are_not(answers: dict[str, Any]) -> None:
    looks = answers["looks"]

    assert [status for status, _ in looks] == [200, 200, 500]
    assert looks[0][1]["data"] == ["looked at x"]
    assert looks[2][1]["error"] == "Too many requests from your address. Try again in 10 seconds."
    assert {status for status, _ in answers["choices"]} == {200}


def test_a_failing_event_says_so_in_the_language_of_the_page_with_the_number_of_its_line(
    ran: "subprocess.CompletedProcess[str]", answers: dict[str, Any]
) -> None:
    status, said = answers["failure"]

    number = said["error"].rstrip(".").split()[-1]
    assert status == 500
    assert said["error"].startswith("Cette demande n’a pas pu être traitée.")
    assert f"event failed, {number}" in ran.stderr
    assert "secret" not in json.dumps(said)


def test_half_characters_and_nul_reach_no_event(answers: dict[str, Any]) -> None:
    assert answers["odd"][1]["data"] == ["chose a\ufffdb\ufffdc"]
