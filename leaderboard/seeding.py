"""Prepare a task when a worker starts: its gold, what all may know of it, and sample rows where gold is generated.

Everything here can be done again at any time and by several workers at once: what is there already is left alone.
"""

import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

from data.samples import SampleRun, sample_runs, write_public_files
from data.task import Task
from evaluation import read_run
from leaderboard.evaluating import publish
from leaderboard.jobs import Jobs
from leaderboard.runs import RunStore
from leaderboard.settings import Settings
from leaderboard.store import Store
from leaderboard.submissions import NameTaken, NewSubmission, SystemForm, Training, submission_id
from leaderboard.vault import Opened, Vault, put_folder

# What stands where the hash of an owner's key stands: no key has it, so nobody owns the sample rows.
OWNER = "sample"
N_SAMPLES = 6

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Seeder:
    """Prepares tasks; `clock` is in UTC."""

    settings: Settings
    vault: Vault
    store: Store
    runs: RunStore
    jobs: Jobs
    clock: Callable[[], datetime]

    def prepare(self, task: Task) -> bool:
        """Open the gold of a task and publish its facts; with generated gold, also public files and sample rows.

        Returns whether gold is there; a task without takes no uploads. Raises GoldError where a package is broken.
        """
        if self.vault.is_on_samples(task):
            self.vault.write_sample_gold(task)
            self._write_public_files(task)
        else:
            shutil.rmtree(self.settings.public_folder / task.id, ignore_errors=True)
        opened = self.vault.open(task.id)
        if opened is None:
            self.store.withdraw_gold(task.id, self.clock())
            return False
        if publish(self.store, opened, self.clock()):
            facts = opened.facts
            level = logging.DEBUG if facts.is_sample else logging.INFO
            words = "gold task=%s version=%s topics=%d %s"
            _log.log(level, words, task.id, facts.version, facts.n_topics, facts.fingerprint)
        if opened.facts.is_sample:
            self._add_samples(task, opened)
        return True

    def _write_public_files(self, task: Task) -> None:
        if not (self.settings.public_folder / task.id).exists():
            folder = self.settings.public_folder
            put_folder(folder / task.id, lambda unfinished: write_public_files(task, unfinished))

    def _add_samples(self, task: Task, opened: Opened) -> None:
        """Hand in one run of each simulated system, as anybody would, if they are not in the books."""
        waiting = [one for one in self.store.waiting() if one.task_id == task.id]
        shown = [one for one, _ in self.store.published(task.id)]
        if sum(one.is_sample for one in (*waiting, *shown)) >= N_SAMPLES:
            return
        for sample in sample_runs(task, opened.gold):
            new = self._submission(task, opened, sample)
            try:
                submission, is_new = self.store.add_submission(new, self.clock())
            except NameTaken:
                _log.warning("sample left out, its name is taken task=%s name=%s", task.id, sample.name)
                continue
            if is_new:
                self.jobs.enqueue(submission.id)

    def _submission(self, task: Task, opened: Opened, sample: SampleRun) -> NewSubmission:
        form = SystemForm(
            name=sample.name,
            version=sample.version,
            params_millions=sample.params_millions,
            open_weights=sample.open_weights,
            run_type=sample.run_type,
            training=Training.NONE,
            run_is_public=True,
        )
        kept = self.runs.put(BytesIO(sample.bytes))
        report = read_run(BytesIO(sample.bytes), topics=opened.topic_ids, depth=task.depth).report
        return NewSubmission(
            id=submission_id(task.id, kept.sha256, OWNER, form),
            task_id=task.id,
            run_sha256=kept.sha256,
            run_size_bytes=kept.size_bytes,
            owner_hash=OWNER,
            link_hash=OWNER,
            form=form,
            n_lines=report.n_lines,
            n_topics=report.n_topics,
            notices=[
                {"code": n.code, "count": n.count, "line": n.line, "facts": dict(n.facts)} for n in report.notices
            ],
            is_baseline=sample.is_baseline,
            is_sample=True,
        )
