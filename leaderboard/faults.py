"""Named places where a test can make this process fail: `QRELBOARD_FAULT=<step>:<kind>[:<subject>]`, several by commas.

The only reader of that setting while the app runs; `settings` refuses it in production, so nothing fails there.
"""

import os
import signal
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

VARIABLE = "QRELBOARD_FAULT"

#: kill: SIGKILL to this process; hang: never come back; both each time, or with "-once" the first time only;
#: error: an exception that nobody expects; memory: take memory until there is none.
KINDS = ("kill", "kill-once", "error", "hang", "hang-once", "memory")


class InjectedError(RuntimeError):
    """The failure that the kind `error` raises."""


def at(step: str, subject: str = "") -> None:
    """Fail here if the setting says so: for this step and, where it names a subject, only for that one.

    Raises InjectedError or MemoryError by the kind asked; ValueError for a kind that does not exist. When no fault is
    set, does nothing but look into the environment.
    """
    for fault in filter(None, os.environ.get(VARIABLE, "").split(",")):
        where, _, rest = fault.strip().partition(":")
        kind, _, whose = rest.partition(":")
        if where == step and whose in ("", subject):
            _fail(step, kind, subject, os.environ)


def _fail(step: str, kind: str, subject: str, environment: Mapping[str, str]) -> None:
    if kind not in KINDS:
        raise ValueError(f"{VARIABLE}: unknown kind {kind!r}, expected one of {', '.join(KINDS)}")
    if kind.endswith("-once") and not _is_first_time(step, subject, environment):
        return
    match kind.removesuffix("-once"):
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "error":
            raise InjectedError(f"step {step}: error asked for by {VARIABLE}")
        case "memory":
            _take_all_memory()
    threading.Event().wait()


def _is_first_time(step: str, subject: str, environment: Mapping[str, str]) -> bool:
    """Note in the data folder that this fault fired, so that the next process passes the same place."""
    folder = environment.get("QRELBOARD_DATA")
    if not folder:
        raise ValueError(f"{VARIABLE}: a fault that fires once needs QRELBOARD_DATA, to note it there")
    marks = Path(folder) / "faults"
    marks.mkdir(parents=True, exist_ok=True)
    try:
        (marks / f"{step}-{subject or 'any'}").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _take_all_memory() -> NoReturn:
    hoard = []
    while True:
        hoard.append(bytearray(64 << 20))
