"""Measures: how names are read, values worked out by hand, and properties that every measure must have."""

import math
import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import Qrels, TopicTable, UnknownMeasure, evaluate, parse_measure
from tests.evaluation.inputs import MONOTONE, a_run, ranked, read, scored, value

TOPIC_MEASURES = [*MONOTONE, "Judged@5"]
RECIPES = ["RR(recipe)", "nDCG(recipe)"]


# names


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("nDCG", "nDCG"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        (" AP ", "AP"),
        ("MAP", "AP"),
        ("map@10", "AP@10"),
        ("mrr", "RR"),
        ("MRR@10", "RR@10"),
        ("Recall@100", "R@100"),
        ("r@10", "R@10"),
        ("Precision@3", "P@3"),
        ("success@3", "Success@3"),
        ("Hit@3", "Success@3"),
        ("judged@10", "Judged@10"),
        ("robustness@10", "Robustness@10"),
        ("groupmean(ndcg@10)", "GroupMean(nDCG@10)"),
        ("GroupMean(RR)", "GroupMean(RR)"),
        ("RR(recipe)", "RR(recipe)"),
        ("ndcg(Recipe)", "nDCG(recipe)"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("map_cut_10", "AP@10"),
        ("recip_rank", "RR"),
        ("recall_10", "R@10"),
        ("P_10", "P@10"),
        ("success_10", "Success@10"),
    ],
)
def test_names_are_read_as_the_field_writes_them(name: str, canonical: str) -> None:
    measure = parse_measure(name)

    assert (measure.canonical, measure.name) == (canonical, name.strip())


def test_group_measures_know_what_they_take_from_a_topic() -> None:
    lowest, average, plain = parse_measure("Robustness@5"), parse_measure("GroupMean(AP)"), parse_measure("RR")

    assert (lowest.is_group, lowest.cutoff, lowest.base and lowest.base.canonical) == (True, 5, "nDCG@5")
    assert (average.is_group, average.base and average.base.canonical) == (True, "AP")
    assert (plain.is_group, plain.base) == (False, None)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("nDGC@10", "nDCG@10"),
        ("nDCG@", "nDCG@10"),
        ("nDCG@0", "nDCG@10"),
        ("nDCG@-1", "nDCG@10"),
        ("nDCG@1.5", "nDCG@10"),
        ("nDCG @20", "nDCG@20"),
        ("nDCG@010", "nDCG@10"),
        ("nDCG@１０", "nDCG@10"),
        ("R", "R@10"),
        ("P", "P@10"),
        ("Recal@20", "R@20"),
        ("success", "Success@10"),
        ("Robustness", "Robustness@10"),
        ("Robustnes@5", "Robustness@5"),
        ("GroupMean(Robustness@10)", "GroupMean(nDCG@10)"),
        ("MRR@10(recipe)", "RR@10"),
        ("RR(recipe)@10", "RR@10"),
        ("averageprecision", None),
        ("", None),
        ("@10", None),
        ("nDCG@99999999999", None),
        ("x" * 100_000, None),
    ],
)
def test_unknown_name_is_refused_with_the_nearest(name: str, nearest: str | None) -> None:
    with pytest.raises(UnknownMeasure) as caught:
        parse_measure(name)

    parse_measure(caught.value.nearest)
    assert nearest in (caught.value.nearest, None)
    assert caught.value.code == "unknown_measure"
    assert caught.value.nearest in str(caught.value)


def test_trec_eval_names_are_given_where_it_has_the_measure() -> None:
    names = ["nDCG", "nDCG@10", "AP", "AP@10", "R@10", "P@10", "RR", "Success@3", "RR@10", "Judged@10", "Robustness@10"]

    assert [parse_measure(name).trec_name for name in names] == [
        *("ndcg", "ndcg_cut_10", "map", "map_cut_10", "recall_10", "P_10", "recip_rank", "success_3"),
        *("RR@10", "Judged@10", "Robustness@10"),
    ]


