"""An archive without threads: books, run files and a place, everything called by hand; and the way back."""

import hashlib
from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from pathlib import Path

from leaderboard.archive import Archive
from leaderboard.archive_places import Place, open_place
from leaderboard.runs import RunStore
from leaderboard.store import Store
from leaderboard.submissions import Actor, NewSubmission, Visibility
from tests.builders import NOON, a_sheet, a_submission, at, some_facts


class Site:
    """One machine: its books and run files in a folder, its archive elsewhere."""

    def __init__(self, folder: Path, place: Callable[[], Place] | str, database_url: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.store = Store.open(database_url or f"sqlite:///{folder / 'books.sqlite'}")
        self.store.migrate()
        self.runs = RunStore((folder / "runs").as_uri())
        self.seconds = 0.0
        self.open_place = (lambda: open_place(place, None)) if isinstance(place, str) else place
        self.archive = self.new_archive()

    def new_archive(self) -> Archive:
        """Return the archive as a process has it that starts now."""
        self.archive = Archive(
            self.open_place,
            self.store,
            self.runs,
            lambda: NOON,
            pause_s=60,
            folder=self.folder / "archiving",
            monotonic=lambda: self.seconds,
        )
        return self.archive

    def submit(self, name: str = "BM25 tuned", *, run: bytes = b"a run", now: datetime = NOON) -> NewSubmission:
        """Hand in a run for the task `toy`."""
        self.runs.put(BytesIO(run))
        new = a_submission(name, run=run)
        self.store.add_submission(new, now)
        return new

    def publish(self, name: str, value: float = 0.5, *, run: bytes | None = None) -> NewSubmission:
        """Hand in, score and publish a run."""
        new = self.submit(name, run=run or f"run of {name}".encode())
        self.store.record_scores(new.id, a_sheet(value), at(1))
        self.store.move_visibility(new.id, Visibility.PUBLIC, Actor.OWNER, at(2))
        return new

    def open_task(self) -> None:
        """Publish the gold of the task `toy`."""
        self.store.publish_gold(some_facts(), ["t1", "t2"], NOON)

    def write(self, steps: int = 3) -> None:
        """Let time pass, and the archive write each time."""
        for _ in range(steps):
            self.seconds += 1000
            self.archive.step()

    def close(self) -> None:
        self.store.close()


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
