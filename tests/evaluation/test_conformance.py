"""Real files of other projects, against the values that trec_eval and those projects give for them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation import Evaluation, Qrels, evaluate, parse_measure, read_qrels, read_run
from evaluation.layouts import trec
from tests.evaluation.inputs import a_run, cases, codes, scored

MEASURES = ["AP", "RR", "P@10", "R@10", "nDCG", "nDCG@10", "AP@10", "Success@10"]
PARAMETERS = [
    "P@3",
    "P@5",
    "P@7",
    "R@20",
    "R@2000",
    "nDCG@10",
    "nDCG@20",
    "nDCG@23",
    "Success@2",
    "Success@5",
    "Success@20",
]
ALL_TREC = [
    *(f"P@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    *(f"R@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    *(f"nDCG@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    *(f"AP@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    *("nDCG", "AP", "RR", "Success@1", "Success@5", "Success@10"),
]
TREC_EVAL = ("cases", "usnistgov-trec_eval")
WITH_REFERENCE = {
    "trec_eval": ((*TREC_EVAL, "qrels.test"), (*TREC_EVAL, "results.test"), "reference.trec_eval-10.test-c.txt"),
    "trec_eval with comments": (
        (*TREC_EVAL, "qrels.test.with-comments"),
        (*TREC_EVAL, "results.test"),
        "reference.trec_eval-10.test-c.txt",
    ),
    "ranx": (
        ("cases", "AmenRa-ranx", "qrels.trec"),
        ("cases", "AmenRa-ranx", "run.trec"),
        "reference.trec_eval-10.txt",
    ),
    "ranx in gzip": (
        ("cases", "AmenRa-ranx", "qrels.trec.gz"),
        ("cases", "AmenRa-ranx", "run.trec.gz"),
        "reference.trec_eval-10.txt",
    ),
    "trectools r1": (
        ("cases", "joaopalotti-trectools", "qrel1.txt"),
        ("cases", "joaopalotti-trectools", "r1.run"),
        "reference.trec_eval-10.r1.txt",
    ),
    "trectools r4": (
        ("cases", "joaopalotti-trectools", "qrel1.txt"),
        ("cases", "joaopalotti-trectools", "r4.run"),
        "reference.trec_eval-10.r4.txt",
    ),
    "ir_measures": (
        ("cases", "terrierteam-ir_measures", "cwl.qrels"),
        ("cases", "terrierteam-ir_measures", "cwl.run"),
        "reference.trec_eval-10.cwl.txt",
    ),
    "tira": (
        ("cases", "tira-io-tira", "valid-qrels", "qrels.txt"),
        ("cases", "tira-io-tira", "ranking-outputs", "run.txt"),
        "../reference.trec_eval-10.ranking-outputs.txt",
    ),
}


def evaluated(qrels_path: Path, run_path: Path, measures: list[str]) -> Evaluation:
    with qrels_path.open("rb") as stream:
        qrels = read_qrels(stream).qrels
    with run_path.open("rb") as stream:
        reading = read_run(stream, qrels=qrels)
    assert codes(reading) == []
    return evaluate(qrels, reading, measures)


def printed(text: str, measures: list[str]) -> set[tuple[str, ...]]:
    """The printed lines about these measures, split, so that trec_eval's order of lines does not matter."""
    names = {parse_measure(name).trec_name for name in measures}
    return {tuple(line.split()) for line in text.splitlines() if line.split()[:1] and line.split()[0] in names}


@pytest.mark.parametrize("name", WITH_REFERENCE)
def test_printed_values_equal_trec_evals(name: str) -> None:
    qrels, run, reference = WITH_REFERENCE[name]
    expected = printed((cases(*run).parent / reference).read_text(), MEASURES)

    actual = printed(trec(evaluated(cases(*qrels), cases(*run), MEASURES)), MEASURES)

    assert len(expected) >= 16
    assert expected == actual


@pytest.mark.parametrize(
    ("output", "measures"), [("out.test", ALL_TREC), ("out.test.a", ALL_TREC), ("out.test.aq", ALL_TREC)]
)
def test_own_outputs_of_trec_eval_are_reproduced(output: str, measures: list[str]) -> None:
    expected = printed(cases(*TREC_EVAL, output).read_text(), measures)

    actual = printed(
        trec(evaluated(cases(*TREC_EVAL, "qrels.test"), cases(*TREC_EVAL, "results.test"), measures)), measures
    )

    assert len(expected) >= 5
    assert expected <= actual


def test_other_cutoffs_of_trec_eval_are_reproduced() -> None:
    expected = printed(cases(*TREC_EVAL, "out.test.meas_params").read_text(), PARAMETERS)

    evaluation = evaluated(cases(*TREC_EVAL, "qrels.test"), cases(*TREC_EVAL, "results.test"), PARAMETERS)

    assert len(expected) >= 4 * 10
    assert expected <= printed(trec(evaluation), PARAMETERS)


