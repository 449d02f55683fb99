"""The archive: a copy of all that must outlive this machine's disk, written in batches behind everybody's back.

An upload never waits for it. Layout: `submissions/<id>/{meta.json,run.gz}` and `boards/<task>/<number>.json`, which
never change; `events/<time>-<id>.jsonl`, the changes of one batch; `snapshot/<number>.jsonl.gz`, all of the books,
which replaces the events before it. No judgement and no score of a topic is ever written there.
"""

import gzip
import hashlib
import json
import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from leaderboard import faults
from leaderboard.archive_places import Away, Place, Refused, open_place
from leaderboard.archive_records import (
    EVENTS,
    FORMAT,
    MARK,
    PACKED,
    SNAPSHOTS,
    Entry,
    board_path,
    lines_of,
    meta_path,
    number_in,
    run_path,
    snapshot_path,
)
from leaderboard.books_archive import Change
from leaderboard.logs import where
from leaderboard.restoring import restore
from leaderboard.runs import RunStore
from leaderboard.settings import Settings
from leaderboard.store import Store

MOST_CHANGES = 1000
MOST_RUNS = 100
MOST_BYTES = 256 << 20
EVENTS_A_SNAPSHOT = 100
LONGEST_WAIT_S = 600.0
LOOK_S = 1.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Batch:
    """One write: changes of the books, the entries that tell them, and the files; `path` is that of the event."""

    changes: Sequence[Change]
    path: str
    files: Mapping[str, Path | bytes]
    gone: Sequence[str]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A write of which nobody knows whether it arrived: where its event would lie, and the changes in it."""

    path: str
    numbers: frozenset[int]


class Archive:
    """Writes what is new. One process a site does; `step` may be called at any time, and does at most one write.

    Args:
        open_place: opens the archive's place; raises Refused.
        store: the books.
        runs: the run files.
        clock: the present moment in UTC.
        pause_s: seconds between two writes.
        folder: a folder for files on their way; emptied.
        monotonic: seconds that never go back.
    """

    def __init__(
        self,
        open_place: Callable[[], Place],
        store: Store,
        runs: RunStore,
        clock: Callable[[], datetime],
        *,
        pause_s: float,
        folder: Path,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_place = open_place
        self._store = store
        self._runs = runs
        self._clock = clock
        self._pause_s = pause_s
        self._folder = folder
        self._monotonic = monotonic
        self._not_before = 0.0
        self._n_failures = 0
        self._n_events: int | None = None
        self._is_marked = False
        self._in_doubt: Doubt | None = None
        self._told: tuple[str, str | None] = ("", None)

    @classmethod
    def of(cls, settings: Settings, store: Store, runs: RunStore, clock: Callable[[], datetime]) -> "Archive | None":
        """Return the archive that the settings name; None where they name none."""
        url = settings.archive_url
        if url is None:
            return None
        return cls(
            lambda: open_place(url, settings.archive_token),
            store,
            runs,
            clock,
            pause_s=settings.archive_pause_s,
            folder=settings.data_folder / "archiving",
        )

    @property
    def is_restore_due(self) -> bool:
        """True while these books never met the archive: what it has comes back before anything is written there."""
        return self._store.archive.is_new_to_archive()

    def place(self) -> Place:
        """Open the place. Raises Refused."""
        return self._open_place()

    def run(self, stop: threading.Event, is_mine: Callable[[], bool]) -> None:
        """Write until asked to stop, and once more then; only while `is_mine` says that this worker is the one."""
        while not stop.wait(LOOK_S):
            if is_mine():
                self.step()
        if is_mine():
            self._not_before = 0.0
            self.step()

    def step(self) -> bool:
        """Write one batch, or a snapshot, if it is time and there is something; True if something was written.

        Raises nothing: what goes wrong is written into the books for the pages, and tried again later.
        """
        if self._monotonic() < self._not_before:
            return False
        try:
            place = self._open_place()
            is_written = self._write_next(place)
        except Refused as error:
            self._fail("refused", str(error), 0.0, error.setting)
            return False
        except Away as error:
            self._fail("away", str(error), error.wait_s)
            return False
        except Exception as error:
            self._fail("away", where(error), 0.0)
            return False
        self._n_failures = 0
        if self._told != ("open", None):
            self._tell("open", None)
        if is_written:
            self._not_before = self._monotonic() + self._pause_s
        return is_written

    def _write_next(self, place: Place) -> bool:
        if not self._is_marked:
            self._check_mark(place)
            if self.is_restore_due:
                back = restore(place, self._store, self._clock())
                told = (back.n_submissions, back.seconds, len(back.skipped))
                _log.info("restored submissions=%d seconds=%.1f left out=%d", *told)
            # the first write of a process shows whether it may write at all, before anybody relies on it
            place.write({MARK: self._mark()}, (), "Opened")
            self._is_marked = True
        if self._n_events is None:
            self._n_events = len(place.listing(EVENTS))
        if self._n_events >= EVENTS_A_SNAPSHOT:
            self._write_snapshot(place)
            return True
        return self._write_batch(place)

    def _check_mark(self, place: Place) -> None:
        with tempfile.TemporaryDirectory() as folder:
            mark = Path(folder) / MARK
            if place.fetch(MARK, mark) and json.loads(mark.read_bytes()).get("format", 0) > FORMAT:
                raise Refused("ARCHIVE_URL", "the archive was written by a newer version of this software")

    def _mark(self) -> bytes:
        told = {"format": FORMAT, "opened_at": self._clock().isoformat()}
        return f"{json.dumps(told)}\n".encode()

    def _write_batch(self, place: Place) -> bool:
        changes = self._store.archive.changes(MOST_CHANGES)
        samples = self._store.archive.samples({one.submission_id for one in changes if one.submission_id})
        shown = self._store.archive.sample_tasks() if any(one.board for one in changes) else set()
        own = [one for one in changes if one.submission_id in samples or (one.board and one.task_id in shown)]
        if own:
            self._store.archive.mark_archived([one.number for one in own])
        # a write that may have arrived is asked after as it was: with what came since it would be another one
        is_tried = self._in_doubt.numbers if self._in_doubt else frozenset(one.number for one in changes)
        changes = [one for one in changes if one not in own and one.number in is_tried]
        if not changes:
            self._in_doubt = None
            return False
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(mode=0o700, parents=True)
        try:
            batch = self._batch(changes)
            if self._in_doubt is None or not place.exists(self._in_doubt.path):
                self._in_doubt = Doubt(batch.path, frozenset(one.number for one in batch.changes))
                faults.at("archive-batch")
                place.write(batch.files, batch.gone, f"{len(batch.changes)} changes")
                faults.at("archive-written")
            self._store.archive.mark_archived([one.number for one in batch.changes])
            faults.at("archive-marked")
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._in_doubt = None
        self._n_events = (self._n_events or 0) + 1
        return True

    def _batch(self, changes: Sequence[Change]) -> Batch:
        """Return as many of the changes as one write may hold, with the files of the submissions that are new."""
        files: dict[str, Path | bytes] = {}
        gone: list[str] = []
        taken: list[Change] = []
        entries = {entry.key: entry for entry in self._store.archive.entries(changes) if entry.kind == "submission"}
        n_runs, size_bytes = 0, 0
        for change in changes:
            entry = entries.get(change.submission_id or "")
            if entry is not None and change.action == "received":
                if n_runs == MOST_RUNS or (n_runs and size_bytes > MOST_BYTES):
                    break
                n_runs += 1
                size_bytes += self._add_files(entry, files)
            if entry is not None and change.action == "deleted":
                files.pop(run_path(entry.key), None)
                gone.append(run_path(entry.key))
            if change.board and change.task_id:
                self._add_board(change.task_id, change.board, files)
            taken.append(change)
        numbers = ",".join(str(one.number) for one in taken)
        name = f"{taken[-1].at:%Y%m%dT%H%M%S}-{hashlib.sha256(numbers.encode()).hexdigest()[:16]}"
        path = f"{EVENTS}/{name}.jsonl"
        files[path] = b"".join(lines_of(self._store.archive.entries(taken)))
        return Batch(taken, path, files, gone)

    def _add_files(self, entry: Entry, files: dict[str, Path | bytes]) -> int:
        """Add what is written once of a submission; a run file that is gone already is left out. Returns its size."""
        row = entry.body["row"]
        packed = self._folder / f"{entry.key}.gz"
        is_packed = False
        try:
            with self._runs.open(row["run_sha256"]) as stream:
                is_packed = pack(stream, packed)
            files[run_path(entry.key)] = packed
        except FileNotFoundError:
            _log.warning("no run file to archive submission=%s", entry.key)
        told = {"format": FORMAT, "was_packed": is_packed, "row": row, "system": entry.body["system"]}
        files[meta_path(entry.key)] = b"".join(lines_of([Entry("submission", entry.key, 0, {**told, "scores": []})]))
        return packed.stat().st_size if packed.exists() else 0

    def _add_board(self, task_id: str, number: int, files: dict[str, Path | bytes]) -> None:
        """Add a board as it is shown, which papers cite by its number: written once, and never changed."""
        entry = self._store.archive.board(task_id, number)
        if entry is not None:
            files[board_path(task_id, number)] = b"".join(lines_of([entry]))

    def _write_snapshot(self, place: Place) -> None:
        """Write all of the books into one file, and remove the events and the snapshot that it makes needless."""
        events, older = place.listing(EVENTS), place.listing(SNAPSHOTS)
        number = max((number_in(path) for path in older), default=0) + 1
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = self._folder / "snapshot.jsonl.gz"
        try:
            with gzip.open(unfinished, "wb", compresslevel=4) as packed:
                for line in lines_of(self._store.archive.whole()):
                    packed.write(line)
            place.write({snapshot_path(number): unfinished}, [*events, *older], "Snapshot")
            faults.at("archive-snapshot-written")
        finally:
            unfinished.unlink(missing_ok=True)
        self._n_events = len(place.listing(EVENTS))

    def _fail(self, state: str, reason: str, wait_s: float, setting: str | None = None) -> None:
        self._n_failures += 1
        self._n_events = None
        wait_s = max(wait_s, min(LONGEST_WAIT_S, max(1.0, self._pause_s) * 2 ** min(self._n_failures - 1, 10)))
        self._not_before = self._monotonic() + wait_s
        _log.warning("archive %s, next try in %.0f s: %s", state, wait_s, reason)
        self._tell(state, setting)

    def _tell(self, state: str, setting: str | None) -> None:
        """Write down for the pages how the archive is."""
        try:
            self._store.archive.set_state(state, self._clock(), setting=setting)
            self._told = (state, setting)
        except Exception as error:
            _log.error("state of the archive not noted %s", where(error))


def pack(stream: BinaryIO, target: Path) -> bool:
    """Write a run file in gzip; one that came packed is kept as it is, which True says."""
    first = stream.read(1 << 20)
    is_packed = first.startswith(PACKED)
    opened = target.open("wb") if is_packed else gzip.GzipFile(target, "wb", compresslevel=4, mtime=0)
    with opened as copy:
        for block in _blocks(first, stream):
            copy.write(block)
    return is_packed


def _blocks(first: bytes, stream: BinaryIO) -> Iterator[bytes]:
    yield first
    while block := stream.read(1 << 20):
        yield block
