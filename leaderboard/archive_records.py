"""What the archive holds of the books, as lines of JSON: one record a line, so that a bad one costs nothing but itself.

Pure. A record names its kind and its version; of two records of one thing the higher version is the later one.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

FORMAT = 1
MARK = "archive.json"
SNAPSHOTS = "snapshot"
EVENTS = "events"
BOARDS = "boards"
PACKED = b"\x1f\x8b"
KINDS = ("submission", "audit", "task", "board")

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing of the books: `key` names it among its kind, `body` holds its columns by table."""

    kind: str
    key: str
    version: int
    body: Json


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry that could not be used: where it stands, and why, in words for the host."""

    place: str
    reason: str


@dataclass(slots=True)
class Gathered:
    """The latest state of all things that were read, and what could not be read."""

    entries: dict[tuple[str, str], Entry] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)

    def take(self, entry: Entry) -> None:
        """Keep an entry unless a later state of the same thing is there."""
        known = self.entries.get((entry.kind, entry.key))
        if known is None or known.version <= entry.version:
            self.entries[entry.kind, entry.key] = entry

    def read(self, place: str, lines: Iterable[bytes]) -> None:
        """Take all entries of a file; a line that is none, or a file that ends in the middle, is noted."""
        number = 0
        try:
            for number, line in enumerate(lines, 1):
                try:
                    self.take(entry_of(line))
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    self.skipped.append(Skipped(f"{place} line {number}", type(error).__name__))
        except (OSError, EOFError) as error:
            self.skipped.append(Skipped(f"{place} after line {number}", type(error).__name__))

    def of(self, kind: str) -> list[Entry]:
        """Return all entries of a kind, earliest version first."""
        found = (entry for entry in self.entries.values() if entry.kind == kind)
        return sorted(found, key=lambda entry: (entry.version, entry.key))


def run_path(submission_id: str) -> str:
    """Return where the run file of a submission lies, in gzip."""
    return f"submissions/{submission_id}/run.gz"


def meta_path(submission_id: str) -> str:
    """Return where a submission lies as it was received."""
    return f"submissions/{submission_id}/meta.json"


def board_path(task_id: str, number: int) -> str:
    """Return where a board as it was lies."""
    return f"{BOARDS}/{task_id}/{number:08d}.json"


def snapshot_path(number: int) -> str:
    """Return where a snapshot lies."""
    return f"{SNAPSHOTS}/{number:08d}.jsonl.gz"


def number_in(path: str) -> int:
    """Return the number in the name of a snapshot or board; 0 for another file."""
    name = path.rsplit("/", 1)[-1].partition(".")[0]
    return int(name) if name.isdigit() else 0


def line_of(entry: Entry) -> bytes:
    """Return an entry as a line of JSON with its end; moments become ISO text."""
    whole = {"kind": entry.kind, "key": entry.key, "version": entry.version, **entry.body}
    text = json.dumps(whole, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    return f"{text}\n".encode()


def lines_of(entries: Iterable[Entry]) -> Iterator[bytes]:
    """Return entries as lines."""
    return (line_of(entry) for entry in entries)


def entry_of(line: bytes) -> Entry:
    """Read a line. Raises ValueError, KeyError, TypeError or AttributeError for what is no entry."""
    whole = json.loads(line)
    kind, key, version = whole.pop("kind"), whole.pop("key"), whole.pop("version")
    if kind not in KINDS or not isinstance(key, str) or not isinstance(version, int):
        raise ValueError("not an entry of the archive")
    return Entry(kind, key, version, whole)


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in the archive")
