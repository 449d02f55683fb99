"""The commands: `python -m leaderboard web | worker | check TASK`.

Each lives in a module that no other command loads, so the web process never holds the code that opens gold.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import evaluation
from leaderboard import jobs, processes
from leaderboard.settings import SettingRefused, Settings
from leaderboard.store import Store


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, 1 where a check found faults, 2 for a wrong command line or a refused setting."""
    command = _parser().parse_args(arguments)
    os.umask(0o077)  # whatever is made here is for this user alone
    try:
        settings = Settings.from_env(os.environ, "web" if command.role == "web" else "worker")
    except SettingRefused as refusal:
        print(f"qrelboard: {refusal}", file=sys.stderr)
        return 2
    if command.role == "check":
        return int(importlib.import_module("leaderboard.checking").main(settings, command.task))
    if not os.access(Path(evaluation.__file__).parent, os.W_OK):
        # the compiled reader keeps its code beside its source, or here; it looks when it is loaded
        os.environ.setdefault("NUMBA_CACHE_DIR", str(settings.data_folder / "compiled"))
    processes.end_with_parent()
    open_books(settings)
    if command.role == "worker":
        return int(importlib.import_module("leaderboard.worker").main(settings, command.name))
    importlib.import_module("leaderboard.web").main(settings)
    return 0


def open_books(settings: Settings) -> None:
    """Make folders, books and queue, or bring them up to date: whoever comes first does it for all.

    The web process must not wait for a worker here, and cannot enqueue into a queue without tables.
    """
    settings.make_folders()
    store = Store.open(settings.database_url)
    store.migrate()
    store.close()
    jobs.prepare(settings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m leaderboard", description="The parts of a running leaderboard.")
    commands = parser.add_subparsers(dest="role", required=True)
    web = commands.add_parser("web", help="serve the pages (PORT)")
    worker = commands.add_parser("worker", help="evaluate submissions and make the boards")
    for role in (web, worker):
        role.add_argument("--name", default="", help="what logs call it; unique among the workers of this machine")
    check = commands.add_parser("check", help="verify a task: card, gold, public files; print the fingerprint")
    check.add_argument("task", help="the id of the task")
    return parser


if __name__ == "__main__":
    sys.exit(main())
