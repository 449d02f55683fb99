"""Who is alive: this worker's own sign of life, the end it makes of a job without end, and its judgement of the others.

Only clocks and threads; what a sign of life is written to, and what giving up means, the worker says.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

BEAT_S = 5.0
PATIENCE_S = 15.0
#: exit code of a worker that ended itself because a job ran too long
TIME_LIMIT_EXIT = 3
_LAST_WORDS_S = 10.0

_log = logging.getLogger(__name__)


class Heart:
    """Calls `beat` every 5 s from a thread of its own, for as long as the process lives."""

    def __init__(self, beat: Callable[[], object]) -> None:
        self._beat = beat

    def start(self) -> None:
        """Beat once, so that nobody takes us for dead while we start, then from a thread."""
        self._beat()
        threading.Thread(target=self._run, name="heart", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(BEAT_S)
            try:
                self._beat()
            except Exception:
                # books out of reach for a while: the next beat may get through, a thread that died never will
                _log.warning("no heartbeat written", exc_info=True)


class Bench:
    """The place of the one job in hand: ends the process when it stays too long, and closes when the worker stops."""

    def __init__(self, job_seconds: float, give_up: Callable[[str], object]) -> None:
        self._job_seconds = job_seconds
        self._give_up = give_up
        self._is_closed = False
        self._job: str | None = None
        self._changed = threading.Condition()

    @contextmanager
    def job(self, submission_id: str) -> Iterator[None]:
        """Work on one job. After closing, a job that comes in stays here and waits for the end of the process."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_closed)
            self._job = submission_id
        timer = threading.Timer(self._job_seconds, self._end, [submission_id])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            with self._changed:
                self._job = None
                self._changed.notify_all()

    def close(self, patience_s: float) -> str | None:
        """Let no job in any more and wait for the one in hand; return its id if it is not done by then."""
        with self._changed:
            self._is_closed = True
            self._changed.wait_for(lambda: self._job is None, patience_s)
            return self._job

    def _end(self, submission_id: str) -> None:
        """End the process: nothing less stops a thread. The books hear of it first, if they listen in time."""
        last = threading.Timer(_LAST_WORDS_S, os._exit, [TIME_LIMIT_EXIT])
        last.daemon = True
        last.start()
        _log.error("time limit of %g s reached, submission=%s; this worker ends", self._job_seconds, submission_id)
        try:
            self._give_up(submission_id)
        finally:
            os._exit(TIME_LIMIT_EXIT)


class Watch:
    """Judges by our own clock whether other executors live: the clocks of two machines need not agree.

    An executor is dead when its sign of life, whatever it says, has not changed for 15 s of our time.
    """

    def __init__(self, own_name: str) -> None:
        self._own_name = own_name
        self._seen: dict[str, tuple[datetime | None, float]] = {}

    def look(self, beats: Mapping[str, datetime], executors: Collection[str], now: float) -> None:
        """Take note of the signs of life, `now` in seconds of a clock that never jumps; executors may have none."""
        for name in {*beats, *executors}:
            beat = beats.get(name)
            if name not in self._seen or self._seen[name][0] != beat:
                self._seen[name] = (beat, now)

    def is_dead(self, executor: str, now: float) -> bool:
        """Return whether another executor that was looked at is dead; we ourselves never are."""
        return executor != self._own_name and now - self._seen[executor][1] > PATIENCE_S

    def is_first(self, now: float) -> bool:
        """Return whether we are the living executor with the lowest name: it takes over, so that only one does."""
        return all(name >= self._own_name or self.is_dead(name, now) for name in self._seen)
