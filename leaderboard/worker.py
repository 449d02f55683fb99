"""The background side: one process that evaluates submissions, makes boards, and looks after the queue and the others.

It alone holds gold. It serves nobody, and what it logs says nothing about judgements, files or tokens.
"""

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial

from data.task import Task
from evaluation import GoldError, warm
from leaderboard import jobs as queue
from leaderboard import logs, processes
from leaderboard.answering import answer_comparisons
from leaderboard.archive import Archive
from leaderboard.arrivals import Arrivals, is_quiet
from leaderboard.boards import make_boards
from leaderboard.books_archive import GOLD
from leaderboard.evaluating import Examiner, Failure, Refusal
from leaderboard.forgetting import Forgetter
from leaderboard.jobs import Jobs, JobState
from leaderboard.liveness import Bench, Heart, Watch
from leaderboard.logs import where
from leaderboard.rescoring import Rescorer
from leaderboard.restoring import Finder
from leaderboard.runs import RunStore
from leaderboard.seeding import Seeder
from leaderboard.settings import Settings
from leaderboard.store import Store
from leaderboard.submissions import MAX_ATTEMPTS, Progress, Submission
from leaderboard.surveying import Surveyor
from leaderboard.vault import Vault

SWEEP_S = 1.0
RETRY_GOLD_S = 60.0
FINISH_S = 20.0
LAST_WRITE_S = 5.0
N_FILES = 1024
WARM_AFTER_S = 30.0  # the first boards come before the compiled reader, which small files do not need
# what libraries, threads and opened gold may take beside the job itself
SPARE_BYTES = 2 << 30

_log = logging.getLogger(__name__)