# by hand


@pytest.mark.parametrize(
    ("qrels", "documents", "measure", "expected"),
    [
        # gain = grade: (1/log2(2) + 3/log2(3)) / (3/log2(2) + 1/log2(3))
        ({"a": 3, "b": 1}, "ba", "nDCG@10", (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))),
        # the ideal is of all judgements, cut at k: 1 / (1 + 1/log2(3))
        ({"a": 1, "b": 1, "c": 1}, "a", "nDCG@2", 1 / (1 + 1 / math.log2(3))),
        ({"a": 1, "b": 1, "c": 1}, "a", "nDCG", 1 / (1 + 1 / math.log2(3) + 1 / 2)),
        # a negative grade has no gain
        ({"a": -2, "b": 1, "c": 2}, "acb", "nDCG@10", (2 / math.log2(3) + 1 / 2) / (2 + 1 / math.log2(3))),
        # AP@2 divides by all three: (1/1) / 3
        ({"a": 1, "b": 1, "c": 1}, "axbc", "AP@2", 1 / 3),
        ({"a": 1, "b": 1, "c": 1}, "axbc", "AP", (1 + 2 / 3 + 3 / 4) / 3),
        ({"a": 1, "b": 1, "c": 1, "d": 1}, "ax", "R@2", 1 / 4),
        ({"a": 1}, "a", "P@10", 1 / 10),
        ({"a": 1}, "xya", "RR", 1 / 3),
        ({"a": 1}, "xya", "RR@2", 0.0),
        ({"a": 1}, "xya", "RR@3", 1 / 3),
        ({"a": 1}, "xya", "Success@2", 0.0),
        ({"a": 1}, "xya", "Success@3", 1.0),
        ({"a": 1, "b": 0}, "axbx2", "Judged@4", 0.5),
        # two were retrieved, one has a judgement
        ({"a": 1}, "ax", "Judged@10", 0.5),
        ({"a": 1, "b": 0}, "xy", "Judged@10", 0.0),
    ],
)
def test_values_worked_out_by_hand(qrels: Mapping[str, int], documents: str, measure: str, expected: float) -> None:
    names = ["a", "x", "b", "x2"] if documents == "axbx2" else list(documents)

    assert value(qrels, names, measure) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("qrels", "documents", "measure", "expected"),
    [
        ({"a": 1}, [], "RR(recipe)", 1.0),
        ({"a": 1}, ["x"], "RR(recipe)", 0.5),
        ({"a": 1}, ["x", "y", "z"], "RR(recipe)", 0.25),
        ({"a": 1}, ["x", "a"], "RR(recipe)", 0.5),
        ({"a": 1, "b": 1, "c": 1}, ["a"], "nDCG(recipe)", 1.0),
        ({"a": 1, "b": 1, "c": 1}, ["a"], "nDCG", 0.46927872602275644),
        ({"a": 1}, ["x"], "RR", 0.0),
        ({"a": 1}, [], "nDCG(recipe)", 0.0),
        ({"a": 1}, ["x", "a"], "nDCG(recipe)", 1 / math.log2(3)),
    ],
)
def test_published_recipes_are_reproduced_with_their_flaws(
    qrels: Mapping[str, int], documents: Sequence[str], measure: str, expected: float
) -> None:
    assert value(qrels, documents, measure) == pytest.approx(expected, abs=1e-12)


def test_relevance_threshold_moves_counts_and_not_gains() -> None:
    qrels, documents = {"a": 1, "b": 2}, ["a", "b"]

    plain = {name: value(qrels, documents, name) for name in ("RR", "R@1", "P@2", "AP", "Success@1", "nDCG@10")}
    strict = {name: value(qrels, documents, name, relevant_from=2) for name in plain}

    assert strict == {"RR": 0.5, "R@1": 0.0, "P@2": 0.5, "AP": 0.5, "Success@1": 0.0, "nDCG@10": plain["nDCG@10"]}


