import json
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from evaluation import TopicScores
from leaderboard.downloads import write_topic_scores
from leaderboard.intake import Receipt
from leaderboard.store import Store
from leaderboard.submissions import Actor, Visibility
from leaderboard.views import Archiving
from tests.builders import NOON, a_form, a_run, at, some_facts
from tests.leaderboard.hall import OWNER, TOPICS, Hall

OTHER_OWNER = "p" * 43
HIDDEN = [Visibility.PRIVATE, Visibility.HELD, Visibility.WITHDRAWN, Visibility.DELETED]


class TestSubmissionPage:
    def test_waiting_run_shows_its_place(self, hall: Hall) -> None:
        hall.hand_in(minutes=1)
        receipt = hall.hand_in(a_run(["t1"]), minutes=2)

        view = hall.board.submission(receipt.submission_id, receipt.link_key)

        assert view is not None
        assert (view.queue, view.sheet, view.rank, view.board) == ((2, 2), None, None, None)

    def test_page_knows_whether_the_archive_has_it(self, hall: Hall) -> None:
        receipt = hall.hand_in()

        def archiving() -> Archiving | None:
            view = hall.board.submission(receipt.submission_id, OWNER)
            assert view is not None
            return view.archiving

        found = [archiving()]
        for state in ("open", "away"):
            hall.store.archive.set_state(state, NOON)
            found.append(archiving())
        hall.store.archive.mark_archived([change.number for change in hall.store.archive.changes(9)])
        found.append(archiving())

        assert found == [None, Archiving.UNDERWAY, Archiving.AWAY, Archiving.ARCHIVED]

    def test_waiting_without_a_living_worker_is_paused(self, hall: Hall) -> None:
        receipt = hall.hand_in()

        def is_paused() -> bool:
            view = hall.board.submission(receipt.submission_id, OWNER)
            assert view is not None
            return view.is_paused

        assert is_paused()
        hall.store.heartbeat("worker-0", hall.now)
        assert not is_paused()
        hall.now = at(1)
        assert is_paused()

    @pytest.mark.parametrize("state", HIDDEN)
    @pytest.mark.parametrize("key", [None, "", "guess", OTHER_OWNER, "link of another"])
    def test_hidden_submission_looks_like_an_unknown_one(self, hall: Hall, state: Visibility, key: str | None) -> None:
        receipt, other = hall.publish(), hall.publish(name="SPLADE", owner=OTHER_OWNER)
        hall.store.move_visibility(receipt.submission_id, state, Actor.HOST, NOON)

        found = hall.board.submission(receipt.submission_id, other.link_key if key == "link of another" else key)

        assert found is None
        assert hall.board.submission("nobody", key) is None

    @pytest.mark.parametrize("state", HIDDEN)
    def test_owner_sees_what_is_hidden(self, hall: Hall, state: Visibility) -> None:
        receipt = hall.publish()
        hall.store.move_visibility(receipt.submission_id, state, Actor.HOST, NOON)

        for key in (receipt.link_key, OWNER):
            view = hall.board.submission(receipt.submission_id, key)
            assert view is not None
            assert (view.is_owner, view.submission.visibility) == (True, state)

    def test_public_submission_is_seen_by_all_and_owned_by_its_owner(self, hall: Hall) -> None:
        receipt = hall.publish()

        strangers, owners = (hall.board.submission(receipt.submission_id, key) for key in (None, receipt.link_key))

        assert strangers is not None
        assert owners is not None
        assert (strangers.is_owner, owners.is_owner) == (False, True)

    def test_no_view_holds_the_hash_of_a_key(self, hall: Hall) -> None:
        receipt = hall.publish()
        hall.make_boards()
        stored = hall.store.submission(receipt.submission_id)
        assert stored is not None
        system = hall.board.system(stored.system_id)

        seen = repr((hall.board.submission(stored.id, OWNER), system, hall.board.latest(5), hall.board.home()))
        views = [hall.board.submission(stored.id, OWNER), *(system.history if system else ()), *hall.board.latest(5)]

        assert stored.owner_hash not in seen
        assert {(view.submission.owner_hash, view.submission.link_hash) for view in views if view} == {("", "")}

    def test_result_has_the_form_of_a_board_with_one_row(self, hall: Hall) -> None:
        receipt = hall.hand_in()
        hall.score(receipt.submission_id, 0.5)

        view = hall.board.submission(receipt.submission_id, OWNER)

        assert view is not None
        assert view.board is not None
        [row] = view.board["rows"]
        assert (row["scores"], row["slices"]["kind"]) == ([0.5, 0.25], [[0.5, 0.25], None])

    def test_private_result_says_what_its_rank_would_be(self, hall: Hall) -> None:
        for value in (0.9, 0.7, 0.5):
            hall.publish(value, f"System {value}")
        receipt = hall.hand_in(form=a_form("Mine"))
        hall.score(receipt.submission_id, 0.6)
        hall.make_boards()

        view = hall.board.submission(receipt.submission_id, OWNER)

        assert view is not None
        assert (view.rank, view.is_on_board) == ((3, 4), False)

    def test_new_version_is_ranked_in_the_place_of_the_old_one(self, hall: Hall) -> None:
        hall.publish(0.9, "Best")
        hall.publish(0.5, "Mine")
        receipt = hall.hand_in(form=a_form("Mine", version="2"))
        hall.score(receipt.submission_id, 0.6)
        hall.make_boards()

        view = hall.board.submission(receipt.submission_id, OWNER)

        assert view is not None
        assert view.rank == (2, 2)

    def test_published_row_has_the_rank_of_the_board(self, hall: Hall) -> None:
        first, second = hall.publish(0.5, "One"), hall.publish(0.5, "Two", minutes=1)
        hall.make_boards()

        views = [hall.board.submission(receipt.submission_id) for receipt in (first, second)]

        assert [(view.rank, view.is_on_board) for view in views if view] == [((1, 2), True)] * 2

    def test_scores_of_an_older_gold_have_no_rank(self, hall: Hall) -> None:
        receipt = hall.publish()
        hall.store.publish_gold(some_facts(version="2026.2"), TOPICS, at(1))
        hall.make_boards()

        view = hall.board.submission(receipt.submission_id)

        assert view is not None
        assert (view.rank, view.board) == (None, None)
        assert view.sheet is not None
        assert view.sheet.gold_version == "2026.1"

    def test_failed_run_shows_its_reason(self, hall: Hall) -> None:
        receipt = hall.hand_in()
        hall.store.fail(receipt.submission_id, "crashed", {"attempts": 4}, NOON)

        view = hall.board.submission(receipt.submission_id, OWNER)

        assert view is not None
        assert (view.submission.failure_code, view.queue) == ("crashed", None)


