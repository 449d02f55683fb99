"""The web process as it runs: what it hands out, what it refuses, how it starts and stops."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from leaderboard.texts import LANGUAGES
from leaderboard.web import own_version
from tests.running import ROOT, RunningApp, running_app

pytestmark = pytest.mark.processes

CAP = 200_000
PAGES = ("", "irsc", "alloprof-mteb", "compare", "submit", "submission", "system", "about", "hosting", "reliability")


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """The web process without a worker, with a small upload cap."""
    with running_app(tmp_path_factory.mktemp("web"), QRELBOARD_WORKERS="0", QRELBOARD_MAX_UPLOAD=str(CAP)) as app:
        yield app


def send(web: RunningApp, path: str, body: bytes, **headers: str) -> tuple[int, str]:
    with closing(http.client.HTTPConnection("127.0.0.1", web.port, timeout=20)) as connection:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace")


def upload(web: RunningApp, size: int, n_files: int = 1) -> tuple[int, str]:
    part = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.run"\r\n\r\n' + b"x" * size + b"\r\n"
    return send(
        web, "/gradio_api/upload", part * n_files + b"--b--\r\n", **{"Content-Type": "multipart/form-data; boundary=b"}
    )


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("path", PAGES)
def test_every_page_answers_in_every_language(web: RunningApp, path: str, lang: str) -> None:
    _, body = web.get(f"/{path}?lang={lang}", Accept="text/html")

    text = body.decode()
    assert f'lang="{lang}"' in text[:200]
    assert "<h1>" in text
    assert "⟦" not in text


def test_no_page_before_scripts_holds_a_name_of_another_site(web: RunningApp) -> None:
    for path in PAGES:
        head = web.get(f"/{path}")[1].decode().split("<body")[0]
        assert "huggingface.co" not in head.split("window.gradio_config")[0]
        assert "fonts.g" not in head


@pytest.mark.parametrize(
    "path",
    ["books.sqlite", "jobs.sqlite", "books.sqlite-wal", "vault", "runs", "/proc/self/environ", "app.py", ".git/config"],
)
def test_no_file_of_the_machine_is_handed_out(web: RunningApp, path: str) -> None:
    place = Path(path) if path.startswith("/") else (ROOT if path in ("app.py", ".git/config") else web.data) / path

    for address in (f"/gradio_api/file={place}", f"/file={place}", f"/gradio_api/file/{place}"):
        assert web.get(address)[0] in (403, 404)


@pytest.mark.parametrize("path", ["/monitoring", "/monitoring/summary", "/gradio_api/runs", "/docs", "/openapi.json"])
def test_unused_parts_of_gradio_are_closed(web: RunningApp, path: str) -> None:
    assert web.get(path)[0] == 404


def test_upload_within_the_cap_is_taken(web: RunningApp) -> None:
    assert upload(web, CAP // 2)[0] == 200


def test_upload_over_the_cap_is_refused_in_plain_words(web: RunningApp) -> None:
    status, text = upload(web, 2 * CAP + (1 << 20))

    assert status == 413
    assert text.startswith("The upload is larger than")


def test_many_files_in_one_request_count_together(web: RunningApp) -> None:
    assert upload(web, CAP // 2, n_files=20)[0] == 413


def test_large_body_elsewhere_is_refused(web: RunningApp) -> None:
    assert send(web, "/gradio_api/run/check", b"x" * (9 << 20))[0] == 413


def test_change_from_another_site_is_refused(web: RunningApp) -> None:
    status, _ = send(web, "/gradio_api/run/check", b"{}", Origin="https://evil.example")

    assert status == 403


def test_configuration_holds_no_secret_and_no_path(web: RunningApp) -> None:
    config = web.get("/config")[1].decode()

    assert json.loads(config)["show_error"] is False
    assert str(web.data) not in config
    assert "GOLD" not in config


def test_web_environment_lacks_what_belongs_to_the_worker(tmp_path: Path) -> None:
    secret = "gold-token-of-this-test"
    with running_app(tmp_path, QRELBOARD_WORKERS="0", GOLD_TOKEN=secret) as app:
        found = [
            Path(f"/proc/{pid}/environ").read_bytes()
            for pid in filter(str.isdigit, os.listdir("/proc"))
            if b"leaderboard\0web" in _read(f"/proc/{pid}/cmdline") and str(app.port) in _environ(pid)
        ]

    assert found
    assert all(secret.encode() not in environment for environment in found)


def test_paths_for_gradio_to_hand_out_are_refused_at_start(tmp_path: Path) -> None:
    env = {**os.environ, "QRELBOARD_DATA": str(tmp_path / "data"), "GRADIO_ALLOWED_PATHS": "/"}

    ended = subprocess.run(
        [sys.executable, "-m", "leaderboard", "web"], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60
    )

    assert ended.returncode == 2
    assert "GRADIO_ALLOWED_PATHS" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_taken_port_is_named_without_a_trace(web: RunningApp, tmp_path: Path) -> None:
    env = {**os.environ, "QRELBOARD_DATA": str(tmp_path / "data"), "PORT": str(web.port)}

    ended = subprocess.run(
        [sys.executable, "-m", "leaderboard", "web"], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60
    )

    assert ended.returncode == 1
    assert f"PORT {web.port}" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_signal_stops_it_quickly_and_cleanly(tmp_path: Path) -> None:
    with running_app(tmp_path, QRELBOARD_WORKERS="0") as app:
        assert app.process is not None
        app.process.send_signal(signal.SIGTERM)

        assert app.process.wait(10) == 0
        assert "Traceback" not in app.words()


def test_version_is_that_of_the_project() -> None:
    assert own_version().count(".") == 2


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _environ(pid: str) -> str:
    return _read(f"/proc/{pid}/environ").decode("utf-8", "replace")
