"""Upload first, claim later: a submission of a browser's key becomes an account's. And what an account hands in."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from data.task import Task
from leaderboard.books_accounts import ClaimRefused
from leaderboard.desk import NotAllowed
from leaderboard.intake import Intake, SealedDoor, UploadsClosed
from leaderboard.keys import AccountKey, key_hash, opens
from leaderboard.quota import Caller, Claim, QuotaRule, Scope, Use, limits_of
from leaderboard.store import Store
from leaderboard.submissions import NameTaken, Progress, Visibility, system_id
from tests.builders import NOON, a_form, a_run, a_task, some_facts
from tests.leaderboard.hall import TOPICS, Hall

ADA, BOB = AccountKey("ada", "s" * 64), AccountKey("bob", "t" * 64)


@pytest.fixture
def hall(store: Store, tmp_path: Path) -> Hall:
    """As elsewhere, on both databases."""
    return Hall(store, tmp_path)


def owner_of(hall: Hall, submission_id: str) -> tuple[str, str]:
    submission = hall.store.submission(submission_id)
    assert submission is not None
    return submission.owner_hash, submission.system_id


class TestAccountsRuns:
    def test_run_of_an_account_belongs_to_it_whatever_keys_come_along(self, hall: Hall) -> None:
        receipt = hall.hand_in(caller=Caller(account=ADA))

        assert owner_of(hall, receipt.submission_id)[0] == key_hash(ADA)
        assert receipt.owner_key == ""
        assert hall.board.submission(receipt.submission_id, ADA) is not None
        assert hall.board.submission(receipt.submission_id, BOB) is None
        assert hall.board.submission(receipt.submission_id, "o" * 43) is None

    def test_its_private_link_opens_it_and_the_same_file_again_is_the_same(self, hall: Hall) -> None:
        first, again = (hall.hand_in(caller=Caller(account=ADA)) for _ in range(2))

        assert (again.submission_id, again.is_new) == (first.submission_id, False)
        assert hall.board.submission(first.submission_id, first.link_key) is not None

    def test_account_moves_its_run_from_any_browser(self, hall: Hall) -> None:
        receipt = hall.hand_in(caller=Caller(account=ADA))
        hall.score(receipt.submission_id)

        with pytest.raises(NotAllowed):
            hall.desk.publish(receipt.submission_id, BOB)
        assert hall.desk.publish(receipt.submission_id, ADA).visibility is Visibility.PUBLIC

    def test_account_is_the_same_under_another_link_secret(self, hall: Hall) -> None:
        receipt = hall.hand_in(caller=Caller(account=ADA))

        assert hall.board.submission(receipt.submission_id, AccountKey("ada", "another")) is not None


class TestSealed:
    @pytest.fixture
    def sealed(self, hall: Hall, tmp_path: Path) -> Hall:
        task = a_task("sealed", folder=tmp_path / "sealed", gold="sealed")
        task.folder.mkdir()
        catalogue: Mapping[str, Task] = {**hall.catalogue, "sealed": task}
        hall.store.publish_gold(some_facts("sealed"), TOPICS, NOON)
        hall.intake = Intake(
            hall.store,
            hall.runs,
            catalogue,
            hall.queue,
            hall.clock,
            sealed=SealedDoor.ACCOUNTS,
            quota=QuotaRule(),
        )
        return hall

    def test_sealed_board_takes_runs_from_accounts_alone_and_checks_files_of_all(self, sealed: Hall) -> None:
        with pytest.raises(UploadsClosed) as refusal:
            sealed.hand_in(task_id="sealed")

        assert refusal.value.code == "login-needed"
        assert sealed.intake.quota("sealed", "o" * 43) is None
        assert sealed.hand_in(task_id="sealed", caller=Caller(account=ADA)).is_new

    def test_quota_counts_by_account_whatever_browser_or_name(self, sealed: Hall) -> None:
        def left(caller: Caller, key: str) -> Use:
            use = sealed.intake.quota("sealed", key, caller=caller)
            assert use is not None
            return use

        ada, bob = Caller(account=ADA), Caller(account=BOB)
        before = left(ada, "o" * 43)
        sealed.hand_in(a_run(TOPICS, tag="one"), task_id="sealed", caller=ada, owner="p" * 43)

        after = left(ada, "q" * 43)
        assert (before.limit.scope, after.n_left) == (Scope.ACCOUNT, before.n_left - 1)
        assert left(bob, "o" * 43).n_left == before.n_left


class TestClaiming:
    def claim(self, hall: Hall, receipt: Any, account: AccountKey = ADA, key: str = "") -> None:
        hall.desk.claim(receipt.submission_id, key or receipt.link_key, account)

    def test_link_moves_one_submission_and_works_on(self, hall: Hall) -> None:
        first = hall.hand_in()
        other = hall.hand_in(a_run(TOPICS, tag="other"))

        self.claim(hall, first)

        assert owner_of(hall, first.submission_id) == (key_hash(ADA), system_id(key_hash(ADA), a_form().name))
        assert not opens(ADA, owner_of(hall, other.submission_id)[0])
        view = hall.board.submission(first.submission_id, first.link_key)
        assert view is not None
        assert (view.is_owner, view.is_claimable) == (True, False)

    def test_browsers_own_key_moves_the_whole_system(self, hall: Hall) -> None:
        first = hall.hand_in()
        other = hall.hand_in(a_run(TOPICS, tag="other"))

        self.claim(hall, first, key=first.owner_key)

        assert {owner_of(hall, one.submission_id)[0] for one in (first, other)} == {key_hash(ADA)}

    def test_name_and_row_go_with_a_public_submission(self, hall: Hall) -> None:
        receipt = hall.publish(name="BM25")
        hall.make_boards()

        self.claim(hall, receipt)
        hall.make_boards()

        rows = hall.board.body("toy")["rows"]  # type: ignore[index]
        assert [(row["id"], row["system"]) for row in rows] == [
            (receipt.submission_id, system_id(key_hash(ADA), "BM25"))
        ]
        later = hall.hand_in(a_run(TOPICS, tag="v2"), a_form("BM25"), caller=Caller(account=ADA))
        hall.score(later.submission_id)
        assert hall.desk.publish(later.submission_id, ADA).visibility is Visibility.PUBLIC

    def test_name_stays_while_others_are_public_under_it(self, hall: Hall) -> None:
        first, other = (hall.publish(value, name="BM25") for value in (0.4, 0.5))

        with pytest.raises(ClaimRefused) as refusal:
            self.claim(hall, first)

        assert refusal.value.code == "name-shared"
        self.claim(hall, first, key=first.owner_key)
        assert {owner_of(hall, one.submission_id)[0] for one in (first, other)} == {key_hash(ADA)}

    def test_private_ones_that_stay_have_no_name_any_more_and_the_archive_hears_of_it(self, hall: Hall) -> None:
        first = hall.publish(name="BM25")
        stays = hall.hand_in(a_run(TOPICS, tag="stays"), a_form("BM25"))

        self.claim(hall, first)

        assert [entry.action for entry in hall.store.audit_trail(stays.submission_id)][-1] == "name-moved"
        hall.score(stays.submission_id)
        with pytest.raises(NameTaken):
            hall.desk.publish(stays.submission_id, stays.link_key)

    def test_what_is_an_accounts_is_taken_by_no_other(self, hall: Hall) -> None:
        receipt = hall.hand_in()
        self.claim(hall, receipt)

        with pytest.raises(ClaimRefused) as refusal:
            self.claim(hall, receipt, BOB)

        assert refusal.value.code == "claimed-already"
        self.claim(hall, receipt)

    @pytest.mark.parametrize("key", ["x" * 32, "ada", ""])
    def test_without_the_link_nothing_is_taken(self, hall: Hall, key: str) -> None:
        receipt = hall.hand_in()

        for account in (ADA, BOB):
            with pytest.raises(NotAllowed):
                hall.desk.claim(receipt.submission_id, key, account)
        with pytest.raises(NotAllowed):
            hall.desk.claim("0" * 24, receipt.link_key, ADA)

    def test_claimed_runs_count_for_the_account_and_still_for_the_address(self, hall: Hall) -> None:
        hall.set_quota(QuotaRule())
        caller = Caller("192.0.2.1")
        receipt = hall.hand_in(caller=caller)

        def used(scope: Scope, caller: Caller, key: str | None = None) -> set[int]:
            task = hall.catalogue["toy"]
            owner = key_hash(caller.account or key or "")
            claim = Claim(owner, caller.address, limits_of(task))
            uses = hall.store.quota_uses("toy", claim, NOON)
            return {use.n_used for use in uses if use.limit.scope is scope}

        self.claim(hall, receipt)

        assert used(Scope.ACCOUNT, Caller(account=ADA)) == {1}
        assert used(Scope.ADDRESS, caller, "n" * 43) == {1}
        assert used(Scope.ACCOUNT, caller, receipt.owner_key) == {0}

    def test_waiting_run_is_scored_as_before(self, hall: Hall) -> None:
        receipt = hall.hand_in()

        self.claim(hall, receipt)
        hall.score(receipt.submission_id)

        view = hall.board.submission(receipt.submission_id, ADA)
        assert view is not None
        assert view.submission.progress is Progress.SCORED


def test_account_sees_all_that_it_handed_in_and_took_over(hall: Hall) -> None:
    claimed = hall.hand_in()
    hall.desk.claim(claimed.submission_id, claimed.link_key, ADA)
    own = hall.hand_in(a_run(TOPICS, tag="own"), minutes=1, caller=Caller(account=ADA))
    hall.hand_in(a_run(TOPICS, tag="bob"), caller=Caller(account=BOB))

    found = hall.store.accounts.runs(key_hash(ADA), 10)

    assert [one.id for one in found] == [own.submission_id, claimed.submission_id]
