"""How often an address may ask: shares, their return, bounded memory, and whose address it is."""

import pytest

from leaderboard.rates import Rate, Rates, kind_of


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_share_comes_back_with_time_and_never_exceeds_the_burst() -> None:
    clock = Clock()
    rates = Rates(rates={"run": Rate(2, 0.5)}, clock=clock)

    first = [rates.wait_s("run", "a") for _ in range(3)]
    clock.now += 2
    second = [rates.wait_s("run", "a") for _ in range(2)]
    clock.now += 1000
    third = [rates.wait_s("run", "a") for _ in range(3)]

    assert (first, second, third) == ([0, 0, 2], [0, 2], [0, 0, 2])


def test_addresses_and_kinds_have_shares_of_their_own() -> None:
    rates = Rates(rates={"run": Rate(1, 1), "event": Rate(1, 1)}, clock=Clock())

    assert [rates.wait_s(*asked) for asked in (("run", "a"), ("run", "b"), ("event", "a"), ("run", "a"))] == [
        0,
        0,
        0,
        1,
    ]


def test_memory_is_bounded_and_the_longest_silent_is_forgotten() -> None:
    rates = Rates(rates={"run": Rate(1, 1)}, most=100, clock=Clock())

    for number in range(1000):
        rates.wait_s("run", str(number))

    assert len(rates._left) == 100
    assert rates.wait_s("run", "999") > 0
    assert rates.wait_s("run", "0") == 0


@pytest.mark.parametrize(
    ("n_proxies", "forwarded", "expected"),
    [
        (0, "1.1.1.1", "9.9.9.9"),
        (1, "1.1.1.1", "1.1.1.1"),
        (1, "6.6.6.6, 1.1.1.1", "1.1.1.1"),
        (2, "6.6.6.6, 1.1.1.1, 10.0.0.1", "1.1.1.1"),
        (2, "1.1.1.1", "1.1.1.1"),
        (1, "", "9.9.9.9"),
        (1, "not an address", "9.9.9.9"),
        (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (1, "::ffff:1.1.1.1", "1.1.1.1"),
    ],
)
def test_only_our_own_proxies_are_believed(n_proxies: int, forwarded: str, expected: str) -> None:
    assert Rates(n_proxies).address("9.9.9.9", forwarded) == expected


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("GET", "/gradio_api/info", None),
        ("POST", "/elsewhere", None),
        ("POST", "/gradio_api/upload", "upload"),
        ("POST", "/gradio_api/run/check", "run"),
        ("POST", "/gradio_api/call/submit/", "run"),
        ("POST", "/gradio_api/call/v2/submit", "run"),
        ("POST", "/gradio_api/run/predict", "event"),
        ("POST", "/gradio_api/queue/join", "event"),
    ],
)
def test_requests_are_told_apart(method: str, path: str, kind: str | None) -> None:
    assert kind_of(method, path) == kind
