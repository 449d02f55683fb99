"""Evaluate one submission: attempt counted, gold opened, run read, scores kept, and the books told, each under a guard.

Whatever happens to this process in between, the job can be done again from the start; the books take the first outcome
and no other. Nothing that this module logs or writes down says anything about the gold.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy.exc import InterfaceError, OperationalError

from data.task import Task
from evaluation import Evaluation, GoldError, Limits, RunReading, evaluate, read_run
from leaderboard import faults
from leaderboard.alarms import alarms
from leaderboard.downloads import forget_topic_scores, write_topic_scores
from leaderboard.logs import where
from leaderboard.odd_runs import TOP, is_near, n_topics_apart, oracle_hold, primary_of
from leaderboard.runs import RunStore
from leaderboard.sheets import open_sheet, sealed_sheet, tie_range
from leaderboard.store import Store
from leaderboard.submissions import MAX_ATTEMPTS, Actor, GoldFacts, Hold, Progress, ScoreSheet, Submission, Visibility
from leaderboard.vault import Opened, Vault

Answer = TypeVar("Answer")
# why a submission is held, for the host: in the audit and in the log
IMPOSSIBLE_NUMBER = "impossible-number"
OUT_OF_REACH = (OperationalError, InterfaceError)

_log = logging.getLogger(__name__)


class Failure(StrEnum):
    """Why a submission could not be scored: the code in the books, and a key of the texts."""

    CRASHED = "crashed"
    CANCELLED = "cancelled"
    TIME_LIMIT = "time-limit"
    MEMORY_LIMIT = "memory-limit"
    GOLD_UNAVAILABLE = "gold-unavailable"
    GOLD_CHANGED = "gold-changed"
    RUN_UNREADABLE = "run-unreadable"
    UNEXPECTED = "unexpected"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An outcome without scores."""

    code: Failure
    facts: Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Scored:
    """An outcome with scores; `hold` says why nobody may see them yet, None where nothing is wrong with them."""

    sheet: ScoreSheet
    hold: Hold | None


