"""The write side for strangers: check a run file without any gold, and accept it into the books and the queue.

A run is judged by public lists alone, so that no answer, and no time an answer takes, can depend on a judgement.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import BinaryIO, Protocol

from data.task import Task
from evaluation import Limits, QrelboardError, RunReport, read_run
from leaderboard import faults
from leaderboard.keys import key_hash, link_key
from leaderboard.owners import Earlier, Owner, owner_of
from leaderboard.quota import NOBODY, Caller, Claim, QuotaExceeded, QuotaRule, Use, limits_of, tightest
from leaderboard.run_header import read_header
from leaderboard.runs import RunRef, RunStore
from leaderboard.sniffing import first_topics
from leaderboard.store import Store
from leaderboard.submissions import (
    ENDED,
    FieldProblem,
    NameTaken,
    NewSubmission,
    Progress,
    SystemForm,
    check_form,
    clean_form,
    submission_id,
    system_id,
)
from leaderboard.verdicts import Verdicts, sha256_of

MAX_EDITIONS = 1_000
NO_KNOWN_TOPIC = "no_known_topic"

_log = logging.getLogger(__name__)


class Jobs(Protocol):
    """The queue as the intake sees it."""

    def enqueue(self, submission_id: str) -> object:
        """Ask for the evaluation of a submission; asking twice is one job."""


@dataclass(frozen=True, slots=True)
class Check:
    """What one can say about a file before it is handed in; `fitting_task_ids` only where no topic is of this task.

    `n_topics_expected` is None where the task has no gold here, so that only the form of the file was checked.
    """

    report: RunReport
    n_topics_expected: int | None
    header_form: SystemForm | None
    fitting_task_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the submitter keeps. `link_key` opens this submission, `owner_key` all of this browser's.

    `owner_key` is empty where an account, or an earlier submission's link alone, spoke for the owner.
    """

    submission_id: str
    link_key: str
    owner_key: str
    is_new: bool


class Refused(QrelboardError):
    """Something is to mend before a run can be accepted, all of it told at once.

    `problems` lists what is wrong with the form by field; `check` says what is wrong with the file, if it was read.
    Codes: "form-refused" where the form has problems, else "run-refused".
    """

    def __init__(self, problems: tuple[FieldProblem, ...], check: Check | None) -> None:
        n_faults = len(check.report.faults) + check.report.n_more if check else 0
        listed = ", ".join(f"{problem.field}: {problem.code}" for problem in problems)
        super().__init__(
            "form-refused" if problems else "run-refused",
            {"n_problems": len(problems), "n_faults": n_faults},
            f"The form has problems ({listed}); the run has {n_faults} faults.",
        )
        self.problems = problems
        self.check = check


class SealedDoor(StrEnum):
    """Who may hand runs in on sealed gold: everybody, as on one's own machine, accounts, or nobody.

    Where strangers are served and nobody can be told apart it is nobody: nothing would limit how often one asks.
    """

    OPEN = "open"
    ACCOUNTS = "accounts"
    CLOSED = "closed"


class UploadsClosed(QrelboardError):
    """Nothing can be handed in for this task by whoever asks.

    Codes: `unknown-task`, `no-gold`, `no-login`, `login-needed`, `setting-<its name>`.
    """

    def __init__(self, code: str, task_id: str) -> None:
        super().__init__(code, {"task": task_id[:80]}, f"Uploads for {task_id[:80]!r} are closed: {code}.")


