"""Scores that cannot be are noticed, and those of a right scale never are."""

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

from evaluation import Evaluation, Floats, Qrels, TopicScores, TopicTable, evaluate, read_run
from leaderboard.alarms import Alarm, Rule, alarms
from tests.leaderboard.rooms import a_ranking

MEASURES = ("AP@10", "RR@10", "R@1", "R@10", "Success@1", "Success@10", "P@3", "nDCG@10", "Robustness@10")
# t1 has one relevant document, at rank 2; t2 has two, at ranks 1 and 3; t3 is not answered
QRELS = Qrels.of({"t1": {"a": 1, "z": 0}, "t2": {"b": 1, "c": 2}, "t3": {"e": 1}})
TABLE = TopicTable(
    ("t1", "t2", "t3"), ("g1", "g1", "g2"), {"kind": (("x",), ("x",), ("y",)), "tags": (("p", "q"), ("p",), ("q",))}
)
RUN = a_ranking({"t1": ["z", "a"], "t2": ["b", "z", "c"]})


def right() -> Evaluation:
    reading = read_run(BytesIO(RUN), topics=QRELS.topic_ids, qrels=QRELS)
    return evaluate(QRELS, reading, MEASURES, topics=TABLE, axes=("kind", "tags"))


def with_values(change: Callable[[Floats], None], measure: str) -> Evaluation:
    """The right evaluation with one measure changed on its topics, and nowhere else."""
    scored = right()
    values = scored.scores.values.copy()
    change(values[scored.scores.measure_names.index(measure)])
    return replace(scored, scores=TopicScores(scored.scores.measure_names, scored.scores.topic_ids, values))


def put(place: int, value: float) -> Callable[[Floats], None]:
    def change(row: Floats) -> None:
        row[place] = value

    return change


def test_right_scores_raise_no_alarm() -> None:
    assert alarms(right(), QRELS) == ()


@pytest.mark.parametrize(
    ("measure", "place", "value", "alarm"),
    [
        ("nDCG@10", 0, 1.001, Alarm(Rule.RANGE, "nDCG@10")),
        ("nDCG@10", 0, -0.001, Alarm(Rule.RANGE, "nDCG@10")),
        ("nDCG@10", 0, np.nan, Alarm(Rule.RANGE, "nDCG@10")),
        ("R@1", 0, 1.0, Alarm(Rule.SUCCESS, "Success@1 < R@1")),
        ("R@10", 1, 0.0, Alarm(Rule.MONOTONE, "R@1 > R@10")),
        ("Success@10", 1, 0.0, Alarm(Rule.MONOTONE, "Success@1 > Success@10")),
        ("AP@10", 0, 0.25, Alarm(Rule.ONE_RELEVANT, "AP@10 ≠ RR@10")),
        ("P@3", 0, 0.25, Alarm(Rule.WHOLE, "P@3")),
    ],
)
def test_impossible_value_of_a_topic_is_named_with_its_rule(
    measure: str, place: int, value: float, alarm: Alarm
) -> None:
    assert alarm in alarms(with_values(put(place, value), measure), QRELS)


def test_average_precision_may_differ_where_several_documents_are_relevant() -> None:
    assert alarms(with_values(put(1, 0.25), "AP@10"), QRELS) == ()


def test_average_precision_may_differ_at_another_cutoff() -> None:
    reading = read_run(BytesIO(a_ranking({"t1": ["z", "a"]})), topics=QRELS.topic_ids, qrels=QRELS)
    scored = evaluate(QRELS, reading, ("AP@1", "RR@10"))

    assert alarms(scored, QRELS) == ()


def test_slices_of_an_axis_with_one_value_a_topic_add_up_to_the_whole() -> None:
    scored = right()
    slices = dict(scored.slices)
    piece = slices["kind"]["x"]
    slices["kind"] = {**slices["kind"], "x": replace(piece, values={**piece.values, "R@10": 0.9})}

    found = alarms(replace(scored, slices=slices), QRELS)

    assert found == (Alarm(Rule.SLICES, "R@10 along kind"),)


def test_slices_that_overlap_need_not_add_up() -> None:
    scored = right()

    assert sum(piece.n_topics for piece in scored.slices["tags"].values()) == 4
    assert alarms(scored, QRELS) == ()


def test_impossible_mean_over_groups_is_noticed() -> None:
    scored = replace(right(), means={**right().means, "Robustness@10": 1.5})

    assert alarms(scored, QRELS) == (Alarm(Rule.RANGE, "Robustness@10"),)


def test_relevant_documents_are_those_of_the_card() -> None:
    # from grade 2 on, t2 has one relevant document, c at rank 3
    reading = read_run(BytesIO(RUN), topics=QRELS.topic_ids, qrels=QRELS)
    scored = evaluate(QRELS, reading, ("AP@10", "RR@10"), relevant_from=2)

    assert alarms(scored, QRELS, relevant_from=2) == ()