class TestBoards:
    def test_revision_is_the_body_byte_for_byte(self, hall: Hall) -> None:
        hall.publish()
        hall.make_boards()

        revision = hall.board.revision("toy")

        assert revision == hall.store.revision("toy")

    def test_no_board_for_unknown_tasks_and_before_the_first(self, hall: Hall) -> None:
        assert hall.board.revision("toy") is None
        assert hall.board.revision("nowhere") is None

    def test_published_row_is_seen_within_a_second(self, hall: Hall) -> None:
        hall.make_boards()
        assert json.loads(_body(hall))["rows"] == []

        hall.publish()
        hall.make_boards()

        assert [row["name"] for row in json.loads(_body(hall))["rows"]] == ["BM25 tuned"]


class TestHome:
    def test_card_names_leader_systems_topics_and_gold(self, hall: Hall) -> None:
        hall.publish(0.4, "Second")
        hall.publish(0.8, "First")
        hall.make_boards()

        toy, other, bare = hall.board.home()

        assert toy.leader is not None
        assert (toy.leader.name, toy.leader.score, toy.n_systems, toy.n_topics) == ("First", 0.8, 2, 3)
        assert (toy.is_sample, toy.updated_at) == (False, NOON)
        assert (other.leader, other.n_systems, other.n_topics) == (None, 0, 2)
        assert (bare.facts, bare.n_topics, bare.updated_at) == (None, None, None)

    def test_sealed_task_counts_the_live_half(self, hall: Hall) -> None:
        hall.store.publish_gold(some_facts(kind="sealed", n_topics=10, n_live=6, version="2"), TOPICS, NOON)

        assert hall.board.home()[0].n_topics == 6

    def test_thousand_readers_in_a_second_ask_the_books_once(self, hall: Hall) -> None:
        hall.publish()
        hall.make_boards()
        hall.board.home()
        asked: list[str] = []

        def count(self: Store) -> Any:
            asked.append("asked")
            return reading(self)

        reading = Store._reading
        with patch.object(Store, "_reading", count):
            for _ in range(1_000):
                hall.board.home()
                hall.board.revision("toy")
            hall.seconds += 1
            hall.board.home()

        assert len(asked) == 1

    def test_latest_are_those_published_last_with_their_scores(self, hall: Hall) -> None:
        for number in range(4):
            hall.publish(number / 10, f"System {number}", minutes=number)
        hall.make_boards()

        latest = hall.board.latest(2)

        assert [(entry.submission.form.name, entry.score) for entry in latest] == [("System 3", 0.3), ("System 2", 0.2)]
        assert [entry.rank for entry in latest] == [(1, 4), (2, 4)]


