import dataclasses
import gzip
import hashlib
import logging
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from evaluation import Limits, read_run
from leaderboard.intake import Intake, Refused, SealedDoor, UploadsClosed
from leaderboard.keys import AccountKey, key_hash, link_key, opens
from leaderboard.owners import Earlier
from leaderboard.parts.error_view import closed_sentence
from leaderboard.quota import NOBODY, Caller, QuotaExceeded, QuotaRule
from leaderboard.submissions import NameTaken, Progress, Visibility
from leaderboard.texts import texts
from tests.builders import NOON, a_form, a_run, a_task, at, some_facts
from tests.leaderboard.hall import OWNER, TOPICS, Hall
from tests.leaderboard.test_store import at_once

OTHER_OWNER = "p" * 43


class TestChecking:
    def test_good_file_is_accepted_with_its_counts(self, hall: Hall) -> None:
        check = hall.intake.check("toy", BytesIO(a_run(["t1", "t2"])))

        assert check.report.accepted
        assert (check.report.n_topics, check.n_topics_expected) == (2, 3)
        assert check.fitting_task_ids == ()

    def test_nothing_is_stored_or_enqueued(self, hall: Hall) -> None:
        hall.intake.check("toy", BytesIO(a_run(TOPICS)))

        assert hall.queue.enqueued == []
        assert hall.store.waiting() == []

    def test_faults_come_with_their_lines(self, hall: Hall) -> None:
        check = hall.intake.check("toy", BytesIO(b"t1 Q0 d1 1 nan x\nt1 Q0 d2 2\n"))

        assert not check.report.accepted
        assert [fault.line for fault in check.report.faults] == [1, 2]

    @pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
    def test_file_of_another_task_is_told_which_task_fits(self, hall: Hall, packed: bool) -> None:
        run = a_run(["q1", "q2"])

        check = hall.intake.check("toy", BytesIO(gzip.compress(run) if packed else run))

        assert not check.report.accepted
        assert check.fitting_task_ids == ("other",)

    def test_task_that_knows_most_topics_is_named_first(self, hall: Hall) -> None:
        hall.store.publish_gold(some_facts("bare"), ("q1", "q2", "z1", "z2"), NOON)

        check = hall.intake.check("toy", BytesIO(a_run(["q1", "z1", "z2"])))

        assert check.fitting_task_ids == ("bare", "other")

    def test_file_of_no_task_names_none(self, hall: Hall) -> None:
        check = hall.intake.check("toy", BytesIO(a_run(["nobody"])))

        assert (check.report.accepted, check.fitting_task_ids) == (False, ())

    def test_truncated_gzip_is_a_fault_and_no_error(self, hall: Hall) -> None:
        check = hall.intake.check("toy", BytesIO(gzip.compress(a_run(TOPICS))[:-12]))

        assert not check.report.accepted

    def test_header_fills_a_form(self, hall: Hall) -> None:
        header = "ir_metadata.start\ntag: monot5\nir_metadata.end"

        check = hall.intake.check("toy", BytesIO(a_run(TOPICS, header=header)))

        assert check.header_form == a_form("monot5")

    def test_task_without_gold_checks_the_form_of_the_file_alone(self, hall: Hall) -> None:
        check = hall.intake.check("bare", BytesIO(a_run(["anything"])))

        assert (check.report.accepted, check.n_topics_expected) == (True, None)

    def test_unknown_task_is_closed(self, hall: Hall) -> None:
        with pytest.raises(UploadsClosed) as closed:
            hall.intake.check("nowhere", BytesIO(a_run()))

        assert closed.value.code == "unknown-task"

    def test_public_documents_are_looked_up_where_the_host_gives_them(self, hall: Hall) -> None:
        (hall.catalogue["toy"].folder / "documents.txt").write_text("x1\nx2\n")

        assert not hall.intake.check("toy", BytesIO(a_run(TOPICS))).report.accepted

    def test_new_topic_list_counts_at_once(self, hall: Hall) -> None:
        hall.intake.check("toy", BytesIO(a_run(TOPICS)))
        hall.store.publish_gold(some_facts(version="2026.2"), ("n1",), at(1))

        assert hall.intake.check("toy", BytesIO(a_run(["n1"]))).n_topics_expected == 1

    def test_file_over_the_limit_is_refused(self, hall: Hall) -> None:
        small = Intake(hall.store, hall.runs, hall.catalogue, hall.queue, hall.clock, limits=Limits(size=10))

        assert not small.check("toy", BytesIO(a_run(TOPICS))).report.accepted


