"""The made-up collection that travels with the project, against trec_eval's stored output."""

import json
from typing import Any

import pytest

from evaluation import Evaluation, evaluate, read_qrels, read_run, read_topics
from evaluation.layouts import trec
from tests.evaluation.inputs import COLLECTION

GROUP_MEASURES = ["Robustness@10", "GroupMean(nDCG@10)"]


@pytest.fixture(scope="module")
def expected() -> Any:
    return json.loads((COLLECTION / "expected.values.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def evaluation(expected: Any) -> Evaluation:
    names = list(next(iter(expected["per_topic"].values())))
    with (COLLECTION / "qrels.trec").open("rb") as stream:
        qrels = read_qrels(stream).qrels
    with (COLLECTION / "topics.jsonl").open("rb") as stream:
        topics = read_topics(stream)
    with (COLLECTION / "run.trec").open("rb") as stream:
        reading = read_run(stream, qrels=qrels)
    return evaluate(qrels, reading, names + GROUP_MEASURES, topics=topics, axes=["language", "kind"])


def test_printout_is_trec_evals(evaluation: Evaluation) -> None:
    stored = (COLLECTION / "expected.trec_eval-c-q.txt").read_text(encoding="utf-8")

    lines = [line for line in trec(evaluation).splitlines() if line.split()[0] not in GROUP_MEASURES]

    assert stored.splitlines() == lines


def test_values_of_topics_equal_trec_evals_to_the_last_bit(evaluation: Evaluation, expected: Any) -> None:
    assert expected["per_topic"] == evaluation.to_json(per_topic=True)["per_topic"]


def test_means_groups_and_slices_equal_the_sums_worked_out_beside_it(evaluation: Evaluation, expected: Any) -> None:
    actual = evaluation.to_json()
    slices = {
        axis: {value: {key: cell for key, cell in row.items() if key != "groups"} for value, row in rows.items()}
        for axis, rows in actual["slices"].items()
    }

    assert expected["means"] == actual["means"]
    assert expected["macro"] == actual["macro"]
    assert expected["slices"] == slices


def test_two_topics_are_missing_and_still_counted(evaluation: Evaluation) -> None:
    assert (evaluation.n_topics, evaluation.n_answered) == (24, 22)
