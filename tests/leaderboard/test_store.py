"""The contract of the books, the same on SQLite and on PostgreSQL."""

import dataclasses
import itertools
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from threading import Barrier, Thread
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from leaderboard.store import Store
from leaderboard.submissions import (
    Actor,
    IllegalMove,
    NameTaken,
    Progress,
    Submission,
    UnknownSubmission,
    Visibility,
)
from tests.builders import NOON, a_form, a_sheet, a_submission, at, some_facts

PUBLIC, PRIVATE, HELD = Visibility.PUBLIC, Visibility.PRIVATE, Visibility.HELD
WITHDRAWN, DELETED = Visibility.WITHDRAWN, Visibility.DELETED


def add(store: Store, minutes: float = 0, **fields: Any) -> Submission:
    return store.add_submission(a_submission(**fields), at(minutes))[0]


def scored(store: Store, minutes: float = 0, value: float = 0.5, **fields: Any) -> Submission:
    submission = add(store, minutes, **fields)
    assert store.record_scores(submission.id, a_sheet(value), at(minutes))
    return submission


def public(store: Store, minutes: float = 0, value: float = 0.5, **fields: Any) -> Submission:
    submission = scored(store, minutes, value, **fields)
    return store.move_visibility(submission.id, PUBLIC, Actor.OWNER, at(minutes))


def at_once(n: int, action: Callable[[int], Any]) -> list[Any]:
    """Start an action in n threads at one moment and return what each gave."""
    start = Barrier(n)

    def run(number: int) -> Any:
        start.wait()
        return action(number)

    with ThreadPoolExecutor(n) as threads:
        return list(threads.map(run, range(n)))


def ids(pairs: Iterable[tuple[Submission, object]]) -> list[str]:
    return [submission.id for submission, _ in pairs]


@pytest.fixture
def gold(store: Store) -> Store:
    """Books that know the gold of the task "toy"."""
    store.publish_gold(some_facts(), ["t1", "t2"], NOON)
    return store


class TestAdding:
    def test_new_submission_is_waiting_and_private(self, gold: Store) -> None:
        submission, is_new = gold.add_submission(a_submission(), NOON)

        assert is_new
        assert (submission.progress, submission.visibility, submission.n_attempts) == (Progress.WAITING, PRIVATE, 0)
        assert gold.submission(submission.id) == submission

    def test_every_field_comes_back_as_it_went_in(self, gold: Store) -> None:
        form = a_form(
            "通义 检索",
            version="2",
            link="https://example.org",
            params_millions=568.5,
            open_weights=True,
            note="a\nb é",
        )
        notices = ({"code": "missing_topics", "count": 2, "line": None, "facts": {}},)

        submission = add(gold, form=form, notices=notices, is_baseline=True)

        assert form == submission.form
        assert [dict(notices[0])] == list(submission.notices)
        assert submission.is_baseline
        assert submission.submitted_at == NOON

    def test_same_submission_twice_is_one_row(self, gold: Store) -> None:
        first, _ = gold.add_submission(a_submission(), NOON)

        second, is_new = gold.add_submission(a_submission(), at(5))

        assert (first, False) == (second, is_new)

    def test_same_submission_50_times_at_once_is_one_row_and_50_equal_receipts(self, gold: Store) -> None:
        receipts = at_once(50, lambda _: gold.add_submission(a_submission(), NOON))

        assert sum(is_new for _, is_new in receipts) == 1
        assert len({submission.id for submission, _ in receipts}) == 1
        assert len(gold.waiting()) == 1
        assert [entry.action for entry in gold.audit_trail(receipts[0][0].id)] == ["received"]

    def test_50_different_submissions_at_once_are_50_rows(self, gold: Store) -> None:
        receipts = at_once(50, lambda number: gold.add_submission(a_submission(run=b"%d" % number), NOON))

        assert all(is_new for _, is_new in receipts)
        assert len(gold.waiting()) == 50

    def test_two_processes_write_at_once_and_neither_is_refused(self, gold: Store, database_url: str) -> None:
        """Each process opens its own books; a transaction that reads first must not find itself locked out."""
        both = [gold, Store.open(database_url)]

        receipts = at_once(
            40, lambda n: [both[n % 2].add_submission(a_submission(run=b"%d %d" % (n, k)), NOON) for k in range(3)]
        )

        both[1].close()
        assert sum(is_new for added in receipts for _, is_new in added) == 120

    def test_unknown_id_gives_none(self, store: Store) -> None:
        assert store.submission("nobody") is None

    def test_moment_without_zone_is_refused(self, gold: Store) -> None:
        with pytest.raises(sa.exc.StatementError, match="without a zone"):
            gold.add_submission(a_submission(), datetime(2026, 3, 1))

    def test_moments_of_other_zones_come_back_in_utc(self, gold: Store) -> None:
        tokyo = NOON.astimezone(timezone(timedelta(hours=9)))

        submission, _ = gold.add_submission(a_submission(), tokyo)

        stored = gold.submission(submission.id)
        assert stored is not None
        assert (stored.submitted_at, stored.submitted_at.tzinfo) == (NOON, UTC)


