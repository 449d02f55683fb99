"""The door: starts the web process and the workers, each with its own environment, and watches them."""

import http.client
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from leaderboard.settings import Role, SettingRefused, Settings, child_env

SHORTEST_WAIT_S, LONGEST_WAIT_S = 1.0, 60.0  # before a dead child is started again, doubling
HEALTHY_S = 60.0  # a child that lived this long waits shortest again
TRY_AGAIN_EXIT = 75  # of a web process that lost its database while it started (leaderboard.opening)
STOP_S = 25.0  # more than the 20 s that a worker may take to finish its job
say = partial(print, "qrelboard:", flush=True)


@dataclass
class Child:
    """One process of ours: the command after `python -m leaderboard`, and when it starts next."""

    role: Role
    name: str
    running: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    next_start: float = 0.0
    wait_s: float = SHORTEST_WAIT_S

    def start(self, now: float) -> None:
        """Start it in its own group (Ctrl-C is ours to pass on), holding the pipe that tells it of our death."""
        command = [sys.executable, "-m", "leaderboard", self.role, "--name", self.name]
        env, folder = child_env(os.environ, self.role), Path(__file__).resolve().parent
        self.running = subprocess.Popen(command, stdin=subprocess.PIPE, env=env, cwd=folder, process_group=0)
        self.started = now

    def look(self, now: float) -> int | None:
        """Start it if it is due; return its exit code, once, if it has ended."""
        if self.running is None:
            if now >= self.next_start:
                self.start(now)
        elif (code := self.running.poll()) is not None:
            wait_s = SHORTEST_WAIT_S if now - self.started >= HEALTHY_S else self.wait_s
            say(f"{self.name} ended with code {code}; next start in {wait_s:g} s")
            self.running, self.next_start, self.wait_s = None, now + wait_s, min(2 * wait_s, LONGEST_WAIT_S)
            return code
        return None


def main() -> int:
    """Run until a signal; return 0, 2 for a refused setting, or the code of a web process that cannot start."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        settings = Settings.from_env(os.environ, "app")
    except SettingRefused as refusal:
        say(str(refusal))
        return 2
    web = Child("web", "web")
    children = [*(Child("worker", f"worker-{n}") for n in range(settings.n_workers)), web]
    is_announced, code = False, 0
    while not stop.wait(0.1):
        code = [child.look(time.monotonic()) for child in children][-1] or 0
        if code > 0 and code != TRY_AGAIN_EXIT and time.monotonic() - web.started < HEALTHY_S:
            break  # the web process refused to start: trying again would hide why
        if not is_announced and web.running and is_answering(settings.port):
            is_announced = True
            say(f"http://127.0.0.1:{settings.port} (data in {settings.data_folder}; Ctrl-C stops it)")
    end([child.running for child in children if child.running])
    return max(code, 0)


def is_answering(port: int) -> bool:
    """Return whether the web process says that it is well."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    with closing(connection), suppress(OSError, http.client.HTTPException):
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.HTTPStatus.OK
    return False


def end(running: list[subprocess.Popen[bytes]]) -> None:
    """Ask all to stop, wait, and kill those that did not."""
    for one in running:
        one.terminate()
    deadline = time.monotonic() + STOP_S
    for one in running:
        with suppress(subprocess.TimeoutExpired):
            one.wait(max(0.0, deadline - time.monotonic()))
        one.kill()


if __name__ == "__main__":
    sys.exit(main())
