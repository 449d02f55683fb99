"""What the worker's loop does, called by hand: tasks prepared, the queue mended, dead workers' jobs handed on."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard import jobs as queue
from leaderboard.jobs import JobState
from leaderboard.liveness import PATIENCE_S
from leaderboard.submissions import MAX_ATTEMPTS, Actor, Progress, Visibility
from leaderboard.surveying import Surveyor
from tests.builders import NOON
from tests.leaderboard.rooms import Room, a_ranking, a_room
from tests.leaderboard.test_jobs import until

RUN = a_ranking({"t1": ["d1"], "t2": ["d2"], "t3": ["x"]})


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_room(tmp_path) as room:
        yield room


def evaluate_and_stop(room: Room, wanted: str) -> None:
    """Let the engine do what is queued, in this process, until it is done with one job."""
    queue.launch(room.settings, room.worker.executor, room.worker.examiner.evaluate)
    try:
        until(lambda: room.jobs.states([wanted]).get(wanted) not in (None, JobState.QUEUED, JobState.RUNNING))
    finally:
        queue.stop()


def test_tasks_are_prepared_one_at_a_time_until_none_is_left(room: Room) -> None:
    for _ in room.worker.tasks:
        room.worker.prepare_next(0.0)

    facts = room.store.gold_facts("toy")
    assert facts is not None
    assert (facts.n_topics, facts.example_topic_id, facts.axes) == (
        3,
        "t1",
        {"kind": (("easy", 2, None), ("hard", 1, None))},
    )
    assert room.store.topic_ids("toy") == ("t1", "t2", "t3")


def test_broken_gold_is_logged_without_its_words_and_tried_again_a_minute_later(
    room: Room, caplog: pytest.LogCaptureFixture
) -> None:
    (room.gold / "toy" / "qrels.trec").write_text("t1 0 secret-document one\n", encoding="utf-8")
    room.prepare()
    before = room.store.gold_facts("toy"), room.store.gold_facts("shut") is not None
    room.write_toy()

    room.worker.prepare_next(59.0)
    too_early = room.store.gold_facts("toy")
    room.worker.prepare_next(61.0)

    assert (before, too_early) == ((None, True), None)
    assert room.store.gold_facts("toy") is not None
    assert "task=toy" in caplog.text
    assert "secret-document" not in caplog.text


def test_gold_that_the_host_took_away_closes_the_task(room: Room) -> None:
    room.prepare()
    for file in (room.gold / "toy").iterdir():
        file.unlink()

    room.restart()
    room.prepare()

    assert room.store.gold_facts("toy") is None


def test_sweep_enqueues_what_waits_without_a_job(room: Room) -> None:
    new = room.submit(RUN)

    room.worker.sweep(0.0)

    assert room.jobs.states([new.id]) == {new.id: JobState.QUEUED}


def test_job_that_ended_without_an_outcome_is_done_again(room: Room) -> None:
    room.prepare()
    new = room.submit(RUN)
    room.jobs.enqueue(new.id)
    queue.launch(room.settings, room.worker.executor, lambda _: None)
    until(lambda: room.jobs.states([new.id]) == {new.id: JobState.ENDED})
    queue.stop()

    room.worker.sweep(0.0)
    evaluate_and_stop(room, new.id)

    assert room.state(new.id).progress is Progress.SCORED


def test_job_that_ended_without_an_outcome_time_and_again_fails(room: Room) -> None:
    new = room.submit(RUN)
    room.jobs.enqueue(new.id)
    for _ in range(MAX_ATTEMPTS):
        room.store.start_attempt(new.id, "here/w1", NOON)
    queue.launch(room.settings, room.worker.executor, lambda _: None)
    until(lambda: room.jobs.states([new.id]) == {new.id: JobState.ENDED})
    queue.stop()

    room.worker.sweep(0.0)

    assert room.state(new.id).failure_code == "unexpected"


def test_job_that_the_queue_gave_up_fails_in_the_books_too(room: Room) -> None:
    new = room.submit(RUN)
    room.jobs.enqueue(new.id)
    room.jobs._client.cancel_workflow(new.id)

    room.worker.sweep(0.0)

    assert room.state(new.id).failure_code == "cancelled"


def test_jobs_of_a_worker_without_a_sign_of_life_go_back_to_the_queue(room: Room) -> None:
    room.prepare()
    new = room.submit(RUN)
    room.jobs.enqueue(new.id)
    is_open, has_started = threading.Event(), threading.Event()

    def hang(_: str) -> None:
        has_started.set()
        is_open.wait(20)

    room.store.heartbeat("gone/w9", NOON)
    queue.launch(room.settings, "gone/w9", hang)
    has_started.wait(20)
    queue.stop()

    room.worker.sweep(0.0)
    soon = room.jobs.states([new.id])
    room.worker.sweep(PATIENCE_S + 0.1)
    later = room.jobs.states([new.id])
    is_open.set()

    assert (soon, later) == ({new.id: JobState.RUNNING}, {new.id: JobState.QUEUED})


def test_long_survey_of_a_board_holds_up_no_job_of_a_dead_worker(room: Room) -> None:
    room.prepare()
    scored, lost = room.submit(RUN), room.submit(RUN, name="Lost")
    room.worker.examiner.evaluate(scored.id)
    room.store.move_visibility(scored.id, Visibility.PUBLIC, Actor.OWNER, NOON)
    is_open, has_begun, stop = threading.Event(), threading.Event(), threading.Event()

    class Slow(Surveyor):
        def survey(self, *asked: Any) -> Any:
            has_begun.set()
            is_open.wait(20)
            return super().survey(*asked)

    room.worker.surveyor = Slow(room.worker.examiner)
    desk_work = threading.Thread(target=room.worker._do_desk_work, args=[stop])
    desk_work.start()
    try:
        assert has_begun.wait(20)
        room.worker.watch_over(0.0)
        states = room.jobs.states([lost.id])
        is_made = room.store.revision("toy") is not None
    finally:
        stop.set()
        is_open.set()
        desk_work.join(20)

    assert (states, is_made) == ({lost.id: JobState.QUEUED}, False)
    assert room.store.revision("toy") is not None


def test_scored_and_published_run_is_on_the_board_after_one_sweep(room: Room) -> None:
    room.prepare()
    new = room.submit(RUN)
    room.worker.examiner.evaluate(new.id)
    room.store.move_visibility(new.id, Visibility.PUBLIC, Actor.OWNER, NOON)

    room.worker.sweep(0.0)

    revision = room.store.revision("toy")
    assert revision is not None
    assert f'"id":"{new.id}"' in revision.body


def test_deletion_that_a_crash_cut_short_is_finished(room: Room) -> None:
    new = room.submit(RUN)
    room.store.move_visibility(new.id, Visibility.DELETED, Actor.OWNER, NOON)
    assert room.runs.exists(new.run_sha256)

    room.worker.sweep(0.0)

    assert not room.runs.exists(new.run_sha256)
    assert room.store.runs_to_forget() == []


def test_sweep_goes_on_when_one_part_fails(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    room.prepare()
    new = room.submit(RUN)
    room.jobs.close()
    (room.settings.data_folder / "jobs.sqlite").unlink()

    room.worker.sweep(0.0)

    assert room.store.revision("toy") is not None
    assert room.state(new.id).progress is Progress.WAITING
    assert "sweep incomplete" in caplog.text