class TestScoring:
    def test_each_start_counts_one_attempt(self, gold: Store) -> None:
        submission = add(gold)

        counts = [gold.start_attempt(submission.id, f"worker-{n}", at(n)) for n in range(3)]

        assert counts == [1, 2, 3]

    def test_released_attempt_does_not_count(self, gold: Store) -> None:
        submission = add(gold)
        gold.start_attempt(submission.id, "worker-0", NOON)

        gold.release_attempt(submission.id)

        assert gold.start_attempt(submission.id, "worker-0", NOON) == 1

    def test_release_of_what_was_never_started_changes_nothing(self, gold: Store) -> None:
        submission = add(gold)

        gold.release_attempt(submission.id)

        assert submission == gold.submission(submission.id)

    def test_attempts_of_many_workers_at_once_are_all_counted(self, gold: Store) -> None:
        submission = add(gold)

        counts = at_once(20, lambda n: gold.start_attempt(submission.id, f"worker-{n}", NOON))

        assert list(range(1, 21)) == sorted(counts)

    def test_scores_are_recorded_once_whoever_comes_twice(self, gold: Store) -> None:
        submission = add(gold)

        outcomes = at_once(20, lambda n: gold.record_scores(submission.id, a_sheet(n / 20), NOON))

        assert sum(outcomes) == 1
        sheet = gold.sheet(submission.id)
        assert sheet is not None
        assert outcomes.index(True) / 20 == sheet.value("nDCG@10", "topics")

    def test_either_scored_or_failed_but_never_both(self, gold: Store) -> None:
        submission = add(gold)

        outcomes = at_once(
            20,
            lambda n: (
                gold.record_scores(submission.id, a_sheet(), NOON)
                if n % 2
                else gold.fail(submission.id, "crashed", {"attempts": 4}, NOON)
            ),
        )

        assert sum(outcomes) == 1

    def test_numbers_come_back_at_full_precision(self, gold: Store) -> None:
        submission = scored(gold, value=0.1 + 0.2)

        sheet = gold.sheet(submission.id)

        assert sheet is not None
        assert sheet.value("nDCG@10", "topics") == 0.1 + 0.2

    def test_number_that_is_none_is_refused(self, gold: Store) -> None:
        submission = add(gold)

        with pytest.raises((ValueError, sa.exc.StatementError), match="not JSON compliant"):
            gold.record_scores(submission.id, a_sheet(float("nan")), NOON)

    def test_failed_submission_keeps_its_reason(self, gold: Store) -> None:
        submission = add(gold)

        gold.fail(submission.id, "crashed", {"attempts": 4}, at(1))

        failed = gold.submission(submission.id)
        assert failed is not None
        assert (Progress.FAILED, "crashed", {"attempts": 4}, at(1)) == (
            failed.progress,
            failed.failure_code,
            failed.failure_facts,
            failed.finished_at,
        )

    @pytest.mark.parametrize("end", ["scored", "failed", "deleted", "withdrawn", "unknown"])
    def test_nothing_is_started_that_does_not_wait(self, gold: Store, end: str) -> None:
        submission = add(gold)
        if end == "scored":
            gold.record_scores(submission.id, a_sheet(), NOON)
        elif end == "failed":
            gold.fail(submission.id, "crashed", {}, NOON)
        elif end != "unknown":
            gold.move_visibility(submission.id, Visibility(end), Actor.OWNER, NOON)

        assert gold.start_attempt("nobody" if end == "unknown" else submission.id, "worker-0", NOON) is None

    def test_sample_is_public_in_the_moment_it_is_scored(self, gold: Store) -> None:
        submission = scored(gold, is_sample=True)

        assert [submission.id] == ids(gold.published("toy"))


