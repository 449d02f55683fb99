"""The read side: what the pages ask, answered from finished boards and a few rows of the books.

Computes no score. What changes rarely is kept in memory and thrown away when the books' counters say so; the counters
are read at most once a second, whatever the number of readers.
"""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from data.published import PublishedRow, read_published
from data.task import Task
from leaderboard.books_boards import TaskState
from leaderboard.books_comparisons import MOST_ASKED, OWNERS_PLACES
from leaderboard.comparisons import Comparison, NotComparable, Question
from leaderboard.downloads import topic_scores_file
from leaderboard.history import History
from leaderboard.keys import Key, is_account_hash, opens
from leaderboard.standings import MOST_DIGITS, columns_of, make_board, shown_digits, with_own_certainty
from leaderboard.store import Store
from leaderboard.submissions import GoldFacts, Progress, Revision, ScoreSheet, Submission, Visibility, without_keys
from leaderboard.views import (
    ArchiveHealth,
    Archiving,
    Entry,
    Health,
    HomeCard,
    Leader,
    Place,
    QueueHealth,
    Rescoring,
    SubmissionView,
    SystemView,
)

POLL_S = 1.0
# a worker beats every few seconds; after this long without one, scoring is called paused
WORKER_PATIENCE = timedelta(seconds=30)
PUBLISHED_FOLDER = Path(__file__).resolve().parent.parent / "data" / "published"

_NOTHING = TaskState(0, 0)


