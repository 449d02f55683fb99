"""Every change that an owner makes after a submission was accepted: who may, in one place, and what else it entails.

The right key is asked for first, and a wrong one learns nothing: not even whether there is such a submission.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import BinaryIO

from evaluation import QrelboardError
from leaderboard import faults
from leaderboard.keys import AccountKey, Key, key_hash, opens
from leaderboard.runs import RunStore
from leaderboard.store import Store
from leaderboard.submissions import Actor, Submission, Visibility, without_keys


class NotAllowed(QrelboardError):
    """There is no such submission for the holder of this key."""

    def __init__(self) -> None:
        super().__init__("not-allowed", {}, "There is no such submission for the holder of this key.")


class Desk:
    """Changes submissions for their owners. Every method returns the submission as it is then.

    `key` is the submission's link key or the owner's key. All raise NotAllowed, and IllegalMove where the state of the
    submission does not allow the change; asking for what is so already changes nothing and is no error.
    """

    def __init__(self, store: Store, runs: RunStore, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._runs = runs
        self._clock = clock

    def publish(self, submission_id: str, key: Key) -> Submission:
        """Show a scored submission on the board. Raises NameTaken if a look-alike of its name is public already."""
        return self._move(submission_id, key, Visibility.PUBLIC)

    def keep_private(self, submission_id: str, key: Key) -> Submission:
        """Take a public submission off the board; it can be published again."""
        return self._move(submission_id, key, Visibility.PRIVATE)

    def withdraw(self, submission_id: str, key: Key) -> Submission:
        """Take a submission off for good, and keep its file."""
        return self._move(submission_id, key, Visibility.WITHDRAWN)

    def delete(self, submission_id: str, key: Key) -> Submission:
        """Take a submission off for good and delete its file, unless another submission has the same bytes.

        If the process ends in between, a worker's sweep deletes the file.
        """
        deleted = self._move(submission_id, key, Visibility.DELETED)
        faults.at("desk-deleted", submission_id)
        self._store.forget_run(deleted.run_sha256, partial(self._runs.delete, deleted.run_sha256))
        return deleted

    def mark(self, submission_id: str, key: Key) -> Submission:
        """Make a public submission the row of its system on the board of its task."""
        self._authorise(submission_id, key)
        return without_keys(self._store.mark(submission_id, Actor.OWNER, self._clock()))

    def claim(self, submission_id: str, key: Key, account: AccountKey) -> Submission:
        """Move a submission that a browser handed in to an account. Raises ClaimRefused.

        The browser's own key moves all of its system; a link opens one submission, and moves that one.
        """
        submission = self._authorise(submission_id, key)
        is_whole = opens(key, submission.owner_hash)
        owner_hash = key_hash(account)
        return without_keys(self._store.accounts.claim(submission_id, owner_hash, self._clock(), is_whole=is_whole))

    def open_run(self, submission_id: str, key: Key | None = None) -> BinaryIO:
        """Open the run file as it was handed in, for its owner, or for all where it is public and its owner said so.

        Raises NotAllowed, also where the file was deleted.
        """
        submission = self._store.submission(submission_id)
        hashes = (submission.link_hash, submission.owner_hash) if submission else (None, None)
        is_owner = opens(key, *hashes)
        if submission is None or not submission.has_run or not (is_owner or submission.is_run_shown):
            raise NotAllowed
        return self._runs.open(submission.run_sha256)

    def _move(self, submission_id: str, key: Key, to: Visibility) -> Submission:
        self._authorise(submission_id, key)
        moved = self._store.move_visibility(submission_id, to, Actor.OWNER, self._clock())
        faults.at("desk-moved", submission_id)
        return without_keys(moved)

    def _authorise(self, submission_id: str, key: Key) -> Submission:
        submission = self._store.submission(submission_id)
        hashes = (submission.link_hash, submission.owner_hash) if submission else (None, None)
        if submission is None or not opens(key, *hashes):
            raise NotAllowed
        return submission