class TestQueue:
    def test_oldest_is_next(self, gold: Store) -> None:
        late, early = add(gold, 2, run=b"late"), add(gold, 1, run=b"early")

        assert [early.id, late.id] == [one.id for one in gold.waiting()]
        assert (gold.queue_position(early.id), gold.queue_position(late.id)) == ((1, 2), (2, 2))

    def test_equal_moments_still_have_an_order(self, gold: Store) -> None:
        both = [add(gold, run=run) for run in (b"one", b"two")]

        assert {(1, 2), (2, 2)} == {gold.queue_position(one.id) for one in both}

    def test_place_moves_up_when_one_is_done(self, gold: Store) -> None:
        first, second = add(gold, 1, run=b"first"), add(gold, 2, run=b"second")

        gold.record_scores(first.id, a_sheet(), NOON)

        assert gold.queue_position(second.id) == (1, 1)

    def test_what_does_not_wait_has_no_place(self, gold: Store) -> None:
        assert gold.queue_position(scored(gold).id) is None
        assert gold.queue_position("nobody") is None


LEGAL = {
    Actor.OWNER: {
        (PRIVATE, PUBLIC), (PRIVATE, WITHDRAWN), (PRIVATE, DELETED),
        (PUBLIC, PRIVATE), (PUBLIC, WITHDRAWN), (PUBLIC, DELETED),
        (HELD, WITHDRAWN), (HELD, DELETED), (WITHDRAWN, DELETED),
    },
}  # fmt: skip
LEGAL[Actor.HOST] = LEGAL[Actor.OWNER] | {(PRIVATE, HELD), (PUBLIC, HELD), (HELD, PRIVATE), (HELD, PUBLIC)}
MOVES = [(actor, old, new) for actor in LEGAL for old in Visibility for new in Visibility if old is not new]