class Intake:
    """Checks and accepts run files. Streams are binary, at their start, and seekable.

    `sealed` says who may hand in on sealed gold. `quota` says where a card's quota counts; None for nowhere.
    """

    def __init__(
        self,
        store: Store,
        runs: RunStore,
        catalogue: Mapping[str, Task],
        jobs: Jobs,
        clock: Callable[[], datetime],
        *,
        limits: Limits | None = None,
        sealed: SealedDoor = SealedDoor.OPEN,
        quota: QuotaRule | None = None,
    ) -> None:
        self._store = store
        self._runs = runs
        self._catalogue = catalogue
        self._jobs = jobs
        self._clock = clock
        self._limits = limits or Limits()
        self._sealed = sealed
        self._quota = quota
        self._topics: dict[str, tuple[int, tuple[str, ...]]] = {}
        self._documents: dict[str, frozenset[str] | None] = {}
        self._verdicts: Verdicts[Check] = Verdicts()

    def closed(self, task_id: str, caller: Caller = NOBODY) -> str | None:
        """Return why somebody can hand nothing in for a task, a code of UploadsClosed; None if uploads are open."""
        task = self._catalogue.get(task_id)
        if task is None:
            return "unknown-task"
        if task.gold == "sealed" and self._sealed is SealedDoor.CLOSED:
            return "no-login"
        if setting := self._store.archive.refused_setting():
            return f"setting-{setting.lower().replace('_', '-')}"
        if not task.has_gold or not self._topic_lists().get(task_id):
            return "no-gold"
        needs_account = task.gold == "sealed" and self._sealed is SealedDoor.ACCOUNTS
        return "login-needed" if needs_account and caller.account is None else None

    def check(self, task_id: str, stream: BinaryIO) -> Check:
        """Say everything about a file that needs no gold; stores nothing. Raises UploadsClosed for an unknown task."""
        task = self._catalogue.get(task_id)
        if task is None:
            raise UploadsClosed("unknown-task", task_id)
        return self._judge(task, stream, sha256_of(stream))

    def problems(
        self,
        form: SystemForm,
        owner_key: str | None = None,
        earlier: Earlier | None = None,
        caller: Caller = NOBODY,
    ) -> tuple[FieldProblem, ...]:
        """List everything to mend in a form, a name that is somebody else's among it."""
        return self._problems(form, owner_of(self._store, owner_key, earlier, caller.account))

    def quota(
        self, task_id: str, owner_key: str | None = None, earlier: Earlier | None = None, caller: Caller = NOBODY
    ) -> Use | None:
        """Return how much is left to somebody of the limit that they will meet first; None where no quota counts."""
        task = self._catalogue.get(task_id)
        owner = owner_of(self._store, owner_key, earlier, caller.account)
        claim = None if task is None or self.closed(task_id, caller) else self._claim(task, owner, caller)
        return None if claim is None else tightest(self._store.quota_uses(task_id, claim, self._clock()))

    def accept(
        self,
        task_id: str,
        stream: BinaryIO,
        form: SystemForm,
        owner_key: str | None = None,
        *,
        earlier: Earlier | None = None,
        caller: Caller = NOBODY,
        is_sample: bool = False,
        is_baseline: bool = False,
    ) -> Receipt:
        """Judge a file and a form, keep the file, write it into the books, order its evaluation; waits for no worker.

        The same file, owner, system and version again gives the same receipt with `is_new` False, unless the earlier
        one failed or was taken back. What an account hands in belongs to it, whatever keys come along. Without an owner
        key, or with one too short to be a secret, a new one is made, and a second click is a second row. With the key
        of an earlier submission the run belongs to that one's owner.

        Raises UploadsClosed, Refused with all that is to mend, NameTaken where somebody took the name just now, and
        QuotaExceeded. The host's own runs take no place in a quota.
        """
        if code := self.closed(task_id, caller):
            raise UploadsClosed(code, task_id)
        owner = owner_of(self._store, owner_key, earlier, caller.account)
        problems = self._problems(form, owner)
        sha256 = sha256_of(stream)
        check = self._judge(self._catalogue[task_id], stream, sha256)
        if problems or not check.report.accepted:
            raise Refused(problems, check)
        stream.seek(0)
        run = self._runs.put(stream)
        faults.at("intake-stored", task_id)
        new = self._new(task_id, run, clean_form(form), owner, check.report)
        if run.sha256 != sha256:
            self._forget(run.sha256)
            raise OSError("the upload changed while it was read")
        claim = None if is_sample or is_baseline else self._claim(self._catalogue[task_id], owner, caller)
        return self._record(replace(new, is_sample=is_sample, is_baseline=is_baseline), stream, owner, claim)

    def _claim(self, task: Task, owner: Owner, caller: Caller) -> Claim | None:
        """Return what a submission asks of the quota; None where none counts."""
        facts = self._store.gold_facts(task.id)
        if self._quota is None or facts is None or not self._quota.counts(task, is_sample=facts.is_sample):
            return None
        return Claim(owner.owner_hash, caller.address, limits_of(task))

    def _judge(self, task: Task, stream: BinaryIO, sha256: str) -> Check:
        """Read a file, unless the same bytes were judged by the same lists just now."""
        topics = self._topic_lists().get(task.id, ())
        stamps = tuple(self._topics[known][0] for known in sorted(self._topics))
        return self._verdicts.get((sha256, task.id, stamps), lambda: self._read(task, topics, stream))

    def _read(self, task: Task, topics: tuple[str, ...], stream: BinaryIO) -> Check:
        reading = read_run(
            stream,
            topics=topics or None,
            depth=task.depth,
            remove_identical=task.remove_identical,
            documents=self._public_documents(task),
            limits=self._limits,
        )
        report = reading.report
        is_foreign = any(fault.code == NO_KNOWN_TOPIC for fault in report.faults)
        return Check(
            report=report,
            n_topics_expected=len(topics) or None,
            header_form=read_header(report.header, report.tags),
            fitting_task_ids=self._fitting(task.id, stream) if is_foreign else (),
        )

    def _problems(self, form: SystemForm, owner: Owner) -> tuple[FieldProblem, ...]:
        problems = check_form(form)
        if any(problem.field == "name" for problem in problems):
            return problems
        name = clean_form(SystemForm(name=form.name)).name
        if self._store.name_holder(name) in (None, system_id(owner.owner_hash, name)):
            return problems
        return FieldProblem("name", "name-taken", {"name": name}), *problems

    def _record(self, new: NewSubmission, stream: BinaryIO, owner: Owner, claim: Claim | None) -> Receipt:
        try:
            submission, is_new = self._store.add_submission(new, self._clock(), claim=claim)
        except (NameTaken, QuotaExceeded):
            self._forget(new.run_sha256)
            raise
        if not self._runs.exists(new.run_sha256):
            # somebody deleted the same bytes between our storing them and our row; from now on the row protects them
            stream.seek(0)
            self._runs.put(stream)
        faults.at("intake-recorded", new.id)
        if submission.progress is Progress.WAITING:
            self._enqueue(new.id)
        faults.at("intake-enqueued", new.id)
        return Receipt(new.id, link_key(owner.secret, new.id), owner.owner_key, is_new)

    def _forget(self, run_sha256: str) -> None:
        """Delete a file that was just kept, unless a submission needs it."""
        self._store.forget_run(run_sha256, partial(self._runs.delete, run_sha256))

    def _enqueue(self, wanted: str) -> None:
        try:
            self._jobs.enqueue(wanted)
        except Exception:
            # row and file are safe, and a worker's sweep enqueues what waits
            _log.warning("not enqueued, left to the sweep: submission=%s", wanted, exc_info=True)

    def _new(self, task_id: str, run: RunRef, form: SystemForm, owner: Owner, report: RunReport) -> NewSubmission:
        for edition in range(MAX_EDITIONS):
            wanted = submission_id(task_id, run.sha256, owner.owner_hash, form, edition=edition)
            link_hash = key_hash(link_key(owner.secret, wanted))
            known = self._store.submission(wanted)
            is_over = known is not None and (known.progress is Progress.FAILED or known.visibility in ENDED)
            # one row has one link: who comes by another one gets a row of their own, which their receipt opens
            if known is None or (known.link_hash == link_hash and not is_over):
                break
        return NewSubmission(
            id=wanted,
            task_id=task_id,
            run_sha256=run.sha256,
            run_size_bytes=run.size_bytes,
            owner_hash=owner.owner_hash,
            link_hash=link_hash,
            form=form,
            n_lines=report.n_lines,
            n_topics=report.n_topics,
            notices=[
                {"code": n.code, "count": n.count, "line": n.line, "facts": dict(n.facts)} for n in report.notices
            ],
        )

    def _topic_lists(self) -> Mapping[str, tuple[str, ...]]:
        """Return the public topic lists of all tasks with gold, read again only where the gold changed."""
        for task_id, state in self._store.states().items():
            if self._topics.get(task_id, (-1, ()))[0] != state.gold_stamp:
                self._topics[task_id] = (state.gold_stamp, self._store.topic_ids(task_id))
        return {task_id: topics for task_id, (_, topics) in self._topics.items()}

    def _public_documents(self, task: Task) -> frozenset[str] | None:
        """Return the ids of the collection where the host gives them in `documents.txt`, one a line."""
        if task.id not in self._documents:
            path = task.folder / "documents.txt"
            ids = frozenset(path.read_text(encoding="utf-8").split()) if path.is_file() else None
            self._documents[task.id] = ids
        return self._documents[task.id]

    def _fitting(self, task_id: str, stream: BinaryIO) -> tuple[str, ...]:
        """Return the other tasks that know topics of this file, the one that knows most first."""
        stream.seek(0)
        found = first_topics(stream)
        known = {
            other: len(found.intersection(topics))
            for other, topics in self._topic_lists().items()
            if other != task_id and other in self._catalogue
        }
        return tuple(sorted((other for other, n in known.items() if n), key=lambda other: (-known[other], other)))
