"""The books: one object that opens the database, holds transactions and answers one question a method.

SQLite by default, PostgreSQL by URL, the same code. The questions themselves are in `books_*`. Nothing here knows gold,
files or users; every change is a compare-and-set in one transaction, so that who comes twice changes nothing twice.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from leaderboard import books_boards, books_comparisons, books_quota, books_readings, books_rows, books_submissions
from leaderboard.books_accounts import AccountBooks
from leaderboard.books_archive import ArchiveBooks
from leaderboard.books_boards import AuditEntry, TaskState
from leaderboard.books_comparisons import MOST_ASKED
from leaderboard.comparisons import Comparison, ComparisonState, Question
from leaderboard.engine import open_engine
from leaderboard.migrations import upgrade
from leaderboard.quota import Claim, Use
from leaderboard.submissions import (
    Actor,
    GoldFacts,
    Hold,
    NewSubmission,
    Revision,
    ScoreSheet,
    Submission,
    Visibility,
)


class Store:
    """The books. Safe to share between threads; each process opens its own. Times are UTC and come from the caller."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._writer = engine.execution_options(is_write=True)
        # SQLite has one writer at a time and makes others sleep and ask again; threads of ours can queue instead
        self._turn = threading.Lock() if engine.dialect.name == "sqlite" else nullcontext()
        self.archive = ArchiveBooks(self._reading, self._writing)
        self.accounts = AccountBooks(self._reading, self._writing)

    @classmethod
    def open(cls, url: str) -> "Store":
        """Open the books at an SQLAlchemy URL; a bare `postgresql://` gets the driver that we ship."""
        return cls(open_engine(url))

    def migrate(self) -> None:
        """Bring the tables to the present shape; several processes may ask at once."""
        with self._writing() as connection:
            upgrade(connection)

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()

    # gold and its public facts

    def publish_gold(self, facts: GoldFacts, topic_ids: Sequence[str], now: datetime) -> bool:
        """Write down what all may know of a task's gold, and order a board if that changed; False if it was known."""
        with self._writing() as connection:
            return books_boards.publish_gold(connection, facts, topic_ids, now)

    def withdraw_gold(self, task_id: str, now: datetime) -> bool:
        """Forget the gold facts of a task, which closes its uploads; False if there were none."""
        with self._writing() as connection:
            return books_boards.withdraw_gold(connection, task_id, now)

    def gold_facts(self, task_id: str) -> GoldFacts | None:
        """Return the public facts of a task's gold; None if no worker has opened it."""
        with self._reading() as connection:
            return books_boards.gold_facts(connection, task_id)

    def topic_ids(self, task_id: str) -> tuple[str, ...]:
        """Return the public topic list of a task; empty if no worker has opened its gold."""
        with self._reading() as connection:
            return books_boards.topic_ids(connection, task_id)

    # one submission

    def add_submission(
        self, new: NewSubmission, now: datetime, *, claim: Claim | None = None
    ) -> tuple[Submission, bool]:
        """Insert a waiting, private submission; an existing row of this id is returned as it is.

        A new row takes a place in the quota that `claim` names. Raises NameTaken, QuotaExceeded.
        """
        with self._writing() as connection:
            return books_submissions.add(connection, new, now, claim)

    def quota_uses(self, task_id: str, claim: Claim, now: datetime) -> list[Use]:
        """Return how much is used of each limit of a claim."""
        with self._reading() as connection:
            return books_quota.uses(connection, task_id, claim, now)

    def name_holder(self, name: str) -> str | None:
        """Return the id of the public system that has this name or one that looks like it; None if there is none."""
        with self._reading() as connection:
            return books_submissions.name_holder(connection, name)

    def submission(self, submission_id: str) -> Submission | None:
        """Return a submission, or None."""
        with self._reading() as connection:
            return books_rows.find(connection, submission_id)

    def start_attempt(self, submission_id: str, executor: str, now: datetime) -> int | None:
        """Count one more attempt of a waiting submission and return the count; None if there is nothing to score."""
        with self._writing() as connection:
            return books_submissions.start_attempt(connection, submission_id, executor, now)

    def release_attempt(self, submission_id: str) -> None:
        """Take back the last attempt: its worker was asked to stop, the run is not to blame."""
        with self._writing() as connection:
            books_submissions.release_attempt(connection, submission_id)

    def record_scores(self, submission_id: str, sheet: ScoreSheet, now: datetime, *, hold: Hold | None = None) -> bool:
        """Turn a waiting submission into a scored one; False if somebody was first. Samples go public with it.

        With `hold` nobody sees the scores before the host has looked.
        """
        with self._writing() as connection:
            return books_submissions.record_scores(connection, submission_id, sheet, now, hold)

    def rescore(self, submission_id: str, sheet: ScoreSheet, now: datetime, *, hold: Hold | None = None) -> bool:
        """Add the sheet of a scored submission for another gold; False if there is nothing to add."""
        with self._writing() as connection:
            return books_submissions.rescore(connection, submission_id, sheet, now, hold)

    def fail(self, submission_id: str, code: str, facts: Mapping[str, Any], now: datetime) -> bool:
        """Turn a waiting submission into a failed one with its reason; False if somebody was first."""
        with self._writing() as connection:
            return books_submissions.fail(connection, submission_id, code, facts, now)

    def move_visibility(self, submission_id: str, to: Visibility, actor: Actor, now: datetime) -> Submission:
        """Change who can see a submission, and order a board. Raises UnknownSubmission, IllegalMove, NameTaken."""
        with self._writing() as connection:
            return books_submissions.move_visibility(connection, submission_id, to, actor, now)

    def mark(self, submission_id: str, actor: Actor, now: datetime) -> Submission:
        """Make a public submission the row of its system and task. Raises UnknownSubmission, IllegalMove."""
        with self._writing() as connection:
            return books_submissions.mark(connection, submission_id, actor, now)

    def forget_run(self, run_sha256: str, delete: Callable[[], None]) -> bool:
        """Call `delete` if no submission needs these bytes any more, while none can be added; True if called.

        `delete` must bear being called twice: after a crash the change is repeated by whoever asks `runs_to_forget`.
        """
        with self._writing() as connection:
            books_submissions.lock_run(connection, run_sha256)
            is_free = not books_submissions.is_run_in_use(connection, run_sha256)
            if is_free:
                delete()
            books_submissions.note_run_gone(connection, run_sha256)
            return is_free

    def runs_to_forget(self) -> list[str]:
        """Return the hashes of runs whose deletion was begun and not finished."""
        with self._reading() as connection:
            return books_submissions.runs_to_forget(connection)

    # many submissions

    def waiting(self) -> list[Submission]:
        """Return all submissions that wait, oldest first."""
        with self._reading() as connection:
            return books_readings.waiting(connection)

    def line(self) -> tuple[int, datetime | None]:
        """Return how many submissions wait, and when the oldest of them came."""
        with self._reading() as connection:
            return books_readings.line(connection)

    def queue_position(self, submission_id: str) -> tuple[int, int] | None:
        """Return the place of a waiting submission (1 is next) and how many wait; None if it does not wait."""
        with self._reading() as connection:
            return books_readings.queue_position(connection, submission_id)

    def published(self, task_id: str) -> list[tuple[Submission, ScoreSheet]]:
        """Return one public submission a system, marked or else latest published, that the present gold scored."""
        with self._reading() as connection:
            return books_readings.published(connection, task_id)

    def stale(self, task_id: str) -> list[Submission]:
        """Return the scored submissions that the present gold of a task has not scored, public ones first."""
        with self._reading() as connection:
            return books_readings.stale(connection, task_id)

    def rescoring(self, task_id: str) -> tuple[int, int]:
        """Return how many public submissions of a task its present gold is done with, and how many there are."""
        with self._reading() as connection:
            return books_readings.rescoring(connection, task_id)

    def give_up_rescoring(self, submission_id: str, now: datetime) -> None:
        """Note that the present gold cannot score a submission, so that no board waits for it, and order the board."""
        with self._writing() as connection:
            books_submissions.give_up_rescoring(connection, submission_id, now)

    def sheet(self, submission_id: str) -> ScoreSheet | None:
        """Return the scores of a submission: on the present gold if there, else the last ones."""
        with self._reading() as connection:
            return books_readings.sheet(connection, submission_id)

    def history(self, system_id: str) -> list[tuple[Submission, ScoreSheet | None]]:
        """Return the public submissions of a system, latest first, with their scores on the present gold."""
        with self._reading() as connection:
            return books_readings.history(connection, system_id)

    def earlier_of_owner(self, submission: Submission) -> list[str]:
        """Return the scored submissions of the same owner to the same task, latest first, at most a hundred."""
        with self._reading() as connection:
            return books_readings.earlier_of_owner(connection, submission)

    def n_deleted(self) -> int:
        """Count the deleted submissions."""
        with self._reading() as connection:
            return books_readings.n_deleted(connection)

    def deleted(self) -> list[Submission]:
        """Return all deleted submissions."""
        with self._reading() as connection:
            return books_readings.deleted(connection)

    def latest_public(self, n: int) -> list[tuple[Submission, ScoreSheet | None]]:
        """Return the n submissions that were published last, latest first, with their scores on the present gold."""
        with self._reading() as connection:
            return books_readings.latest_public(connection, n)

    # boards

    def states(self) -> dict[str, TaskState]:
        """Return the counters of all tasks, in one reading: what changed since one last looked."""
        with self._reading() as connection:
            return books_boards.states(connection)

    def want_board(self, task_id: str) -> None:
        """Order a new board of a task."""
        with self._writing() as connection:
            books_boards.want_board(connection, task_id)

    def boards_wanted(self) -> list[tuple[str, int]]:
        """Return the tasks whose board is ordered and not done, each with the count to hand to `add_revision`."""
        with self._reading() as connection:
            return books_boards.boards_wanted(connection)

    def add_revision(
        self, task_id: str, wanted: int, body: str, etag: str, now: datetime, *, number: int = 0
    ) -> Revision:
        """Make a computed board the present one; returns the present one instead if somebody was first.

        `number` is the one that the body names, one more than the present number; 0 where the body names none.
        """
        with self._writing() as connection:
            return books_boards.add_revision(connection, Revision(task_id, number, now, body, etag), wanted=wanted)

    def revision(self, task_id: str) -> Revision | None:
        """Return the present board of a task, or None."""
        with self._reading() as connection:
            return books_boards.revision(connection, task_id)

    def revision_number(self, task_id: str) -> int:
        """Return the number of a task's present board; 0 if there is none."""
        with self._reading() as connection:
            return books_boards.revision_number(connection, task_id)

    def past_revision(self, task_id: str, number: int) -> Revision | None:
        """Return a board as it was made, or None. What it names may not be public any more."""
        with self._reading() as connection:
            return books_boards.past_revision(connection, task_id, number)

    def revision_numbers(self, task_id: str, before: int | datetime, n: int) -> list[int]:
        """Return the numbers of the n boards of a task before a number or made before a moment, latest first."""
        with self._reading() as connection:
            return books_boards.revision_numbers(connection, task_id, before, n)

    def public_among(self, submission_ids: Iterable[str]) -> frozenset[str]:
        """Return those of these submissions that are public."""
        with self._reading() as connection:
            return books_readings.public_among(connection, list(dict.fromkeys(submission_ids)))

    # comparisons

    def ask_comparison(
        self, question: Question, now: datetime, *, most: int = MOST_ASKED, may_ask: Callable[[], bool] | None = None
    ) -> Comparison:
        """Return what became of a question, asking it where nobody did. Raises NotComparable where `most` wait."""
        with self._reading() as connection:
            present = books_comparisons.find(connection, question)
        if present is not None and present.state is not ComparisonState.REFUSED:
            return present
        with self._writing() as connection:
            return books_comparisons.ask(connection, question, now, most=most, may_ask=may_ask)

    def comparisons_asked(self, n: int) -> list[Question]:
        """Return the n questions that wait longest."""
        with self._reading() as connection:
            return books_comparisons.asked(connection, n)

    def answer_comparison(self, question: Question, body: Mapping[str, Any], now: datetime) -> bool:
        """Write down an answer; False if somebody was first."""
        with self._writing() as connection:
            return books_comparisons.answer(connection, question, now, body=body)

    def refuse_comparison(self, question: Question, code: str, now: datetime) -> bool:
        """Write down why there is no answer; False if somebody was first."""
        with self._writing() as connection:
            return books_comparisons.answer(connection, question, now, body=None, code=code)

    def forget_comparisons(self, submission_id: str) -> None:
        """Drop every question that names a submission, and its answer."""
        with self._writing() as connection:
            books_comparisons.forget(connection, submission_id)

    # workers and audit

    def heartbeat(self, executor: str, now: datetime) -> None:
        """Write down that a worker lives."""
        with self._writing() as connection:
            books_boards.heartbeat(connection, executor, now)

    def workers(self) -> dict[str, datetime]:
        """Return when each worker was last seen."""
        with self._reading() as connection:
            return books_boards.seen_workers(connection)

    def forget_worker(self, executor: str) -> None:
        """Strike a worker that stopped in good order off the list."""
        with self._writing() as connection:
            books_boards.forget_worker(connection, executor)

    def note(self, actor: Actor, action: str, now: datetime, **about: Any) -> None:
        """Note something in the audit: `about` has `task_id`, and perhaps `submission_id` and `facts`."""
        with self._writing() as connection:
            books_rows.note(connection, now, actor, action, **about)

    def audit_trail(self, submission_id: str) -> list[AuditEntry]:
        """Return every change of a submission, oldest first."""
        with self._reading() as connection:
            return books_boards.audit_trail(connection, submission_id)

    def _reading(self) -> AbstractContextManager[sa.Connection]:
        return self._engine.begin()

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with self._turn, self._writer.begin() as connection:
            yield connection
