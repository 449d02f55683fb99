"""The folder where uploads lie until they are handed in: how much it may hold, and what goes first.

A file is in use while a page holds it; one that was handed in or replaced is let go and swept a minute later, for the
same bytes under the same name may be somebody else's upload as well. Nothing here reads a file.
"""

import logging
import os
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

MIB = 1 << 20
KEPT_S = 3600.0  # a file that nobody came back for
GRACE_S = 60.0  # after a file was let go
HELD_S = 900.0  # a page that showed no sign for so long holds nothing any more
MOST_HELD = 2000
LEAST_COST = 64 << 10  # what the smallest file counts, so that their number has a bound too
SPARE_BYTES = 256 * MIB  # stays free on the disk, for books that must be written
STEP_BYTES = 16 * MIB  # by which the room of one upload grows as it arrives

_log = logging.getLogger(__name__)


class Room:
    """Room for uploads in one folder. Safe between threads.

    Args:
        folder: where Gradio puts uploads; made when needed.
        most_bytes: how much all of them may take together, those on their way counted in.
        now: seconds, as file times are counted.
    """

    def __init__(self, folder: Path, most_bytes: int, now: Callable[[], float] = time.time) -> None:
        self.folder = folder
        self._most_bytes = most_bytes
        self._now = now
        self._on_their_way = 0
        self._held: OrderedDict[str, tuple[Path, float]] = OrderedDict()
        self._lock = threading.Lock()

    def enter(self, size_bytes: int) -> bool:
        """Keep room for an upload, at the cost of old ones that no page holds; False if there is none."""
        with self._lock:
            wanted = self._on_their_way + max(size_bytes, LEAST_COST)
            files = sorted(self._files())
            free = self._most_bytes - sum(cost for _, cost, _ in files) - wanted
            held = self._in_use()
            for changed, cost, path in files:
                if free >= 0 or changed > self._now() - GRACE_S:
                    break
                if path not in held and _delete(path):
                    free += cost
            is_room = free >= 0 and self._disk_has(size_bytes)
            self._on_their_way += max(size_bytes, LEAST_COST) if is_room else 0
        if not is_room:
            _log.warning("no room for an upload of %d bytes", size_bytes)
        return is_room

    def leave(self, size_bytes: int) -> None:
        """Give back what `enter` kept: the upload is in its folder now, or broken off."""
        with self._lock:
            self._on_their_way -= max(size_bytes, LEAST_COST)

    def hold(self, page: str | None, path: str | None) -> None:
        """Note the file that a page (its session) holds now; the one that it held before is let go."""
        if not page:
            return
        with self._lock:
            before = self._held.pop(page, None)
            if path:
                self._held[page] = (Path(path), self._now())
            while len(self._held) > MOST_HELD:
                self._held.popitem(last=False)
        if before is not None and before[0] != Path(path or ""):
            self.let_go(str(before[0]))

    def let_go(self, path: str | None, page: str | None = None) -> None:
        """Give up a file that was handed in or replaced, unless another page holds it."""
        if not path:
            return
        with self._lock:
            if page:
                self._held.pop(page, None)
            if Path(path) in self._in_use():
                return
        due = self._now() - KEPT_S + GRACE_S
        with suppress(OSError, ValueError):
            if Path(path).resolve().is_relative_to(self.folder.resolve()) and Path(path).stat().st_mtime > due:
                os.utime(path, (due, due))

    def sweep(self) -> int:
        """Delete what has lain here for too long or was let go; return how many files went."""
        with self._lock:
            return sweep(self.folder, KEPT_S, self._now)

    def _in_use(self) -> set[Path]:
        return {path for path, since in self._held.values() if self._now() - since < HELD_S}

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = Path(folder, name)
                with suppress(OSError):
                    about = path.lstat()
                    yield about.st_mtime, max(about.st_size, LEAST_COST), path

    def _disk_has(self, size_bytes: int) -> bool:
        try:
            return shutil.disk_usage(self.folder).free >= size_bytes + SPARE_BYTES
        except OSError:
            return True


class Passage:
    """Room for one upload, kept as it arrives: who announces much and sends little takes little from others."""

    def __init__(self, room: Room, most_bytes: int) -> None:
        self._room = room
        self._most_bytes = most_bytes
        self._steps: list[int] = []

    @property
    def n_bytes(self) -> int:
        """So much may arrive before more room must be kept."""
        return sum(self._steps)

    def reach(self, n_bytes: int) -> bool:
        """Keep room for so many bytes in all, at most those announced; False if there is none."""
        while not self._steps or self.n_bytes < min(n_bytes, self._most_bytes):
            step = min(STEP_BYTES, self._most_bytes - self.n_bytes)
            if not self._room.enter(step):
                return False
            self._steps.append(step)
        return True

    def end(self) -> None:
        """Give all of it back."""
        while self._steps:
            self._room.leave(self._steps.pop())


def sweep(folder: Path, older_than_s: float, now: Callable[[], float] = time.time) -> int:
    """Delete what has lain in a folder for too long; return how many files went. Files in use are young."""
    n_deleted = 0
    for path in sorted(folder.rglob("*"), reverse=True):
        try:
            is_old = now() - path.lstat().st_mtime > older_than_s
            if path.is_symlink() or path.is_file():
                n_deleted += is_old and _delete(path)
            elif is_old and not any(path.iterdir()):
                path.rmdir()
        except OSError as error:
            _log.warning("temp file stays (%s)", type(error).__name__)
    return n_deleted


def _delete(path: Path) -> bool:
    try:
        path.unlink()
    except OSError as error:
        _log.warning("temp file stays (%s)", type(error).__name__)
        return False
    return True
