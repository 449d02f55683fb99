"""The slices where a system is furthest from the median system, on boards small enough to read."""

from typing import Any

from leaderboard.parts.standouts import MOST, standouts


def a_board(*systems: list[float | None], digits: int = 3) -> dict[str, Any]:
    """One axis; a system is its scores by slice, by the second of two measures."""
    values = [{"id": f"v{place}", "topics": 60 + place, "digits": digits} for place in range(len(systems[0]))]
    rows = [
        {"id": f"s{number}", "slices": {"kind": [None if score is None else [0.0, score] for score in scores]}}
        for number, scores in enumerate(systems)
    ]
    return {
        "columns": [{"measure": "nDCG@10"}],
        "measures": ["R@10", "nDCG@10"],
        "axes": [{"id": "kind", "values": values}],
        "rows": rows,
    }


def told(board: dict[str, Any]) -> tuple[list[str], list[str]]:
    above, below = standouts(board, board["rows"][0])
    return [one.value_id for one in above], [one.value_id for one in below]


def test_gap_is_to_the_median_of_all_systems_with_a_value() -> None:
    board = a_board([0.9, 0.1], [0.5, None], [0.2, 0.3], [0.4, 0.5])
    board["rows"][0]["slice_intervals"] = {"kind": [[0.8, 1.0], None]}

    [above], [below] = standouts(board, board["rows"][0])

    assert (above.value_id, above.n_topics, above.score, above.median) == ("v0", 60, 0.9, 0.45)
    assert (round(above.gap, 9), above.ends) == (0.45, [0.8, 1.0])
    assert (below.value_id, below.median, round(below.gap, 9), below.ends) == ("v1", 0.3, -0.2, None)


def test_five_of_each_the_furthest_first() -> None:
    gaps = [0.01, 0.07, 0.03, 0.06, 0.02, 0.05, 0.04]
    own = [0.5 + gap for gap in gaps] + [0.5 - gap for gap in gaps]
    middle: list[float | None] = [0.5] * len(own)

    above, below = told(a_board(list(own), middle, middle))

    assert len(above) == len(below) == MOST
    assert above == ["v1", "v3", "v5", "v6", "v2"]
    assert below == ["v8", "v10", "v12", "v13", "v9"]


def test_difference_below_the_shown_digits_is_none() -> None:
    assert told(a_board([0.504], [0.5], [0.5], digits=2)) == ([], [])
    assert told(a_board([0.504], [0.5], [0.5], digits=3)) == (["v0"], [])


def test_two_systems_have_no_median_system() -> None:
    assert told(a_board([0.9], [0.5])) == ([], [])


def test_small_slice_is_left_out() -> None:
    assert told(a_board([None], [0.5], [0.4], [0.3])) == ([], [])
