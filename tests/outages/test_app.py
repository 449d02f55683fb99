"""The whole app with its three processes: started, starved of a worker, orphaned, and asked to stop."""

import http.client
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from leaderboard.submissions import Progress
from tests.outages.house import TASK, House, a_house, kill

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the children of a process from /proc"),
]


class App:
    """A running app: its process, its children by role, and its address."""

    def __init__(self, house: House, **environment: str) -> None:
        self.house = house
        with closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.process = house.start_app(PORT=str(self.port), **environment)

    def child(self, role: str) -> int | None:
        """Return the process id of the child that plays a role, or None while there is none."""
        try:
            children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text("ascii").split()
            commands = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in children}
        except FileNotFoundError:
            return None
        return next((pid for pid, command in commands.items() if role.encode() in command), None)

    def status(self, path: str) -> int:
        """Return the status of a page; 0 while nobody answers."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)) as connection:
            try:
                connection.request("GET", path)
                return connection.getresponse().status
            except OSError:
                return 0

    def wait_until_ready(self) -> None:
        """Wait for the address, and for the board that the worker makes."""
        self.house.until(lambda: f"http://127.0.0.1:{self.port}" in self.house.words())
        self.house.until(lambda: self.status(f"/boards/{TASK}.json") == 200)


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One app for the tests that leave it running; its worker hangs once in the run named `hanging`."""
    with a_house(tmp_path_factory.mktemp("app")) as house:
        hanging = house.submission("hanging").id
        app = App(house, QRELBOARD_FAULT=f"gold-opened:hang-once:{hanging}")
        app.wait_until_ready()
        yield app


def test_address_is_printed_and_health_and_board_answer(app: App) -> None:
    assert (app.status("/healthz"), app.status(f"/boards/{TASK}.json")) == (200, 200)


def test_web_process_was_never_told_where_the_gold_is(app: App) -> None:
    environments = {
        role: Path(f"/proc/{app.child(role)}/environ").read_bytes()
        for role in ("web", "worker")
        if _may_read(app, role)
    }

    assert b"GOLD_SOURCE" not in environments["web"]
    assert b"GOLD_SOURCE" in environments.get("worker", b"GOLD_SOURCE")


def test_worker_killed_in_mid_job_is_restarted_and_the_run_scored_once_within_30_s(
    app: App, record_property: Callable[[str, object], None]
) -> None:
    house = app.house
    wanted = house.submit("hanging")
    house.until(lambda: (house.data / "faults" / f"gold-opened-{wanted}").exists())
    worker = app.child("worker")
    assert worker is not None

    kill(worker)
    took_s = house.until(lambda: house.is_over(wanted))

    record_property("seconds", round(took_s, 1))
    assert took_s < 30
    assert house.state(wanted).progress is Progress.SCORED
    assert house.outcomes(wanted) == ["scored"]
    assert house.state(wanted).n_attempts == 2
    assert app.child("worker") != worker


def test_killed_web_process_is_started_again(app: App) -> None:
    web = app.child("web")
    assert web is not None

    kill(web)
    app.house.until(lambda: app.child("web") not in (None, web))
    app.house.until(lambda: app.status("/healthz") == 200)


def test_children_end_when_the_app_is_killed_and_the_port_is_free(house: House) -> None:
    app = App(house)
    app.wait_until_ready()
    children = [app.child("web"), app.child("worker")]

    kill(app.process.pid)

    house.until(lambda: not any(is_alive(pid) for pid in children if pid is not None), 20)
    assert app.status("/healthz") == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_signal_stops_all_processes(house: House, number: signal.Signals) -> None:
    app = App(house)
    app.wait_until_ready()
    children = [app.child("web"), app.child("worker")]

    app.process.send_signal(number)

    assert app.process.wait(30) == 0
    assert not any(is_alive(pid) for pid in children if pid is not None)


def test_refused_setting_ends_the_app_and_is_named(house: House) -> None:
    app = house.start_app(PORT="a-port")

    assert app.wait(60) == 2
    assert "qrelboard: PORT: found 'a-port'" in house.words()


def test_port_in_use_ends_the_app_and_all_its_processes(house: House) -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        app = house.start_app(PORT=str(other.getsockname()[1]))

        assert app.wait(90) == 1
    assert house.store.workers() == {}


def _may_read(app: App, role: str) -> bool:
    """A worker that is not dumpable can be read by root alone."""
    return os.access(f"/proc/{app.child(role)}/environ", os.R_OK)
