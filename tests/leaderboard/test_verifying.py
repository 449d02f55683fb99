"""A worker on an empty disk: books back from the archive, pending jobs go on, scores proven; and a missing token."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from leaderboard import verifying
from leaderboard.__main__ import main
from leaderboard.schema import scores
from leaderboard.store import open_engine
from leaderboard.submissions import Actor, Progress, Visibility
from leaderboard.worker import Worker
from tests.builders import NOON
from tests.leaderboard.rooms import Room, a_ranking, a_room

GOOD = a_ranking({"t1": ["d1"], "t2": ["d2"], "t3": ["d3"]})
FAIR = a_ranking({"t1": ["d1"], "t2": ["d2"], "t3": ["x"]})


def archived(room: Room) -> tuple[str, str]:
    """Publish one run, leave another waiting, archive both; returns their ids."""
    room.prepare()
    shown, waiting = room.submit(GOOD, name="Shown"), room.submit(FAIR, name="Waiting")
    room.worker.examiner.evaluate(shown.id)
    room.store.move_visibility(shown.id, Visibility.PUBLIC, Actor.OWNER, NOON)
    room.worker.sweep(0.0)
    assert room.worker.archive is not None
    assert room.worker.archive.step()
    return shown.id, waiting.id


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def ids(tmp_path: Path, archive: Path) -> tuple[str, str]:
    with a_room(tmp_path / "first", ARCHIVE_URL=archive.as_uri()) as room:
        return archived(room)


def test_pending_job_goes_on_and_the_board_is_the_same(tmp_path: Path, archive: Path, ids: tuple[str, str]) -> None:
    shown, waiting = ids
    with a_room(tmp_path / "second", ARCHIVE_URL=archive.as_uri()) as room:
        room.worker.come_back(threading.Event())
        room.prepare()
        room.worker.sweep(0.0)
        queued = room.jobs.states([waiting])
        room.worker.examiner.evaluate(waiting)

        assert list(queued) == [waiting]
        assert room.state(waiting).progress is Progress.SCORED
        assert room.sheet(waiting).value("R@10", "topics") == pytest.approx(2 / 3)
        assert [one.id for one, _ in room.store.published("toy")] == [shown]
        assert room.store.archive.is_archived(shown)


def test_restore_command_brings_all_back_and_verifies_it(
    tmp_path: Path,
    archive: Path,
    ids: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with a_room(tmp_path / "second", ARCHIVE_URL=archive.as_uri()) as room:
        names = {"QRELBOARD_DATA": room.settings.data_folder, "QRELBOARD_TASKS": tmp_path / "second" / "tasks"}
        for name, value in {**names, "GOLD_SOURCE": room.gold, "ARCHIVE_URL": archive.as_uri()}.items():
            monkeypatch.setenv(name, str(value))

        code = main(["restore", "--verify"])

    told = capsys.readouterr().err
    assert code == 0
    assert "restored 2 submissions" in told
    assert "2 run files, 0 left out" in told
    assert "scored again: 1 equal, 0 not equal" in told


def test_score_that_was_changed_in_the_books_is_found(
    tmp_path: Path, archive: Path, ids: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with a_room(tmp_path / "second", ARCHIVE_URL=archive.as_uri()) as room:
        room.worker.come_back(threading.Event())
        room.prepare()
        evaluation = dict(room.sheet(ids[0]).evaluation)
        evaluation["means"] = {**evaluation["means"], "R@10": 0.99}
        engine = open_engine(room.settings.database_url)
        with engine.execution_options(is_write=True).begin() as connection:
            connection.execute(sa.update(scores).values(evaluation=evaluation))
        engine.dispose()

        is_equal = verifying.verify(room.worker)

    assert is_equal is False
    assert f"submission {ids[0]}: other scores" in capsys.readouterr().err


def test_missing_token_closes_uploads_by_name_and_lets_the_worker_go_on(tmp_path: Path) -> None:
    with a_room(tmp_path, ARCHIVE_URL="hf://datasets/org/archive") as room:
        room.worker.come_back(threading.Event())
        room.prepare()

        assert room.store.archive.refused_setting() == "ARCHIVE_TOKEN"
        assert room.store.gold_facts("toy") is not None


def test_worker_without_an_archive_says_so(tmp_path: Path) -> None:
    with a_room(tmp_path, ARCHIVE_URL="hf://datasets/org/archive") as room:
        room.worker.come_back(threading.Event())
        worker = Worker(replace(room.settings, archive_url=None), "w1", clock=lambda: NOON)

        worker.come_back(threading.Event())

        assert room.store.archive.state() is None
        worker.jobs.close()
        worker.store.close()
