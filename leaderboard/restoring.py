"""The way back from the archive: books from the last snapshot and the events after it, run files when they are needed.

An entry that cannot be used is left out, named to the host, and stops nothing.
"""

import gzip
import logging
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, cast

from sqlalchemy.exc import SQLAlchemyError

from leaderboard.archive_places import Away, Place, Refused
from leaderboard.archive_records import (
    BOARDS,
    EVENTS,
    PACKED,
    SNAPSHOTS,
    Gathered,
    Skipped,
    entry_of,
    meta_path,
    number_in,
    run_path,
)
from leaderboard.runs import RunStore
from leaderboard.store import Store

READERS = 8

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back: how many submissions, what was left out and why, and how long it took."""

    n_submissions: int
    skipped: tuple[Skipped, ...]
    seconds: float


def restore(place: Place, store: Store, now: datetime) -> Restored:
    """Add what the archive has and the books do not. Raises Refused or Away where the archive cannot be read."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        gathered = gather(place, Path(folder))
    n_submissions = store.archive.restore(gathered, now)
    for skipped in gathered.skipped:
        _log.error("left out of the restore: %s (%s)", skipped.place, skipped.reason)
    return Restored(n_submissions, tuple(gathered.skipped), time.monotonic() - started)


def gather(place: Place, folder: Path) -> Gathered:
    """Read the newest snapshot that can be read and all events; `folder` is for copies. Raises Refused and Away."""
    gathered = Gathered()
    for number, path in enumerate(sorted(place.listing(SNAPSHOTS), key=number_in, reverse=True)):
        copy = folder / f"{number}.gz"
        if place.fetch(path, copy) and _read(gathered, path, copy):
            break
    events = place.listing(EVENTS)
    copies = [folder / f"event-{number}" for number in range(len(events))]
    with ThreadPoolExecutor(READERS) as readers:
        for path, copy, is_there in zip(events, copies, readers.map(place.fetch, events, copies), strict=True):
            if is_there:  # a snapshot may have replaced it just now
                _read(gathered, path, copy)
    return gathered


def fetch_run(place: Place, store: Store, runs: RunStore, run_sha256: str) -> bool:
    """Bring a run file back from the archive; False if it has none with these bytes. Raises Refused and Away."""
    with tempfile.TemporaryDirectory() as folder:
        for submission_id in store.archive.submissions_of_run(run_sha256):
            packed, meta = Path(folder) / "run.gz", Path(folder) / "meta.json"
            if not (place.fetch(meta_path(submission_id), meta) and place.fetch(run_path(submission_id), packed)):
                continue
            try:
                was_packed = bool(entry_of(meta.read_bytes()).body["was_packed"])
                with packed.open("rb") if was_packed else gzip.open(packed, "rb") as stream:
                    kept = runs.put(cast(BinaryIO, stream))
            except (ValueError, KeyError, TypeError, AttributeError, OSError, EOFError, zlib.error) as error:
                _log.error("run file in the archive is broken submission=%s (%s)", submission_id, type(error).__name__)
                continue
            if kept.sha256 == run_sha256:
                return True
            runs.delete(kept.sha256)
            _log.error("run file in the archive is not the one handed in submission=%s", submission_id)
    return False


class Finder:
    """Brings run files back when somebody asks for one that is missing, and all of them in the background."""

    def __init__(self, open_place: Callable[[], Place], store: Store, runs: RunStore) -> None:
        self._open_place = open_place
        self._store = store
        self._runs = runs

    def find(self, run_sha256: str) -> bool:
        """Bring one run file back; False where that cannot be done."""
        try:
            return fetch_run(self._open_place(), self._store, self._runs, run_sha256)
        except (Refused, Away) as error:
            _log.warning("run file not fetched from the archive (%s)", error)
            return False

    def find_all(self, stop: threading.Event) -> int:
        """Bring back every run file that is missing, newest first, and return how many came.

        What cannot be had now waits until somebody asks for it, or for the next start.
        """
        n_found = 0
        for run_sha256 in self._store.archive.runs_wanted():
            if stop.is_set():
                break
            if not self._runs.exists(run_sha256):
                n_found += self.find(run_sha256)
        return n_found

    def find_boards(self, stop: threading.Event) -> int:
        """Bring back every board as it was that the books do not have, and return how many came."""
        n_found = 0
        try:
            place = self._open_place()
            for task_id, kept in self._store.archive.boards_kept().items():
                for path in place.listing(f"{BOARDS}/{task_id}"):
                    if not stop.is_set() and number_in(path) not in kept:
                        n_found += self._find_board(place, path)
        except (Refused, Away) as error:
            _log.warning("boards not fetched from the archive (%s)", error)
        return n_found

    def _find_board(self, place: Place, path: str) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "board.json"
            try:
                return place.fetch(path, copy) and self._store.archive.add_board(entry_of(copy.read_bytes()))
            except (SQLAlchemyError, ValueError, KeyError, TypeError, AttributeError) as error:
                _log.error("board in the archive is broken %s (%s)", path, type(error).__name__)
                return False


def _read(gathered: Gathered, path: str, copy: Path) -> bool:
    """Read a file of entries; False where not one line of it could be read."""
    before = len(gathered.entries)
    gathered.read(path, _lines(copy))
    copy.unlink()
    return len(gathered.entries) > before


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        is_packed = stream.read(2) == PACKED
    try:
        with gzip.open(path, "rb") if is_packed else path.open("rb") as lines:
            yield from lines
    except zlib.error as error:
        raise EOFError(str(error)) from None