class TestSystems:
    def test_system_shows_its_row_a_task_and_its_history(self, hall: Hall) -> None:
        hall.publish(0.4, "Mine")
        late = hall.publish(0.6, "Mine", minutes=1, task_id="toy")
        run = a_run(["q1"], tag="elsewhere")
        elsewhere = hall.hand_in(run, a_form("Mine"), task_id="other", minutes=2)
        hall.score(elsewhere.submission_id, 0.3)
        hall.desk.publish(elsewhere.submission_id, OWNER)
        hall.make_boards()
        submission = hall.store.submission(late.submission_id)
        assert submission is not None

        view = hall.board.system(submission.system_id)

        assert view is not None
        assert view.name == "Mine"
        assert [(entry.task.id, entry.score, entry.rank) for entry in view.entries] == [
            ("toy", 0.6, (1, 1)),
            ("other", 0.3, (1, 1)),
        ]
        assert [entry.score for entry in view.history] == [0.3, 0.6, 0.4]

    def test_system_without_anything_public_is_unknown(self, hall: Hall) -> None:
        receipt = hall.hand_in()
        hall.score(receipt.submission_id)
        submission = hall.store.submission(receipt.submission_id)
        assert submission is not None

        assert hall.board.system(submission.system_id) is None
        assert hall.board.system("nobody") is None


class TestFiles:
    def test_example_of_the_sample_gold_stands_in_while_it_lasts(self, hall: Hall) -> None:
        shipped = hall.catalogue["toy"].folder / "example.run"
        sample = hall.public / "toy" / "example.run"
        sample.parent.mkdir(parents=True)
        sample.write_text("sample")
        assert hall.board.example_run("toy") is None

        shipped.write_text("shipped")
        assert hall.board.example_run("toy") == shipped
        hall.store.publish_gold(some_facts(version="sample", is_sample=True), TOPICS, at(1))
        hall.seconds += 1

        assert hall.board.example_run("toy") == sample

    @pytest.mark.parametrize("task_id", ["nowhere", "../toy", ""])
    def test_no_example_for_what_is_no_task(self, hall: Hall, task_id: str) -> None:
        assert hall.board.example_run(task_id) is None

    def test_no_published_numbers_for_what_is_no_task(self, hall: Hall) -> None:
        assert hall.board.published_elsewhere("../irsc") == ()


def _body(hall: Hall) -> str:
    revision = hall.board.revision("toy")
    assert revision is not None
    return revision.body


class TestTopicScores:
    @pytest.fixture
    def receipt(self, hall: Hall) -> Receipt:
        receipt = hall.publish()
        scores = TopicScores(("nDCG@10",), ("t1", "t2"), np.array([[1.0, 0.5]]))
        write_topic_scores(hall.folder / "topic-scores", receipt.submission_id, scores)
        return receipt

    def test_holder_of_the_key_gets_the_file(self, hall: Hall, receipt: Receipt) -> None:
        for key in (receipt.link_key, OWNER):
            path = hall.board.topic_scores(receipt.submission_id, key)
            assert path is not None
            assert path.read_text("utf-8").splitlines()[0] == "topic,nDCG@10"

    @pytest.mark.parametrize("key", [None, "", "guess", OTHER_OWNER])
    def test_nobody_else_does_although_the_submission_is_public(
        self, hall: Hall, receipt: Receipt, key: str | None
    ) -> None:
        assert hall.board.topic_scores(receipt.submission_id, key) is None
        assert hall.board.topic_scores("../../etc/passwd", key) is None

    def test_sealed_gold_gives_none_even_where_a_file_is_left(self, hall: Hall, receipt: Receipt) -> None:
        hall.store.publish_gold(some_facts(kind="sealed", n_live=1), TOPICS, NOON)
        hall.seconds += 1

        assert hall.board.topic_scores(receipt.submission_id, OWNER) is None

    @pytest.mark.parametrize("state", [Visibility.HELD, Visibility.DELETED])
    def test_held_and_deleted_submissions_give_none(self, hall: Hall, receipt: Receipt, state: Visibility) -> None:
        hall.store.move_visibility(receipt.submission_id, state, Actor.HOST, NOON)

        assert hall.board.topic_scores(receipt.submission_id, OWNER) is None

    def test_submission_without_a_file_gives_none(self, hall: Hall) -> None:
        receipt = hall.hand_in()

        assert hall.board.topic_scores(receipt.submission_id, OWNER) is None