class TestVisibility:
    @pytest.mark.parametrize(("actor", "old", "new"), MOVES, ids=lambda part: str(part))
    def test_only_legal_moves_are_made(self, gold: Store, actor: Actor, old: Visibility, new: Visibility) -> None:
        submission = scored(gold)
        gold.move_visibility(submission.id, old, Actor.HOST, NOON)

        if (old, new) in LEGAL[actor]:
            assert new is gold.move_visibility(submission.id, new, actor, at(1)).visibility
        else:
            with pytest.raises(IllegalMove):
                gold.move_visibility(submission.id, new, actor, at(1))
            unchanged = gold.submission(submission.id)
            assert unchanged is not None
            assert old is unchanged.visibility

    def test_move_to_where_it_is_changes_nothing(self, gold: Store) -> None:
        submission = public(gold)

        assert submission == gold.move_visibility(submission.id, PUBLIC, Actor.OWNER, at(9))

    def test_unscored_submission_cannot_be_published(self, gold: Store) -> None:
        submission = add(gold)

        with pytest.raises(IllegalMove) as refusal:
            gold.move_visibility(submission.id, PUBLIC, Actor.OWNER, NOON)

        assert refusal.value.facts == {"state": "waiting", "wanted": "public"}

    def test_failed_submission_cannot_be_published(self, gold: Store) -> None:
        submission = add(gold)
        gold.fail(submission.id, "crashed", {}, NOON)

        with pytest.raises(IllegalMove):
            gold.move_visibility(submission.id, PUBLIC, Actor.OWNER, NOON)

    def test_unknown_submission_is_named_as_such(self, store: Store) -> None:
        with pytest.raises(UnknownSubmission):
            store.move_visibility("nobody", PUBLIC, Actor.OWNER, NOON)

    @pytest.mark.parametrize("end", [WITHDRAWN, DELETED])
    def test_taken_back_before_it_was_scored_ends_as_cancelled(self, gold: Store, end: Visibility) -> None:
        submission = add(gold)

        ended = gold.move_visibility(submission.id, end, Actor.OWNER, NOON)

        assert (ended.progress, ended.failure_code) == (Progress.FAILED, "cancelled")
        assert not gold.record_scores(submission.id, a_sheet(), NOON)
        assert gold.waiting() == []

    def test_many_moves_at_once_leave_one_legal_end(self, gold: Store) -> None:
        submission = public(gold)

        def move(number: int) -> str:
            try:
                to = (PRIVATE, WITHDRAWN, DELETED)[number % 3]
                return str(gold.move_visibility(submission.id, to, Actor.OWNER, NOON).visibility)
            except IllegalMove:
                return "refused"

        at_once(12, move)

        steps = [entry.action for entry in gold.audit_trail(submission.id)][3:]
        path = [PUBLIC, *(Visibility(step) for step in steps)]
        assert all(step in LEGAL[Actor.OWNER] for step in itertools.pairwise(path))
        ended = gold.submission(submission.id)
        assert ended is not None
        assert path[-1] is ended.visibility

    def test_every_change_has_its_entry_in_the_audit(self, gold: Store) -> None:
        submission = public(gold)

        gold.move_visibility(submission.id, WITHDRAWN, Actor.HOST, at(3))

        entries = [(entry.action, entry.actor) for entry in gold.audit_trail(submission.id)]
        assert entries == [("received", "owner"), ("scored", "worker"), ("public", "owner"), ("withdrawn", "host")]


class TestNames:
    def test_look_alike_of_a_public_name_is_taken_for_others(self, gold: Store) -> None:
        public(gold, name="BM25 tuned", owner="one")

        with pytest.raises(NameTaken):
            add(gold, name="bm25-TUNED", owner="two", run=b"other")

    def test_private_name_neither_blocks_nor_betrays(self, gold: Store) -> None:
        scored(gold, name="BM25 tuned", owner="one")

        assert public(gold, name="BM25 tuned", owner="two", run=b"other").visibility is PUBLIC

    def test_who_publishes_second_under_a_name_is_refused(self, gold: Store) -> None:
        late = scored(gold, name="BM25 tuned", owner="one")
        public(gold, name="BM25 tuned", owner="two", run=b"other")

        with pytest.raises(NameTaken):
            gold.move_visibility(late.id, PUBLIC, Actor.OWNER, NOON)

    def test_of_many_owners_who_publish_one_name_at_once_one_gets_it(self, gold: Store) -> None:
        rows = [scored(gold, name="BM25", owner=f"owner {n}", run=b"%d" % n) for n in range(8)]

        def publish(number: int) -> bool:
            try:
                gold.move_visibility(rows[number].id, PUBLIC, Actor.OWNER, NOON)
            except NameTaken:
                return False
            return True

        assert sum(at_once(8, publish)) == 1

    def test_owner_keeps_the_name_for_further_versions(self, gold: Store) -> None:
        first = public(gold, form=a_form("BM25", version="1"))
        second = public(gold, form=a_form("bm25", version="2"), run=b"other")

        assert first.system_id == second.system_id


