"""One running app that all attacks share which do not need a gold of their own."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.attacks.wire import ask
from tests.running import RunningApp, running_app

MOST_UPLOADED = 2_000_000
TASK = "irsc"
# what the worker may know and the web process must not
SECRETS = {
    "GOLD_TOKEN": "zq-gold-token",
    "GOLD_REVISION": "zq-gold-revision",
    "ARCHIVE_TOKEN": "zq-archive-token",
    "HF_TOKEN": "zq-hub-token",
}
SCRIPT = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """The app on sample gold with a small cap for uploads; its system's temp folder is `folder / "tmp"`."""
    folder = tmp_path_factory.mktemp("target")
    (folder / "tmp").mkdir()
    limits = {"QRELBOARD_MAX_UPLOAD": str(MOST_UPLOADED), "TMPDIR": str(folder / "tmp")}
    with running_app(folder, **limits, **SECRETS) as app:
        app.until(lambda: bool(app.board(TASK).get("topics")))
        yield app


@pytest.fixture(scope="session")
def example(target: RunningApp) -> bytes:
    """A run that the task accepts."""
    return ask(target, "GET", f"/examples/{TASK}.run").body


@pytest.fixture(scope="session")
def line(example: bytes) -> bytes:
    return example.splitlines(keepends=True)[0]


@pytest.fixture(scope="session")
def config(target: RunningApp) -> dict[str, Any]:
    found: dict[str, Any] = ask(target, "GET", "/config").json
    return found
