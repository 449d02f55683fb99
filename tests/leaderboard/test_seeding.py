"""A first start on generated gold, of a shipped task: gold, public files, six sample rows, and all of it only once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from data.cards import load_card
from data.package import write_package
from leaderboard import jobs as queue
from leaderboard.boards import make_boards
from leaderboard.evaluating import Examiner
from leaderboard.jobs import Jobs
from leaderboard.runs import RunStore
from leaderboard.seeding import N_SAMPLES, OWNER, Seeder
from leaderboard.settings import SHIPPED_TASKS, Settings
from leaderboard.store import Store
from leaderboard.vault import Vault
from tests.builders import NOON

TASK = load_card(SHIPPED_TASKS / "irsc")


class Start:
    """What a worker has when it prepares the task `irsc`."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.settings = Settings.from_env({"QRELBOARD_DATA": str(folder / "data"), **environment}, "worker")
        self.settings.make_folders()
        queue.prepare(self.settings)
        self.store = Store.open(self.settings.database_url)
        self.store.migrate()
        self.runs, self.jobs = RunStore(self.settings.run_store_url), Jobs(self.settings)
        self.vault = Vault(self.settings, {TASK.id: TASK})
        self.seeder = Seeder(self.settings, self.vault, self.store, self.runs, self.jobs, lambda: NOON)

    def score_all(self) -> None:
        examiner = Examiner(
            store=self.store,
            runs=self.runs,
            tasks={TASK.id: TASK},
            vault=self.vault,
            executor="here/w0",
            max_unpacked_bytes=1 << 30,
            clock=lambda: NOON,
            topic_scores_folder=self.settings.topic_scores_folder,
        )
        for one in self.store.waiting():
            examiner.evaluate(one.id)
        make_boards(self.store, {TASK.id: TASK}, lambda: NOON)

    def close(self) -> None:
        self.jobs.close()
        self.store.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    start = Start(tmp_path)
    yield start
    start.close()


def test_first_start_hands_in_six_sample_runs_that_nobody_owns(start: Start) -> None:
    start.seeder.prepare(TASK)

    waiting = start.store.waiting()
    assert len(waiting) == N_SAMPLES
    assert {(one.owner_hash, one.link_hash, one.is_sample) for one in waiting} == {(OWNER, OWNER, True)}
    assert [one.form.name for one in waiting if one.is_baseline] == ["Sample BM25"]
    assert len(start.jobs.states(one.id for one in waiting)) == N_SAMPLES


def test_sample_rows_are_on_the_board_once_scored_however_often_the_worker_starts(start: Start) -> None:
    start.seeder.prepare(TASK)
    start.score_all()

    start.seeder.prepare(TASK)

    assert start.store.waiting() == []
    published = start.store.published(TASK.id)
    assert len(published) == N_SAMPLES
    revision = start.store.revision(TASK.id)
    assert revision is not None
    assert revision.number == 1
    assert '"is_sample":true' in revision.body


def test_generated_gold_is_closed_to_others_and_its_public_files_are_not(start: Start) -> None:
    start.seeder.prepare(TASK)

    package = start.vault.sample_folder / TASK.id
    assert package.stat().st_mode & 0o777 == 0o700
    public = start.settings.public_folder / TASK.id
    assert sorted(path.name for path in public.iterdir()) == ["example.run", "topics.txt"]
    assert tuple((public / "topics.txt").read_text("utf-8").split()) == start.store.topic_ids(TASK.id)


def test_gold_of_the_host_takes_the_place_of_the_generated_one(start: Start, tmp_path: Path) -> None:
    start.seeder.prepare(TASK)
    start.score_all()
    rows = [{"topic_id": "q1", "query_type": "query", "language": "en"}]
    write_package(start.settings.data_folder / "gold" / TASK.id, {"q1": {"d1": 1}}, rows, version="2026.1")
    start.close()

    again = Start(tmp_path)
    again.seeder.prepare(TASK)
    make_boards(again.store, {TASK.id: TASK}, lambda: NOON)

    facts, revision = again.store.gold_facts(TASK.id), again.store.revision(TASK.id)
    again.close()
    assert facts is not None
    assert revision is not None
    assert (facts.version, facts.is_sample) == ("2026.1", False)
    assert '"rows":[]' in revision.body
    assert not (again.settings.public_folder / TASK.id).exists()


def test_named_source_without_the_task_gives_no_samples(tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    start = Start(tmp_path, GOLD_SOURCE=str(tmp_path / "gold"))

    start.seeder.prepare(TASK)

    assert (start.store.gold_facts(TASK.id), start.store.waiting()) == (None, [])
    start.close()
