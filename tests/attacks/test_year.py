"""A year of attacks at full quota on sealed gold: how much of the judgements is read, and when the host hears of it.

Measured on the real intake, worker and reader. The sealed half stays at what the attacker knew before; of the live half
no more is read than `check` printed.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.attacks.year import N_TOPICS, TOTAL, Siege, a_siege, information

# three standard deviations of the accuracy of blind guesses on half of the topics
BY_CHANCE = 3 * 0.5 / (N_TOPICS / 2) ** 0.5
N_ACCOUNTS = 10


@pytest.fixture
def siege(tmp_path: Path) -> Iterator[Siege]:
    with a_siege(tmp_path) as siege:
        yield siege


def accuracy(siege: Siege, guesses: np.ndarray, *, live: bool) -> float:
    half = siege.is_live == live
    return float((guesses == siege.truth)[half].mean())


def test_an_honest_answer_is_shown_and_check_finds_the_task_fit(siege: Siege) -> None:
    shown = siege.send(siege.guess(siege.truth ^ (np.arange(N_TOPICS) % 4 > 1)))

    assert shown["all"] == pytest.approx(0.5, abs=0.01)
    assert not siege.printed.is_too_much


@pytest.mark.parametrize("measure", ["nDCG@10", "RR@10"])
def test_single_topics_show_nothing(tmp_path: Path, measure: str) -> None:
    """Each submission answers one topic, rightly or wrongly, and with RR at one of ten ranks."""
    with a_siege(tmp_path, measure=measure) as siege:
        shown = []
        for topic in range(TOTAL):
            filler = [f"x{rank}" for rank in range(topic % 10)]
            ranking = [*filler, f"c{topic:04}-{int(siege.truth[topic] ^ (topic % 3 == 0))}"]
            lines = [f"t{topic:04} Q0 {name} {rank} {50 - rank} s\n" for rank, name in enumerate(ranking)]
            shown.append(siege.send("".join(lines).encode()))
            if len(shown) == TOTAL // 2:
                assert siege.n_notes() > 0, "the host hears of it before half of the quota"

    # right or wrong, live or sealed, whichever rank: one and the same answer
    assert {tuple(sorted(numbers.items())) for numbers in shown} == {tuple(sorted(shown[0].items()))}


def test_a_single_topic_would_show_on_a_board_that_does_not_round(siege: Siege) -> None:
    """The attack works: at full precision the same answers tell right from wrong."""
    examiner = siege.worker.examiner
    exact = []
    for topic in (1, 3, 5, 7):
        siege.send(siege.guess(siege.truth ^ (topic % 4 == 1), [topic]))
        opened = examiner.gold_of("siege")
        assert opened is not None
        kept = examiner.vault.kept_scores(opened, siege.ids[-1])
        assert kept is not None
        exact.append(bool(kept.by_topic["nDCG@10"].sum()))

    assert exact == [topic % 4 != 1 for topic in (1, 3, 5, 7)]


def test_cells_that_are_hidden_cannot_be_had_by_subtraction(siege: Siege) -> None:
    """One run right on the hidden kinds alone, one wrong on them alone: what do shown numbers say of few topics?"""
    hidden = np.array([kind in ("rare", "place") for kind in siege.kinds])
    answers = [siege.send(siege.guess(np.where(hidden, siege.truth ^ flip, ~siege.truth))) for flip in (False, True)]

    assert [cell for cell in answers[0] if cell.endswith(("rare", "place"))] == []
    live = siege.is_live
    sizes = {
        "all": live,
        **{f"kind {kind}": live & (np.array(siege.kinds) == kind) for kind in ("fact", "how-to")},
        **{f"length {length}": live & (np.array(siege.lengths) == length) for length in ("short", "long")},
    }
    assert sizes.keys() == answers[0].keys() - {"answered"}
    rest = sizes["all"] & ~sizes["kind fact"] & ~sizes["kind how-to"]
    smallest = min(int(one.sum()) for one in (*sizes.values(), rest))
    assert smallest >= 100
    differences = [
        int((one ^ other).sum()) for one in sizes.values() for other in sizes.values() if (one ^ other).any()
    ]
    assert min(differences) >= 100


def test_an_edge_is_found_and_read_within_the_budget_and_the_host_hears_of_it(siege: Siege) -> None:
    """Bisect between two runs that show different numbers, then turn one topic after the other at the edge."""
    random = np.random.default_rng(5)
    order = random.permutation(N_TOPICS)
    base = random.integers(0, 2, N_TOPICS).astype(bool)
    known: dict[int, bool] = {}
    noted_at: int | None = None

    def shown(guesses: np.ndarray) -> float:
        nonlocal noted_at
        number = siege.send(siege.guess(guesses))["all"]
        if noted_at is None and siege.n_notes():
            noted_at = len(siege.ids)
        return number

    def turned(n: int) -> np.ndarray:
        return np.where(np.isin(np.arange(N_TOPICS), order[:n]), ~base, base)

    low, high = 0, N_TOPICS
    at_low, at_high = shown(turned(low)), shown(turned(high))
    assert at_low != at_high
    while high - low > 1:
        middle = (low + high) // 2
        number = shown(turned(middle))
        low, high = (middle, high) if number == at_low else (low, middle)
        at_high = at_high if number == at_low else number
    edge, parked = turned(low), at_low
    step_up = at_high > at_low
    known[int(order[low])] = bool(turned(high)[order[low]]) if step_up else bool(edge[order[low]])
    for topic in order[high:]:
        if len(siege.ids) == TOTAL:
            break
        probe = edge.copy()
        probe[topic] = not probe[topic]
        number = shown(probe)
        if number != parked:
            known[int(topic)] = bool(probe[topic]) if number > parked else bool(edge[topic])

    n_live = int(siege.is_live.sum())
    right = [topic for topic, value in known.items() if siege.truth[topic] == value and siege.is_live[topic]]
    assert len(right) == len(known), "what crosses the edge is known for certain"
    assert 1 <= len(right) <= siege.printed.share * n_live
    assert noted_at is not None
    assert noted_at <= TOTAL // 2 + 2
    guesses = np.array([known.get(i, bool(base[i])) for i in range(N_TOPICS)])
    assert abs(accuracy(siege, guesses, live=False) - 0.5) <= BY_CHANCE


@pytest.mark.parametrize("n_accounts", [1, N_ACCOUNTS])
def test_random_runs_weighed_together_tell_little_of_the_live_and_nothing_of_the_sealed_half(
    siege: Siege, n_accounts: int
) -> None:
    """Coin weighing: each run guesses at random everywhere; every shown number is a sum over its cell.

    No judgement becomes certain; what the best guesses tell, in bits, is of the size of the budget: measured 0.046 bits
    a topic for one account, where `check` prints 4.2% of the judgements.
    """
    random = np.random.default_rng(7)
    cells = {"all": np.ones(N_TOPICS, dtype=bool)}
    cells |= {f"kind {kind}": np.array(siege.kinds) == kind for kind in set(siege.kinds)}
    cells |= {f"length {length}": np.array(siege.lengths) == length for length in set(siege.lengths)}
    tilt = np.zeros(N_TOPICS)
    for number in range(n_accounts * TOTAL):
        guesses = random.integers(0, 2, N_TOPICS).astype(bool)
        shown = siege.send(siege.guess(guesses), account=number // TOTAL)
        for cell, value in shown.items():
            if cell != "answered":
                tilt += np.where(cells[cell], (value - 0.5) * np.where(guesses, 1, -1) / cells[cell].sum() ** 0.5, 0)
    best = tilt > 0

    live = siege.is_live
    bits = information(best[live], siege.truth[live])
    print(f"{n_accounts} accounts: live accuracy {accuracy(siege, best, live=True):.3f}, {bits:.4f} bits a topic")
    assert accuracy(siege, best, live=True) > 0.5 + BY_CHANCE, "the attack works"
    assert abs(accuracy(siege, best, live=False) - 0.5) <= BY_CHANCE
    assert bits <= 1.5 * n_accounts * siege.printed.share