class Worker:
    """Everything that one worker process does; `name` is unique among the workers of this machine."""

    def __init__(self, settings: Settings, name: str, *, clock: Callable[[], datetime]) -> None:
        self.executor = f"{socket.gethostname()}/{name}"
        self._arrivals = Arrivals(settings.task_folders, _log.error)
        self.tasks: Mapping[str, Task] = self._arrivals.catalogue
        self.store = Store.open(settings.database_url)
        kept = RunStore(settings.run_store_url)
        self.archive = Archive.of(settings, self.store, kept, clock)
        self._finder = None if self.archive is None else Finder(self.archive.place, self.store, kept)
        self.runs = RunStore(settings.run_store_url, find=None if self._finder is None else self._finder.find)
        self.jobs = Jobs(settings)
        self._settings = settings
        self._clock = clock
        self._vault = vault = Vault(settings, self.tasks)
        self.examiner = Examiner(
            store=self.store,
            runs=self.runs,
            tasks=self.tasks,
            vault=vault,
            executor=self.executor,
            max_unpacked_bytes=settings.max_unpacked_bytes,
            clock=clock,
            topic_scores_folder=settings.topic_scores_folder,
        )
        self.surveyor = Surveyor(self.examiner)
        self._rescorer = Rescorer(self.tasks, self.examiner, self.surveyor)
        self._forgetter = Forgetter(self.examiner)
        self._seeder = Seeder(settings, vault, self.store, self.runs, self.jobs, clock)
        self._bench = Bench(settings.job_seconds, self._give_up)
        self._watch = Watch(self.executor)
        self._is_first = False
        self._unprepared = {task.id: 0.0 for task in self.tasks.values() if task.has_gold}
        self._without_gold: set[str] = set()
        self._arrived: list[Task] = []

    def run(self, stop: threading.Event) -> None:
        """Work until asked to stop; then finish the job in hand within 20 s, or give its attempt back."""
        Heart(lambda: self.store.heartbeat(self.executor, self._clock())).start()
        if self._settings.job_memory_bytes:
            spare = processes.address_space_bytes() + SPARE_BYTES
            processes.limit(memory_bytes=spare + self._settings.job_memory_bytes, n_files=N_FILES)
        self.come_back(stop)
        queue.launch(self._settings, self.executor, self._do)
        _log.info("worker %s takes jobs", self.executor)
        n_samples = sum(self._vault.is_on_samples(task) for task in self.tasks.values())
        if n_samples:
            _log.info("%d boards show generated gold, marked sample; they fill within a minute", n_samples)
        processes.later(WARM_AFTER_S, warm)
        desk_work = threading.Thread(target=self._do_desk_work, args=[stop], name="desk-work", daemon=True)
        desk_work.start()
        writing = self._write_archive(stop)
        while not stop.is_set():
            self.watch_over(time.monotonic())
            stop.wait(SWEEP_S)
        writing.join(LAST_WRITE_S)
        left = self._bench.close(FINISH_S - LAST_WRITE_S)
        if left is not None:
            self.store.release_attempt(left)
        self.store.forget_worker(self.executor)
        self.store.close()
        _log.info("worker %s stops, job in hand: %s", self.executor, left or "none")

    def come_back(self, stop: threading.Event) -> None:
        """Let empty books come back from the archive before anything is written in them; wait for one that is away."""
        if self.archive is None:
            self.store.archive.forget_state()
            return
        while not stop.is_set() and self.archive.is_restore_due:
            self.archive.step()
            state = self.store.archive.state()
            if (state is not None and state.state == "refused") or not self.store.archive.is_empty():
                return
            stop.wait(SWEEP_S)

    def bring_back_runs(self, stop: threading.Event) -> int:
        """Fetch boards as they were and run files that only the archive has; returns how many run files came."""
        if self._finder is None:
            return 0
        self._finder.find_boards(stop)
        return self._finder.find_all(stop)

    def prepare_next(self, now: float) -> None:
        """Prepare one task that is not prepared yet; one whose gold is broken is tried again a minute later."""
        due = [task_id for task_id, at in self._unprepared.items() if at <= now]
        if not due:
            return
        try:
            if not self._seeder.prepare(self.tasks[due[0]]):
                self._without_gold.add(due[0])
            del self._unprepared[due[0]]
            self._note_gold(None)
        except GoldError as error:
            self._note_gold(error)
            _log.error("gold cannot be used task=%s: %s", due[0], " ".join(str(error).splitlines()))
            self._unprepared[due[0]] = now + RETRY_GOLD_S
        except Exception as error:
            _log.error("task cannot be prepared task=%s %s", due[0], where(error))
            self._unprepared[due[0]] = now + RETRY_GOLD_S

    def sweep(self, now: float) -> None:
        """Do once all that is done besides jobs: what never takes long, then what may."""
        self.watch_over(now)
        self.do_desk_work()

    def watch_over(self, now: float) -> None:
        """Look once after what others may have left behind: jobs of the dead, lost jobs, files of what was deleted.

        A part that fails is done the next time. Nothing here may take long: a dead worker's job waits for it.
        """
        self._try(self._mend_queue, partial(self._take_over, now), self._forget_runs, self._forgetter.forget)

    def do_desk_work(self) -> None:
        """Take new tasks, answer, score again, make boards, once; each may take a minute on a large board."""
        self._try(self._take_arrivals, self._answer, self._score_again, self._make_boards)

    def _do_desk_work(self, stop: threading.Event) -> None:
        """Prepare tasks and do desk work until asked to stop, in a thread of its own that nothing waits for."""
        while not stop.is_set():
            self.prepare_next(time.monotonic())
            self.do_desk_work()
            stop.wait(0.0 if 0.0 in self._unprepared.values() else SWEEP_S)

    def _write_archive(self, stop: threading.Event) -> threading.Thread:
        """Archive in a thread of its own, and bring back run files that are missing in another."""

        def write() -> None:
            if self.archive is not None:
                self.archive.run(stop, lambda: self._is_first)

        threading.Thread(target=self.bring_back_runs, args=[stop], name="run-files", daemon=True).start()
        thread = threading.Thread(target=write, name="archive", daemon=True)
        thread.start()
        return thread

    def _note_gold(self, error: GoldError | None) -> None:
        """Tell the pages where gold on the Hub cannot be read and nobody gave a token for it, or that it can again."""
        if self._settings.gold_folder is not None:
            return
        if error is None:
            self.store.archive.forget_state(GOLD)
        elif error.code == "gold_unavailable" and not self._settings.gold_token:
            self.store.archive.set_state("refused", self._clock(), setting="GOLD_TOKEN", place=GOLD)

    def _try(self, *parts: Callable[[], object]) -> None:
        for part in parts:
            try:
                part()
            except Exception as error:
                _log.error("sweep incomplete %s", where(error))

    def _take_arrivals(self) -> None:
        """Prepare the tasks that a host added, and those whose gold has come."""
        self._arrived.extend(self._arrivals.look())
        while self._arrived:
            task = self._arrived.pop()
            _log.info("new task=%s", task.id)
            if task.has_gold and self._vault.package_of(task) is None:
                self._unprepared[task.id] = 0.0
            elif task.has_gold:
                self._without_gold.add(task.id)
        for task_id in list(self._without_gold):
            package = self._vault.package_of(self.tasks[task_id])
            if package is not None and is_quiet(package, time.time()):
                self._without_gold.discard(task_id)
                self._unprepared[task_id] = 0.0

    def _mend_queue(self) -> None:
        """Enqueue what waits without a job, and bring the queue's verdicts into the books."""
        waiting = self.store.waiting()
        states = self.jobs.states(one.id for one in waiting) if waiting else {}
        for one in waiting:
            state = states.get(one.id)
            if state is None:
                self.jobs.enqueue(one.id)
            elif state not in (JobState.QUEUED, JobState.RUNNING):
                self._settle(one, state)

    def _settle(self, submission: Submission, state: JobState) -> None:
        """Deal with a job that is over for the queue while the books, read before, say that it waits."""
        present = self.store.submission(submission.id)
        if present is None or present.progress is not Progress.WAITING:
            return
        if state is JobState.CRASHED:
            self.examiner.refuse(present.id, Refusal(Failure.CRASHED, {"attempts": MAX_ATTEMPTS}))
        elif state is JobState.CANCELLED:
            self.examiner.refuse(present.id, Refusal(Failure.CANCELLED, {}))
        elif present.n_attempts >= MAX_ATTEMPTS:
            self.examiner.refuse(present.id, Refusal(Failure.UNEXPECTED, {}))
        else:
            _log.warning("job done without an outcome in the books, again submission=%s", present.id)
            self.jobs.renew(present.id)

    def _take_over(self, now: float) -> None:
        """Put the jobs of dead workers back into the queue; only the first of the living does."""
        running = self.jobs.running()
        self._watch.look(self.store.workers(), frozenset(running.values()), now)
        self._is_first = self._watch.is_first(now)
        if not self._is_first:
            return
        orphans = {job: executor for job, executor in running.items() if self._watch.is_dead(executor, now)}
        for job, executor in orphans.items():
            _log.warning("taking over submission=%s of %s", job, executor)
        self.jobs.take_over(orphans)

    def _answer(self) -> None:
        answer_comparisons(self.store, self.tasks, self.surveyor, self._clock)

    def _score_again(self) -> None:
        """Score one submission again if its gold changed or its scores are lost; only the first of the living does."""
        if self._is_first:
            self._rescorer.score_next()

    def _make_boards(self) -> None:
        make_boards(self.store, self.tasks, self._clock, self.surveyor)

    def _forget_runs(self) -> None:
        """Finish deletions that a process began and did not live to finish."""
        for sha256 in self.store.runs_to_forget():
            self.store.forget_run(sha256, partial(self.runs.delete, sha256))

    def _do(self, submission_id: str) -> None:
        # another worker may have opened a task to uploads that this one has not seen yet
        self._arrived.extend(self._arrivals.look())
        with self._bench.job(submission_id):
            self.examiner.evaluate(submission_id)

    def _give_up(self, submission_id: str) -> None:
        refusal = Refusal(Failure.TIME_LIMIT, {"seconds": self._settings.job_seconds})
        self.examiner.refuse(submission_id, refusal)


def main(settings: Settings, name: str) -> int:
    """Run one worker until SIGTERM or SIGINT; the process then ends whatever its threads do."""
    processes.forbid_dumps()
    processes.share_few_arenas()
    logs.set_up((settings.data_folder, *filter(None, (settings.gold_folder,))))
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    Worker(settings, name or f"pid-{os.getpid()}", clock=partial(datetime.now, UTC)).run(stop)
    logging.shutdown()
    os._exit(0)
