"""The queue of submissions to evaluate, on DBOS: enqueue, look, take over, run. The only importer of `dbos`.

A job is a submission's id and nothing else; what it means to evaluate one is given by the worker. Nothing here reads
the books or the gold, so that the engine could be replaced.
"""

import logging
from collections.abc import Callable, Collection, Iterable
from enum import StrEnum

from dbos import DBOS, DBOSClient, DBOSConfig
from sqlalchemy.exc import SQLAlchemyError

from leaderboard.settings import Settings

QUEUE = "evaluate"
WORKFLOW = "evaluate"
SCHEMA = "dbos"
APPLICATION = "qrelboard"
# A code change must not strand jobs of the version before, so all versions are one to the engine.
APPLICATION_VERSION = "1"
POLLING_S = 0.1
# The books count attempts and end a job that kills its workers; this ends one that never gets that far.
MAX_RECOVERIES = 50
_AT_A_TIME = 500

_log = logging.getLogger(__name__)


class JobState(StrEnum):
    """What the engine says of a job, in our words: the last three are over without an end of its own."""

    QUEUED = "queued"
    RUNNING = "running"
    ENDED = "ended"
    BROKEN = "broken"
    CRASHED = "crashed"
    CANCELLED = "cancelled"


_STATES = {
    "ENQUEUED": JobState.QUEUED,
    "DELAYED": JobState.QUEUED,
    "PENDING": JobState.RUNNING,
    "SUCCESS": JobState.ENDED,
    "ERROR": JobState.BROKEN,
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": JobState.CRASHED,
    "CANCELLED": JobState.CANCELLED,
}


def prepare(settings: Settings) -> None:
    """Make the queue's tables and the queue, or bring them up to date; several processes may do it at once."""
    _quiet()
    DBOS.migrate(_engine_url(settings), schema=SCHEMA)
    client = _client(settings)
    try:
        client.register_queue(QUEUE, worker_concurrency=1, polling_interval_sec=POLLING_S)
    finally:
        client.destroy()


class Jobs:
    """The queue as seen from outside a job; safe to share between threads."""

    def __init__(self, settings: Settings) -> None:
        _quiet()
        self._client = _client(settings)

    def enqueue(self, submission_id: str) -> bool:
        """Ask for the evaluation of a submission; asking twice is one job.

        Returns False where the queue cannot be reached: the submission waits in the books, and a worker's sweep asks
        again.
        """
        options = {
            "queue_name": QUEUE,
            "workflow_name": WORKFLOW,
            "workflow_id": submission_id,
            "serialization_type": "portable",
        }
        try:
            self._client.enqueue(options, submission_id)
        except SQLAlchemyError as error:
            _log.warning("queue out of reach, submission=%s waits (%s)", submission_id, type(error).__name__)
            return False
        return True

    def states(self, submission_ids: Iterable[str]) -> dict[str, JobState]:
        """Return the state of each job; a submission that was never enqueued is missing."""
        wanted = list(submission_ids)
        found: dict[str, JobState] = {}
        for start in range(0, len(wanted), _AT_A_TIME):
            part = wanted[start : start + _AT_A_TIME]
            for job in self._client.list_workflows(workflow_ids=part, load_input=False, load_output=False):
                found[job.workflow_id] = _STATES[job.status]
        return found

    def running(self) -> dict[str, str]:
        """Return the executor of every job that somebody has taken and not finished."""
        jobs = self._client.list_workflows(status="PENDING", queue_name=QUEUE, load_input=False, load_output=False)
        return {job.workflow_id: job.executor_id or "" for job in jobs}

    def take_over(self, submission_ids: Collection[str]) -> None:
        """Put jobs whose executor is dead back into the queue, for any worker to take."""
        if submission_ids:
            self._client.resume_workflows(list(submission_ids), queue_name=QUEUE)

    def renew(self, submission_id: str) -> None:
        """Forget an ended job and enqueue it again: for a submission that still waits although its job is over."""
        self._client.delete_workflow(submission_id)
        self.enqueue(submission_id)

    def close(self) -> None:
        """Close the connections."""
        self._client.destroy()


def launch(settings: Settings, executor: str, evaluate: Callable[[str], None]) -> None:
    """Take jobs in this process from now on, one at a time, each by calling `evaluate(submission_id)` in a thread.

    Jobs that an earlier process of the same executor name left unfinished run first; the name must therefore belong to
    one living process. `evaluate` may be called again for a job whose process died.
    """
    _quiet()
    config: DBOSConfig = {
        "name": APPLICATION,
        "system_database_url": _engine_url(settings),
        "dbos_system_schema": SCHEMA,
        "application_version": APPLICATION_VERSION,
        "executor_id": executor,
        "run_migrations": False,
        "log_level": "WARNING",
    }
    DBOS(config=config)

    def run(submission_id: str) -> None:
        evaluate(submission_id)

    DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_RECOVERIES)(run)
    DBOS.launch()


def stop() -> None:
    """Take no more jobs and let go of the database; a job in hand stays the executor's."""
    DBOS.destroy()


def _client(settings: Settings) -> DBOSClient:
    return DBOSClient(
        system_database_url=_engine_url(settings),
        dbos_system_schema=SCHEMA,
        application_name=APPLICATION,
        lazy=True,
        retry_connection_errors=False,
    )


def _engine_url(settings: Settings) -> str:
    """Return the queue's address without the driver, which the engine chooses itself."""
    return settings.jobs_url.replace("postgresql+psycopg://", "postgresql://")


def _quiet() -> None:
    logging.getLogger("dbos").setLevel(logging.WARNING)
