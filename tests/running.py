"""The whole app as real processes in a folder of its own, for tests that look at it from outside."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 240.0  # far more than any start takes, on a machine that is busy with other things


class RunningApp:
    """`app.py` on a free port; its books, runs and gold lie in `folder`, what it says in `log`."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.log = folder / "app.log"
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("QRELBOARD_", "GOLD_", "HF_", "SPACE_"))}
        self.environment = {**kept, "PORT": str(self.port), "QRELBOARD_DATA": str(self.data), **environment}
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.launch()
        self.until(lambda: self.get("/healthz")[0] == 200)

    def launch(self) -> None:
        """Start it, whether it answers or not."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "app.py"], cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )

    def stop(self) -> int:
        """Ask it to stop as Ctrl-C does; returns its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        """Return status and body of a GET; status 0 where nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            connection.close()

    def board(self, task_id: str) -> dict[str, Any]:
        """Return the board of a task as machines read it; without rows where there is none yet."""
        status, body = self.get(f"/boards/{task_id}.json")
        return json.loads(body) if status == 200 else {"rows": []}

    def until(self, claim: Callable[[], bool], patience_s: float = PATIENCE_S) -> float:
        """Wait until a claim holds; returns the seconds that it took."""
        started = time.monotonic()
        while not claim():
            assert self.process is None or self.process.poll() is None, f"the app ended:\n{self.words()[-4000:]}"
            assert time.monotonic() - started < patience_s, f"not so after {patience_s} s:\n{self.words()[-4000:]}"
            time.sleep(0.1)
        return time.monotonic() - started

    def words(self) -> str:
        """Return everything that the processes said."""
        return self.log.read_text(encoding="utf-8", errors="replace")


@contextlib.contextmanager
def running_app(folder: Path, **environment: str) -> Iterator[RunningApp]:
    """Start the app in a folder and stop it whatever happens."""
    folder.mkdir(parents=True, exist_ok=True)
    app = RunningApp(folder, **environment)
    try:
        app.start()
        yield app
    finally:
        if app.process is not None and app.process.poll() is None:
            app.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
