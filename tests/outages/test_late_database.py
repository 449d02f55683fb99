"""The app is started while PostgreSQL is away: it waits, says so, and opens when the database is there."""

import http.client
import re
import socket
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.postgres import Cluster
from tests.running import RunningApp

pytestmark = [pytest.mark.processes, pytest.mark.skipif(sys.platform == "win32", reason="PostgreSQL on Unix")]


class Line:
    """A port that leads to the database once it is laid."""

    def __init__(self, goal: int) -> None:
        self.goal = goal
        with closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.server: socket.socket | None = None

    def lay(self) -> None:
        self.server = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._serve, args=(self.server,), daemon=True).start()

    def close(self) -> None:
        if self.server is not None:
            self.server.close()

    def _serve(self, server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near = server.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.goal))
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()


def _pass_on(source: socket.socket, goal: socket.socket) -> None:
    with closing(source), suppress(OSError):
        while piece := source.recv(1 << 16):
            goal.sendall(piece)
        goal.shutdown(socket.SHUT_WR)


def page(app: RunningApp, path: str) -> tuple[int, str]:
    with closing(http.client.HTTPConnection("127.0.0.1", app.port, timeout=20)) as connection:
        try:
            connection.request("GET", path, headers={"Accept": "text/html"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""


def test_app_waits_for_a_database_that_comes_late_and_is_never_half_up(postgres: Cluster, tmp_path: Path) -> None:
    line = Line(postgres.port)
    url = re.sub(r":\d+/", f":{line.port}/", postgres.new_database())
    app = RunningApp(tmp_path, DATABASE_URL=url, QRELBOARD_WORKERS="1")
    seen: list[int] = []

    def is_up() -> bool:
        status, text = page(app, "/irsc")
        seen.append(status)
        assert status != 503 or "Back in a moment" in text
        return status == 200

    app.launch()
    try:
        app.until(lambda: page(app, "/healthz")[0] == 503)
        app.until(lambda: app.words().count("the database is out of reach") >= 3)
        line.lay()
        app.until(is_up)
        app.until(lambda: bool(app.board("irsc").get("topics")))

        assert set(seen) <= {0, 503, 200}
        assert "Traceback" not in app.words()
        assert f"http://127.0.0.1:{app.port}" in app.words()
    finally:
        assert app.stop() == 0
        line.close()


def test_app_that_still_waits_stops_when_asked(tmp_path: Path) -> None:
    line = Line(0)
    app = RunningApp(tmp_path, DATABASE_URL=f"postgresql://books@127.0.0.1:{line.port}/books")
    app.launch()
    app.until(lambda: page(app, "/")[0] == 503)

    assert app.stop() == 0
    assert page(app, "/")[0] == 0