# properties

GRADES = st.dictionaries(st.sampled_from([f"d{n}" for n in range(12)]), st.integers(-2, 4), min_size=1)
RANKING = st.lists(
    st.sampled_from([f"d{n}" for n in range(12)] + [f"x{n}" for n in range(8)]), unique=True, max_size=20
)


def values_of(qrels: Mapping[str, int], documents: Sequence[str], measures: Sequence[str]) -> list[float]:
    run = a_run({"q1": ranked(*documents), "other": {"x": 1.0}})
    evaluation = scored({"q1": qrels, "other": {"y": 1}}, run, measures)
    return list(evaluation.scores.values[:, 0].tolist())


@settings(max_examples=200, deadline=None)
@given(qrels=GRADES, documents=RANKING)
def test_every_value_is_between_0_and_1(qrels: dict[str, int], documents: list[str]) -> None:
    assert all(0 <= found <= 1 for found in values_of(qrels, documents, [*TOPIC_MEASURES, *RECIPES]))


@settings(max_examples=200, deadline=None)
@given(qrels=GRADES, documents=RANKING)
def test_no_ranking_beats_the_ideal_one(qrels: dict[str, int], documents: list[str]) -> None:
    ideal = sorted(qrels, key=lambda document: -qrels[document])
    has_relevant = max(qrels.values()) >= 1

    best, found = values_of(qrels, ideal, MONOTONE), values_of(qrels, documents, MONOTONE)

    assert all(one <= most for one, most in zip(found, best, strict=True))
    for name in ("nDCG", "nDCG@10", "nDCG@3", "RR", "RR@10", "Success@3", "AP"):
        assert best[MONOTONE.index(name)] == pytest.approx(1.0 if has_relevant else 0.0, abs=1e-15)


@settings(max_examples=200, deadline=None)
@given(qrels=GRADES, documents=RANKING, cut=st.integers(0, 20))
def test_a_truncated_list_never_scores_more(qrels: dict[str, int], documents: list[str], cut: int) -> None:
    whole, part = values_of(qrels, documents, MONOTONE), values_of(qrels, documents[:cut], MONOTONE)

    assert all(less <= more for less, more in zip(part, whole, strict=True))


@settings(max_examples=200, deadline=None)
@given(qrels=GRADES, documents=RANKING, tail=st.integers(1, 15))
def test_a_tail_without_relevant_documents_changes_nothing(
    qrels: dict[str, int], documents: list[str], tail: int
) -> None:
    padded = [*documents, *(f"tail{n}" for n in range(tail))]

    assert values_of(qrels, documents, MONOTONE) == values_of(qrels, padded, MONOTONE)


@settings(max_examples=100, deadline=None)
@given(qrels=GRADES, documents=RANKING, place=st.integers(0, 20))
def test_an_unjudged_document_never_raises_a_value(qrels: dict[str, int], documents: list[str], place: int) -> None:
    more = [*documents[:place], "unjudged", *documents[place:]]

    before, after = values_of(qrels, documents, TOPIC_MEASURES), values_of(qrels, more, TOPIC_MEASURES)

    assert all(less <= most for less, most in zip(after, before, strict=True))


@settings(max_examples=100, deadline=None)
@given(documents=RANKING, relevant=st.sampled_from([f"d{n}" for n in range(12)]))
def test_with_one_relevant_document_ap_is_rr(documents: list[str], relevant: str) -> None:
    names = ["AP@10", "RR@10", "AP", "RR"]

    ap_cut, rr_cut, ap, rr = values_of({relevant: 1}, documents, names)

    assert (ap_cut, ap) == (rr_cut, rr)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_order_of_lines_and_topics_never_changes_a_value(seed: int) -> None:
    chance = random.Random(seed)
    documents = [f"d{n}" for n in range(30)]
    qrels = {f"q{n}": {d: chance.randrange(-1, 4) for d in chance.sample(documents, 10)} for n in range(5)}
    run = {f"q{n}": {d: chance.randrange(6) / 4 for d in chance.sample(documents, 20)} for n in range(5)}
    lines = a_run(run).splitlines(keepends=True)
    shuffled = chance.sample(lines, len(lines))
    gold = Qrels.of(qrels)

    first = evaluate(gold, read("".join(lines), qrels=gold), TOPIC_MEASURES)
    second = evaluate(gold, read("".join(shuffled), qrels=gold), TOPIC_MEASURES)

    assert first.means == second.means
    assert first.scores.values.tobytes() == second.scores.values.tobytes()


