"""A process that hands in or takes back one run and may be killed on the way: `URL FOLDER accept|publish|delete ID`."""

import sys
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from leaderboard.desk import Desk
from leaderboard.intake import Intake
from leaderboard.runs import RunStore
from leaderboard.store import Store
from tests.builders import a_form, a_run, a_task

OWNER = "o" * 43
TOPICS = ("t1", "t2")
RUN = a_run(TOPICS)


class Nobody:
    """A queue that forgets."""

    def enqueue(self, submission_id: str) -> None:
        pass


def now() -> datetime:
    return datetime.now(UTC)


def accept(books: Store, folder: Path) -> tuple[str, bool]:
    """Hand the run in; returns (id, whether it is new)."""
    intake = Intake(books, RunStore((folder / "runs").as_uri()), {"toy": a_task(folder=folder)}, Nobody(), now)
    receipt = intake.accept("toy", BytesIO(RUN), a_form(), OWNER)
    return receipt.submission_id, receipt.is_new


def main(url: str, folder: Path, action: str, submission_id: str = "") -> None:
    books = Store.open(url)
    if action == "accept":
        accept(books, folder)
    else:
        desk = Desk(books, RunStore((folder / "runs").as_uri()), now)
        getattr(desk, action)(submission_id, OWNER)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
