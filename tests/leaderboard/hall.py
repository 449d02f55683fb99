"""Intake, desk and board over real books and a real folder of runs, with a queue that only takes notes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from data.task import Task
from leaderboard.board import Board
from leaderboard.desk import Desk
from leaderboard.intake import Intake, Receipt
from leaderboard.quota import QuotaRule
from leaderboard.runs import RunStore
from leaderboard.standings import make_board
from leaderboard.store import Store
from leaderboard.submissions import SystemForm
from tests.builders import NOON, a_form, a_run, a_sheet, a_task, at, some_facts

OWNER = "o" * 43
TOPICS = ("t1", "t2", "t3")


@dataclass
class Queue:
    """Notes who was enqueued; out of order while `is_broken`."""

    enqueued: list[str] = field(default_factory=list)
    is_broken: bool = False

    def enqueue(self, submission_id: str) -> None:
        if self.is_broken:
            raise ConnectionError("no such table: workflow_status")
        self.enqueued.append(submission_id)


class Hall:
    """The three doors to books that know two tasks, `toy` and `other`, and one without gold, `bare`."""

    def __init__(self, books: Store, folder: Path) -> None:
        self.now = NOON
        self.seconds = 0.0
        self.folder = folder
        self.store = books
        self.runs = RunStore((folder / "runs").as_uri())
        self.queue = Queue()
        self.public = folder / "public"
        self.catalogue: Mapping[str, Task] = {
            task_id: a_task(task_id, folder=folder / "tasks" / task_id, gold=gold)
            for task_id, gold in (("toy", "open"), ("other", "open"), ("bare", "none"))
        }
        for task in self.catalogue.values():
            task.folder.mkdir(parents=True)
        books.publish_gold(some_facts(n_topics=3), TOPICS, NOON)
        books.publish_gold(some_facts("other"), ("q1", "q2", "q3", "t3"), NOON)
        self.intake = Intake(books, self.runs, self.catalogue, self.queue, self.clock)
        self.desk = Desk(books, self.runs, self.clock)
        self.board = Board(
            books,
            self.catalogue,
            self.clock,
            public_folder=self.public,
            topic_scores_folder=folder / "topic-scores",
            monotonic=lambda: self.seconds,
        )

    def set_quota(self, rule: QuotaRule) -> None:
        """Let quotas count from now on; nowhere else they do."""
        self.intake = Intake(self.store, self.runs, self.catalogue, self.queue, self.clock, quota=rule)

    def clock(self) -> datetime:
        return self.now

    def hand_in(
        self,
        run: bytes | None = None,
        form: SystemForm | None = None,
        *,
        task_id: str = "toy",
        owner: str | None = OWNER,
        minutes: float = 0,
        **more: Any,
    ) -> Receipt:
        self.now = at(minutes)
        stream = BytesIO(a_run(TOPICS) if run is None else run)
        return self.intake.accept(task_id, stream, form or a_form(), owner, **more)

    def score(self, submission_id: str, value: float = 0.5, **fields: Any) -> None:
        """Do what a worker does with a job."""
        assert self.store.record_scores(submission_id, a_sheet(value, **fields), self.now)

    def make_boards(self) -> None:
        """Do what a worker does with the boards that are wanted, and let the readers look again."""
        for task_id, wanted in self.store.boards_wanted():
            facts = self.store.gold_facts(task_id)
            assert facts is not None
            number = self.store.revision_number(task_id) + 1
            body = {"revision": number, **make_board(self.store.published(task_id), self.catalogue[task_id], facts)}
            text = json.dumps({**body, "made_at": self.now.isoformat()})
            self.store.add_revision(task_id, wanted, text, f"etag-{number}", self.now, number=number)
        self.seconds += 1

    def publish(self, value: float = 0.5, name: str = "BM25 tuned", *, minutes: float = 0, **more: Any) -> Receipt:
        """Hand in, score and publish a run of its own; the board is not made yet."""
        run = a_run(TOPICS, tag=f"tag{value}{name}".replace(" ", "_"))
        receipt = self.hand_in(run, a_form(name), minutes=minutes, **more)
        self.score(receipt.submission_id, value)
        self.desk.publish(receipt.submission_id, receipt.link_key)
        return receipt
