"""A background side without threads: settings, books, queue and gold in a folder, everything called by hand."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from data.package import write_package
from leaderboard import jobs as queue
from leaderboard.settings import Settings
from leaderboard.store import Store
from leaderboard.submissions import NewSubmission, ScoreSheet, Submission
from leaderboard.worker import Worker
from tests.builders import NOON, a_submission

OPEN_CARD = """
id = "toy"
benchmark = "Toy"
version = "1"
gold = "open"
depth = 10
[name]
en = "Toy"
[summary]
en = "Toys."
[[measure]]
name = "nDCG@10"
primary = true
[[measure]]
name = "R@10"
[[axis]]
id = "kind"
order = ["easy", "hard"]
[axis.name]
en = "Kind"
[axis.label.easy]
en = "Easy"
[axis.label.hard]
en = "Hard"
[limits]
min_slice_topics = 1
"""
SEALED_CARD = OPEN_CARD.replace('"toy"', '"shut"').replace('"open"', '"sealed"').replace("min_slice_topics = 1", "")


class Room:
    """One worker and its surroundings; `toy` is on open gold of three topics, `shut` on sealed gold of 400."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.gold = folder / "gold"
        for task_id, card in (("toy", OPEN_CARD), ("shut", SEALED_CARD)):
            (folder / "tasks" / task_id).mkdir(parents=True)
            (folder / "tasks" / task_id / "card.toml").write_text(card, encoding="utf-8")
        self.write_toy()
        write_package(self.gold / "shut", sealed_judgements(), sealed_rows(), version="1")
        self.settings = Settings.from_env(
            {
                "QRELBOARD_DATA": str(folder / "data"),
                "QRELBOARD_TASKS": str(folder / "tasks"),
                "GOLD_SOURCE": str(self.gold),
                **environment,
            },
            "worker",
        )
        self.settings.make_folders()
        books = Store.open(self.settings.database_url)
        books.migrate()
        books.close()
        queue.prepare(self.settings)
        self._open()

    def restart(self) -> None:
        """Take a new worker, as after a restart of the process."""
        self.close()
        self._open()

    def write_toy(self, version: str = "1", extra: Mapping[str, int] | None = None) -> None:
        """Write the gold of `toy`: t1 and t2 are easy, t3 is hard; `extra` are more judgements of t1."""
        judgements = {"t1": {"d1": 1, **(extra or {})}, "t2": {"d2": 1}, "t3": {"d3": 1}}
        kinds = {"t1": "easy", "t2": "easy", "t3": "hard"}
        rows = [{"topic_id": topic, "kind": kind} for topic, kind in kinds.items()]
        write_package(self.gold / "toy", judgements, rows, version=version)

    def prepare(self) -> None:
        """Prepare all tasks, as the loop does one after the other."""
        for _ in self.worker.tasks:
            self.worker.prepare_next(0.0)

    def submit(self, run: bytes, *, task_id: str = "toy", name: str = "BM25 tuned", **fields: Any) -> NewSubmission:
        """Put a run into the run store and the books; nobody enqueues it."""
        kept = self.runs.put(BytesIO(run))
        new = a_submission(name, task_id=task_id, run=run, **fields)
        assert kept.sha256 == new.run_sha256
        self.store.add_submission(new, NOON)
        return new

    def state(self, wanted: str) -> Submission:
        """Return a submission as the books have it."""
        found = self.store.submission(wanted)
        assert found is not None
        return found

    def sheet(self, wanted: str) -> ScoreSheet:
        """Return the scores that the books have."""
        found = self.store.sheet(wanted)
        assert found is not None
        return found

    def close(self) -> None:
        """Close books and queue."""
        self.jobs.close()
        self.store.close()

    def _open(self) -> None:
        self.worker = Worker(self.settings, "w0", clock=lambda: NOON)
        self.store, self.jobs, self.runs = self.worker.store, self.worker.jobs, self.worker.runs


@contextmanager
def a_room(folder: Path, **environment: str) -> Iterator[Room]:
    """Open a room and close it whatever happens."""
    room = Room(folder, **environment)
    try:
        yield room
    finally:
        room.close()


def a_ranking(rankings: Mapping[str, Sequence[str]]) -> bytes:
    """A run file that ranks these documents for these topics, best first."""
    lines = [
        f"{topic} Q0 {document} {rank} {100 - rank} made-up"
        for topic, documents in rankings.items()
        for rank, document in enumerate(documents, 1)
    ]
    return ("\n".join(lines) + "\n").encode()


def sealed_judgements() -> dict[str, dict[str, int]]:
    """One relevant document for each of 400 topics."""
    return {f"s{number:03d}": {f"e{number:03d}": 1} for number in range(400)}


def sealed_rows() -> list[dict[str, str]]:
    """Every second topic is live; of the 200 live ones 150 are easy and 50 hard."""
    return [
        {
            "topic_id": f"s{number:03d}",
            "half": "live" if number % 2 else "sealed",
            "kind": "hard" if number % 8 == 7 else "easy",
        }
        for number in range(400)
    ]
