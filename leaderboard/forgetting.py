"""What is left of deleted submissions beside their run file: scores by topic, here and in kept comparisons.

Runs in the worker, which alone may touch the vault. What a crash cut short is found again at the next start.
"""

from leaderboard.evaluating import Examiner


class Forgetter:
    """Removes the scores by topic of every deleted submission, once each for as long as this worker lives."""

    def __init__(self, examiner: Examiner) -> None:
        self._examiner = examiner
        self._done: set[str] = set()

    def forget(self) -> int:
        """Remove what is left of the submissions that were deleted since the last call; returns how many there were."""
        store = self._examiner.store
        if store.n_deleted() == len(self._done):
            return 0
        new = [one for one in store.deleted() if one.id not in self._done]
        for one in new:
            self._examiner.forget_scores(one.task_id, one.id)
            store.forget_comparisons(one.id)
            self._done.add(one.id)
        return len(new)
