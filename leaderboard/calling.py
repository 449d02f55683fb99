"""The commands that talk to a site from anywhere: submit, status, board, compare. Thin: the site checks and scores.

What a program wants goes to standard output, what a person should read to standard error. Exit codes: 0 done, 1 the
site says no, 2 a wrong command line, 3 the site does not answer, 4 not done yet.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
from gradio_client import Client, handle_file

Json = dict[str, Any]

OWNER_KEY, LINK_KEY, TOKEN = "QRELBOARD_OWNER_KEY", "QRELBOARD_LINK_KEY", "QRELBOARD_TOKEN"
REFUSED, WRONG, AWAY, NOT_YET = 1, 2, 3, 4
ASK_EVERY_S = 2.0


class Away(Exception):
    """The site does not answer, or not as one of ours does."""


def main(command: argparse.Namespace) -> int:
    """Run one of the commands and return its exit code."""
    do: Mapping[str, Callable[[argparse.Namespace], int]] = {
        "submit": _submit,
        "status": _status,
        "board": _board,
        "compare": _compare,
    }
    try:
        return do[command.role](command)
    except Away as away:
        _say(f"{command.url} does not answer as a board does: {away}")
        return AWAY


def _submit(command: argparse.Namespace) -> int:
    path = Path(command.run)
    if not path.is_file():
        _say(f"{path}: there is no such file")
        return WRONG
    fields = dict(field.partition("=")[::2] for field in command.field)
    if not all("=" in field for field in command.field) or not (command.name or command.dry_run):
        _say("give --name NAME, and each --field as KEY=VALUE")
        return WRONG
    client = _client(command.url)
    if command.dry_run:
        checked = _ask(client, "/check", command.task, handle_file(path))
        _print(checked)
        return 0 if checked.get("accepted") else _refused(checked)
    system = {"name": command.name, "version": command.version, **{key: _value(text) for key, text in fields.items()}}
    owner = os.environ.get(OWNER_KEY, "")
    receipt = _ask(client, "/submit", command.task, handle_file(path), system, owner)
    if "error" in receipt:
        _print(receipt)
        return _refused(receipt["error"])
    if command.receipt:
        _write_receipt(Path(command.receipt), receipt)
        receipt = {"submission_id": receipt["submission_id"], "is_new": receipt["is_new"]}
    else:
        query = urlencode({"id": receipt["submission_id"], "key": receipt["link_key"]})
        _say(f"see, publish or delete it: {command.url.rstrip('/')}/submission?{query}")
    if not command.wait:
        _print(receipt)
        return 0
    key = _read_receipt(Path(command.receipt))[1] if command.receipt else receipt["link_key"]
    return _wait(client, receipt["submission_id"], key, command.wait)


def _status(command: argparse.Namespace) -> int:
    wanted, key = command.submission, os.environ.get(LINK_KEY, "")
    if Path(wanted).is_file():
        try:
            wanted, key = _read_receipt(Path(wanted))
        except (OSError, ValueError, KeyError):
            _say(f"{wanted}: this is no receipt")
            return WRONG
    return _wait(_client(command.url), wanted, key, command.wait)


def _wait(client: Client, submission_id: str, key: str, patience_s: float) -> int:
    """Print where a submission stands; with patience, once it is scored or failed."""
    give_up = time.monotonic() + patience_s
    while True:
        found = _ask(client, "/status", submission_id, key)
        if "error" in found or found["progress"] != "waiting" or time.monotonic() >= give_up:
            break
        time.sleep(min(ASK_EVERY_S, max(0.0, give_up - time.monotonic())))
    _print(found)
    if "error" in found:
        return _refused(found["error"])
    if found["progress"] == "failed":
        return _refused(found["failure"])
    if found["progress"] == "waiting" and patience_s:
        _say("not scored yet; ask again with status")
        return NOT_YET
    return 0


def _board(command: argparse.Namespace) -> int:
    board = _ask(_client(command.url), "/board", command.task)
    if "error" in board:
        _print(board)
        return _refused(board["error"])
    if command.json:
        _print(board)
        return 0
    for row in board["rows"]:
        score = "" if row["scores"][0] is None else f"{row['scores'][0]:.{board['digits']}f}"
        print(row["rank"], score, row["name"], row["version"], row["id"], sep="\t")
    return 0


def _compare(command: argparse.Namespace) -> int:
    client = _client(command.url)
    give_up = time.monotonic() + 60
    while True:
        found = _ask(client, "/compare", command.task, command.ids)
        if found.get("state") != "asked" or time.monotonic() > give_up:
            break
        time.sleep(ASK_EVERY_S)
    _print(found)
    if "error" in found:
        return _refused(found["error"])
    return NOT_YET if found.get("state") == "asked" else 0


def _client(url: str) -> Client:
    if not url.startswith(("http://", "https://")):
        raise Away("an address begins with https:// or http://")
    token = os.environ.get(TOKEN, "")
    headers = {"Authorization": f"Bearer {token}"} if token else None
    try:
        return Client(url, verbose=False, analytics_enabled=False, headers=headers)
    except Exception as error:  # the client raises whatever it stumbles over
        raise Away(type(error).__name__) from error


def _ask(client: Client, name: str, *given: Any) -> Json:
    try:
        answer = client.predict(*given, api_name=name)
    except httpx.HTTPStatusError as error:
        raise Away(f"{error.response.status_code} {error.response.text[:200].strip()}") from error
    except Exception as error:  # the client raises whatever it stumbles over
        raise Away(f"{type(error).__name__}: {str(error)[:200]}") from error
    if not isinstance(answer, dict):
        raise Away("the answer is no object")
    return answer


def _refused(told: Mapping[str, Any]) -> int:
    """Say what the site found wrong, each fault with its cure."""
    if told.get("message"):
        _say(told["message"])
    for fault in told.get("faults", ()):
        _say(f"{fault['message']} {fault.get('fix', '')}".strip())
    for problem in told.get("problems", ()):
        _say(f"{problem['field']}: {problem['message']}")
    return REFUSED


def _value(text: str) -> Any:
    """Read a field as JSON where it is true, false, null or a number; else it is a text."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(found, dict | list | str) else found


def _write_receipt(path: Path, receipt: Json) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(receipt, file, indent=2)
    path.chmod(0o600)


def _read_receipt(path: Path) -> tuple[str, str]:
    receipt = json.loads(path.read_text(encoding="utf-8"))
    return receipt["submission_id"], receipt["link_key"]


def _print(answer: Json) -> None:
    print(json.dumps(answer, indent=2, ensure_ascii=False))


def _say(sentence: str) -> None:
    print(f"qrelboard: {sentence}", file=sys.stderr, flush=True)
