"""From values a topic to means, groups, slices and macro means; what is refused before anything is scored."""

import math

import numpy as np
import pytest

from evaluation import (
    UNSPECIFIED,
    GoldError,
    MissingGroups,
    Qrels,
    RunContentError,
    TopicTable,
    UnknownAxis,
    UnknownMeasure,
    evaluate,
    group_means,
    mean,
    robustness,
)
from tests.evaluation.inputs import a_run, ranked, read, scored

# three groups with the relevant document at ranks 1, 1, 11 / 1, 2 / 3, 4, 5, 6, 7
RANKS = {"g1": [1, 1, 11], "g2": [1, 2], "g3": [3, 4, 5, 6, 7]}
TOPIC_IDS = tuple(f"{group}_{n}" for group, ranks in RANKS.items() for n in range(len(ranks)))
ROBUSTNESS_GOLD = {topic_id: {"rel": 1} for topic_id in TOPIC_IDS}
GROUPS = TopicTable(
    topic_ids=TOPIC_IDS,
    groups=tuple(topic_id.split("_")[0] for topic_id in TOPIC_IDS),
    axes={"parity": tuple(("odd",) if int(topic_id[-1]) % 2 else ("even",) for topic_id in TOPIC_IDS)},
)


def robustness_run(*, without: frozenset[str] = frozenset()) -> str:
    ranks = [rank for group in RANKS.values() for rank in group]
    return a_run(
        {
            topic_id: ranked(*(f"x{n:02d}" for n in range(1, rank)), "rel")
            for topic_id, rank in zip(TOPIC_IDS, ranks, strict=True)
            if topic_id not in without
        }
    )


def test_robustness_is_the_mean_of_the_lowest_values_of_the_groups() -> None:
    names = ["nDCG@10", "GroupMean(nDCG@10)", "Robustness@10"]

    evaluation = scored(ROBUSTNESS_GOLD, robustness_run(), names, topics=GROUPS)

    assert [round(evaluation.means[name], 5) for name in names] == [0.56380, 0.62785, 0.32142]


def test_leaving_out_a_hard_topic_lowers_robustness() -> None:
    whole = scored(ROBUSTNESS_GOLD, robustness_run(), ["Robustness@10"], topics=GROUPS)
    less = scored(ROBUSTNESS_GOLD, robustness_run(without=frozenset({"g2_1"})), ["Robustness@10"], topics=GROUPS)

    assert less.means["Robustness@10"] < whole.means["Robustness@10"]
    assert (less.n_topics, less.n_answered) == (10, 9)


def test_groups_come_from_the_table_and_never_from_the_id() -> None:
    one_group = TopicTable(TOPIC_IDS, ("all",) * len(TOPIC_IDS), {})

    evaluation = scored(ROBUSTNESS_GOLD, robustness_run(), ["Robustness@10"], topics=one_group)

    assert evaluation.means["Robustness@10"] == 0.0
    assert evaluation.group_scores is not None
    assert evaluation.group_scores.group_ids == ("all",)


def test_group_that_an_axis_splits_uses_its_topics_inside_the_slice() -> None:
    names = ["Robustness@10", "GroupMean(nDCG@10)", "nDCG@10"]

    pieces = scored(ROBUSTNESS_GOLD, robustness_run(), names, topics=GROUPS, axes=["parity"]).slices["parity"]

    # odd: g1_1 at rank 1, g2_1 at rank 2, g3_1 and g3_3 at ranks 4 and 6
    worst = [1.0, 1 / math.log2(3), 1 / math.log2(7)]
    assert (pieces["odd"].n_topics, pieces["odd"].n_groups) == (4, 3)
    assert pieces["odd"].values["Robustness@10"] == pytest.approx(sum(worst) / 3, abs=1e-15)
    assert (pieces["even"].n_topics, pieces["even"].n_groups) == (6, 3)


def test_slice_has_no_group_count_without_a_group_measure() -> None:
    pieces = scored(ROBUSTNESS_GOLD, robustness_run(), ["RR"], topics=GROUPS, axes=["parity"]).slices["parity"]

    assert [piece.n_groups for piece in pieces.values()] == [None, None]


def test_means_are_plain_sums_in_topic_order() -> None:
    values = np.array([0.1] * 10 + [1e16, 1.0, -1e16])
    total = 0.0
    for one in values.tolist():
        total += one

    assert mean(values) == total / 13
    assert mean(np.array([])) == 0.0


def test_group_functions_work_on_any_numbering() -> None:
    values, group = np.array([1.0, 0.25, 0.5, 0.75]), np.array([1, 0, 1, 0])

    assert robustness(values, group).tolist() == [0.25, 0.5]
    assert group_means(values, group).tolist() == [0.5, 0.75]


SLICE_GOLD = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}, "q4": {"a": 1}}
LEVELS = TopicTable(
    topic_ids=("q9", "q3", "q1", "q2", "q4"),
    groups=None,
    axes={
        "level": (("high",), ("low",), ("low", "high"), ("high",), (UNSPECIFIED,)),
        "lang": (("fr",), ("fr",), ("fr",), ("fr",), ("fr",)),
    },
)


