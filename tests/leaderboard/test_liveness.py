"""Who is alive, told by a clock that the test holds, and what becomes of the job in hand."""

import threading
from datetime import UTC, datetime, timedelta

from leaderboard.liveness import PATIENCE_S, Bench, Watch

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
AFTER = PATIENCE_S + 0.1


def test_executor_whose_sign_of_life_stands_still_is_dead_after_our_patience() -> None:
    watch = Watch("here/w1")
    watch.look({"here/w0": NOON}, [], 0.0)
    watch.look({"here/w0": NOON}, [], AFTER)

    assert not watch.is_dead("here/w0", PATIENCE_S)
    assert watch.is_dead("here/w0", AFTER)


def test_clock_of_another_machine_does_not_matter_as_long_as_it_moves() -> None:
    watch = Watch("here/w1")
    for second in range(60):
        years_ago = NOON - timedelta(days=3650) + timedelta(seconds=second)
        watch.look({"there/w0": years_ago}, [], float(second))

    assert not watch.is_dead("there/w0", 60.0)


def test_executor_without_any_sign_of_life_is_given_the_same_patience() -> None:
    watch = Watch("here/w1")
    watch.look({}, ["gone/w0"], 100.0)

    assert not watch.is_dead("gone/w0", 101.0)
    assert watch.is_dead("gone/w0", 100.0 + AFTER)


def test_we_ourselves_are_never_dead() -> None:
    watch = Watch("here/w1")
    watch.look({"here/w1": NOON}, ["here/w1"], 0.0)

    assert not watch.is_dead("here/w1", 1000.0)


def test_only_the_first_of_the_living_takes_over() -> None:
    first, second = Watch("w0"), Watch("w1")
    beats = {"w0": NOON, "w1": NOON}
    for watch in (first, second):
        watch.look(beats, [], 0.0)

    assert (first.is_first(1.0), second.is_first(1.0)) == (True, False)
    assert second.is_first(AFTER)


def test_closing_bench_waits_for_the_job_in_hand() -> None:
    bench = Bench(60.0, lambda _: None)
    has_started, may_end = threading.Event(), threading.Event()

    def work() -> None:
        with bench.job("a"):
            has_started.set()
            may_end.wait(10)

    thread = threading.Thread(target=work)
    thread.start()
    has_started.wait(10)
    still_there = bench.close(0.05)
    may_end.set()
    gone = bench.close(10.0)
    thread.join()

    assert (still_there, gone) == ("a", None)


def test_closed_bench_lets_no_job_in() -> None:
    bench = Bench(60.0, lambda _: None)
    bench.close(0.0)
    is_in = threading.Event()

    def work() -> None:
        with bench.job("late"):
            is_in.set()

    threading.Thread(target=work, daemon=True).start()

    assert not is_in.wait(0.2)
