"""A whole leaderboard in a folder of its own, with real worker processes that a test may start and kill."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from data.package import write_package
from leaderboard.__main__ import open_books
from leaderboard.jobs import Jobs
from leaderboard.runs import RunStore
from leaderboard.settings import Settings
from leaderboard.store import Store
from leaderboard.submissions import NewSubmission, Progress, Submission, SystemForm, submission_id

ROOT = Path(__file__).resolve().parents[2]
# what the machine may need when everything else runs on it too; a test that passes takes far less
WAIT_S = 90.0
TASK = "tiny"
CARD = """
id = "tiny"
benchmark = "Tiny"
version = "1"
gold = "open"
depth = 10
[name]
en = "Tiny"
[summary]
en = "Two topics."
[[measure]]
name = "nDCG@10"
primary = true
"""


class House:
    """Settings, books and queue of one leaderboard, on one tiny task; `faults` go to every worker."""

    def __init__(self, folder: Path, database_url: str | None = None) -> None:
        self.data = folder / "data"
        self.log = folder / "log"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("QRELBOARD_", "GOLD_"))},
            "QRELBOARD_DATA": str(self.data),
            "QRELBOARD_TASKS": str(folder / "tasks"),
            "GOLD_SOURCE": str(folder / "gold"),
            **({"DATABASE_URL": database_url} if database_url else {}),
        }
        (folder / "tasks" / TASK).mkdir(parents=True)
        (folder / "tasks" / TASK / "card.toml").write_text(CARD, encoding="utf-8")
        rows = [{"topic_id": "t1"}, {"topic_id": "t2"}]
        write_package(folder / "gold" / TASK, {"t1": {"d1": 1}, "t2": {"d2": 1}}, rows, version="1")
        self.settings = Settings.from_env(self.environment, "worker")
        open_books(self.settings)
        self.store = Store.open(self.settings.database_url)
        self.runs = RunStore(self.settings.run_store_url)
        self.jobs = Jobs(self.settings)
        self.running: list[subprocess.Popen[bytes]] = []
        self.n_deaths = 0

    def submission(self, name: str) -> NewSubmission:
        """A run of two topics with this name, published when it is scored."""
        kept = self.runs.put(BytesIO(f"t1 Q0 d1 1 2.0 {name}\nt2 Q0 d1 1 2.0 {name}\nt2 Q0 d2 2 1.0 {name}\n".encode()))
        form = SystemForm(name=f"System {name}")
        return NewSubmission(
            id=submission_id(TASK, kept.sha256, "owner", form),
            task_id=TASK,
            run_sha256=kept.sha256,
            run_size_bytes=kept.size_bytes,
            owner_hash="owner",
            link_hash="link",
            form=form,
            n_lines=3,
            n_topics=2,
            is_sample=True,
        )

    def submit(self, name: str, *, is_queued: bool = True) -> str:
        """Hand in a run as the web process would; returns the submission's id."""
        new = self.submission(name)
        self.store.add_submission(new, datetime.now(UTC))
        if is_queued:
            assert self.jobs.enqueue(new.id)
        return new.id

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a process of ours as the supervisor does, by default a worker; its words go to the log."""
        command = [sys.executable, "-m", "leaderboard", *(arguments or ("worker", "--name", "w0"))]
        return self._start(command, environment)

    def start_app(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start the whole app."""
        return self._start([sys.executable, "app.py"], environment)

    def state(self, wanted: str) -> Submission:
        """Return a submission as the books have it."""
        found = self.store.submission(wanted)
        assert found is not None
        return found

    def is_over(self, *wanted: str) -> bool:
        """Return whether these submissions wait no more."""
        return all(self.state(one).progress is not Progress.WAITING for one in wanted)

    def outcomes(self, wanted: str) -> list[str]:
        """Return what the audit says of how a submission ended: exactly one entry, if all is well."""
        return [entry.action for entry in self.store.audit_trail(wanted) if entry.action in ("scored", "failed")]

    def board(self) -> dict[str, Any]:
        """Return the present board, without rows if there is none."""
        revision = self.store.revision(TASK)
        return json.loads(revision.body) if revision else {"rows": []}

    def words(self) -> str:
        """Return everything that the processes said."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def until(self, claim: Callable[[], bool], wait_s: float = WAIT_S) -> float:
        """Wait until a claim is true; returns the seconds that it took."""
        started = time.monotonic()
        while not claim():
            assert time.monotonic() - started < wait_s, f"not true after {wait_s} s; the log:\n{self.words()[-4000:]}"
            time.sleep(0.1)
        return time.monotonic() - started

    def run_until(self, claim: Callable[[], bool], **environment: str) -> int:
        """Run one worker, and another at once when it dies, until a claim is true; returns how many died.

        The claim may look at `n_deaths`: what a dying worker wrote is seen before its death is.
        """
        self.n_deaths = 0
        worker = self.start(**environment)

        def is_true() -> bool:
            nonlocal worker
            if worker.poll() is not None:
                self.n_deaths += 1
                worker = self.start(**environment)
            return claim()

        self.until(is_true)
        return self.n_deaths

    def close(self) -> None:
        """End every process and connection of this house."""
        for one in self.running:
            if one.poll() is None:
                one.kill()
            one.wait()
            if one.stdin:
                one.stdin.close()
        self.jobs.close()
        self.store.close()

    def _start(self, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            started = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=self.environment | environment,
                cwd=ROOT,
            )
        self.running.append(started)
        return started


@contextmanager
def a_house(folder: Path, database_url: str | None = None) -> Iterator[House]:
    """Open a house and close it whatever happens."""
    house = House(folder, database_url)
    try:
        yield house
    finally:
        house.close()


def kill(pid: int) -> float:
    """Kill a process as `kill -9` does; returns the moment."""
    os.kill(pid, signal.SIGKILL)
    return time.monotonic()