class TestRemembering:
    """A file that was checked is not read again; its hash proves that it is the same."""

    @pytest.fixture
    def read(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Note each reading of a run."""
        times: list[str] = []

        def noted(*given: Any, **named: Any) -> Any:
            times.append("read")
            return read_run(*given, **named)

        monkeypatch.setattr("leaderboard.intake.read_run", noted)
        return times

    def test_file_is_read_once_for_check_and_submit(self, hall: Hall, read: list[str]) -> None:
        hall.intake.check("toy", BytesIO(a_run(TOPICS)))
        receipt = hall.hand_in()

        assert receipt.is_new
        assert len(read) == 1

    def test_other_bytes_another_task_and_new_topics_are_read(self, hall: Hall, read: list[str]) -> None:
        hall.intake.check("toy", BytesIO(a_run(TOPICS)))
        hall.intake.check("toy", BytesIO(a_run(TOPICS, tag="other")))
        hall.intake.check("other", BytesIO(a_run(TOPICS)))
        hall.store.publish_gold(some_facts(version="2026.2"), ("n1",), at(1))
        found = hall.intake.check("toy", BytesIO(a_run(TOPICS)))

        assert len(read) == 4
        assert not found.report.accepted


class TestFurtherVersion:
    """A run that continues an earlier submission belongs to that one's owner, whatever browser it comes from."""

    def go_on(self, hall: Hall, earlier: Earlier, **more: Any) -> Any:
        return hall.hand_in(a_run(TOPICS, tag="second"), a_form(version="2"), earlier=earlier, **more)

    def test_link_is_enough_to_go_on_under_the_own_public_name(self, hall: Hall) -> None:
        first = hall.publish()

        receipt = self.go_on(hall, Earlier(first.submission_id, first.link_key), owner=OTHER_OWNER)

        one, two = (hall.store.submission(each.submission_id) for each in (first, receipt))
        assert one is not None
        assert two is not None
        assert (two.owner_hash, two.system_id) == (one.owner_hash, one.system_id)
        assert opens(receipt.link_key, two.link_hash)
        assert receipt.owner_key == ""

    def test_new_link_opens_the_new_submission_alone_and_leads_on(self, hall: Hall) -> None:
        first = hall.publish()
        second = self.go_on(hall, Earlier(first.submission_id, first.link_key), owner=None)

        assert hall.board.submission(first.submission_id, second.link_key).is_owner is False
        hall.score(second.submission_id)
        hall.desk.publish(second.submission_id, second.link_key)
        third = hall.hand_in(
            a_run(TOPICS, tag="third"),
            a_form(version="3"),
            owner=None,
            earlier=Earlier(second.submission_id, second.link_key),
        )

        assert hall.store.submission(third.submission_id).owner_hash == key_hash(OWNER)

    def test_browser_of_the_owner_uses_its_own_key(self, hall: Hall) -> None:
        first = hall.publish()

        receipt = self.go_on(hall, Earlier(first.submission_id, first.link_key))

        assert receipt.link_key == link_key(OWNER, receipt.submission_id)

    def test_same_click_again_is_the_same_submission(self, hall: Hall) -> None:
        first = hall.publish()
        earlier = Earlier(first.submission_id, first.link_key)

        once, again = self.go_on(hall, earlier, owner=None), self.go_on(hall, earlier, owner=None)

        assert (once.submission_id, once.is_new, again.is_new) == (again.submission_id, True, False)

    def test_receipt_always_opens_its_submission(self, hall: Hall) -> None:
        first = hall.publish()
        earlier = Earlier(first.submission_id, first.link_key)

        receipts = [self.go_on(hall, earlier, owner=None), self.go_on(hall, earlier)]

        for receipt in receipts:
            assert hall.board.submission(receipt.submission_id, receipt.link_key).is_owner

    @pytest.mark.parametrize("key", ["", "x" * 32, "wrong"])
    def test_wrong_key_speaks_for_nobody(self, hall: Hall, key: str) -> None:
        first = hall.publish()

        with pytest.raises(Refused) as refusal:
            self.go_on(hall, Earlier(first.submission_id, key), owner=OTHER_OWNER)

        assert [problem.code for problem in refusal.value.problems] == ["name-taken"]


class TestAccepting:
    def test_row_and_file_are_there_and_the_job_is_ordered(self, hall: Hall) -> None:
        receipt = hall.hand_in()

        submission = hall.store.submission(receipt.submission_id)
        assert submission is not None
        assert (submission.progress, submission.visibility) == (Progress.WAITING, Visibility.PRIVATE)
        assert (submission.n_topics, submission.n_lines, submission.submitted_at) == (3, 9, NOON)
        with hall.runs.open(submission.run_sha256) as stream:
            assert stream.read() == a_run(TOPICS)
        assert hall.queue.enqueued == [receipt.submission_id]

    def test_packed_file_is_kept_as_it_came(self, hall: Hall) -> None:
        packed = gzip.compress(a_run(TOPICS), mtime=0)

        submission = hall.store.submission(hall.hand_in(packed).submission_id)

        assert submission is not None
        with hall.runs.open(submission.run_sha256) as stream:
            assert stream.read() == packed

    def test_keys_are_kept_as_hashes_alone(self, hall: Hall) -> None:
        receipt = hall.hand_in()

        submission = hall.store.submission(receipt.submission_id)

        assert submission is not None
        stored = str(dataclasses.asdict(submission))
        assert receipt.link_key not in stored
        assert receipt.owner_key not in stored
        assert receipt.link_key == link_key(OWNER, receipt.submission_id)

    def test_same_click_twice_is_one_submission(self, hall: Hall) -> None:
        first, second = hall.hand_in(), hall.hand_in(minutes=1)

        assert (first.is_new, second.is_new) == (True, False)
        assert dataclasses.replace(second, is_new=True) == first

    def test_same_file_50_times_at_once_is_one_submission_and_50_equal_receipts(self, hall: Hall) -> None:
        receipts = at_once(50, lambda _: hall.hand_in())

        assert sum(receipt.is_new for receipt in receipts) == 1
        assert len({(r.submission_id, r.link_key, r.owner_key) for r in receipts}) == 1
        assert set(hall.queue.enqueued) == {receipts[0].submission_id}

    @pytest.mark.parametrize(
        "change",
        [{"owner": OTHER_OWNER}, {"form": a_form(version="2")}, {"task_id": "other"}, {"run": a_run(["t3"])}],
        ids=["owner", "version", "task", "file"],
    )
    def test_other_owner_version_task_or_file_is_another_submission(self, hall: Hall, change: dict[str, Any]) -> None:
        assert hall.hand_in().submission_id != hall.hand_in(**change).submission_id

    def test_note_is_not_part_of_what_makes_a_submission(self, hall: Hall) -> None:
        first = hall.hand_in()

        assert hall.hand_in(form=a_form(note="other words")).submission_id == first.submission_id

    @pytest.mark.parametrize("key", [None, "short", "with blank " * 5])
    def test_without_a_proper_owner_key_one_is_made(self, hall: Hall, key: str | None) -> None:
        receipt = hall.hand_in(owner=key)

        assert len(receipt.owner_key) == 43

    @pytest.mark.parametrize("end", ["failed", "withdrawn", "deleted"])
    def test_file_that_failed_or_was_taken_back_can_be_handed_in_again(self, hall: Hall, end: str) -> None:
        first = hall.hand_in()
        if end == "failed":
            hall.store.fail(first.submission_id, "crashed", {}, NOON)
        elif end == "withdrawn":
            hall.desk.withdraw(first.submission_id, OWNER)
        else:
            hall.desk.delete(first.submission_id, OWNER)

        second, third = hall.hand_in(minutes=1), hall.hand_in(minutes=2)

        assert (second.is_new, third.is_new) == (True, False)
        assert first.submission_id != second.submission_id == third.submission_id
        again = hall.store.submission(second.submission_id)
        assert again is not None
        assert hall.runs.exists(again.run_sha256)

    def test_form_is_stored_clean(self, hall: Hall) -> None:
        submission = hall.store.submission(hall.hand_in(form=a_form("  ＢＭ25  x ")).submission_id)

        assert submission is not None
        assert submission.form.name == "BM25 x"

    def test_notices_of_the_check_are_kept(self, hall: Hall) -> None:
        submission = hall.store.submission(hall.hand_in(a_run(["t1"])).submission_id)

        assert submission is not None
        assert "missing_topics" in {notice["code"] for notice in submission.notices}


class TestRefusing:
    def assert_nothing_kept(self, hall: Hall) -> None:
        assert hall.store.waiting() == []
        assert hall.queue.enqueued == []
        assert list(hall.public.parent.glob("runs/??/*")) == []

    def test_faulty_file_is_refused_with_its_check(self, hall: Hall) -> None:
        with pytest.raises(Refused) as refusal:
            hall.hand_in(b"t1 Q0 d1 1 nan x\n")

        assert refusal.value.code == "run-refused"
        assert refusal.value.check is not None
        assert [fault.line for fault in refusal.value.check.report.faults] == [1]
        self.assert_nothing_kept(hall)

    def test_faulty_form_is_refused_with_its_problems(self, hall: Hall) -> None:
        with pytest.raises(Refused) as refusal:
            hall.hand_in(form=a_form("", link="http://x"))

        assert refusal.value.code == "form-refused"
        assert [problem.field for problem in refusal.value.problems] == ["name", "link"]
        self.assert_nothing_kept(hall)

    def test_faults_of_form_and_file_come_together(self, hall: Hall) -> None:
        hall.publish(name="BM25", minutes=1)

        with pytest.raises(Refused) as refusal:
            hall.hand_in(b"t1 Q0 d1 1 nan x\n", a_form("bm25", link="http://x"), owner=OTHER_OWNER)

        assert [problem.field for problem in refusal.value.problems] == ["name", "link"]
        assert refusal.value.check is not None
        assert not refusal.value.check.report.accepted

    def test_name_taken_in_the_last_moment_leaves_no_file_behind(self, hall: Hall) -> None:
        hall.publish(name="BM25")
        hall.store.name_holder = lambda name: None  # type: ignore[method-assign]

        with pytest.raises(NameTaken):
            hall.hand_in(a_run(TOPICS, tag="imitation"), a_form("bm25"), owner=OTHER_OWNER)

        assert len(list(hall.public.parent.glob("runs/??/*"))) == 1

    def test_upload_that_changes_while_it_is_read_is_not_kept(self, hall: Hall) -> None:
        class Changing(BytesIO):
            n_passes = 0

            def read(self, size: int | None = -1) -> bytes:
                content = super().read(size)
                self.n_passes += not content
                return content.replace(b"d1", b"d9") if self.n_passes else content

        hall.intake.check("toy", BytesIO(a_run(TOPICS)))
        with pytest.raises(OSError, match="changed"):
            hall.intake.accept("toy", Changing(a_run(TOPICS)), a_form(), OWNER)

        self.assert_nothing_kept(hall)

    @pytest.mark.parametrize(("task_id", "code"), [("bare", "no-gold"), ("nowhere", "unknown-task")])
    def test_closed_task_takes_nothing(self, hall: Hall, task_id: str, code: str) -> None:
        assert hall.intake.closed(task_id) == code
        with pytest.raises(UploadsClosed) as closed:
            hall.hand_in(task_id=task_id)

        assert closed.value.code == code
        self.assert_nothing_kept(hall)

    def test_sealed_gold_takes_nothing_where_nobody_can_be_told_apart(self, hall: Hall, tmp_path: Path) -> None:
        sealed = a_task("sealed", folder=tmp_path / "sealed", gold="sealed")
        hall.store.publish_gold(some_facts("sealed"), TOPICS, NOON)

        def closed(door: SealedDoor, caller: Caller = NOBODY) -> str | None:
            catalogue = {**hall.catalogue, "sealed": sealed}
            intake = Intake(hall.store, hall.runs, catalogue, hall.queue, hall.clock, sealed=door)
            assert intake.closed("toy") is None
            return intake.closed("sealed", caller)

        account = Caller(account=AccountKey("64f0"))
        assert [closed(door) for door in SealedDoor] == [None, "login-needed", "no-login"]
        assert [closed(door, account) for door in SealedDoor] == [None, None, "no-login"]

    @pytest.mark.parametrize("setting", ["ARCHIVE_TOKEN", "ARCHIVE_URL", "GOLD_TOKEN"])
    def test_wrong_setting_closes_uploads_and_is_named_to_the_reader(self, hall: Hall, setting: str) -> None:
        hall.store.archive.set_state("refused", NOON, setting=setting)

        code = hall.intake.closed("toy")

        assert code is not None
        for language in ("en", "fr", "zh"):
            assert setting in closed_sentence(code, texts(language))

    def test_archive_that_is_away_closes_nothing(self, hall: Hall) -> None:
        hall.store.archive.set_state("away", NOON)

        assert hall.intake.closed("toy") is None

    def test_task_closes_when_its_gold_is_withdrawn(self, hall: Hall) -> None:
        assert hall.intake.closed("toy") is None
        hall.store.withdraw_gold("toy", NOON)

        assert hall.intake.closed("toy") == "no-gold"

    def test_taken_name_leaves_no_file_behind(self, hall: Hall) -> None:
        hall.publish(name="BM25")
        run = a_run(TOPICS, tag="imitation")

        with pytest.raises(Refused) as refusal:
            hall.hand_in(run, a_form("bm25"), owner=OTHER_OWNER)

        assert [problem.code for problem in refusal.value.problems] == ["name-taken"]

        kept = [path.name for path in hall.public.parent.glob("runs/??/*")]
        assert len(kept) == 1

    def test_taken_name_does_not_take_the_file_of_others(self, hall: Hall) -> None:
        published = hall.store.submission(hall.publish(name="BM25").submission_id)
        assert published is not None
        with hall.runs.open(published.run_sha256) as stream:
            same = stream.read()

        with pytest.raises(Refused):
            hall.hand_in(same, a_form("bm25"), owner=OTHER_OWNER)

        assert hall.runs.exists(published.run_sha256)


class TestTrouble:
    def test_queue_out_of_reach_is_left_to_the_sweep(self, hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
        hall.queue.is_broken = True

        with caplog.at_level(logging.WARNING):
            receipt = hall.hand_in()

        assert [one.id for one in hall.store.waiting()] == [receipt.submission_id]
        assert receipt.submission_id in caplog.text

    def test_second_click_enqueues_what_the_first_could_not(self, hall: Hall) -> None:
        hall.queue.is_broken = True
        receipt = hall.hand_in()
        hall.queue.is_broken = False

        hall.hand_in(minutes=1)

        assert hall.queue.enqueued == [receipt.submission_id]

    def test_file_deleted_between_storing_and_the_row_is_stored_again(self, hall: Hall) -> None:
        intake = hall.intake
        add = hall.store.add_submission

        def slowly(*arguments: Any, **named: Any) -> Any:
            new = arguments[0]
            hall.store.forget_run(new.run_sha256, lambda: hall.runs.delete(new.run_sha256))
            return add(*arguments, **named)

        hall.store.add_submission = slowly  # type: ignore[method-assign]
        receipt = intake.accept("toy", BytesIO(a_run(TOPICS)), a_form(), OWNER)

        submission = hall.store.submission(receipt.submission_id)
        assert submission is not None
        assert hall.runs.exists(submission.run_sha256)

    def test_submitting_and_deleting_the_same_bytes_at_once_never_loses_a_file_in_use(self, hall: Hall) -> None:
        def turn(number: int) -> None:
            receipt = hall.hand_in(form=a_form(f"System {number}"))
            if number % 2:
                hall.desk.delete(receipt.submission_id, OWNER)

        at_once(16, turn)

        [sha256] = {one.run_sha256 for one in hall.store.waiting()}
        assert hall.runs.exists(sha256)


class TestQuota:
    """The card of `toy` allows three a day."""

    def hand_in(self, hall: Hall, number: int, **more: Any) -> bool:
        """Hand in the run of this number; False where the quota refuses it."""
        try:
            hall.hand_in(a_run(TOPICS, tag=f"tag{number}"), a_form(version=str(number)), **more)
        except QuotaExceeded:
            return False
        return True

    def test_without_a_rule_nothing_is_limited(self, hall: Hall) -> None:
        assert all(self.hand_in(hall, number) for number in range(10))
        assert hall.intake.quota("toy", OWNER) is None

    def test_20_at_once_give_exactly_3_and_leave_no_other_file(self, hall: Hall) -> None:
        hall.set_quota(QuotaRule())

        taken = at_once(20, lambda number: self.hand_in(hall, number))

        kept = [hall.runs.exists(hashlib.sha256(a_run(TOPICS, tag=f"tag{n}")).hexdigest()) for n in range(20)]
        assert taken.count(True) == 3
        assert kept == taken
        assert len(hall.queue.enqueued) == 3

    def test_the_same_click_50_times_at_once_uses_one(self, hall: Hall) -> None:
        hall.set_quota(QuotaRule())

        receipts = at_once(50, lambda _: hall.hand_in())

        assert len({(receipt.submission_id, receipt.link_key) for receipt in receipts}) == 1
        assert hall.intake.quota("toy", OWNER).n_left == 2  # type: ignore[union-attr]

    def test_a_new_key_for_each_run_ends_at_the_share_of_the_address(self, hall: Hall) -> None:
        hall.set_quota(QuotaRule())

        taken = [self.hand_in(hall, number, owner=None, caller=Caller(address="192.0.2.7")) for number in range(20)]

        assert taken.count(True) == 12
        assert self.hand_in(hall, 20, owner=None, caller=Caller(address="192.0.2.8"))

    def test_a_run_that_is_refused_for_its_faults_uses_nothing(self, hall: Hall) -> None:
        hall.set_quota(QuotaRule())

        with pytest.raises(Refused):
            hall.hand_in(b"t1 Q0 d1 1\n")

        assert hall.intake.quota("toy", OWNER).n_left == 3  # type: ignore[union-attr]

    def test_the_hosts_own_runs_take_no_place(self, hall: Hall) -> None:
        hall.set_quota(QuotaRule())

        assert all(self.hand_in(hall, number, is_baseline=True) for number in range(5))

    @pytest.mark.parametrize(
        ("rule", "gold", "is_sample", "counts"),
        [
            (QuotaRule(True, False), "open", False, True),
            (QuotaRule(True, False), "open", True, False),
            (QuotaRule(True, True), "open", True, True),
            (QuotaRule(True, False), "sealed", True, True),
            (QuotaRule(False, False), "sealed", False, False),
            (QuotaRule(False, True), "sealed", False, True),
            (QuotaRule(False, True), "open", False, False),
        ],
    )
    def test_where_a_quota_counts(self, rule: QuotaRule, gold: str, is_sample: bool, counts: bool) -> None:
        assert rule.counts(a_task(gold=gold), is_sample=is_sample) is counts