def test_topic_without_an_answer_scores_0() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}

    evaluation = scored(qrels, a_run({"q1": ranked("a")}), TOPIC_MEASURES)

    assert evaluation.scores.values[:, 1].tolist() == [0.0] * len(TOPIC_MEASURES)


@pytest.mark.parametrize("grades", [{"a": 0}, {"a": -1}, {"a": 0, "b": -3}])
def test_topic_without_a_relevant_document_scores_0_and_counts(grades: Mapping[str, int]) -> None:
    evaluation = scored({"q1": grades, "q2": {"b": 1}}, a_run({"q1": ranked("a"), "q2": ranked("b")}), MONOTONE)

    assert evaluation.scores.values[:, 0].tolist() == [0.0] * len(MONOTONE)
    assert evaluation.means["nDCG"] == 0.5
    assert [(notice.code, notice.count, notice.facts["example"]) for notice in evaluation.notices] == [
        ("topics_without_relevant", 1, "q1")
    ]


# group measures

GROUP_MEASURES = ["Robustness@10", "Robustness@2", "GroupMean(nDCG@10)", "GroupMean(RR)", "GroupMean(R@2)"]
GROUPS = TopicTable(("q1", "q2", "q3"), ("g", "h", "g"), {})
THREE = st.tuples(*[st.tuples(GRADES, RANKING)] * 3)
Three = tuple[tuple[dict[str, int], list[str]], ...]


def group_values(judged: Sequence[Mapping[str, int]], rankings: Sequence[Sequence[str]], seed: int = 0) -> list[float]:
    """The group measures of a run of three topics, whose lines are shuffled by the seed."""
    gold = Qrels.of({f"q{n}": grades for n, grades in enumerate(judged, 1)})
    lines = a_run({f"q{n}": ranked(*documents, "last") for n, documents in enumerate(rankings, 1)}).splitlines(True)
    random.Random(seed).shuffle(lines)
    return list(evaluate(gold, read("".join(lines), qrels=gold), GROUP_MEASURES, topics=GROUPS).means.values())


@settings(max_examples=100, deadline=None)
@given(topics=THREE, cut=st.integers(0, 8), seed=st.integers(1, 99))
def test_group_measures_keep_the_promises_of_their_topics(topics: Three, cut: int, seed: int) -> None:
    judged, rankings = zip(*topics, strict=True)
    ideal = [sorted(grades, key=lambda document, grades=grades: -grades[document]) for grades in judged]

    best, found, part, nothing = (
        group_values(judged, ideal),
        group_values(judged, rankings),
        group_values(judged, [documents[:cut] for documents in rankings]),
        group_values(judged, [[], [], []]),
    )

    assert found == group_values(judged, rankings, seed)
    assert all(0 <= less <= some <= most <= 1 for less, some, most in zip(part, found, best, strict=True))
    assert nothing == [0.0] * len(GROUP_MEASURES)
    if all(max(grades.values()) >= 1 for grades in judged):
        assert best[:4] == pytest.approx([1.0] * 4, abs=1e-15)


@settings(max_examples=50, deadline=None)
@given(topics=THREE)
def test_robustness_is_never_above_the_mean_of_the_groups(topics: Three) -> None:
    lowest, _, average, *_ = group_values(*zip(*topics, strict=True))

    assert lowest <= average + 1e-15
