"""`kill -9` at every named step of handing in and taking back: nothing acknowledged is lost, nothing is doubled."""

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from leaderboard.runs import RunStore
from leaderboard.store import Store
from leaderboard.submissions import Progress, Visibility
from tests.builders import NOON, a_sheet, some_facts
from tests.outages.intake_process import RUN, TOPICS, accept

pytestmark = pytest.mark.processes
ROOT = Path(__file__).resolve().parent.parent.parent
SHA256 = hashlib.sha256(RUN).hexdigest()
REPEATS = range(2)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'books.sqlite'}"
    found: str = request.getfixturevalue("postgres").new_schema()
    return found


@pytest.fixture
def books(url: str) -> Iterator[Store]:
    found = Store.open(url)
    found.migrate()
    found.publish_gold(some_facts(), TOPICS, NOON)
    yield found
    found.close()


def run_and_kill(step: str, url: str, folder: Path, action: str, submission_id: str = "") -> None:
    """Do one thing in a process of its own that is killed at a step."""
    env = {**os.environ, "QRELBOARD_FAULT": f"{step}:kill", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.outages.intake_process", url, str(folder), action, submission_id]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.fixture(autouse=True)
def counted(record_property: Callable[[str, object], None]) -> None:
    """Each test below kills once; the Reliability page says how many did."""
    record_property("kills", 1)


@pytest.mark.parametrize("_repeat", REPEATS)
@pytest.mark.parametrize("step", ["intake-stored", "intake-recorded", "intake-enqueued"])
def test_killed_while_handing_in_leaves_one_submission_or_none(
    books: Store, url: str, tmp_path: Path, step: str, _repeat: int
) -> None:
    run_and_kill(step, url, tmp_path, "accept")

    is_recorded = step != "intake-stored"
    runs = RunStore((tmp_path / "runs").as_uri())
    assert [one.run_sha256 for one in books.waiting()] == [SHA256] * is_recorded
    assert runs.exists(SHA256)
    _, is_new = accept(books, tmp_path)
    assert is_new is not is_recorded
    [waiting] = books.waiting()
    with runs.open(waiting.run_sha256) as stream:
        assert stream.read() == RUN


@pytest.mark.parametrize("_repeat", REPEATS)
@pytest.mark.parametrize("step", ["desk-moved", "desk-deleted"])
def test_killed_while_deleting_is_deleted_and_the_file_follows(
    books: Store, url: str, tmp_path: Path, step: str, _repeat: int
) -> None:
    submission_id, _ = accept(books, tmp_path)
    run_and_kill(step, url, tmp_path, "delete", submission_id)

    runs = RunStore((tmp_path / "runs").as_uri())
    for sha256 in books.runs_to_forget():
        books.forget_run(sha256, partial(runs.delete, sha256))

    submission = books.submission(submission_id)
    assert submission is not None
    assert (submission.progress, submission.visibility) == (Progress.FAILED, Visibility.DELETED)
    assert not runs.exists(SHA256)


@pytest.mark.parametrize("_repeat", REPEATS)
def test_killed_after_publishing_is_public_and_a_board_is_wanted(
    books: Store, url: str, tmp_path: Path, _repeat: int
) -> None:
    submission_id, _ = accept(books, tmp_path)
    books.record_scores(submission_id, a_sheet(), NOON)
    before = dict(books.boards_wanted())["toy"]
    run_and_kill("desk-moved", url, tmp_path, "publish", submission_id)

    assert [one.id for one, _ in books.published("toy")] == [submission_id]
    assert dict(books.boards_wanted())["toy"] == before + 1