@dataclass(frozen=True, slots=True)
class Examiner:
    """Does the jobs of one worker. `clock` is in UTC; `executor` is the name in the books; `scale` scores a run.

    `topic_scores_folder` takes the files that submitters may have of open gold.
    """

    store: Store
    runs: RunStore
    tasks: Mapping[str, Task]
    vault: Vault
    executor: str
    max_unpacked_bytes: int
    clock: Callable[[], datetime]
    topic_scores_folder: Path
    scale: Callable[..., Evaluation] = evaluate

    def evaluate(self, submission_id: str) -> None:
        """Score one submission, or write down why not. Does nothing for one that does not wait any more.

        Raises only what keeps the books from being written to for a minute.
        """
        faults.at("job-taken", submission_id)
        n_attempts = insist(lambda: self.store.start_attempt(submission_id, self.executor, self.clock()))
        if n_attempts is None:
            return
        if n_attempts > MAX_ATTEMPTS:
            self.refuse(submission_id, Refusal(Failure.CRASHED, {"attempts": MAX_ATTEMPTS}))
            return
        faults.at("attempt-counted", submission_id)
        started = time.monotonic()
        outcome = self._outcome(submission_id)
        if isinstance(outcome, Refusal):
            self.refuse(submission_id, outcome)
            return
        if insist(lambda: self.store.record_scores(submission_id, outcome.sheet, self.clock(), hold=outcome.hold)):
            # a first start scores three dozen runs on generated gold, which nobody needs to read
            level = logging.DEBUG if outcome.sheet.gold_version == "sample" else logging.INFO
            _log.log(level, "scored submission=%s seconds=%.2f", submission_id, time.monotonic() - started)
        self._forget_if_deleted(submission_id)
        faults.at("scores-recorded", submission_id)

    def evaluate_again(self, submission_id: str) -> bool:
        """Score a scored submission on the present gold: its sheet if that is missing, and its scores by topic.

        False where that cannot be done; the submission stays as it is, and its board does not wait for it. Raises as
        `evaluate` does.
        """
        outcome = self._outcome(submission_id)
        if isinstance(outcome, Refusal):
            _log.error("cannot be scored again submission=%s code=%s", submission_id, outcome.code)
            insist(lambda: self.store.give_up_rescoring(submission_id, self.clock()))
            return False
        if insist(lambda: self.store.rescore(submission_id, outcome.sheet, self.clock(), hold=outcome.hold)):
            _log.info("scored again submission=%s gold=%s", submission_id, outcome.sheet.gold_version)
        self._forget_if_deleted(submission_id)
        return True

    def sheet_of(self, submission_id: str) -> ScoreSheet | None:
        """Score a submission on the present gold and return its sheet; the books stay as they are. None where not."""
        outcome = self._outcome(submission_id)
        return None if isinstance(outcome, Refusal) else outcome.sheet

    def gold_of(self, task_id: str) -> Opened | None:
        """Return the gold that the books speak of: scores are kept under the fingerprint which stands there."""
        opened = self.vault.open(task_id)
        if opened is not None and not _is_of(opened, insist(lambda: self.store.gold_facts(task_id))):
            opened = self.vault.open(task_id, again=True)
            if opened is not None:
                publish(self.store, opened, self.clock())
        return opened

    def refuse(self, submission_id: str, refusal: Refusal) -> None:
        """Write down that a waiting submission failed."""
        if insist(lambda: self.store.fail(submission_id, refusal.code, refusal.facts, self.clock())):
            _log.warning("failed submission=%s code=%s", submission_id, refusal.code)

    def forget_scores(self, task_id: str, submission_id: str) -> None:
        """Remove all scores by topic of a submission from this machine."""
        self.vault.forget_scores(task_id, submission_id)
        forget_topic_scores(self.topic_scores_folder, submission_id)

    def _forget_if_deleted(self, submission_id: str) -> None:
        """Leave no scores by topic of a submission that was deleted while it was scored."""
        found = insist(lambda: self.store.submission(submission_id))
        if found is not None and found.visibility is Visibility.DELETED:
            self.forget_scores(found.task_id, submission_id)

    def _outcome(self, submission_id: str) -> Scored | Refusal:
        """Score; turn every failure into its code. What the failing frames held is free before anything is written."""
        try:
            submission = insist(lambda: self.store.submission(submission_id))
            if submission is None:
                return Refusal(Failure.UNEXPECTED, {})
            return self._score(submission)
        except OUT_OF_REACH:
            raise
        except MemoryError:
            return Refusal(Failure.MEMORY_LIMIT, {})
        except FileNotFoundError:
            return Refusal(Failure.RUN_UNREADABLE, {})
        except GoldError as error:
            _log.error("gold cannot be opened submission=%s: %s", submission_id, error)
            return Refusal(Failure.GOLD_UNAVAILABLE, {})
        except Exception as error:
            _log.error("unexpected failure submission=%s %s", submission_id, where(error))
            return Refusal(Failure.UNEXPECTED, {})

    def _score(self, submission: Submission) -> Scored | Refusal:
        task, opened = self.tasks.get(submission.task_id), self.gold_of(submission.task_id)
        if task is None or opened is None:
            return Refusal(Failure.GOLD_UNAVAILABLE, {})
        faults.at("gold-opened", submission.id)
        reading = self._read(submission, task, opened)
        if reading.hits is None:
            first = reading.report.faults[0]
            return Refusal(Failure.GOLD_CHANGED, {"fault": first.code, "line": first.line or 0})
        faults.at("run-read", submission.id)
        scored = self._evaluate(task, opened, reading)
        faults.at("run-evaluated", submission.id)
        self.vault.keep_scores(opened, submission.id, scored)
        if task.gold == "open" and opened.ranked_ids is None:
            write_topic_scores(self.topic_scores_folder, submission.id, scored.scores)
        faults.at("topic-scores-kept", submission.id)
        sheet = self._sheet(submission, task, opened, reading, scored)
        hold = self._hold(task, opened, submission.id, scored)
        if hold is None and submission.progress is Progress.WAITING and _is_sealed(task, opened):
            hold = self._oracle_hold(submission, task, opened, reading, sheet)
            self._note_near_duplicate(submission, opened)
        return Scored(sheet, hold)

    def on_sealed_half(self, submission: Submission) -> float | None:
        """Return the value that ranks a submission, over the sealed half alone; None where its run is gone."""
        task, opened = self.tasks[submission.task_id], self.vault.open(submission.task_id)
        if opened is None or not opened.gold.sealed_ids:
            return None
        try:
            reading = self._read(submission, task, opened)
        except FileNotFoundError:
            return None
        found = self._evaluate(task, opened, reading, only=frozenset(opened.gold.sealed_ids)).to_json()
        return primary_of(task, ScoreSheet(opened.facts.version, found["topics"], reading.report.n_topics, found))

    def _read(self, submission: Submission, task: Task, opened: Opened) -> RunReading:
        with self.runs.open(submission.run_sha256) as stream:
            return read_run(
                stream,
                topics=opened.topic_ids,
                qrels=opened.gold.qrels,
                depth=task.depth,
                remove_identical=task.remove_identical,
                limits=Limits(size=self.max_unpacked_bytes),
            )

    def _evaluate(
        self,
        task: Task,
        opened: Opened,
        reading: RunReading,
        *,
        measures: Sequence[str] | None = None,
        only: frozenset[str] | None = None,
    ) -> Evaluation:
        return self.scale(
            opened.gold.qrels,
            reading,
            task.measure_names if measures is None else measures,
            topics=opened.gold.topics,
            axes=[axis.id for axis in task.axes],
            relevant_from=task.relevant_from,
            only=only,
        )

    def _sheet(
        self, submission: Submission, task: Task, opened: Opened, reading: RunReading, scored: Evaluation
    ) -> ScoreSheet:
        if _is_sealed(task, opened):
            live = self._evaluate(task, opened, reading, only=opened.ranked_ids)
            return sealed_sheet(task, opened, reading, live)
        primary = [task.primary.name]
        ties = tie_range(task, reading, lambda extreme: self._evaluate(task, opened, extreme, measures=primary))
        return open_sheet(submission, task, opened, scored, ties)

    def _hold(self, task: Task, opened: Opened, submission_id: str, scored: Evaluation) -> Hold | None:
        """Keep back what cannot be: better no score than a wrong one that people quote."""
        found = alarms(scored, opened.gold.qrels, relevant_from=task.relevant_from)
        if not found:
            return None
        broken = [str(alarm) for alarm in found]
        _log.error("impossible number, held submission=%s task=%s: %s", submission_id, task.id, "; ".join(broken))
        return Hold(IMPOSSIBLE_NUMBER, {"broken": broken})

    def _oracle_hold(
        self, submission: Submission, task: Task, opened: Opened, reading: RunReading, sheet: ScoreSheet
    ) -> Hold | None:
        """Hold a run on sealed gold that is too good to be found; compared are public runs alone."""
        if submission.is_sample or submission.is_baseline:
            return None
        shown = insist(lambda: self.store.published(task.id))
        best = max((primary_of(task, one) or 0.0 for _, one in shown), default=0.0)
        top = self._evaluate(task, opened, reading, measures=[TOP])
        found = oracle_hold(primary_of(task, sheet), best, top.means[TOP])
        if found is not None:
            _log.warning("oracle-like, held for the host submission=%s task=%s", submission.id, task.id)
        return found

    def _note_near_duplicate(self, submission: Submission, opened: Opened) -> None:
        """Tell the host where a run on sealed gold differs from an earlier one of its owner on hardly any topic."""
        mine = self.vault.kept_scores(opened, submission.id)
        for other in insist(lambda: self.store.earlier_of_owner(submission)):
            theirs = self.vault.kept_scores(opened, other)
            if mine is None or theirs is None or not is_near(n_topics_apart(mine, theirs), opened.facts.n_topics):
                continue
            _log.warning("near-duplicate of %s submission=%s task=%s", other, submission.id, submission.task_id)
            about = {"submission_id": submission.id, "task_id": submission.task_id, "facts": {"of": other}}
            insist(partial(self.store.note, Actor.WORKER, "near-duplicate", self.clock(), **about))
            return


def publish(store: Store, opened: Opened, now: datetime) -> bool:
    """Tell the books what all may know of a task's gold; False if they knew."""
    return insist(lambda: store.publish_gold(opened.facts, opened.topic_ids, now))


def insist(action: Callable[[], Answer], *, patience_s: float = 60.0, pause_s: float = 1.0) -> Answer:
    """Ask the books, for a minute again and again where they are out of reach: their restart is nobody's fault."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            return action()
        except OUT_OF_REACH:
            if time.monotonic() > deadline:
                raise
            time.sleep(pause_s)


def _is_sealed(task: Task, opened: Opened) -> bool:
    return task.gold != "open" or opened.ranked_ids is not None


def _is_of(opened: Opened, facts: GoldFacts | None) -> bool:
    return facts is not None and facts.fingerprint == opened.facts.fingerprint
