"""What ties leave open: the extremes are those of all orders of the tied documents, tried one by one."""

import json
from collections.abc import Iterator, Mapping
from itertools import groupby, permutations, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import Qrels, TopicTable, evaluate, tie_extremes
from evaluation.__main__ import main
from tests.evaluation.inputs import MONOTONE, a_run, ranked, read

MEASURES = [*MONOTONE, "nDCG@1", "Success@1", "Judged@2", "Judged@5", "RR(recipe)", "nDCG(recipe)"]
TABLE = TopicTable(("q1", "q2"), ("g", "g"), {"language": (("en",), ("fr", "en"))})
DOCUMENTS = [f"d{n}" for n in range(6)]

grades = st.dictionaries(st.sampled_from([*DOCUMENTS, "never"]), st.integers(-1, 3), min_size=1)
rankings = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2).map(float), max_size=6)


def orders(ranking: Mapping[str, float]) -> Iterator[tuple[str, ...]]:
    """Every ranking without ties that the scores allow."""
    tied = [
        list(group)
        for _, group in groupby(sorted(ranking, key=ranking.__getitem__, reverse=True), key=ranking.__getitem__)
    ]
    for choice in product(*(permutations(documents) for documents in tied)):
        yield tuple(document for documents in choice for document in documents)


def extremes_of(
    qrels: Qrels, run: Mapping[str, Mapping[str, float]], engine: str, depth: int | None, relevant_from: int
) -> list[list[float]]:
    """The lowest, the actual and the highest value of every measure for topic q1."""
    reading = read(a_run(run), qrels=qrels, engine=engine, depth=depth)
    worst, best = tie_extremes(reading)
    return [
        evaluate(qrels, one, MEASURES, relevant_from=relevant_from).scores.values[:, 0].tolist()
        for one in (worst, reading, best)
    ]


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@settings(max_examples=150, deadline=None)
@given(judged=grades, ranking=rankings, depth=st.sampled_from([None, 1, 2, 3, 5]), relevant_from=st.integers(1, 2))
def test_extremes_are_those_of_all_orders(
    engine: str, judged: dict[str, int], ranking: dict[str, float], depth: int | None, relevant_from: int
) -> None:
    qrels = Qrels.of({"q1": judged, "other": {"x": 1}})
    tried = []
    for order in orders(ranking):
        reading = read(a_run({"q1": ranked(*order), "other": {"x": 1.0}}), qrels=qrels, depth=depth)
        tried.append(evaluate(qrels, reading, MEASURES, relevant_from=relevant_from).scores.values[:, 0].tolist())

    lowest, actual, highest = extremes_of(qrels, {"q1": ranking, "other": {"x": 1.0}}, engine, depth, relevant_from)

    assert lowest == pytest.approx([min(column) for column in zip(*tried, strict=True)], abs=1e-12)
    assert highest == pytest.approx([max(column) for column in zip(*tried, strict=True)], abs=1e-12)
    assert all(low - 1e-12 <= one <= high + 1e-12 for low, one, high in zip(lowest, actual, highest, strict=True))


@settings(max_examples=60, deadline=None)
@given(first=grades, second=grades, runs=st.tuples(rankings, rankings))
def test_means_groups_and_slices_have_their_extremes_too(
    first: dict[str, int], second: dict[str, int], runs: tuple[dict[str, float], dict[str, float]]
) -> None:
    names, qrels = ["nDCG@3", "AP", "Robustness@3", "GroupMean(RR)"], Qrels.of({"q1": first, "q2": second})
    runs = ({**runs[0], "x": 0.5}, {**runs[1], "x": 0.5})
    tried = []
    for one, other in product(*([*orders(run)][::7] + [*orders(run)][-1:] for run in runs)):
        reading = read(a_run({"q1": ranked(*one), "q2": ranked(*other)}), qrels=qrels)
        tried.append(evaluate(qrels, reading, names, topics=TABLE, axes=["language"]))

    low, high = (
        evaluate(qrels, extreme, names, topics=TABLE, axes=["language"])
        for extreme in tie_extremes(read(a_run({"q1": runs[0], "q2": runs[1]}), qrels=qrels))
    )

    for name in names:
        assert all(low.means[name] - 1e-12 <= one.means[name] <= high.means[name] + 1e-12 for one in tried)
        assert all(low.macro["language"][name] - 1e-12 <= one.macro["language"][name] for one in tried)
        assert all(high.macro["language"][name] + 1e-12 >= one.macro["language"][name] for one in tried)


def test_run_without_ties_has_one_value() -> None:
    qrels = Qrels.of({"q1": {"a": 2, "b": 1, "c": 0}})
    reading = read(a_run({"q1": ranked("c", "x", "b", "a")}), qrels=qrels)

    for extreme in tie_extremes(reading):
        assert evaluate(qrels, extreme, MEASURES).means == evaluate(qrels, reading, MEASURES).means


def test_everything_tied_is_between_the_top_and_the_bottom() -> None:
    qrels = Qrels.of({"q1": {"a": 1}})
    reading = read(a_run({"q1": dict.fromkeys("abcd", 1.0)}), qrels=qrels)

    worst, best = tie_extremes(reading)

    # the only relevant of four documents may stand anywhere
    assert (evaluate(qrels, worst, ["RR"]).means, evaluate(qrels, best, ["RR"]).means) == ({"RR": 0.25}, {"RR": 1.0})


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_document_that_the_depth_cuts_off_a_tie_takes_part(engine: str) -> None:
    qrels = Qrels.of({"q1": {"a": 1}})
    reading = read(a_run({"q1": dict.fromkeys("abc", 1.0)}), qrels=qrels, depth=2, engine=engine)

    worst, best = tie_extremes(reading)

    # later ids come first, so that the run itself keeps c and b
    assert [evaluate(qrels, one, ["RR"]).means["RR"] for one in (worst, reading, best)] == [0.0, 0.0, 1.0]


def test_run_that_has_no_hits_has_no_extremes() -> None:
    with pytest.raises(ValueError, match="judgements"):
        tie_extremes(read(a_run({"q1": ranked("a")})))


def test_command_line_says_how_far_ties_leave_a_measure_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    (tmp_path / "run").write_text(a_run({"q1": dict.fromkeys("abcd", 1.0), "q2": ranked("a", "b")}))
    command = ["score", str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "RR", "-m", "R@10", "--format", "json"]

    assert main(command) == 0
    plain = json.loads(capsys.readouterr().out)
    assert main([*command, "--ties"]) == 0
    told = json.loads(capsys.readouterr().out)

    ranges = [notice for notice in told["warnings"] if notice["code"] == "tie_range"]
    # RR of q1 is 1/4 at worst and 1 at best, and q2 has 1; R@10 is 1 whatever the order
    assert [(notice["count"], notice["message"].split(", in ")[0]) for notice in ranges] == [
        (1, "RR: equal scores leave it open between 0.6250 and 1.0000")
    ]
    assert plain == {**told, "warnings": [notice for notice in told["warnings"] if notice not in ranges]}
