"""How far a submission got: the present step is marked, and what is over says when."""

import re
from dataclasses import replace
from typing import Any

import pytest

from leaderboard.parts.progress_view import Standing, spoken, steps
from leaderboard.submissions import Progress, Submission
from leaderboard.texts import texts
from leaderboard.views import Archiving
from tests.builders import at
from tests.leaderboard.hall import Hall

EN = texts("en")


@pytest.fixture
def waiting(hall: Hall) -> Submission:
    submission = hall.store.submission(hall.hand_in().submission_id)
    assert submission is not None
    return submission


def standing(
    submission: Submission, *, queue: tuple[int, int] | None = None, is_paused: bool = False, **more: Any
) -> Standing:
    return Standing(replace(submission, **more), queue, is_paused)


def present(shown: str) -> str:
    found = re.search(r'aria-current="step">.*?<strong>(.*?)</strong><span class="q-mile-note">(.*?)</span>', shown)
    assert found is not None
    return f"{found[1]}: {found[2]}"


def test_waiting_says_its_place(waiting: Submission) -> None:
    shown = steps(standing(waiting, queue=(3, 5)), at(1), EN)

    assert present(shown) == "Waiting: 3 of 5 in the queue"
    assert "2026-03-01 12:00:00 UTC" in shown


@pytest.mark.parametrize(
    ("archiving", "told"),
    [
        (None, "12:00:00 UTC</time></span>"),
        (Archiving.UNDERWAY, "UTC</time><br>not archived yet</span>"),
        (Archiving.ARCHIVED, "UTC</time><br>archived</span>"),
        (Archiving.AWAY, "UTC</time><br>not archived yet: the archive is out of reach; it is tried again</span>"),
    ],
)
def test_received_says_whether_it_is_archived(waiting: Submission, archiving: Archiving | None, told: str) -> None:
    shown = steps(replace(standing(waiting), archiving=archiving), at(1), EN)

    assert told in shown


def test_first_in_the_queue_is_next(waiting: Submission) -> None:
    assert present(steps(standing(waiting, queue=(1, 5)), at(1), EN)) == "Waiting: next in the queue"


def test_scoring_says_since_when(waiting: Submission) -> None:
    shown = steps(standing(waiting, started_at=at(1)), at(2.2), EN)

    assert present(shown) == "Scoring: since 1 min 12 s"


def test_done_says_how_long_it_took(waiting: Submission) -> None:
    over = {"progress": Progress.SCORED, "started_at": at(1), "finished_at": at(1.001)}

    shown = steps(standing(waiting, **over), at(9), EN)

    assert present(shown).startswith("Done:")
    assert "scored in 1 s" in shown
    assert shown.count("is-done") == 4


def test_failure_is_the_last_step(waiting: Submission) -> None:
    over = {"progress": Progress.FAILED, "started_at": at(1), "finished_at": at(2)}

    shown = steps(standing(waiting, **over), at(9), EN)

    assert present(shown).startswith("Failed:")
    assert "is-failed" in shown
    assert ">Done<" not in shown


def test_pause_is_said_while_something_waits(waiting: Submission) -> None:
    assert "Scoring is paused" in steps(standing(waiting, queue=(1, 1), is_paused=True), at(1), EN)

    over = {"progress": Progress.SCORED, "started_at": at(1), "finished_at": at(2)}
    assert "Scoring is paused" not in steps(standing(waiting, is_paused=True, **over), at(1), EN)


def test_live_region_says_one_sentence(waiting: Submission) -> None:
    scored = standing(waiting, progress=Progress.SCORED)

    assert spoken(standing(waiting, queue=(3, 5)), "", "", EN) == "Waiting: 3 of 5 in the queue."
    assert spoken(standing(waiting, started_at=at(1)), "", "", EN) == "Scoring."
    assert spoken(scored, "0.812", "R@10", EN) == "Scored: R@10 0.812."
    assert spoken(standing(waiting, progress=Progress.FAILED), "", "", EN) == "Scoring failed."
