import hashlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from leaderboard.runs import RunRef, RunStore

CONTENT = b"t1 Q0 d1 1 1.0 tag\n" * 100_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(params=["local", "memory"])
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> RunStore:
    """A store in a local folder and one behind another fsspec file system."""
    url = (tmp_path / "runs").as_uri() if request.param == "local" else f"memory://{tmp_path.name}"
    return RunStore(url)


def test_bytes_come_back_under_their_hash(runs: RunStore) -> None:
    ref = runs.put(BytesIO(CONTENT))

    assert ref == RunRef(SHA256, len(CONTENT))
    with runs.open(SHA256) as stream:
        assert stream.read() == CONTENT


def test_same_bytes_again_are_kept_once(runs: RunStore) -> None:
    with ThreadPoolExecutor(8) as threads:
        refs = set(threads.map(lambda _: runs.put(BytesIO(CONTENT)), range(16)))

    assert refs == {RunRef(SHA256, len(CONTENT))}
    with runs.open(SHA256) as stream:
        assert stream.read() == CONTENT


def test_put_reads_from_where_the_stream_stands(runs: RunStore) -> None:
    stream = BytesIO(b"skipped" + CONTENT)
    stream.seek(7)

    assert runs.put(stream).sha256 == SHA256


def test_deleted_bytes_are_gone_and_deleting_twice_is_no_error(runs: RunStore) -> None:
    runs.put(BytesIO(CONTENT))

    runs.delete(SHA256)
    runs.delete(SHA256)

    assert not runs.exists(SHA256)
    with pytest.raises(FileNotFoundError):
        runs.open(SHA256)


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "a" * 63, "A" * 64, f"{'a' * 64}\n", "/etc/passwd"])
def test_nothing_but_a_hash_names_a_file(runs: RunStore, name: str) -> None:
    for action in (runs.open, runs.exists, runs.delete):
        with pytest.raises(ValueError, match="hexadecimal"):
            action(name)


class Broken:
    """A stream that ends in an error after some bytes."""

    def __init__(self) -> None:
        self._blocks = [b"half", OSError("disk away")]

    def read(self, _size: int) -> bytes:
        block = self._blocks.pop(0)
        if isinstance(block, OSError):
            raise block
        return block


def test_half_a_file_is_never_kept(tmp_path: Path) -> None:
    runs = RunStore((tmp_path / "runs").as_uri())

    with pytest.raises(OSError, match="disk away"):
        runs.put(cast(BinaryIO, Broken()))

    assert [path for path in (tmp_path / "runs").rglob("*") if path.is_file()] == []


def test_files_are_closed_to_other_users(tmp_path: Path) -> None:
    RunStore((tmp_path / "runs").as_uri()).put(BytesIO(CONTENT))

    modes = {path.stat().st_mode & 0o077 for path in (tmp_path / "runs").rglob("*")}

    assert modes == {0}


def test_leftovers_of_dead_processes_are_swept_and_fresh_ones_stay(tmp_path: Path) -> None:
    incoming = tmp_path / "runs" / "incoming"
    incoming.mkdir(parents=True)
    old, fresh = incoming / "old.part", incoming / "fresh.part"
    for part in (old, fresh):
        part.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)

    RunStore((tmp_path / "runs").as_uri())

    assert [old.exists(), fresh.exists()] == [False, True]
