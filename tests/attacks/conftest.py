"""One running app that all attacks share which do not need a gold of their own."""

from collections.abc import Iterator

import pytest

from tests.attacks.wire import ask
from tests.running import RunningApp, running_app

MOST_UPLOADED = 2_000_000
TASK = "irsc"


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """The app on sample gold with a small cap for uploads; its system's temp folder is `folder / "tmp"`."""
    folder = tmp_path_factory.mktemp("target")
    (folder / "tmp").mkdir()
    with running_app(folder, QRELBOARD_MAX_UPLOAD=str(MOST_UPLOADED), TMPDIR=str(folder / "tmp")) as app:
        app.until(lambda: bool(app.board(TASK).get("topics")))
        yield app


@pytest.fixture(scope="session")
def example(target: RunningApp) -> bytes:
    """A run that the task accepts."""
    return ask(target, "GET", f"/examples/{TASK}.run").body
