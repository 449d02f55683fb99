import itertools

import pytest

from leaderboard.desk import Desk, NotAllowed
from leaderboard.submissions import IllegalMove, NameTaken, Progress, Visibility
from tests.builders import a_form, a_run, at
from tests.leaderboard.hall import OWNER, TOPICS, Hall

OTHER_OWNER = "p" * 43
ACTIONS = [Desk.publish, Desk.keep_private, Desk.withdraw, Desk.delete, Desk.mark]


def names(hall: Hall, task_id: str = "toy") -> list[str]:
    return [submission.form.version for submission, _ in hall.store.published(task_id)]


def version(hall: Hall, number: int) -> str:
    """Publish one more version of a system; returns its id."""
    run = a_run(TOPICS, tag=f"v{number}")
    receipt = hall.hand_in(run, a_form(version=str(number)), minutes=number)
    hall.score(receipt.submission_id)
    hall.desk.publish(receipt.submission_id, OWNER)
    return receipt.submission_id


class TestKeys:
    @pytest.mark.parametrize("action", ACTIONS)
    @pytest.mark.parametrize("key", ["", "guess", OTHER_OWNER, "link of another"])
    def test_wrong_key_is_not_allowed_anything(self, hall: Hall, action: object, key: str) -> None:
        receipt = hall.publish()
        other = hall.publish(name="SPLADE", owner=OTHER_OWNER)
        before = hall.store.submission(receipt.submission_id)

        with pytest.raises(NotAllowed):
            action(hall.desk, receipt.submission_id, other.link_key if key == "link of another" else key)  # type: ignore[operator]

        assert hall.store.submission(receipt.submission_id) == before

    @pytest.mark.parametrize("action", ACTIONS)
    def test_unknown_submission_is_the_same_error_as_a_wrong_key(self, hall: Hall, action: object) -> None:
        receipt = hall.hand_in()
        answers = []

        for wanted, key in ((receipt.submission_id, "guess"), ("nobody", "guess"), ("nobody", OWNER)):
            with pytest.raises(NotAllowed) as refusal:
                action(hall.desk, wanted, key)  # type: ignore[operator]
            answers.append((refusal.value.code, dict(refusal.value.facts), str(refusal.value)))

        assert len(set(map(str, answers))) == 1

    def test_link_key_and_owner_key_both_open(self, hall: Hall) -> None:
        receipt = hall.hand_in()
        hall.score(receipt.submission_id)

        assert hall.desk.publish(receipt.submission_id, receipt.link_key).visibility is Visibility.PUBLIC
        assert hall.desk.keep_private(receipt.submission_id, OWNER).visibility is Visibility.PRIVATE

    def test_what_comes_back_holds_no_hash_of_a_key(self, hall: Hall) -> None:
        receipt = hall.hand_in()

        withdrawn = hall.desk.withdraw(receipt.submission_id, OWNER)

        assert (withdrawn.owner_hash, withdrawn.link_hash) == ("", "")


class TestChanges:
    def test_published_row_is_on_the_board_and_a_board_is_wanted(self, hall: Hall) -> None:
        hall.make_boards()

        receipt = hall.publish()

        assert [one.id for one, _ in hall.store.published("toy")] == [receipt.submission_id]
        assert [task_id for task_id, _ in hall.store.boards_wanted()] == ["toy"]

    def test_unscored_run_cannot_be_published(self, hall: Hall) -> None:
        with pytest.raises(IllegalMove):
            hall.desk.publish(hall.hand_in().submission_id, OWNER)

    def test_publishing_under_a_name_that_became_taken_is_refused(self, hall: Hall) -> None:
        receipt = hall.hand_in()
        hall.score(receipt.submission_id)
        hall.publish(owner=OTHER_OWNER)

        with pytest.raises(NameTaken):
            hall.desk.publish(receipt.submission_id, OWNER)

    def test_publishing_twice_changes_nothing_the_second_time(self, hall: Hall) -> None:
        receipt = hall.publish()
        hall.make_boards()
        hall.now = at(9)

        again = hall.desk.publish(receipt.submission_id, OWNER)

        assert again.published_at == at(0)
        assert hall.store.boards_wanted() == []

    def test_withdrawn_keeps_its_file_and_never_comes_back(self, hall: Hall) -> None:
        withdrawn = hall.desk.withdraw(hall.publish().submission_id, OWNER)

        assert hall.runs.exists(withdrawn.run_sha256)
        with pytest.raises(IllegalMove):
            hall.desk.publish(withdrawn.id, OWNER)

    def test_waiting_run_that_is_deleted_is_never_scored(self, hall: Hall) -> None:
        deleted = hall.desk.delete(hall.hand_in().submission_id, OWNER)

        assert (deleted.progress, deleted.failure_code) == (Progress.FAILED, "cancelled")
        assert hall.store.start_attempt(deleted.id, "worker-0", hall.now) is None

    @pytest.mark.parametrize("order", list(itertools.permutations([Desk.keep_private, Desk.withdraw, Desk.delete])))
    def test_whatever_the_owner_does_the_row_leaves_the_board(self, hall: Hall, order: tuple[object, ...]) -> None:
        receipt = hall.publish()

        order[0](hall.desk, receipt.submission_id, OWNER)  # type: ignore[operator]

        assert hall.store.published("toy") == []


class TestRows:
    def test_latest_version_stands_on_the_board_until_one_is_marked(self, hall: Hall) -> None:
        first, _ = version(hall, 1), version(hall, 2)
        assert names(hall) == ["2"]

        hall.desk.mark(first, OWNER)

        assert names(hall) == ["1"]

    @pytest.mark.parametrize("action", [Desk.keep_private, Desk.withdraw, Desk.delete])
    def test_board_falls_back_to_the_latest_when_the_marked_one_goes(self, hall: Hall, action: object) -> None:
        first, _, _ = version(hall, 1), version(hall, 2), version(hall, 3)
        hall.desk.mark(first, OWNER)

        action(hall.desk, first, OWNER)  # type: ignore[operator]

        assert names(hall) == ["3"]


class TestFiles:
    def test_deleted_file_is_gone_and_its_hash_stays(self, hall: Hall) -> None:
        deleted = hall.desk.delete(hall.publish().submission_id, OWNER)

        assert not hall.runs.exists(deleted.run_sha256)
        kept = hall.store.submission(deleted.id)
        assert kept is not None
        assert kept.run_sha256 == deleted.run_sha256
        assert hall.store.audit_trail(deleted.id)[-1].action == "deleted"

    def test_bytes_that_another_submission_has_stay(self, hall: Hall) -> None:
        one, two = hall.hand_in(), hall.hand_in(owner=OTHER_OWNER)

        deleted = hall.desk.delete(one.submission_id, OWNER)
        assert hall.runs.exists(deleted.run_sha256)

        hall.desk.delete(two.submission_id, OTHER_OWNER)
        assert not hall.runs.exists(deleted.run_sha256)

    def test_deletion_cut_short_is_finished_by_asking_again(self, hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
        receipt = hall.hand_in()
        monkeypatch.setenv("QRELBOARD_FAULT", "desk-deleted:error")
        with pytest.raises(RuntimeError):
            hall.desk.delete(receipt.submission_id, OWNER)
        monkeypatch.delenv("QRELBOARD_FAULT")

        [sha256] = hall.store.runs_to_forget()

        assert hall.runs.exists(sha256)
        hall.desk.delete(receipt.submission_id, OWNER)
        assert not hall.runs.exists(sha256)
        assert hall.store.runs_to_forget() == []
