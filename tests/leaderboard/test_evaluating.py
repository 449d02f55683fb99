"""One job done by hand: what the books get, what stays in the vault, and every way in which it can fail."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy.exc import OperationalError

from evaluation import Evaluation, evaluate
from leaderboard.evaluating import insist, publish
from leaderboard.submissions import MAX_ATTEMPTS, Actor, IllegalMove, Progress, Visibility
from leaderboard.vault import Vault
from tests.builders import NOON
from tests.leaderboard.rooms import Room, a_ranking, a_room, sealed_judgements

# t1 found first, t2 second, t3 not at all
RUN = a_ranking({"t1": ["d1", "x"], "t2": ["x", "d2"], "t3": ["x"]})


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_room(tmp_path) as room:
        room.prepare()
        yield room


def test_open_run_gets_its_means_and_slices_at_full_precision(room: Room) -> None:
    new = room.submit(RUN)

    room.worker.examiner.evaluate(new.id)

    sheet = room.sheet(new.id)
    second = 1 / np.log2(3)
    assert sheet.evaluation["means"] == {"nDCG@10": pytest.approx((1 + second) / 3, abs=1e-15), "R@10": 2 / 3}
    assert sheet.evaluation["slices"]["kind"]["hard"] == {"topics": 1, "nDCG@10": 0.0, "R@10": 0.0}
    assert (sheet.gold_version, sheet.n_topics, sheet.n_answered) == ("1", 3, 3)
    assert room.state(new.id).progress is Progress.SCORED


def test_scores_per_topic_go_to_the_vault_that_only_the_worker_may_enter(room: Room) -> None:
    new = room.submit(RUN)

    room.worker.examiner.evaluate(new.id)

    file = room.settings.vault_folder / "scores" / "toy" / f"{new.id}.npz"
    with np.load(file) as kept:
        assert kept["topics"].tolist() == ["t1", "t2", "t3"]
        assert kept["values"][1].tolist() == [1.0, 1.0, 0.0]
    assert [path.stat().st_mode & 0o777 for path in (file, file.parent, file.parent.parent)] == [0o600, 0o700, 0o700]


def test_sealed_run_is_scored_on_both_halves_and_told_on_the_live_one_rounded(room: Room) -> None:
    # the live half is found at rank 2, the sealed half at rank 1
    rankings = {
        topic: ["x", *found] if int(topic[1:]) % 2 else list(found) for topic, found in sealed_judgements().items()
    }
    new = room.submit(a_ranking(rankings), task_id="shut")

    room.worker.examiner.evaluate(new.id)

    sheet = room.sheet(new.id)
    assert (sheet.n_topics, sheet.n_answered) == (400, 400)
    assert sheet.evaluation["means"] == {"nDCG@10": 0.63, "R@10": 1.0}
    # 50 hard topics are too few, and easy would give them away
    assert sheet.evaluation["slices"] == {"kind": {}}
    with np.load(room.settings.vault_folder / "scores" / "shut" / f"{new.id}.npz") as kept:
        assert kept["values"].shape == (2, 400)


def test_nothing_of_the_sealed_half_is_in_the_books(room: Room) -> None:
    live_only = {topic: list(found) for topic, found in sealed_judgements().items() if int(topic[1:]) % 2}
    one = room.submit(a_ranking(live_only), task_id="shut", name="Live only")
    everything = {topic: list(found) for topic, found in sealed_judgements().items()}
    other = room.submit(a_ranking(everything), task_id="shut", name="Everything")

    for new in (one, other):
        room.worker.examiner.evaluate(new.id)

    assert json.dumps(room.sheet(one.id).evaluation) == json.dumps(room.sheet(other.id).evaluation)


def test_run_scored_already_is_left_alone(room: Room) -> None:
    new = room.submit(RUN)
    room.worker.examiner.evaluate(new.id)

    room.worker.examiner.evaluate(new.id)

    actions = [entry.action for entry in room.store.audit_trail(new.id)]
    assert actions.count("scored") == 1
    assert room.state(new.id).n_attempts == 1


def test_run_that_killed_four_workers_is_given_up_at_the_fifth_attempt(room: Room) -> None:
    new = room.submit(RUN)
    for _ in range(MAX_ATTEMPTS):
        room.store.start_attempt(new.id, "here/w1", NOON)

    room.worker.examiner.evaluate(new.id)

    failed = room.state(new.id)
    assert (failed.failure_code, failed.failure_facts) == ("crashed", {"attempts": MAX_ATTEMPTS})


def test_run_whose_file_is_gone_says_so(room: Room) -> None:
    new = room.submit(RUN)
    room.runs.delete(new.run_sha256)

    room.worker.examiner.evaluate(new.id)

    assert room.state(new.id).failure_code == "run-unreadable"


def test_run_that_answers_no_topic_any_more_names_the_fault_and_no_gold(room: Room) -> None:
    new = room.submit(a_ranking({"old": ["d1"]}))

    room.worker.examiner.evaluate(new.id)

    failed = room.state(new.id)
    assert (failed.failure_code, failed.failure_facts) == ("gold-changed", {"fault": "no_known_topic", "line": 0})


def test_run_of_a_task_without_gold_says_so(room: Room) -> None:
    new = room.submit(RUN, task_id="irsc")

    room.worker.examiner.evaluate(new.id)

    assert room.state(new.id).failure_code == "gold-unavailable"


def test_failure_that_nobody_expects_is_logged_without_its_words(
    room: Room, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    new = room.submit(RUN)
    monkeypatch.setenv("QRELBOARD_FAULT", f"run-read:error:{new.id}")

    room.worker.examiner.evaluate(new.id)

    assert room.state(new.id).failure_code == "unexpected"
    assert f"submission={new.id} error=InjectedError at " in caplog.text
    assert "asked for by" not in caplog.text


def test_gold_that_changed_on_disk_is_read_again_when_the_books_speak_of_another(room: Room) -> None:
    room.write_toy(version="2", extra={"x": 1})
    read_anew = Vault(room.settings, room.worker.tasks).open("toy")
    assert read_anew is not None
    publish(room.store, read_anew, NOON)
    new = room.submit(RUN)

    room.worker.examiner.evaluate(new.id)

    # t1 has two relevant documents now and both are found: R@10 stays, the version tells
    assert room.sheet(new.id).gold_version == "2"


def test_books_out_of_reach_for_a_moment_cost_nothing() -> None:
    answers = iter([OperationalError("select", {}, Exception("restarting")), "here"])

    def ask() -> str:
        answer = next(answers)
        if isinstance(answer, OperationalError):
            raise answer
        return answer

    assert insist(ask, pause_s=0.0) == "here"


def test_books_out_of_reach_for_good_end_the_patience() -> None:
    def ask() -> None:
        raise OperationalError("select", {}, Exception("gone"))

    with pytest.raises(OperationalError):
        insist(ask, patience_s=0.0, pause_s=0.0)


def doubled(*arguments: Any, **options: Any) -> Evaluation:
    """A broken scale: it counts twice what it finds for the first topic."""
    scored = evaluate(*arguments, **options)
    values = scored.scores.values.copy()
    values[:, 0] *= 2
    return replace(scored, scores=replace(scored.scores, values=values))


def test_impossible_number_holds_the_submission_and_tells_the_host_why(
    room: Room, caplog: pytest.LogCaptureFixture
) -> None:
    new = room.submit(RUN)

    replace(room.worker.examiner, scale=doubled).evaluate(new.id)

    held = room.state(new.id)
    assert (held.progress, held.visibility) == (Progress.SCORED, Visibility.HELD)
    last = room.store.audit_trail(new.id)[-1]
    assert (last.actor, last.action, last.facts["reason"]) == ("worker", "held", "impossible-number")
    assert last.facts["broken"] == ["nDCG@10 outside-0-1", "R@10 outside-0-1"]
    assert f"impossible number, held submission={new.id} task=toy: nDCG@10 outside-0-1; R@10" in caplog.text


def test_sample_with_an_impossible_number_does_not_go_public(room: Room) -> None:
    new = room.submit(RUN, is_sample=True)

    replace(room.worker.examiner, scale=doubled).evaluate(new.id)

    assert room.state(new.id).visibility is Visibility.HELD


def test_owner_cannot_publish_what_is_held(room: Room) -> None:
    new = room.submit(RUN)
    replace(room.worker.examiner, scale=doubled).evaluate(new.id)

    with pytest.raises(IllegalMove):
        room.store.move_visibility(new.id, Visibility.PUBLIC, Actor.OWNER, NOON)


def test_possible_numbers_hold_nothing(room: Room) -> None:
    new = room.submit(RUN)

    room.worker.examiner.evaluate(new.id)

    assert room.state(new.id).visibility is Visibility.PRIVATE


def test_gzip_run_is_scored_as_the_plain_one(room: Room) -> None:
    packed = BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as file:
        file.write(RUN)
    new = room.submit(packed.getvalue())

    room.worker.examiner.evaluate(new.id)

    assert room.sheet(new.id).evaluation["means"]["R@10"] == 2 / 3
