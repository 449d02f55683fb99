"""Real workers with an archive: killed at each step of writing it, and started on an empty disk."""

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from leaderboard.submissions import Actor, Progress, Visibility
from tests.outages.house import House, a_house

pytestmark = pytest.mark.processes

ARCHIVE_STEPS = ("archive-batch", "archive-written", "archive-marked")


def submit(house: House, name: str) -> str:
    """Hand in a run that is nobody's sample, so that it is archived."""
    new = replace(house.submission(name), is_sample=False)
    house.store.add_submission(new, datetime.now(UTC))
    assert house.jobs.enqueue(new.id)
    return new.id


def archived(archive: Path) -> Counter[str]:
    """How often each submission's receipt stands in the events."""
    lines = [line for event in (archive / "events").glob("*.jsonl") for line in event.read_bytes().splitlines()]
    entries = [json.loads(line) for line in lines]
    audits = [entry["row"] for entry in entries if entry["kind"] == "audit" and entry["row"]["action"] == "received"]
    return Counter(row["submission_id"] for row in audits)


def test_worker_killed_at_each_step_of_archiving_archives_all_once(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with a_house(tmp_path / "house") as house:
        ids = [submit(house, f"run{number}") for number in range(3)]

        marks = [house.data / "faults" / f"{step}-any" for step in ARCHIVE_STEPS]
        house.run_until(
            lambda: house.is_over(*ids) and house.store.archive.lag()[0] == 0 and all(mark.exists() for mark in marks),
            QRELBOARD_FAULT=",".join(f"{step}:kill-once" for step in ARCHIVE_STEPS),
            ARCHIVE_URL=archive.as_uri(),
            QRELBOARD_ARCHIVE_PAUSE="1",
        )

        assert archived(archive).keys() == set(ids)
        assert [house.outcomes(one) for one in ids] == [["scored"]] * 3


def test_worker_on_an_empty_disk_brings_all_back_and_goes_on(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    settings = {"ARCHIVE_URL": archive.as_uri(), "QRELBOARD_ARCHIVE_PAUSE": "1"}
    with a_house(tmp_path / "first") as first:
        shown, waiting = submit(first, "shown"), first.submission("waiting")
        worker = first.start(**settings)
        first.until(lambda: first.is_over(shown))
        first.store.move_visibility(shown, Visibility.PUBLIC, Actor.OWNER, datetime.now(UTC))
        first.store.add_submission(replace(waiting, is_sample=False), datetime.now(UTC))
        first.until(lambda: first.store.archive.is_archived(waiting.id) and first.store.archive.lag()[0] == 0)
        worker.kill()
        sheet = first.store.sheet(shown)

    with a_house(tmp_path / "second") as second:
        second.start(**settings)
        took_s = second.until(lambda: second.is_over(shown) if second.store.submission(shown) else False)
        second.until(lambda: second.store.submission(waiting.id) is not None and second.is_over(waiting.id))
        second.until(lambda: [row["id"] for row in second.board()["rows"]] == [shown])
        second.until(lambda: second.runs.exists(waiting.run_sha256))

        assert took_s < 60
        assert second.store.sheet(shown) == sheet
        assert second.state(waiting.id).progress is Progress.SCORED
