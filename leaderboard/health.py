"""What a monitor may know: whether database, scoring process and archive do their work, and what waits for them."""

import threading
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from leaderboard.standings import utc_text
from leaderboard.version import own_version
from leaderboard.views import Health

FRESH_S = 1.0


class CheckUp:
    """Asks how all does at most once a second, so that asking costs the books nothing."""

    def __init__(
        self,
        health: Callable[[], Health],
        clock: Callable[[], datetime],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._health = health
        self._clock = clock
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._told: dict[str, Any] = {}
        self._until = -1.0

    def told(self) -> dict[str, Any]:
        """Return the present state as JSON; `status` is "ok", or "degraded" where one part does not do its work."""
        with self._lock:
            if self._monotonic() >= self._until:
                self._told = self._asked()
                self._until = self._monotonic() + FRESH_S
            return self._told

    def _asked(self) -> dict[str, Any]:
        base = {"time": utc_text(self._clock()), "version": own_version()}
        try:
            health = self._health()
        except SQLAlchemyError:
            return {"status": "degraded", **base, "database": "away", "queue": None, "worker": None, "archive": None}
        queue, archive = health.queue, health.archive
        is_well = not queue.is_paused and (archive is None or archive.state == "open")
        return {
            "status": "ok" if is_well else "degraded",
            **base,
            "database": "ok",
            "queue": {"waiting": queue.n_waiting, "oldest_at": _moment(queue.oldest_at)},
            "worker": {"alive": not queue.is_paused, "heard_at": _moment(queue.heard_at)},
            "archive": None
            if archive is None
            else {"state": archive.state, "waiting": archive.n_waiting, "oldest_at": _moment(archive.oldest_at)},
        }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else utc_text(moment)
