"""Workers that die, hang or run out of memory in mid-job: nothing lost, nothing scored twice, the next job goes on."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.submissions import MAX_ATTEMPTS, Progress
from tests.outages.house import ROOT, TASK, House, kill

pytestmark = pytest.mark.processes

JOB_STEPS = (
    *("job-taken", "attempt-counted", "gold-opened", "run-read", "run-evaluated"),
    *("topic-scores-kept", "scores-recorded"),
)
BOARD_STEPS = ("board-computed", "board-added")


def mark_of(house: House, step: str, subject: str) -> Path:
    """The note that a fault which fires once leaves when it does."""
    return house.data / "faults" / f"{step}-{subject}"


def test_every_named_step_of_the_worker_is_killed_below() -> None:
    sources = [ROOT / "leaderboard" / f"{name}.py" for name in ("evaluating", "boards", "seeding", "worker", "vault")]

    named = {step for path in sources for step in re.findall(r'faults\.at\("([^"]+)"', path.read_text("utf-8"))}

    assert named == {*JOB_STEPS, *BOARD_STEPS}


def test_worker_killed_at_each_step_scores_each_run_once(
    any_house: House, record_property: Callable[[str, object], None]
) -> None:
    house = any_house
    submitted = {step: house.submit(step) for step in JOB_STEPS}
    faults = [f"{step}:kill-once:{one}" for step, one in submitted.items()]
    faults += [f"{step}:kill-once:{TASK}" for step in BOARD_STEPS]

    n_deaths = house.run_until(
        lambda: (
            house.n_deaths >= len(faults)
            and house.is_over(*submitted.values())
            and len(house.board()["rows"]) == len(JOB_STEPS)
        ),
        QRELBOARD_FAULT=",".join(faults),
    )

    record_property("kills", n_deaths)
    record_property("runs", len(submitted))
    assert n_deaths == len(faults)
    assert {step: house.outcomes(one) for step, one in submitted.items()} == {step: ["scored"] for step in JOB_STEPS}
    assert sorted(row["id"] for row in house.board()["rows"]) == sorted(submitted.values())


def test_run_that_kills_its_worker_each_time_fails_and_the_next_is_scored(any_house: House) -> None:
    house = any_house
    poison, next_one = house.submit("poison"), house.submit("next")

    n_deaths = house.run_until(lambda: house.is_over(poison, next_one), QRELBOARD_FAULT=f"run-read:kill:{poison}")

    failed = house.state(poison)
    assert (failed.progress, failed.failure_code) == (Progress.FAILED, "crashed")
    assert failed.failure_facts == {"attempts": MAX_ATTEMPTS}
    assert n_deaths == MAX_ATTEMPTS == 4
    assert house.state(next_one).progress is Progress.SCORED


def test_job_of_a_worker_killed_for_good_is_taken_over_within_30_s(postgres_house: House) -> None:
    house = postgres_house
    wanted = house.submit("wanted")
    workers = {
        name: house.start("worker", "--name", name, QRELBOARD_FAULT=f"gold-opened:hang-once:{wanted}")
        for name in ("w0", "w1", "w2")
    }
    house.until(lambda: mark_of(house, "gold-opened", wanted).exists())
    others = [house.submit(f"other-{n}") for n in range(6)]
    holder = str(house.state(wanted).executor).rpartition("/")[2]

    kill(workers[holder].pid)
    took_s = house.until(lambda: house.is_over(wanted))
    house.until(lambda: house.is_over(*others))

    assert took_s < 30
    assert house.outcomes(wanted) == ["scored"]
    assert house.state(wanted).n_attempts == 2
    assert [house.outcomes(one) for one in others] == [["scored"]] * 6


def test_job_over_the_time_limit_fails_and_the_next_is_scored(house: House) -> None:
    slow, next_one = house.submit("slow"), house.submit("next")

    n_deaths = house.run_until(
        lambda: house.is_over(slow, next_one),
        QRELBOARD_FAULT=f"run-read:hang:{slow}",
        QRELBOARD_JOB_SECONDS="2",
    )

    failed = house.state(slow)
    assert (failed.failure_code, failed.failure_facts, n_deaths) == ("time-limit", {"seconds": 2}, 1)
    assert house.state(next_one).progress is Progress.SCORED


def test_job_over_the_memory_limit_fails_and_its_worker_lives(house: House) -> None:
    greedy, next_one = house.submit("greedy"), house.submit("next")

    n_deaths = house.run_until(
        lambda: house.is_over(greedy, next_one),
        QRELBOARD_FAULT=f"run-read:memory:{greedy}",
        QRELBOARD_JOB_MEMORY=str(64 << 20),
    )

    assert (house.state(greedy).failure_code, n_deaths) == ("memory-limit", 0)
    assert house.state(next_one).progress is Progress.SCORED


def test_failure_that_nobody_expects_fails_the_run_with_one_line_and_no_trace(house: House) -> None:
    odd, next_one = house.submit("odd"), house.submit("next")

    house.run_until(lambda: house.is_over(odd, next_one), QRELBOARD_FAULT=f"run-read:error:{odd}")

    assert house.state(odd).failure_code == "unexpected"
    assert house.state(next_one).progress is Progress.SCORED
    assert f"submission={odd} error=InjectedError at _fail:" in house.words()
    assert "Traceback" not in house.words()


def test_run_that_was_never_enqueued_is_found_and_scored(any_house: House) -> None:
    wanted = any_house.submit("forgotten", is_queued=False)

    any_house.run_until(lambda: any_house.is_over(wanted))

    assert any_house.outcomes(wanted) == ["scored"]


def test_broken_gold_of_one_task_stops_no_other(house: House, tmp_path: Path) -> None:
    other = tmp_path / "tasks" / "other"
    other.mkdir()
    card = (tmp_path / "tasks" / TASK / "card.toml").read_text("utf-8")
    (other / "card.toml").write_text(card.replace('id = "tiny"', 'id = "other"'), encoding="utf-8")
    (tmp_path / "gold" / "other").mkdir()
    (tmp_path / "gold" / "other" / "qrels.trec").write_text("t1 0 secret-document one\n", encoding="utf-8")
    wanted = house.submit("wanted")

    house.run_until(lambda: house.is_over(wanted) and "task=other" in house.words())

    assert house.outcomes(wanted) == ["scored"]
    assert house.store.gold_facts("other") is None
    assert "secret-document" not in house.words()


def test_worker_ends_when_whoever_holds_its_standard_input_is_gone(house: House) -> None:
    worker = house.start()
    house.until(lambda: bool(house.store.workers()))
    assert worker.stdin is not None

    worker.stdin.close()

    assert worker.wait(10) == 0


def test_worker_asked_to_stop_does_and_strikes_itself_off_the_list(house: House) -> None:
    worker = house.start()
    house.until(lambda: "takes jobs" in house.words())

    worker.terminate()

    assert worker.wait(30) == 0
    assert house.store.workers() == {}
