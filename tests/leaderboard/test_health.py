"""What /healthz tells: each part by its own state, nothing secret, and no more than one look a second."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.exc import OperationalError

from leaderboard.health import FRESH_S, CheckUp
from leaderboard.version import own_version
from leaderboard.views import ArchiveHealth, Health, QueueHealth

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
WELL = QueueHealth(2, NOON - timedelta(minutes=1), NOON, is_paused=False)


def told(health: Health) -> dict[str, object]:
    return CheckUp(lambda: health, lambda: NOON).told()


def test_all_is_well() -> None:
    assert told(Health(WELL, ArchiveHealth("open", 3, NOON))) == {
        "status": "ok",
        "time": "2026-11-30T12:00:00Z",
        "version": own_version(),
        "database": "ok",
        "queue": {"waiting": 2, "oldest_at": "2026-11-30T11:59:00Z"},
        "worker": {"alive": True, "heard_at": "2026-11-30T12:00:00Z"},
        "archive": {"state": "open", "waiting": 3, "oldest_at": "2026-11-30T12:00:00Z"},
    }


def test_without_an_archive_there_is_none() -> None:
    assert (told(Health(WELL, None))["status"], told(Health(WELL, None))["archive"]) == ("ok", None)


@pytest.mark.parametrize(
    "health",
    [
        Health(QueueHealth(0, None, None, is_paused=True), None),
        Health(WELL, ArchiveHealth("away", 1, NOON)),
        Health(WELL, ArchiveHealth("refused", 1, NOON)),
    ],
)
def test_part_that_does_not_do_its_work_degrades_the_whole(health: Health) -> None:
    assert told(health)["status"] == "degraded"


def test_database_that_is_away_is_told_without_its_words() -> None:
    def broken() -> Health:
        raise OperationalError("SELECT secret", {}, Exception("postgresql://user:secret@host"))

    said = CheckUp(broken, lambda: NOON).told()

    assert (said["status"], said["database"]) == ("degraded", "away")
    assert "secret" not in json.dumps(said)


def test_books_are_asked_once_a_second() -> None:
    asked: list[int] = []
    now = [0.0]

    def health() -> Health:
        asked.append(1)
        return Health(WELL, None)

    check_up = CheckUp(health, lambda: NOON, lambda: now[0])
    for _ in range(50):
        check_up.told()
    assert len(asked) == 1
    now[0] = FRESH_S
    check_up.told()

    assert len(asked) == 2
