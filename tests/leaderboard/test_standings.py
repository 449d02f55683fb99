"""Ranks, cells and what sealed gold may show, on sheets small enough to read."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from data.task import Axis, Limits, MeasureColumn, Source, Task
from leaderboard.standings import columns_of, make_board, sealed_digits, shown_values, shut
from leaderboard.submissions import (
    GoldFacts,
    Progress,
    ScoreSheet,
    Submission,
    SystemForm,
    Visibility,
)

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def a_measure(
    name: str, *, is_primary: bool = False, is_group: bool = False, label: str | None = None
) -> MeasureColumn:
    return MeasureColumn(name=name, label=label, is_primary=is_primary, is_group=is_group, words={})


def a_task(**changes: Any) -> Task:
    task = Task(
        id="made-up",
        benchmark="Made up",
        version="1",
        gold="open",
        depth=1000,
        mean="topics",
        relevant_from=1,
        remove_identical=False,
        has_groups=False,
        name={"en": "Made up"},
        summary={"en": "."},
        description={},
        languages=("en",),
        pitfalls={},
        measures=(a_measure("AP@10"), a_measure("nDCG@10", is_primary=True, label="n@10")),
        axes=(Axis(id="kind", name={"en": "Kind"}, is_ordinal=False, order=("b", "a"), labels={}, chart="heatmap"),),
        limits=Limits(per_day=3, per_month=30, total=200, min_slice_topics=20),
        source=Source("", "", "", "", "", "", ""),
        family=None,
        position=1,
        folder=Path("/nowhere"),
    )
    return replace(task, **changes)


def some_facts(**changes: Any) -> GoldFacts:
    facts = GoldFacts(
        task_id="made-up",
        version="2026.1",
        kind="open",
        fingerprint="sha256:ab",
        n_topics=60,
        n_live=None,
        n_groups=None,
        axes={"kind": [("a", 45, None), ("b", 15, None)]},
        is_sample=False,
        example_topic_id="t1",
    )
    return replace(facts, **changes)


def a_submission(name: str = "System", *, minutes: int = 0, **changes: Any) -> Submission:
    submission = Submission(
        id=f"id-{name}",
        task_id="made-up",
        system_id=f"system-{name}",
        run_sha256="0" * 64,
        run_size_bytes=1,
        owner_hash="o",
        link_hash="l",
        form=SystemForm(name=name, version="1"),
        n_lines=1,
        n_topics=60,
        notices=(),
        is_baseline=False,
        is_sample=False,
        progress=Progress.SCORED,
        visibility=Visibility.PUBLIC,
        is_marked=False,
        n_attempts=1,
        executor=None,
        failure_code=None,
        failure_facts={},
        submitted_at=NOON + timedelta(minutes=minutes),
        started_at=None,
        finished_at=None,
        published_at=None,
    )
    return replace(submission, **changes)


def a_sheet(ndcg: float, *, version: str = "2026.1", **evaluation: Any) -> ScoreSheet:
    scores: dict[str, Any] = {
        "topics": 60,
        "answered": 60,
        "means": {"nDCG@10": ndcg, "AP@10": ndcg / 2},
        "macro": {},
        "slices": {
            "kind": {
                "a": {"topics": 45, "nDCG@10": ndcg, "AP@10": 0.25},
                "b": {"topics": 15, "nDCG@10": 0.5, "AP@10": 0.125},
            }
        },
    }
    return ScoreSheet(gold_version=version, n_topics=60, n_answered=60, evaluation=scores | evaluation)


def ranks(board: Mapping[str, Any]) -> list[tuple[int, str]]:
    return [(row["rank"], row["name"]) for row in board["rows"]]


def test_equal_values_share_a_rank_and_the_earlier_submission_comes_first() -> None:
    published = [
        (a_submission("late", minutes=9), a_sheet(0.5)),
        (a_submission("best", minutes=5), a_sheet(0.75)),
        (a_submission("early", minutes=1), a_sheet(0.5)),
        (a_submission("last", minutes=0), a_sheet(0.25)),
    ]

    board = make_board(published, a_task(), some_facts())

    assert ranks(board) == [(1, "best"), (2, "early"), (2, "late"), (4, "last")]


def test_open_gold_ranks_by_unrounded_values_and_keeps_them() -> None:
    low, high = 0.70001, 0.700010001
    published = [(a_submission("low"), a_sheet(low)), (a_submission("high"), a_sheet(high))]

    board = make_board(published, a_task(), some_facts())

    assert ranks(board) == [(1, "high"), (2, "low")]
    assert [row["scores"][0] for row in board["rows"]] == [high, low]


def test_primary_measure_is_the_first_column_whatever_the_card_lists_first() -> None:
    columns = columns_of(a_task())

    assert [(c.id, c.label, c.mean, c.is_primary) for c in columns] == [
        ("nDCG@10", "n@10", "topics", True),
        ("AP@10", None, "topics", False),
    ]


def test_macro_mean_ranks_and_the_topic_mean_stands_beside_it() -> None:
    task = a_task(mean="macro:kind")
    macro = {"kind": {"nDCG@10": 0.9, "AP@10": 0.8}}
    published = [(a_submission(), a_sheet(0.5, macro=macro))]

    board = make_board(published, task, some_facts())

    assert [column["id"] for column in board["columns"]] == ["nDCG@10", "AP@10", "nDCG@10:topics"]
    assert [column["mean"] for column in board["columns"]] == ["macro:kind", "macro:kind", "topics"]
    assert board["rows"][0]["scores"] == [0.9, 0.8, 0.5]


def test_group_measure_is_averaged_over_groups_beside_a_macro_mean() -> None:
    measures = (a_measure("nDCG@10", is_primary=True), a_measure("Robustness@10", is_group=True))
    task = a_task(mean="macro:kind", measures=measures, has_groups=True)
    sheet = a_sheet(0.5, means={"nDCG@10": 0.5, "Robustness@10": 0.3}, macro={"kind": {"nDCG@10": 0.6}})

    board = make_board([(a_submission(), sheet)], task, some_facts())

    assert board["columns"][1]["mean"] == "groups"
    assert board["rows"][0]["scores"] == [0.6, 0.3, 0.5]


def test_slice_below_the_minimum_shows_its_count_and_no_number() -> None:
    board = make_board([(a_submission(), a_sheet(0.5))], a_task(), some_facts())

    assert board["axes"][0]["values"] == [
        {"id": "b", "topics": 15, "groups": None, "enough": False, "digits": 3},
        {"id": "a", "topics": 45, "groups": None, "enough": True, "digits": 3},
    ]
    # measures in card order: AP@10, nDCG@10
    assert board["rows"][0]["slices"] == {"kind": [None, [0.25, 0.5]]}


def test_scores_of_another_gold_version_never_share_the_ranking() -> None:
    published = [(a_submission("sample"), a_sheet(0.99, version="sample")), (a_submission("real"), a_sheet(0.5))]

    board = make_board(published, a_task(), some_facts())

    assert ranks(board) == [(1, "real")]


def test_board_without_rows_still_names_gold_columns_and_slices() -> None:
    board = make_board([], a_task(), some_facts())

    assert board["rows"] == []
    assert board["gold"] == {"version": "2026.1", "kind": "open", "is_sample": False, "fingerprint": "sha256:ab"}
    assert (board["task"], board["topics"], board["digits"]) == ("made-up", 60, 3)
    assert board["measures"] == ["AP@10", "nDCG@10"]


def test_row_says_what_the_submitter_said() -> None:
    form = SystemForm(name="S", version="2", link="https://a.example", params_millions=110.0, open_weights=True)
    submission = a_submission("S", form=form, published_at=NOON, is_sample=True, is_baseline=True)

    row = make_board([(submission, a_sheet(0.5))], a_task(), some_facts())["rows"][0]

    assert row["params_millions"] == 110.0
    assert row["open_weights"] is True
    assert row["link"] == "https://a.example"
    assert row["submitted_at"] == row["published_at"] == "2026-01-31T12:00:00Z"
    assert (row["is_sample"], row["is_baseline"], row["answered"]) == (True, True, 60)


@pytest.mark.parametrize(
    ("n_topics", "digits"), [(1, 0), (9, 0), (10, 1), (99, 1), (100, 2), (999, 2), (1000, 3), (10**6, 3)]
)
def test_sealed_digits_are_the_floor_of_the_logarithm_and_at_most_three(n_topics: int, digits: int) -> None:
    assert sealed_digits(n_topics) == digits


def a_sealed_task(**changes: Any) -> Task:
    return a_task(gold="sealed", limits=Limits(2, 20, 100, 100), **changes)


def sealed_scores(ndcg: float) -> dict[str, Any]:
    return {
        "topics": 350,
        "answered": 340,
        "means": {"nDCG@10": ndcg, "AP@10": 0.123456},
        "macro": {"kind": {"nDCG@10": 0.654321, "AP@10": 0.2}},
        "slices": {
            "kind": {
                "a": {"topics": 150, "nDCG@10": 0.111999, "AP@10": 0.2},
                "b": {"topics": 110, "nDCG@10": 0.222999, "AP@10": 0.2},
                "c": {"topics": 90, "nDCG@10": 0.333999, "AP@10": 0.2},
            }
        },
        "per_topic": {"t1": {"nDCG@10": 1.0}},
        "warnings": [{"code": "ties", "best": 0.98765}],
    }


def test_sealed_scores_leave_the_worker_rounded_and_without_anything_per_topic() -> None:
    left = shut(sealed_scores(0.987654), a_sealed_task())

    assert left["means"] == {"nDCG@10": 0.99, "AP@10": 0.12}
    assert left["macro"] == {"kind": {"nDCG@10": 0.65, "AP@10": 0.2}}
    assert set(left) == {"topics", "means", "macro", "slices"}


def test_sealed_slice_too_small_takes_the_smallest_shown_one_with_it() -> None:
    # c has 90 topics: were a and b shown, all - a - b would be the mean of those 90
    left = shut(sealed_scores(0.5), a_sealed_task())

    assert left["slices"] == {"kind": {"a": {"topics": 150, "nDCG@10": 0.11, "AP@10": 0.2}}}


def test_sealed_slices_stay_when_the_hidden_rest_is_large_enough() -> None:
    counts = {"a": 150, "b": 60, "c": 60}

    assert shown_values(counts, 270, a_sealed_task()) == {"a"}


def test_every_slice_says_how_many_digits_it_shows() -> None:
    axes = {"kind": [("a", 1000, None), ("b", 200, None)]}

    sealed = make_board([], a_sealed_task(), some_facts(kind="sealed", n_topics=1200, n_live=1200, axes=axes))
    plain = make_board([], a_task(), some_facts(axes=axes))

    assert {value["id"]: value["digits"] for value in sealed["axes"][0]["values"]} == {"a": 3, "b": 2}
    assert {value["digits"] for value in plain["axes"][0]["values"]} == {3}


def test_sealed_board_ranks_by_shown_values_of_the_live_half() -> None:
    task = a_sealed_task()
    facts = some_facts(kind="sealed", n_topics=700, n_live=350, axes={"kind": [("a", 150, None), ("b", 200, None)]})
    early = ScoreSheet("2026.1", 350, 340, shut(sealed_scores(0.701), task))
    late = ScoreSheet("2026.1", 350, 340, shut(sealed_scores(0.704), task))

    board = make_board([(a_submission("late", minutes=1), late), (a_submission("early"), early)], task, facts)

    assert ranks(board) == [(1, "early"), (1, "late")]
    assert (board["topics"], board["digits"]) == (350, 2)


def test_open_gold_hides_no_slice_to_protect_another() -> None:
    assert shown_values({"a": 45, "b": 15}, 60, a_task()) == {"a"}