def test_topic_with_several_values_counts_in_each_slice_and_once_overall() -> None:
    run = a_run({"q1": ranked("a"), "q2": ranked("x", "a")})

    evaluation = scored(SLICE_GOLD, run, ["RR"], topics=LEVELS, axes=["level", "lang"])

    counts = {value: (piece.n_topics, piece.values["RR"]) for value, piece in evaluation.slices["level"].items()}
    assert counts == {"low": (2, 0.5), "high": (2, 0.75), UNSPECIFIED: (1, 0.0)}
    assert evaluation.slices["lang"]["fr"].values == evaluation.means == {"RR": 0.375}
    assert evaluation.macro["level"] == {"RR": (0.5 + 0.75 + 0.0) / 3}


def test_every_slice_divides_by_its_judged_topics() -> None:
    evaluation = scored(SLICE_GOLD, a_run({"q1": ranked("a")}), ["nDCG@10"], topics=LEVELS, axes=["level"])

    assert evaluation.slices["level"]["low"].values["nDCG@10"] == 0.5


def test_rows_without_a_judgement_are_ignored_and_counted() -> None:
    evaluation = scored(SLICE_GOLD, a_run({"q1": ranked("a")}), ["RR"], topics=LEVELS)

    assert [(notice.code, notice.count, notice.facts["example"]) for notice in evaluation.notices] == [
        ("rows_without_judgement", 1, "q9")
    ]


def test_only_some_topics_can_be_counted() -> None:
    run = a_run({"q1": ranked("a"), "q2": ranked("x", "a")})

    evaluation = scored(SLICE_GOLD, run, ["RR"], topics=LEVELS, axes=["level"], only={"q2", "q3", "zz"})

    assert (evaluation.n_topics, evaluation.n_answered, evaluation.means) == (2, 1, {"RR": 0.25})
    assert evaluation.scores.topic_ids == ("q2", "q3")
    assert {value: piece.n_topics for value, piece in evaluation.slices["level"].items()} == {"high": 1, "low": 1}


def test_results_are_keyed_by_the_names_as_asked() -> None:
    names = ["map", "MRR", "ndcg@10", "nDCG@10", "MRR"]

    evaluation = scored(SLICE_GOLD, a_run({"q1": ranked("a")}), names)

    assert list(evaluation.means) == ["map", "MRR", "ndcg@10", "nDCG@10"]
    assert evaluation.scores.measure_names == ("map", "MRR", "ndcg@10", "nDCG@10")


def test_json_holds_every_topic_and_group_when_asked() -> None:
    names = ["RR", "Robustness@10"]
    evaluation = scored(ROBUSTNESS_GOLD, robustness_run(), names, topics=GROUPS, axes=["parity"])

    short, long = evaluation.to_json(), evaluation.to_json(per_topic=True)

    assert set(short) == {"topics", "answered", "means", "macro", "slices"}
    assert set(long) == {*short, "per_topic", "per_group"}
    assert long["per_topic"]["g1_2"] == {"RR": 1 / 11}
    assert long["per_group"]["g1"] == {"Robustness@10": 0.0}
    assert set(short["slices"]["parity"]["odd"]) == {"topics", "groups", "RR", "Robustness@10"}


def test_unknown_measure_and_axis_are_refused() -> None:
    run = a_run({"q1": ranked("a")})

    with pytest.raises(UnknownMeasure):
        scored(SLICE_GOLD, run, ["nope"])
    with pytest.raises(UnknownAxis) as caught:
        scored(SLICE_GOLD, run, ["RR"], topics=LEVELS, axes=["grade"])
    with pytest.raises(UnknownAxis):
        scored(SLICE_GOLD, run, ["RR"], axes=["level"])
    assert (caught.value.name, caught.value.known) == ("grade", ("level", "lang"))


@pytest.mark.parametrize("topics", [None, LEVELS])
def test_group_measure_without_groups_is_refused(topics: TopicTable | None) -> None:
    with pytest.raises(MissingGroups):
        scored(SLICE_GOLD, a_run({"q1": ranked("a")}), ["Robustness@10"], topics=topics)


def test_gold_topic_without_a_row_or_group_is_refused_where_one_is_needed() -> None:
    run = a_run({"q1": ranked("a")})
    some = TopicTable(("q1", "q2"), ("g", ""), {"x": (("1",), ("2",))})
    gold = {"q1": {"a": 1}, "q2": {"a": 1}}

    assert scored(SLICE_GOLD, run, ["RR"], topics=some).n_topics == 4
    with pytest.raises(GoldError, match=r"without a row in the topic table: 2 \(for example q3\)"):
        scored(SLICE_GOLD, run, ["RR"], topics=some, axes=["x"])
    with pytest.raises(GoldError, match=r"without a group in the topic table: 1 \(for example q2\)"):
        scored(gold, run, ["Robustness@10"], topics=some)


def test_refused_run_cannot_be_scored() -> None:
    gold = Qrels.of(SLICE_GOLD)

    with pytest.raises(RunContentError):
        evaluate(gold, read("q1 Q0 a 1 nan t\n", qrels=gold), ["RR"])


def test_run_read_without_or_against_other_judgements_cannot_be_scored() -> None:
    gold, other = Qrels.of(SLICE_GOLD), Qrels.of({"q1": {"a": 1}})
    run = a_run({"q1": ranked("a")})

    with pytest.raises(GoldError):
        evaluate(gold, read(run, qrels=other), ["RR"])
    with pytest.raises(GoldError):
        evaluate(gold, read(run), ["RR"])
