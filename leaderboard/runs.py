"""The run files, each under the hash of its bytes, so that the same file is kept once and never half.

Any fsspec address; a local folder by default. Nothing is read but bytes, and no name of a stranger becomes a path.
"""

import hashlib
import os
import re
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast
from uuid import uuid4

import fsspec
from fsspec.implementations.local import LocalFileSystem

BLOCK = 1 << 20
# an unfinished file of this age belongs to a process that is dead
LEFTOVER_S = 3600
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class RunRef:
    """A kept file: the hash of its bytes as they came, and how many they are."""

    sha256: str
    size_bytes: int


class RunStore:
    """Keeps run files at an fsspec URL. Safe between threads and processes: a file is complete or absent.

    `find` is asked for a file that is missing, and says whether it brought it back.
    """

    def __init__(self, url: str, find: Callable[[str], bool] | None = None) -> None:
        self._find = find
        self._files, self._root = fsspec.core.url_to_fs(url)
        self._is_local = isinstance(self._files, LocalFileSystem)
        self._incoming = Path(self._root) / "incoming" if self._is_local else Path(tempfile.gettempdir())
        if self._is_local:
            self._incoming.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._sweep()

    def put(self, stream: BinaryIO) -> RunRef:
        """Keep the bytes from here to the end of the stream; durable when this returns. Raises OSError if it cannot."""
        incoming = self._incoming / f"{uuid4().hex}.part"
        try:
            with open(os.open(incoming, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy:
                ref = _copy(stream, copy)
                copy.flush()
                os.fsync(copy.fileno())
            if not self.exists(ref.sha256):
                self._settle(incoming, ref.sha256)
        finally:
            with suppress(FileNotFoundError):
                incoming.unlink()
        return ref

    def open(self, sha256: str) -> BinaryIO:
        """Open a kept file for reading. Raises FileNotFoundError."""
        try:
            return cast(BinaryIO, self._files.open(self._path(sha256), "rb"))
        except FileNotFoundError:
            if self._find is None or not self._find(sha256):
                raise
        return cast(BinaryIO, self._files.open(self._path(sha256), "rb"))

    def exists(self, sha256: str) -> bool:
        """Say whether a file is kept."""
        return bool(self._files.exists(self._path(sha256)))

    def delete(self, sha256: str) -> None:
        """Delete a file; one that is not there is no error."""
        with suppress(FileNotFoundError):
            self._files.rm_file(self._path(sha256))

    def _settle(self, incoming: Path, sha256: str) -> None:
        path = self._path(sha256)
        if not self._is_local:
            self._files.put_file(str(incoming), path)
            return
        folder = Path(path).parent
        folder.mkdir(mode=0o700, exist_ok=True)
        incoming.replace(path)
        for entry in (folder, folder.parent):
            _sync_folder(entry)

    def _path(self, sha256: str) -> str:
        if not _SHA256.fullmatch(sha256):
            raise ValueError("a run is named by the 64 hexadecimal digits of its SHA-256")
        return f"{self._root.rstrip('/')}/{sha256[:2]}/{sha256}"

    def _sweep(self) -> None:
        for part in self._incoming.glob("*.part"):
            with suppress(FileNotFoundError):
                if part.stat().st_mtime < time.time() - LEFTOVER_S:
                    part.unlink()


def _copy(stream: BinaryIO, copy: BinaryIO) -> RunRef:
    digest, size_bytes = hashlib.sha256(), 0
    while block := stream.read(BLOCK):
        digest.update(block)
        size_bytes += len(block)
        copy.write(block)
    return RunRef(digest.hexdigest(), size_bytes)


def _sync_folder(folder: Path) -> None:
    """Make a new name durable, which the file's own fsync does not."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
