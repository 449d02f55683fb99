"""The queue on its real engine, on SQLite and PostgreSQL: what is asked for twice, who does it, who takes it over."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from leaderboard import jobs as queue
from leaderboard.jobs import Jobs, JobState
from leaderboard.settings import Settings
from tests.postgres import Cluster

WAIT_S = 20.0


class Bench:
    """An evaluation that notes what it was called with; `is_open` holds it back while it is clear."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.started: list[str] = []
        self.is_open = threading.Event()
        self.is_open.set()
        self.fails = False

    def evaluate(self, submission_id: str) -> None:
        self.started.append(submission_id)
        self.is_open.wait(WAIT_S)
        if self.fails:
            raise OSError("the disk went away")
        self.done.append(submission_id)


def until(claim: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not claim():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.01)


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    environment = {"QRELBOARD_DATA": str(tmp_path / "data")}
    if request.param == "postgresql":
        cluster: Cluster = request.getfixturevalue("postgres")
        environment["DATABASE_URL"] = cluster.new_database()
    settings = Settings.from_env(environment, "worker")
    settings.make_folders()
    return settings


@pytest.fixture
def jobs(settings: Settings) -> Iterator[Jobs]:
    queue.prepare(settings)
    jobs = Jobs(settings)
    yield jobs
    jobs.close()


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.is_open.set()
    queue.stop()


def test_job_asked_for_twice_is_done_once(settings: Settings, jobs: Jobs, bench: Bench) -> None:
    assert jobs.enqueue("a")
    assert jobs.enqueue("a")
    assert jobs.enqueue("b")

    queue.launch(settings, "here/w0", bench.evaluate)
    until(lambda: "b" in bench.done)

    assert bench.done == ["a", "b"]


def test_states_follow_a_job_from_nothing_to_its_end(settings: Settings, jobs: Jobs, bench: Bench) -> None:
    unknown = jobs.states(["a"])
    jobs.enqueue("a")
    queued = jobs.states(["a"])
    bench.is_open.clear()
    queue.launch(settings, "here/w0", bench.evaluate)
    until(lambda: bool(bench.started))
    running, executors = jobs.states(["a"]), jobs.running()
    bench.is_open.set()
    until(lambda: jobs.states(["a"]) == {"a": JobState.ENDED})

    assert (unknown, queued, running) == ({}, {"a": JobState.QUEUED}, {"a": JobState.RUNNING})
    assert executors == {"a": "here/w0"}
    assert jobs.running() == {}


def test_worker_does_one_job_at_a_time(settings: Settings, jobs: Jobs, bench: Bench) -> None:
    bench.is_open.clear()
    queue.launch(settings, "here/w0", bench.evaluate)
    for name in ("a", "b"):
        jobs.enqueue(name)
    until(lambda: bool(bench.started))

    time.sleep(5 * queue.POLLING_S)

    assert len(bench.started) == 1


def test_queue_without_tables_says_no_and_raises_nothing(settings: Settings) -> None:
    jobs = Jobs(settings)

    is_queued = jobs.enqueue("a")
    jobs.close()

    assert not is_queued


def test_several_processes_may_prepare_at_once(settings: Settings) -> None:
    errors: list[BaseException] = []

    def prepare() -> None:
        try:
            queue.prepare(settings)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=prepare) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []


def test_job_that_raised_is_broken_and_can_be_done_again(settings: Settings, jobs: Jobs, bench: Bench) -> None:
    bench.fails = True
    jobs.enqueue("a")
    queue.launch(settings, "here/w0", bench.evaluate)
    until(lambda: jobs.states(["a"]) == {"a": JobState.BROKEN})

    bench.fails = False
    jobs.renew("a")
    until(lambda: bench.done == ["a"])

    assert bench.started == ["a", "a"]


def test_job_of_a_dead_executor_waits_until_somebody_takes_it_over(
    settings: Settings, jobs: Jobs, bench: Bench
) -> None:
    bench.is_open.clear()
    jobs.enqueue("a")
    queue.launch(settings, "gone/w0", bench.evaluate)
    until(lambda: bool(bench.started))
    queue.stop()
    heir = Bench()
    queue.launch(settings, "here/w1", heir.evaluate)
    time.sleep(5 * queue.POLLING_S)
    before = list(heir.started)

    jobs.take_over(jobs.running())
    until(lambda: heir.done == ["a"])

    assert before == []


def test_executor_of_the_same_name_goes_on_with_its_unfinished_job(
    settings: Settings, jobs: Jobs, bench: Bench
) -> None:
    bench.is_open.clear()
    jobs.enqueue("a")
    queue.launch(settings, "here/w0", bench.evaluate)
    until(lambda: bool(bench.started))
    queue.stop()
    again = Bench()

    queue.launch(settings, "here/w0", again.evaluate)
    until(lambda: again.done == ["a"])

    assert again.started == ["a"]
