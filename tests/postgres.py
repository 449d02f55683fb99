"""A private PostgreSQL cluster for tests: its own folder and port, thrown away at the end, never one that is there."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

WAIT_S = 60


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running server; each test asks for a fresh database, or a schema where it needs no more."""

    port: int

    def new_database(self) -> str:
        """Create an empty database and return its URL."""
        return self._url(self._create("DATABASE"))

    def new_schema(self) -> str:
        """Create an empty schema and return a URL that sees nothing else; far cheaper than a database."""
        return f"{self._url('postgres')}?options=-csearch_path%3D{self._create('SCHEMA')}"

    def _create(self, kind: str) -> str:
        name = f"t{uuid4().hex}"
        engine = sa.create_engine(self._url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE {kind} {name}")
        engine.dispose()
        return name

    def _url(self, database: str) -> str:
        return f"postgresql+psycopg://books@127.0.0.1:{self.port}/{database}"


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _run(command: list[str], *, folder: Path, user: str | None) -> None:
    done = subprocess.run(command, cwd=folder, user=user, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """Start a cluster for the whole test run; skip where PostgreSQL is not installed."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed (no /usr/lib/postgresql/*/bin/initdb)")
    user = "nobody" if os.geteuid() == 0 else None
    # not under tmp_path: its parents are closed to the other user
    folder = Path(tempfile.mkdtemp(prefix="books-"))
    try:
        if user is not None:
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        cluster, port = folder / "cluster", _free_port()
        initdb = [binaries / "initdb", "-D", cluster, "-U", "books", "-A", "trust", "-E", "UTF8", "--no-sync"]
        _run([*map(str, initdb), "--locale=C"], folder=folder, user=user)
        light = "-c fsync=off -c full_page_writes=off -c autovacuum=off -c shared_buffers=32MB -c max_connections=150"
        options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} {light}"
        start = [binaries / "pg_ctl", "-D", cluster, "-l", folder / "log", "-w", "-o", options, "start"]
        _run([str(part) for part in start], folder=folder, user=user)
        try:
            yield Cluster(port)
        finally:
            stop = [binaries / "pg_ctl", "-D", cluster, "-m", "immediate", "-w", "stop"]
            _run([str(part) for part in stop], folder=folder, user=user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
