"""`python -m leaderboard restore [--verify]`: bring books back from the archive, and prove that their scores are right.

Verifying scores every submission again, with the run file from the archive and the present gold, and compares all that
the books say of it. It changes nothing.
"""

import math
import sys
import threading
from datetime import UTC, datetime
from functools import partial

from leaderboard.archive_places import Away, Refused
from leaderboard.restoring import Restored, restore
from leaderboard.settings import Settings
from leaderboard.submissions import Progress, Submission
from leaderboard.worker import Worker


def main(settings: Settings, *, is_verified: bool) -> int:
    """Restore what the books do not have, say what came back; 1 if anything was left out or is not equal."""
    worker = Worker(settings, "restore", clock=partial(datetime.now, UTC))
    try:
        if worker.archive is None:
            _say("ARCHIVE_URL is not set: there is no archive to restore from")
            return 2
        try:
            back = restore(worker.archive.place(), worker.store, datetime.now(UTC))
        except (Refused, Away) as error:
            _say(f"the archive cannot be read: {error}")
            return 1
        n_runs = worker.bring_back_runs(threading.Event())
        _tell(back, n_runs)
        is_equal = verify(worker) if is_verified else True
        return 0 if is_equal and not back.skipped else 1
    finally:
        worker.jobs.close()
        worker.store.close()


def verify(worker: Worker) -> bool:
    """Score every scored submission again and compare; say what is not equal. True if all are."""
    n_equal, wrong = 0, 0
    for submission in worker.store.archive.scored():
        reason = difference(worker, submission)
        if reason is None:
            n_equal += 1
        else:
            wrong += 1
            _say(f"submission {submission.id}: {reason}")
    _say(f"scored again: {n_equal} equal, {wrong} not equal")
    return wrong == 0


def difference(worker: Worker, submission: Submission) -> str | None:
    """Say how a submission scored now differs from what the books have; None where it does not."""
    kept = worker.store.sheet(submission.id)
    if submission.progress is not Progress.SCORED or kept is None:
        return "there are no scores in the books"
    now = worker.examiner.sheet_of(submission.id)
    if now is None:
        return "cannot be scored"
    if now.gold_version != kept.gold_version:
        return f"the books have scores of gold {kept.gold_version}, the gold is {now.gold_version}"
    # the books keep JSON, where a tuple is a list and a count stays a count
    return None if is_same(kept.evaluation, now.evaluation) and now.n_answered == kept.n_answered else "other scores"


def is_same(left: object, right: object) -> bool:
    """Say whether two pieces of JSON are equal, numbers up to what rounding in another order may change."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(is_same, left, right))
    if isinstance(left, int | float) and isinstance(right, int | float):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)
    return left == right


def _tell(back: Restored, n_runs: int) -> None:
    for skipped in back.skipped:
        _say(f"left out: {skipped.place} ({skipped.reason})")
    left_out = len(back.skipped)
    _say(f"restored {back.n_submissions} submissions in {back.seconds:.1f} s, {n_runs} run files, {left_out} left out")


def _say(sentence: str) -> None:
    print(f"qrelboard: {sentence}", file=sys.stderr, flush=True)