class Board:
    """Answers readers. Safe to share between threads.

    Args:
        store: the books.
        catalogue: all tasks by id, in the order of the home page.
        clock: the present moment in UTC.
        public_folder: holds `<task>/example.run` of tasks on sample gold.
        topic_scores_folder: holds the scores by topic of submissions on open gold.
        published_folder: holds the numbers reported elsewhere.
        monotonic: seconds that never go back, for the age of what is kept.
    """

    def __init__(
        self,
        store: Store,
        catalogue: Mapping[str, Task],
        clock: Callable[[], datetime],
        *,
        public_folder: Path | None = None,
        topic_scores_folder: Path | None = None,
        published_folder: Path = PUBLISHED_FOLDER,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.catalogue = catalogue
        self.history = History(store)
        self._store = store
        self._clock = clock
        self._public_folder = public_folder
        self._topic_scores_folder = topic_scores_folder
        self._published_folder = published_folder
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._looked_at = -POLL_S
        self._states: Mapping[str, TaskState] = {}
        self._latest: dict[int, list[Entry]] = {}
        self._facts: dict[str, tuple[int, GoldFacts | None]] = {}
        self._boards: dict[str, tuple[Revision, Mapping[str, Any]]] = {}
        self._published: dict[str, tuple[PublishedRow, ...]] = {}

    def facts(self, task_id: str) -> GoldFacts | None:
        """Return the public facts of a task's gold; None where nothing can be scored."""
        stamp = self._state(task_id).gold_stamp
        kept = self._facts.get(task_id)
        if kept is None or kept[0] != stamp:
            kept = (stamp, self._store.gold_facts(task_id) if stamp else None)
            self._facts[task_id] = kept
        return kept[1]

    def revision(self, task_id: str) -> Revision | None:
        """Return the present board of a task; None if the task is unknown or has none yet."""
        found = self._board(task_id)
        return found and found[0]

    def body(self, task_id: str) -> Mapping[str, Any] | None:
        """Return the present board as its JSON says it; None if the task is unknown or has none yet."""
        found = self._board(task_id)
        return found and found[1]

    def rescoring(self, task_id: str) -> Rescoring | None:
        """Return how far the runs of a task are scored on a gold that its board does not show yet; None if it does."""
        found, facts = self._board(task_id), self.facts(task_id)
        if found is None or facts is None or found[1]["gold"]["fingerprint"] == facts.fingerprint:
            return None
        return Rescoring(*self._store.rescoring(task_id), facts.version, found[1]["gold"]["version"])

    def is_paused(self) -> bool:
        """Tell whether no worker has been heard of lately, so that nothing is scored or compared."""
        return self._is_silent(self._store.workers().values())

    def queue_health(self) -> QueueHealth:
        """Return how the queue does now."""
        n_waiting, oldest_at = self._store.line()
        heard = self._store.workers().values()
        return QueueHealth(n_waiting, oldest_at, max(heard, default=None), self._is_silent(heard))

    def health(self) -> Health:
        """Return how queue and archive do now."""
        state = self._store.archive.state()
        archive = None if state is None else ArchiveHealth(state.state, *self._store.archive.lag())
        return Health(self.queue_health(), archive)

    def home(self) -> list[HomeCard]:
        """Return a card for each task, in the order of the catalogue."""
        return [self._card(task) for task in self.catalogue.values()]

    def latest(self, n: int) -> list[Entry]:
        """Return the submissions that were published last, latest first."""
        self._refresh()
        kept = self._latest.get(n)
        if kept is None:
            kept = self._latest[n] = self._entries(self._store.latest_public(n))
        return kept

    def submission(self, submission_id: str, key: Key | None = None) -> SubmissionView | None:
        """Return the page of a submission. One that is not public looks like an unknown one without the right key."""
        submission = self._store.submission(submission_id)
        hashes = (submission.link_hash, submission.owner_hash) if submission else (None, None)
        is_owner = opens(key, *hashes)
        if submission is None or not (is_owner or submission.visibility is Visibility.PUBLIC):
            return None
        task = self.catalogue.get(submission.task_id)
        if task is None:
            return None
        if submission.visibility is Visibility.PUBLIC:
            self._refresh(at_once=True)  # read after the submission: what was ordered with its last change is seen
        has_scores = submission.progress is Progress.SCORED and submission.visibility is not Visibility.HELD
        sheet = self._store.sheet(submission_id) if has_scores else None
        rank, is_on_board = self._rank(task, submission, sheet)
        is_waiting = submission.progress is Progress.WAITING
        is_due = submission.visibility is Visibility.PUBLIC and self._state(task.id).is_board_due
        return SubmissionView(
            task=task,
            facts=self.facts(task.id),
            submission=without_keys(submission),
            is_owner=is_owner,
            queue=self._store.queue_position(submission_id) if is_waiting else None,
            is_paused=(is_waiting or is_due) and self.is_paused(),
            sheet=sheet,
            board=self._own_board(task, submission, sheet),
            rank=rank,
            place=Place.ON_BOARD if is_on_board else self._other_place(submission),
            is_board_due=is_due,
            rivals=self._rivals(task, submission) if is_owner else (),
            archiving=self._archiving(submission),
            is_claimable=is_owner and not submission.is_sample and not is_account_hash(submission.owner_hash),
        )

    def system(self, system_id: str) -> SystemView | None:
        """Return the page of a system; None if it has nothing public."""
        history = self._entries(self._store.history(system_id))
        if not history:
            return None
        place = {task_id: number for number, task_id in enumerate(self.catalogue)}
        shown = sorted((entry for entry in history if entry.is_on_board), key=lambda entry: place[entry.task.id])
        return SystemView(system_id, history[0].submission.form.name, tuple(shown), tuple(history))

    def example_run(self, task_id: str) -> Path | None:
        """Return a task's example run, that of the sample gold while it stands in; None if there is none."""
        task = self.catalogue.get(task_id)
        if task is None:
            return None
        facts = self.facts(task_id)
        sample = self._public_folder / task_id / "example.run" if self._public_folder else None
        shipped = task.folder / "example.run"
        order = (sample, shipped) if facts is not None and facts.is_sample else (shipped, None)
        return next((path for path in order if path is not None and path.is_file()), None)

    def comparison(self, task_id: str, ids: Sequence[str], may_ask: Callable[[], bool] | None = None) -> Comparison:
        """Return what became of comparing rows of a board with the first of them, and ask for it where nobody did.

        A worker answers within a second or two: ask again while the state is "asked". Raises NotComparable where these
        rows can never be compared, where too many comparisons wait, or "busy" too where a new one is one too many for
        who asks: `may_ask` is called for nothing else.
        """
        return self._ask(task_id, ids, must_be_rows=ids, may_ask=may_ask)

    def against(self, submission_id: str, key: Key | None, reference: str) -> Comparison:
        """Return what became of comparing an owner's submission, shown or not, with a row of the board that they chose.

        As `comparison`; NotComparable "not-on-board" too for whoever has not the key, and while it is held.
        """
        submission = self._store.submission(submission_id)
        hashes = (submission.link_hash, submission.owner_hash) if submission else (None, None)
        if not opens(key, *hashes) or submission is None or not submission.is_comparable:
            raise NotComparable("not-on-board")
        ids = [reference, submission.id]
        return self._ask(submission.task_id, ids, must_be_rows=[reference], most=MOST_ASKED + OWNERS_PLACES)

    def topic_scores(self, submission_id: str, key: Key | None) -> Path | None:
        """Return the file of scores by topic for the holder of the key; None for all others, and on sealed gold.

        None too while the submission is held, and for one that was deleted or not scored yet.
        """
        submission = self._store.submission(submission_id)
        hashes = (submission.link_hash, submission.owner_hash) if submission else (None, None)
        if not opens(key, *hashes) or submission is None or self._topic_scores_folder is None:
            return None
        facts = self.facts(submission.task_id)
        is_shut = submission.visibility in (Visibility.HELD, Visibility.DELETED)
        if facts is None or facts.kind != "open" or submission.progress is not Progress.SCORED or is_shut:
            return None
        path = topic_scores_file(self._topic_scores_folder, submission.id)
        return path if path.is_file() else None

    def published_elsewhere(self, task_id: str) -> tuple[PublishedRow, ...]:
        """Return the numbers of a task that others reported, in the order of their file. Raises CardError."""
        if task_id not in self.catalogue:
            return ()
        if task_id not in self._published:
            self._published[task_id] = read_published(self._published_folder, task_id)
        return self._published[task_id]

    def _ask(self, task_id: str, ids: Sequence[str], *, must_be_rows: Sequence[str], **limits: Any) -> Comparison:
        found, facts = self._board(task_id), self.facts(task_id)
        if found is None or facts is None:
            raise NotComparable("no-board")
        if facts.kind != "open":
            raise NotComparable("sealed-gold")
        question = Question.of(task_id, facts.fingerprint, ids)
        if not {row["id"] for row in found[1]["rows"]}.issuperset(must_be_rows):
            raise NotComparable("not-on-board")
        return self._store.ask_comparison(question, self._clock(), **limits)

    def _archiving(self, submission: Submission) -> Archiving | None:
        state = self._store.archive.state()
        if state is None or submission.is_sample:
            return None
        if self._store.archive.is_archived(submission.id):
            return Archiving.ARCHIVED
        return Archiving.UNDERWAY if state.state == "open" else Archiving.AWAY

    def _refresh(self, *, at_once: bool = False) -> Mapping[str, TaskState]:
        with self._lock:
            if at_once or self._monotonic() - self._looked_at >= POLL_S:
                self._states = self._store.states()
                self._latest = {}
                self._looked_at = self._monotonic()
            return self._states

    def _is_silent(self, heard: Iterable[datetime]) -> bool:
        return all(self._clock() - moment > WORKER_PATIENCE for moment in heard)

    def _state(self, task_id: str) -> TaskState:
        return self._refresh().get(task_id, _NOTHING)

    def _board(self, task_id: str) -> tuple[Revision, Mapping[str, Any]] | None:
        number = self._state(task_id).revision_number
        kept = self._boards.get(task_id)
        if number == 0 or task_id not in self.catalogue:
            return None
        if kept is None or kept[0].number < number:
            revision = self._store.revision(task_id)
            if revision is None:
                return None
            kept = self._boards[task_id] = (revision, json.loads(revision.body))
        return kept

    def _card(self, task: Task) -> HomeCard:
        found = self._board(task.id)
        rows = found[1]["rows"] if found else []
        first = next((row for row in rows if not row.get("is_gone")), None)
        return HomeCard(
            task=task,
            facts=self.facts(task.id),
            leader=first and Leader(first["name"], first["version"], first["system"], first["scores"][0]),
            n_systems=len(rows),
            digits=found[1]["digits"] if found else MOST_DIGITS,
            updated_at=found[0].made_at if found else None,
        )

    def _entries(self, listed: list[tuple[Submission, ScoreSheet | None]]) -> list[Entry]:
        entries = []
        for submission, sheet in listed:
            task = self.catalogue.get(submission.task_id)
            if task is not None:
                rank, is_on_board = self._rank(task, submission, sheet)
                score = None if sheet is None else _primary(task, sheet)
                found, facts = self._board(task.id), self.facts(task.id)
                entries.append(
                    Entry(
                        task=task,
                        submission=without_keys(submission),
                        sheet=sheet,
                        score=score,
                        rank=rank if is_on_board else None,
                        digits=MOST_DIGITS if facts is None else shown_digits(facts),
                        board=found[1] if found and is_on_board else None,
                    )
                )
        return entries

    def _rank(
        self, task: Task, submission: Submission, sheet: ScoreSheet | None
    ) -> tuple[tuple[int, int] | None, bool]:
        """Return (rank, rows) on the present board, or as it would be in the place of its system's row; and which."""
        found = self._board(task.id)
        facts = self.facts(task.id)
        if found is None or facts is None or sheet is None or sheet.gold_version != facts.version:
            return None, False
        rows = found[1]["rows"]
        if submission.visibility is Visibility.PUBLIC:
            for row in rows:
                if row["id"] == submission.id:
                    return (row["rank"], len(rows)), True
        mine = _primary(task, sheet)
        others = [row["scores"][0] for row in rows if row["system"] != submission.system_id]
        n_better = sum(score is not None and (mine is None or score > mine) for score in others)
        return (n_better + 1, len(others) + 1), False

    def _other_place(self, submission: Submission) -> Place:
        found = self._board(submission.task_id)
        has_row = found is not None and any(row["system"] == submission.system_id for row in found[1]["rows"])
        return Place.OTHER if has_row else Place.NOWHERE

    def _rivals(self, task: Task, submission: Submission) -> tuple[Mapping[str, Any], ...]:
        """Return the other rows of a board on open gold, where topics have values of the measure that it ranks by."""
        found, facts = self._board(task.id), self.facts(task.id)
        is_by_topic = columns_of(task)[0].mean != "groups"
        if found is None or facts is None or facts.kind != "open" or not is_by_topic or not submission.is_comparable:
            return ()
        return tuple(row for row in found[1]["rows"] if row["id"] != submission.id)

    def _own_board(self, task: Task, submission: Submission, sheet: ScoreSheet | None) -> Mapping[str, Any] | None:
        facts = self.facts(task.id)
        if sheet is None or facts is None:
            return None
        board = make_board([(submission, sheet)], task, facts)
        return with_own_certainty(board, sheet, self._row(submission)) if board["rows"] else None

    def _row(self, submission: Submission) -> Mapping[str, Any] | None:
        """Return the row of a public submission as the present board has it."""
        found = self._board(submission.task_id)
        if found is None or submission.visibility is not Visibility.PUBLIC:
            return None
        return next((row for row in found[1]["rows"] if row["id"] == submission.id), None)


def _primary(task: Task, sheet: ScoreSheet) -> float | None:
    column = columns_of(task)[0]
    return sheet.value(column.measure, column.mean)