class TestBoardRows:
    def test_a_system_has_one_row_the_latest_published(self, gold: Store) -> None:
        early, late = scored(gold, 1, run=b"early"), scored(gold, 2, run=b"late")
        gold.move_visibility(late.id, PUBLIC, Actor.OWNER, at(3))
        gold.move_visibility(early.id, PUBLIC, Actor.OWNER, at(4))

        assert [early.id] == ids(gold.published("toy"))

    def test_marked_submission_is_the_row(self, gold: Store) -> None:
        early, _ = public(gold, 1, run=b"early"), public(gold, 2, run=b"late")

        gold.mark(early.id, Actor.OWNER, at(3))

        assert [early.id] == ids(gold.published("toy"))

    def test_mark_moves_from_one_to_the_other(self, gold: Store) -> None:
        early, late = public(gold, 1, run=b"early"), public(gold, 2, run=b"late")
        gold.mark(early.id, Actor.OWNER, at(3))

        gold.mark(late.id, Actor.OWNER, at(4))

        assert [late.id] == ids(gold.published("toy"))

    def test_marks_set_at_once_leave_one(self, gold: Store) -> None:
        rows = [public(gold, n, run=b"%d" % n) for n in range(6)]

        at_once(6, lambda n: gold.mark(rows[n].id, Actor.OWNER, at(9)))

        marks = [gold.submission(row.id) for row in rows]
        assert sum(row.is_marked for row in marks if row is not None) == 1

    @pytest.mark.parametrize("end", [PRIVATE, WITHDRAWN, DELETED, HELD])
    def test_row_falls_back_to_the_latest_when_the_marked_one_leaves(self, gold: Store, end: Visibility) -> None:
        early, late = public(gold, 1, run=b"early"), public(gold, 2, run=b"late")
        gold.mark(early.id, Actor.OWNER, at(3))

        gold.move_visibility(early.id, end, Actor.HOST, at(4))

        assert [late.id] == ids(gold.published("toy"))

    def test_only_a_public_submission_can_be_marked(self, gold: Store) -> None:
        with pytest.raises(IllegalMove):
            gold.mark(scored(gold).id, Actor.OWNER, NOON)

    def test_systems_and_tasks_do_not_mix(self, gold: Store) -> None:
        gold.publish_gold(some_facts("other"), ["t1"], NOON)
        here, there = public(gold, 1), public(gold, 2, task_id="other")
        rival = public(gold, 3, name="SPLADE", owner="rival", run=b"rival")

        assert [here.id, rival.id] == ids(gold.published("toy"))
        assert [there.id] == ids(gold.published("other"))

    def test_history_shows_what_is_public_now_latest_first(self, gold: Store) -> None:
        early, late, _ = public(gold, 1, run=b"early"), public(gold, 2, run=b"late"), scored(gold, 3, run=b"hidden")

        assert [late.id, early.id] == ids(gold.history(early.system_id))

    def test_latest_public_are_those_published_last(self, gold: Store) -> None:
        rows = [public(gold, n, name=f"System {n}", run=b"%d" % n) for n in range(4)]

        assert [rows[3].id, rows[2].id] == ids(gold.latest_public(2))


