"""An attacker with a year of time on a sealed task: real intake, books, worker and reader; only the clock is made up.

Each topic has two candidates, one of them relevant, so that the attacker knows each judgement with chance one half. In
the gold every other topic is live.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from data.package import write_package
from evaluation import Floats
from leaderboard import jobs as queue
from leaderboard.board import Board
from leaderboard.budget import Budget, budget
from leaderboard.intake import Intake
from leaderboard.keys import new_owner_key
from leaderboard.settings import Settings
from leaderboard.store import Store
from leaderboard.submissions import Progress, SystemForm, Visibility
from leaderboard.worker import Worker
from tests.builders import NOON

TASK = "siege"
N_TOPICS = 1200
TOTAL = 25
CARD = """
id = "siege"
benchmark = "Siege"
version = "1"
gold = "sealed"
name = { en = "Siege" }
summary = { en = "Attacked for a year." }
[[measure]]
name = "MEASURE"
primary = true
[[axis]]
id = "kind"
name = { en = "Kind" }
[[axis]]
id = "length"
name = { en = "Length" }
[limits]
per_day = 2
per_month = 10
total = 25
"""
# of 600 live topics; the last kind is too small to be shown
KINDS = {"fact": 0.42, "how-to": 0.33, "place": 0.2, "rare": 0.05}


@dataclass
class Siege:
    """The besieged task. `truth[i]` says which of its two candidates is relevant for topic i."""

    folder: Path
    measure: str = "nDCG@10"
    seed: int = 1
    now: datetime = NOON
    keys: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        random = np.random.default_rng(self.seed)
        self.truth = random.integers(0, 2, N_TOPICS).astype(bool)
        self.is_live = np.arange(N_TOPICS) % 2 == 1
        self.kinds = [str(kind) for kind in random.choice(list(KINDS), N_TOPICS, p=list(KINDS.values()))]
        self.lengths = [str(one) for one in random.choice(["short", "long"], N_TOPICS)]
        (self.folder / "tasks" / TASK).mkdir(parents=True)
        card = CARD.replace("MEASURE", self.measure)
        (self.folder / "tasks" / TASK / "card.toml").write_text(card, encoding="utf-8")
        judgements = {f"t{i:04}": {f"c{i:04}-{int(self.truth[i])}": 1} for i in range(N_TOPICS)}
        rows = [
            {
                "topic_id": f"t{i:04}",
                "half": "live" if self.is_live[i] else "sealed",
                "kind": self.kinds[i],
                "length": self.lengths[i],
            }
            for i in range(N_TOPICS)
        ]
        write_package(self.folder / "gold" / TASK, judgements, rows, version="1")
        env = {
            "QRELBOARD_DATA": str(self.folder / "data"),
            "QRELBOARD_TASKS": str(self.folder / "tasks"),
            "GOLD_SOURCE": str(self.folder / "gold"),
        }
        settings = Settings.from_env(env, "worker", working_folder=Path(__file__).parent)
        settings.make_folders()
        books = Store.open(settings.database_url)
        books.migrate()
        books.close()
        queue.prepare(settings)
        self.worker = Worker(settings, "w0", clock=lambda: self.now)
        for _ in self.worker.tasks:
            self.worker.prepare_next(0.0)
        self.store = self.worker.store
        self.intake = Intake(self.store, self.worker.runs, self.worker.tasks, _NoQueue(), lambda: self.now)
        self.board = Board(
            self.store,
            self.worker.tasks,
            lambda: self.now,
            public_folder=settings.public_folder,
            topic_scores_folder=settings.topic_scores_folder,
        )

    @property
    def printed(self) -> Budget:
        """What `check` prints of this task."""
        opened = self.worker.examiner.gold_of(TASK)
        assert opened is not None
        return budget(self.worker.tasks[TASK], opened.gold.topics.subset(tuple(opened.gold.live_ids or ())))

    def send(self, run: bytes, account: int = 0) -> dict[str, float]:
        """Hand in a run half a day after the last one and return every number that its owner is shown, by its name."""
        while len(self.keys) <= account:
            self.keys.append(new_owner_key())
        self.now += timedelta(hours=12.5)
        form = SystemForm(name=f"System {account}", version=str(len(self.ids)))
        receipt = self.intake.accept(TASK, BytesIO(run), form, self.keys[account])
        self.ids.append(receipt.submission_id)
        self.worker.examiner.evaluate(receipt.submission_id)
        view = self.board.submission(receipt.submission_id, receipt.link_key)
        assert view is not None
        assert view.submission.progress is Progress.SCORED
        if view.board is None:
            assert view.submission.visibility is Visibility.HELD
            return {}
        row = json.loads(json.dumps(view.board["rows"][0]))
        return {"all": row["scores"][0], "answered": row["answered"], **_slices(view.board, row)}

    def guess(self, guesses: Sequence[bool] | Any, topics: Sequence[int] | None = None) -> bytes:
        """A run that ranks the guessed candidate alone, for all topics or these."""
        chosen = range(N_TOPICS) if topics is None else topics
        return "".join(f"t{i:04} Q0 c{i:04}-{int(guesses[i])} 1 1.0 siege\n" for i in chosen).encode()

    def n_notes(self) -> int:
        """How many notes and holds the host has about the attacker's submissions."""
        return sum(
            entry.action in ("near-duplicate", "held") for one in self.ids for entry in self.store.audit_trail(one)
        )

    def close(self) -> None:
        """Close books and queue."""
        self.worker.jobs.close()
        self.store.close()


class _NoQueue:
    def enqueue(self, submission_id: str) -> None:
        """The attacker's jobs are done by hand."""


@contextmanager
def a_siege(folder: Path, **more: Any) -> Iterator[Siege]:
    """Lay a siege and lift it whatever happens."""
    siege = Siege(folder, **more)
    try:
        yield siege
    finally:
        siege.close()


def information(guesses: Floats, truth: Floats) -> float:
    """Bits a topic that guesses tell of the truth, by their accuracy; the attacker began with none."""
    accuracy = float((guesses == truth).mean())
    if accuracy in (0.0, 1.0):
        return 1.0
    return 1 + accuracy * np.log2(accuracy) + (1 - accuracy) * np.log2(1 - accuracy)


def _slices(board: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, float]:
    found = {}
    for axis in board["axes"]:
        for value, cell in zip(axis["values"], row["slices"][axis["id"]], strict=True):
            if cell is not None:
                found[f"{axis['id']} {value['id']}"] = cell[0]
    return found
