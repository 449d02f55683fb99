"""The commands of `python -m leaderboard`: for the parts of a running site, for its host, and for submitters.

Each lives in a module that no other command loads, so the web process never holds the code that opens gold.
"""

import argparse
import importlib
import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import evaluation
from leaderboard import calls, jobs, opening, processes
from leaderboard.settings import SettingRefused, Settings
from leaderboard.store import Store


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, 1 where a check found faults, 2 for a wrong command line or a refused setting."""
    command = _parser().parse_args(arguments)
    if command.role in calls.COMMANDS:
        return int(importlib.import_module("leaderboard.calling").main(command))
    os.umask(0o077)  # whatever is made here is for this user alone
    try:
        settings = Settings.from_env(os.environ, "web" if command.role == "web" else "worker")
    except SettingRefused as refusal:
        _say(str(refusal))
        return 2
    if command.role == "check":
        return int(importlib.import_module("leaderboard.checking").main(settings, command.task))
    if command.role == "split":
        return int(importlib.import_module("leaderboard.splitting").main(settings, command.task, command.seed))
    if command.role == "add":
        return _add(settings, command)
    if command.role == "deploy":
        return _deploy(settings, command)
    if command.role in ("export", "restore", "reveal"):
        open_books(settings)
    if command.role == "export":
        return int(importlib.import_module("leaderboard.exporting").main(settings, command.target))
    if command.role == "restore":
        return int(importlib.import_module("leaderboard.verifying").main(settings, is_verified=command.verify))
    if command.role == "reveal":
        reveal = importlib.import_module("leaderboard.revealing").main
        return int(reveal(settings, command.task, is_published=command.publish))
    if not os.access(Path(evaluation.__file__).parent, os.W_OK):
        # the compiled reader keeps its code beside its source, or here; it looks when it is loaded
        os.environ.setdefault("NUMBA_CACHE_DIR", str(settings.data_folder / "compiled"))
    processes.end_with_parent()
    try:
        wait_for_books(settings, has_sign=command.role == "web")
    except opening.PortTaken as error:
        _say(f"PORT {settings.port} cannot be used ({error}); choose another")
        return 1
    if command.role == "worker":
        return int(importlib.import_module("leaderboard.worker").main(settings, command.name))
    try:
        importlib.import_module("leaderboard.web").main(settings)
    except Exception as error:
        if not opening.is_out_of_reach(error):
            raise
        _say(f"the database went out of reach at the start ({type(error).__name__})")
        return opening.TRY_AGAIN_EXIT
    return 0


def wait_for_books(settings: Settings, *, has_sign: bool) -> None:
    """Open the books; wait for a database server that is not there yet, a file has no excuse. Raises PortTaken."""
    attempt = partial(open_books, settings)
    if settings.is_sqlite:
        attempt()
        return
    sign = opening.closed_sign(settings.server_address, settings.port) if has_sign else None
    opening.wait_until_open(attempt, say=_say, sign=sign)


def _add(settings: Settings, command: argparse.Namespace) -> int:
    adding = importlib.import_module("leaderboard.adding")
    folder = Path(command.folder).expanduser().resolve()
    name = command.name or folder.name
    slug = re.sub(r"[^a-z0-9]+", "-", folder.name.lower()).strip("-")[:40].strip("-")
    task_id = command.id or adding.id_of_card(folder) or slug
    return int(adding.main(settings, adding.Asked(folder, task_id, name, command.gold_version, command.dry_run)))


def _deploy(settings: Settings, command: argparse.Namespace) -> int:
    deploying = importlib.import_module("leaderboard.deploying")
    settings.make_folders()  # the salt of the commitments is kept here, so that the next deployment has the same
    secrets = {
        "gold_token": settings.gold_token,
        "archive_token": settings.archive_token,
        "gold_salt": importlib.import_module("leaderboard.vault").salt_of(settings).decode(),
    }
    wanted = deploying.Wanted(command.space, command.gold, command.archive, **secrets)
    return int(deploying.main(settings, wanted, is_dry_run=command.dry_run))


def open_books(settings: Settings) -> None:
    """Make folders, books and queue, or bring them up to date: whoever comes first does it for all.

    The web process must not wait for a worker here, and cannot enqueue into a queue without tables.
    """
    settings.make_folders()
    store = Store.open(settings.database_url)
    store.migrate()
    store.close()
    jobs.prepare(settings)


def _say(sentence: str) -> None:
    print(f"qrelboard: {sentence}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m leaderboard", description="The parts of a running leaderboard.")
    commands = parser.add_subparsers(dest="role", required=True)
    web = commands.add_parser("web", help="serve the pages (PORT)")
    worker = commands.add_parser("worker", help="evaluate submissions and make the boards")
    for role in (web, worker):
        role.add_argument("--name", default="", help="what logs call it; unique among the workers of this machine")
    check = commands.add_parser("check", help="verify a task: card, gold, public files; print the fingerprint")
    check.add_argument("task", help="the id of the task")
    split = commands.add_parser("split", help="mark the live and the sealed half in the gold of a task, once")
    split.add_argument("task", help="the id of the task")
    split.add_argument("--seed", type=int, required=True, help="a secret number; the same one gives the same halves")
    add = commands.add_parser(
        "add", help="open a task from a benchmark's files: judgements, topics, corpus; card proposed where none is"
    )
    add.add_argument("folder", help="the benchmark's folder (TREC, BEIR, MTEB, JSON lines, CSV or Parquet)")
    add.add_argument("--id", default="", help="id of the task and its address (default: the folder's name)")
    add.add_argument("--name", default="", help="name of the task on its page (default: the folder's name)")
    add.add_argument("--gold-version", default="1", help="version of the judgements that the board names (default 1)")
    add.add_argument("--dry-run", action="store_true", help="read, lint and score, print the card, install nothing")
    reveal = commands.add_parser("reveal", help="rank the public runs of a task by its sealed half")
    reveal.add_argument("task", help="the id of the task")
    reveal.add_argument("--publish", action="store_true", help="show both ranks on the board, for good")
    restore = commands.add_parser("restore", help="bring back from the archive what the books do not have")
    restore.add_argument("--verify", action="store_true", help="score every submission again and compare")
    export = commands.add_parser("export", help="write the public results as Parquet with a dataset card")
    export.add_argument(
        "target", help="a folder, or hf://datasets/<organisation>/<name> (EXPORT_TOKEN may write there)"
    )
    deploy = commands.add_parser("deploy", help="put this software on a Space of the Hub (docs/hosting.md)")
    deploy.add_argument("--space", required=True, help="organisation/name of the Space")
    deploy.add_argument("--gold", required=True, help="organisation/name of the private dataset that holds the gold")
    deploy.add_argument("--archive", required=True, help="organisation/name of the private dataset for the archive")
    deploy.add_argument("--dry-run", action="store_true", help="print each step, change nothing")
    calls.add_commands(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