class TestGold:
    def test_unknown_task_has_no_gold(self, store: Store) -> None:
        assert (store.gold_facts("toy"), store.topic_ids("toy")) == (None, ())

    def test_facts_and_topics_come_back(self, gold: Store) -> None:
        assert (some_facts(), ("t1", "t2")) == (gold.gold_facts("toy"), gold.topic_ids("toy"))

    def test_same_gold_again_orders_no_board(self, gold: Store) -> None:
        before = (gold.states(), gold.boards_wanted())

        assert not gold.publish_gold(some_facts(), ["t1", "t2"], at(1))
        assert before == (gold.states(), gold.boards_wanted())

    def test_new_gold_empties_the_board_until_rescored(self, gold: Store) -> None:
        submission = public(gold)
        gold.publish_gold(some_facts(version="2026.2"), ["t1", "t2"], at(1))

        assert gold.published("toy") == []
        assert [submission.id] == [one.id for one in gold.stale("toy")]

        assert gold.rescore(submission.id, a_sheet(0.7, gold_version="2026.2"), at(2))

        assert [(sheet.gold_version, sheet.value("nDCG@10", "topics")) for _, sheet in gold.published("toy")] == [
            ("2026.2", 0.7)
        ]
        assert gold.stale("toy") == []
        assert not gold.rescore(submission.id, a_sheet(0.9, gold_version="2026.2"), at(3))

    def test_same_version_with_other_judgements_is_other_gold(self, gold: Store) -> None:
        public(gold)

        gold.publish_gold(dataclasses.replace(some_facts(), fingerprint="sha256:other"), ["t1", "t2"], at(1))

        assert gold.published("toy") == []

    def test_old_scores_stay_readable_after_the_gold_changed(self, gold: Store) -> None:
        submission = public(gold)

        gold.publish_gold(some_facts(version="2026.2"), ["t1"], at(1))

        sheet = gold.sheet(submission.id)
        assert sheet is not None
        assert sheet.gold_version == "2026.1"

    def test_withdrawn_gold_closes_the_task(self, gold: Store) -> None:
        assert gold.withdraw_gold("toy", NOON)
        assert (gold.gold_facts("toy"), gold.topic_ids("toy")) == (None, ())
        assert not gold.withdraw_gold("toy", NOON)


class TestRevisions:
    def test_board_is_wanted_after_each_change_that_shows(self, gold: Store) -> None:
        def orders() -> int:
            return dict(gold.boards_wanted())["toy"]

        at_start = orders()
        submission = public(gold)
        assert at_start + 1 == orders()

        gold.mark(submission.id, Actor.OWNER, NOON)
        gold.move_visibility(submission.id, PRIVATE, Actor.OWNER, NOON)
        assert at_start + 3 == orders()

        gold.move_visibility(submission.id, WITHDRAWN, Actor.OWNER, NOON)
        assert at_start + 3 == orders()

    def test_finished_board_becomes_the_present_one(self, gold: Store) -> None:
        [(task_id, wanted)] = gold.boards_wanted()

        revision = gold.add_revision(task_id, wanted, '{"é":1}', "abc", at(1))

        assert revision == gold.revision("toy")
        assert (revision.number, gold.revision_number("toy")) == (1, 1)
        assert gold.boards_wanted() == []

    def test_order_during_the_computation_is_not_lost(self, gold: Store) -> None:
        [(task_id, wanted)] = gold.boards_wanted()
        gold.want_board("toy")

        gold.add_revision(task_id, wanted, "{}", "abc", NOON)

        assert [("toy", wanted + 1)] == gold.boards_wanted()

    def test_older_board_never_replaces_a_newer_one(self, gold: Store) -> None:
        [(task_id, early)] = gold.boards_wanted()
        gold.want_board("toy")
        newer = gold.add_revision(task_id, early + 1, "newer", "n", NOON)

        assert newer == gold.add_revision(task_id, early, "older", "o", NOON)
        assert newer == gold.revision("toy")

    def test_board_with_a_number_that_is_gone_is_not_taken(self, gold: Store) -> None:
        first = gold.add_revision("toy", 1, "first", "f", NOON, number=1)
        gold.want_board("toy")

        assert first == gold.add_revision("toy", 2, "late", "l", NOON, number=1)
        assert gold.boards_wanted() == [("toy", 2)]
        assert gold.add_revision("toy", 2, "next", "n", NOON, number=2).number == 2

    def test_of_many_workers_one_writes_the_board(self, gold: Store) -> None:
        revisions = at_once(8, lambda n: gold.add_revision("toy", 1, f"body {n}", f"tag {n}", NOON))

        assert len(set(revisions)) == 1
        assert gold.revision_number("toy") == 1

    def test_every_revision_is_kept(self, gold: Store) -> None:
        for number in range(1, 31):
            gold.want_board("toy")
            gold.add_revision("toy", number + 1, "{}", str(number), NOON)

        with gold._engine.begin() as connection:
            assert connection.scalar(sa.text("SELECT count(*) FROM revisions")) == 30
        assert gold.revision_number("toy") == 30

    def test_board_that_nobody_ordered_is_an_error(self, store: Store) -> None:
        with pytest.raises(LookupError):
            store.add_revision("toy", 1, "{}", "abc", NOON)


