"""What the processes know and show: no gold in the web process, no look into the worker for a sibling."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.settings import Settings
from tests.attacks.conftest import SECRETS
from tests.running import ROOT, RunningApp

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]

# Takes all rights of its own from a root user, so that it is a sibling like others; then runs the rest.
AS_SIBLING = """
import ctypes, os, sys
PR_CAPBSET_DROP = 24
for capability in range(64):
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
# Tells which of the files named on its standard input it can read.
SIBLING = """
import pathlib, sys
for name in sys.stdin.read().split():
    try:
        print(name, len(pathlib.Path(name).read_bytes()))
    except OSError as error:
        print(name, type(error).__name__)
"""
# Loads everything that the web process serves with, and names what it should not have.
LOAD_ALL = """
import os, sys
from leaderboard.settings import Settings
from leaderboard.web import build_site, launch_options, open_hall
hall = open_hall(Settings.from_env(os.environ, "web"))
demo, heads = build_site(hall)
launch_options(hall, heads)
print(*(name for name in sys.modules if name.startswith(("data.", "leaderboard."))))
"""


def children(app: RunningApp) -> dict[str, int]:
    """Process ids of the app's children by role."""
    assert app.process is not None
    found = {}
    for pid in Path(f"/proc/{app.process.pid}/task/{app.process.pid}/children").read_text(encoding="ascii").split():
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        found[arguments[3].decode()] = int(pid)
    return found


def test_web_process_never_had_the_secrets(target: RunningApp) -> None:
    pids = children(target)
    web = Path(f"/proc/{pids['web']}")
    environment = (web / "environ").read_bytes()
    links = [*(web / "fd").iterdir(), web / "cwd", web / "root", web / "exe"]
    opened = [os.readlink(link) for link in links if link.is_symlink()]
    mapped = (web / "maps").read_text(encoding="utf-8").split()

    assert b"QRELBOARD_DATA=" in environment, "the test would not see it"
    assert str(target.log) in opened, "the test would not see it"
    assert not [word for word in ("GOLD_", "ARCHIVE_", "HF_TOKEN", "zq-") if word.encode() in environment]
    assert not [path for path in (*opened, *mapped) if str(target.data / "vault") in path or "/gold" in path]


def test_web_process_holds_no_code_that_opens_gold(tmp_path: Path) -> None:
    env = {**os.environ, "QRELBOARD_DATA": str(tmp_path / "data")}
    Settings.from_env(env, "web").make_folders()

    loaded = subprocess.run(
        [sys.executable, "-c", LOAD_ALL], cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=True
    )

    modules = set(loaded.stdout.split())
    assert "leaderboard.web" in modules
    assert not modules & {"data.gold", "data.samples", "data.hub", "leaderboard.worker", "leaderboard.vault"}
    assert not modules & {"leaderboard.evaluating", "leaderboard.seeding", "leaderboard.archive"}


def start(*command: str, **more: str) -> "subprocess.Popen[str]":
    """Start one of several processes of the same user."""
    return subprocess.Popen(
        [sys.executable, "-c", AS_SIBLING, *command],
        cwd=ROOT,
        env={**os.environ, **more},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def lines_until(running: "subprocess.Popen[str]", words: str) -> list[str]:
    """What a process says, to the line that holds some words; all of it where none does."""
    assert running.stdout is not None
    said: list[str] = []
    for line in running.stdout:
        said.append(line)
        if words in line:
            break
    return said


def test_sibling_of_the_worker_cannot_look_into_it(tmp_path: Path) -> None:
    """Same user, another process: as far as a hole in the web process that reads files would reach."""
    looked_at = ("environ", "maps", "mem")
    worker = start("-m", "leaderboard", "worker", QRELBOARD_DATA=str(tmp_path / "data"), **SECRETS)
    plain = start("-c", "print('up', flush=True); input()", **SECRETS)
    with worker, plain:
        try:
            said = lines_until(worker, "takes jobs")
            lines_until(plain, "up")
            places = [f"/proc/{pid}/{name}" for pid in (plain.pid, worker.pid) for name in looked_at]
            with start("-c", SIBLING) as sibling:
                found, _ = sibling.communicate("\n".join(places), timeout=60)
        finally:
            worker.kill()
            plain.kill()

    assert "takes jobs" in said[-1], said
    read = dict(line.split() for line in found.splitlines())
    assert int(read[f"/proc/{plain.pid}/environ"]) > 0, "the sibling could not look into anything"
    assert {name: read[f"/proc/{worker.pid}/{name}"] for name in looked_at} == dict.fromkeys(
        looked_at, "PermissionError"
    )


def test_folders_of_the_data_are_closed_to_others(target: RunningApp) -> None:
    closed = [target.data, target.data / "vault", target.data / "runs", target.data / "gold"]

    assert [path.stat().st_mode & 0o077 for path in closed] == [0] * 4