def without_extra_columns() -> bytes:
    """trec_eval ignores what follows the tag; here it is cut off, since we refuse such lines."""
    text = cases(*TREC_EVAL, "results.trunc").read_bytes()
    return b"".join(b"\t".join(line.split()[:6]) + b"\n" for line in text.splitlines())


def test_extra_columns_are_refused_by_line() -> None:
    with cases(*TREC_EVAL, "results.trunc").open("rb") as stream:
        report = read_run(stream).report

    assert [(fault.line, fault.code) for fault in report.faults] == [
        (1, "blank_in_tag"),
        (2, "blank_in_tag"),
        (3, "blank_in_tag"),
        (4, "blank_in_tag"),
        (5, "blank_in_tag"),
    ]


@pytest.mark.parametrize("output", ["reference.trec_eval-10.trunc-c.txt", "out.test.aqc"])
def test_truncated_run_counts_missing_topics_as_trec_eval_c_does(output: str, tmp_path: Path) -> None:
    measures = MEASURES if output.startswith("reference") else ALL_TREC
    (tmp_path / "run").write_bytes(without_extra_columns())

    actual = printed(trec(evaluated(cases(*TREC_EVAL, "qrels.test"), tmp_path / "run", measures)), measures)

    expected = printed(cases(*TREC_EVAL, output).read_text(), measures)
    missing = {line for line in actual - expected if line[1] != "all"}
    assert len(expected) >= 16
    assert expected <= actual
    assert {float(line[2]) for line in missing} <= {0.0}


def upstream_cases() -> Iterator[tuple[str, float, float, str, str]]:
    tools = json.loads(cases("cases", "joaopalotti-trectools", "expected_upstream.json").read_text())
    folder = cases("cases", "joaopalotti-trectools")
    evaluation = evaluated(folder / tools["qrels"], folder / tools["run"], ["RR", "AP", "P@1000", "R@1000"])
    for theirs, ours in (("recip_rank", "RR"), ("map", "AP"), ("P_1000", "P@1000"), ("recall_1000", "R@1000")):
        yield "trectools", tools[theirs], evaluation.means[ours], theirs, "all"
    measures = json.loads(cases("cases", "terrierteam-ir_measures", "expected_upstream.json").read_text())["cwl"]
    folder = cases("cases", "terrierteam-ir_measures")
    names = ["AP", "RR", "P@1", "P@5", "P@10", "P@20"]
    rows = evaluated(folder / measures["qrels"], folder / measures["run"], names).to_json(per_topic=True)["per_topic"]
    for name in names:
        for topic_id, expected in measures[name].items():
            yield "ir_measures", expected, rows[topic_id][name], name, topic_id


def test_values_in_other_projects_own_tests_are_reproduced() -> None:
    found = list(upstream_cases())

    assert len(found) == 4 + 18
    assert [row for row in found if abs(row[1] - row[2]) > 1e-4] == []


def test_values_in_pytrec_evals_own_tests_are_reproduced() -> None:
    upstream = json.loads(cases("cases", "cvangysel-pytrec_eval", "expected_upstream.json").read_text())

    actual = [scored(upstream["qrels"], a_run(case["run"]), ["nDCG"]) for case in upstream["cases"]]

    expected = [case["q1"]["ndcg"] for case in upstream["cases"]]
    assert expected == [evaluation.scores.values[0, 0] for evaluation in actual]


@pytest.mark.parametrize(
    "path",
    [
        ("castorini-pyserini", "simple_test_run_convert_trec_run_dpr.trec"),
        ("tira-io-tira", "ranking-with-metadata", "run.txt"),
        ("tira-io-tira", "wows26-complete", "run.txt.gz"),
    ],
    ids="/".join,
)
def test_runs_that_their_projects_call_valid_are_accepted(path: tuple[str, ...]) -> None:
    with cases("cases", *path).open("rb") as stream:
        report = read_run(stream).report

    assert (report.accepted, report.faults) == (True, ())
    assert report.n_topics >= 1


def test_companion_that_is_not_a_run_is_refused() -> None:
    with cases("cases", "tira-io-tira", "ranking-with-metadata", "metadata.yml").open("rb") as stream:
        report = read_run(stream).report

    assert not report.accepted


def test_judgements_with_a_blank_at_the_end_of_each_line_are_read() -> None:
    with cases("cases", "AmenRa-ranx", "notebook_qrels.trec").open("rb") as stream:
        qrels: Qrels = read_qrels(stream).qrels

    n_lines = len(re.findall(rb"\S.*\n?", cases("cases", "AmenRa-ranx", "notebook_qrels.trec").read_bytes()))
    assert n_lines == qrels.n_judgements