class TestWorkers:
    def test_last_beat_counts(self, store: Store) -> None:
        store.heartbeat("worker-0", at(1))
        store.heartbeat("worker-0", at(2))
        store.heartbeat("worker-1", at(1))

        assert {"worker-0": at(2), "worker-1": at(1)} == store.workers()

    def test_worker_that_stopped_is_forgotten(self, store: Store) -> None:
        store.heartbeat("worker-0", at(1))

        store.forget_worker("worker-0")

        assert store.workers() == {}


class TestRunFiles:
    def test_bytes_go_with_the_last_submission_that_has_them(self, gold: Store) -> None:
        one, two = add(gold, run=b"same", name="One"), add(gold, run=b"same", name="Two")
        deleted: list[str] = []

        gold.move_visibility(one.id, DELETED, Actor.OWNER, NOON)
        assert not gold.forget_run(one.run_sha256, lambda: deleted.append("too early"))
        gold.move_visibility(two.id, DELETED, Actor.OWNER, NOON)
        assert gold.forget_run(two.run_sha256, lambda: deleted.append("gone"))

        assert deleted == ["gone"]
        assert gold.runs_to_forget() == []

    def test_no_submission_of_the_same_bytes_comes_in_while_they_go(self, gold: Store, database_url: str) -> None:
        gone = add(gold, name="Gone", run=b"same")
        gold.move_visibility(gone.id, DELETED, Actor.OWNER, NOON)
        steps: list[str] = []

        def come_in() -> None:
            other = Store.open(database_url)
            other.add_submission(a_submission("Comes", run=b"same"), NOON)
            steps.append("row added")
            other.close()

        comer = Thread(target=come_in)

        def delete() -> None:
            comer.start()
            comer.join(0.5)
            steps.append("file deleted")

        gold.forget_run(gone.run_sha256, delete)
        comer.join()

        assert steps == ["file deleted", "row added"]

    def test_deletion_cut_short_is_remembered(self, gold: Store) -> None:
        submission = add(gold)
        gold.move_visibility(submission.id, DELETED, Actor.OWNER, NOON)

        def cut_short() -> None:
            raise OSError("disk away")

        with pytest.raises(OSError, match="disk away"):
            gold.forget_run(submission.run_sha256, cut_short)

        assert [submission.run_sha256] == gold.runs_to_forget()

    def test_hash_and_audit_stay_after_deletion(self, gold: Store) -> None:
        submission = add(gold)
        gold.move_visibility(submission.id, DELETED, Actor.OWNER, NOON)
        gold.forget_run(submission.run_sha256, lambda: None)

        kept = gold.submission(submission.id)

        assert kept is not None
        assert (submission.run_sha256, False) == (kept.run_sha256, kept.has_run)
        assert [entry.action for entry in gold.audit_trail(submission.id)] == ["received", "deleted"]


BAD_VALUES = {
    "unknown progress": {"progress": "running"},
    "unknown visibility": {"visibility": "hidden"},
    "failed without a reason": {"progress": "failed"},
    "reason without failure": {"failure_code": "crashed"},
    "public before it is scored": {"visibility": "public", "published_at": NOON},
    "marked and private": {"is_marked": True},
    "file gone and not deleted": {"is_run_kept": False},
    "negative attempts": {"n_attempts": -1},
    "task that is not there": {"task_id": "nowhere"},
}


class TestConstraints:
    @pytest.mark.parametrize("values", BAD_VALUES.values(), ids=BAD_VALUES.keys())
    def test_database_itself_refuses_impossible_states(self, gold: Store, values: dict[str, object]) -> None:
        submission = add(gold)
        table = sa.table("submissions", *(sa.column(name) for name in ("id", *values)))

        with pytest.raises(IntegrityError), gold._writer.begin() as connection:
            connection.execute(sa.update(table).where(table.c.id == submission.id).values(**values))
