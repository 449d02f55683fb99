"""What a child process does to itself, seen from outside."""

import subprocess
import sys
from pathlib import Path

import pytest

is_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a switch of Linux")


def child(code: str, *, stdin: int = subprocess.DEVNULL) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", f"from leaderboard import processes\n{code}"]
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, text=True)


def said(code: str) -> str:
    with child(code) as running:
        return str(running.communicate(timeout=30)[0]).strip()


def test_child_ends_when_the_pipe_to_its_standard_input_is_closed() -> None:
    code = "import time; print(processes.end_with_parent(), flush=True); time.sleep(60)"
    with child(code, stdin=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdin is not None
        is_watched = running.stdout.readline().strip()

        running.stdin.close()

        assert (is_watched, running.wait(10)) == ("True", 0)


def test_child_without_a_pipe_is_left_alone() -> None:
    assert said("print(processes.end_with_parent())") == "False"


@is_linux
def test_child_is_not_dumpable() -> None:
    code = "import ctypes; processes.forbid_dumps(); print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"

    assert said(code) == "0"


@is_linux
def test_memory_over_the_limit_is_a_memory_error() -> None:
    code = (
        "processes.limit(memory_bytes=processes.address_space_bytes() + (64 << 20))\n"
        "try:\n    bytearray(128 << 20)\nexcept MemoryError:\n    print('refused')"
    )

    assert said(code) == "refused"


def test_limits_are_lowered_and_no_core_is_written() -> None:
    code = (
        "import resource\nprocesses.limit(n_files=64)\n"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_CORE))"
    )

    assert said(code) == "(64, 64) (0, 0)"


def test_address_space_is_told_where_the_system_tells_it() -> None:
    has_proc = Path("/proc/self/statm").exists()

    assert (int(said("print(processes.address_space_bytes())")) > 0) is has_proc
