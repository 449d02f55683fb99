"""`python -m leaderboard deploy`: put this software on a Space of the Hub, its gold and archive in private datasets.

Creates what is missing and brings up to date what is there; doing it twice is doing it once. No gold and no token is
ever among the files, which everybody can read; tokens become secrets of the Space.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.settings import Settings
from leaderboard.version import ROOT

#: What a Space needs of this repository; everything in these folders but caches.
PARTS = ("app.py", "requirements.txt", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE")
FOLDERS = ("leaderboard", "evaluation", "data", "docs")
TASKS = "tasks"
SPACE_HOME = "/home/user/app"
TOKENS = ("GOLD_TOKEN", "ARCHIVE_TOKEN")
_NAME = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}")
# what may lie beside a card; anything else of a task's folder stays at home
_PUBLIC_FILES = re.compile(r"card\.toml|about\.\w+\.md|topics\.txt|documents\.txt|example\.run|[\w.-]+\.csv")


class CannotDeploy(Exception):
    """Something is to mend before anything is changed on the Hub; its text says what."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to deploy: three names "organisation/name", and what the Space gets as secrets.

    `gold_salt` makes the commitments of sealed gold, which must be the same after each restart.
    """

    space: str
    gold: str
    archive: str
    gold_token: str | None
    archive_token: str | None
    gold_salt: str

    def check(self) -> None:
        """Raise CannotDeploy for a name that is none, or one dataset for both."""
        for option, name in (("--space", self.space), ("--gold", self.gold), ("--archive", self.archive)):
            if not _NAME.fullmatch(name):
                raise CannotDeploy(f"{option}: found {name[:80]!r}, expected organisation/name")
        if self.gold == self.archive:
            raise CannotDeploy("--archive: the archive is written to and must not be the dataset of the gold")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do on the Hub: what it is, in words, and how."""

    told: str
    do: Callable[[], object]


def main(settings: Settings, wanted: Wanted, *, is_dry_run: bool) -> int:
    """Deploy, or say what would be done; 0, or 1 where something is to mend first."""
    try:
        wanted.check()
        files = files_to_send(settings.data_folder / TASKS)
        if is_dry_run:
            for number, step in enumerate(steps(None, wanted, files, revision="<its newest commit>"), 1):
                _say(f"{number}. {step.told}")
            missing = [name for name in TOKENS if not os.environ.get(name)]
            _say("dry run: nothing was changed")
            if missing:
                _say(f"not set here: {', '.join(missing)}")
            return 0
        deploy(wanted, files, os.environ.get("HF_ENDPOINT") or None)
    except CannotDeploy as error:
        _say(f"cannot deploy: {error}")
        return 1
    return 0


def deploy(wanted: Wanted, files: dict[str, Path], endpoint: str | None) -> None:
    """Look first whether all can be done, then do it step by step. Raises CannotDeploy."""
    from huggingface_hub import HfApi  # noqa: PLC0415
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError  # noqa: PLC0415

    for name, value in zip(TOKENS, (wanted.gold_token, wanted.archive_token), strict=True):
        if not value:
            raise CannotDeploy(f"{name} is not set; docs/hosting.md says which rights it needs")
    hub = HfApi(endpoint=endpoint)
    try:
        _say(f"signed in as {hub.whoami()['name']}")
        # read with the token that the worker will have: what it cannot see now it could not see then
        gold = hub.dataset_info(wanted.gold, token=wanted.gold_token)
        if not gold.private:
            raise CannotDeploy(f"--gold: {wanted.gold} is public; make it private first")
        for number, step in enumerate(steps(hub, wanted, files, revision=gold.sha), 1):
            _say(f"{number}. {step.told}")
            step.do()
    except LocalTokenNotFoundError:
        raise CannotDeploy("HF_TOKEN is not set; a token of yours that may write to the Space") from None
    except HfHubHTTPError as error:
        status = error.response.status_code
        raise CannotDeploy(f"the Hub refused the last step with status {status}: {_hint(status)}") from None
    _say(f"done: https://huggingface.co/spaces/{wanted.space} builds now, which takes a few minutes")


def steps(hub: Any, wanted: Wanted, files: dict[str, Path], *, revision: str) -> list[Step]:
    """Return all that is to do, in order: what the Space needs is there before its files start it."""
    n_tasks = len({path.split("/")[1] for path in files if path.startswith(f"{TASKS}/")})
    variables = {
        "GOLD_SOURCE": f"hf://datasets/{wanted.gold}",
        "GOLD_REVISION": revision,
        "ARCHIVE_URL": f"hf://datasets/{wanted.archive}",
        **({"QRELBOARD_TASKS": f"{SPACE_HOME}/{TASKS}"} if n_tasks else {}),
    }
    secrets = {
        "GOLD_TOKEN": wanted.gold_token,
        "ARCHIVE_TOKEN": wanted.archive_token,
        "GOLD_SALT": wanted.gold_salt,
    }
    space = wanted.space
    return [
        Step(
            f"create the private dataset {wanted.archive} for the archive, if it is not there",
            lambda: hub.create_repo(wanted.archive, repo_type="dataset", private=True, exist_ok=True),
        ),
        Step(
            f"create the Space {space}, if it is not there",
            lambda: hub.create_repo(space, repo_type="space", space_sdk="gradio", exist_ok=True),
        ),
        *(
            Step(
                f"set the variable {name} = {value}",
                lambda name=name, value=value: hub.add_space_variable(space, name, value),  # type: ignore[misc]
            )
            for name, value in variables.items()
        ),
        *(
            Step(
                f"set the secret {name}",
                lambda name=name, value=value: hub.add_space_secret(space, name, value),  # type: ignore[misc]
            )
            for name, value in secrets.items()
        ),
        Step(
            f"send {len(files)} files in one commit, {n_tasks} tasks of your own among them",
            lambda: _send(hub, space, files),
        ),
    ]


def files_to_send(tasks: Path, root: Path = ROOT) -> dict[str, Path]:
    """Return the files of a Space by their path there: this software, and the public files of the host's tasks."""
    files = {name: root / name for name in PARTS if (root / name).is_file()}
    for folder in FOLDERS:
        files |= {str(path.relative_to(root)): path for path in _sources(root / folder)}
    if tasks.is_dir():
        for path in sorted(tasks.glob("*/*")):
            if path.is_file() and _PUBLIC_FILES.fullmatch(path.name) and (path.parent / "card.toml").is_file():
                files[f"{TASKS}/{path.parent.name}/{path.name}"] = path
    return files


def _sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("."):
            yield path


def _send(hub: Any, space: str, files: dict[str, Path]) -> None:
    """Commit the files, and remove those that an earlier version had."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete  # noqa: PLC0415

    present = hub.list_repo_files(space, repo_type="space")
    ours = (*(f"{folder}/" for folder in (*FOLDERS, TASKS)),)
    gone = [path for path in present if path.startswith(ours) and path not in files]
    operations = [CommitOperationAdd(path, str(source)) for path, source in files.items()]
    operations += [CommitOperationDelete(path) for path in gone]
    hub.create_commit(space, operations, commit_message="Deploy", repo_type="space")


def _hint(status: int) -> str:
    if status in (401, 403, 404):
        return "check the names, and that HF_TOKEN may write to the Space and GOLD_TOKEN may read the gold"
    if status == 402:
        return "this kind of Space needs a paid plan"
    return "try again in a few minutes; what is done already is not done twice"


def _say(sentence: str) -> None:
    print(f"qrelboard: {sentence}", file=sys.stderr, flush=True)
