"""Small inputs for the tests of the scales, and the folder of conformance cases where there is one."""

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation import Qrels, RunReading, evaluate, read_qrels, read_run

COLLECTION = Path(__file__).resolve().parent.parent / "collection"

# every topic measure that any run can be scored with, in one spelling each
MONOTONE = [
    "nDCG",
    "nDCG@10",
    "nDCG@3",
    "AP",
    "AP@10",
    "R@10",
    "R@2",
    "P@10",
    "P@3",
    "RR",
    "RR@10",
    "RR@2",
    "Success@3",
]
TREC_NAMES = {
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "nDCG@3": "ndcg_cut_3",
    "AP": "map",
    "AP@10": "map_cut_10",
    "AP@3": "map_cut_3",
    "R@10": "recall_10",
    "R@2": "recall_2",
    "P@10": "P_10",
    "P@3": "P_3",
    "RR": "recip_rank",
    "Success@3": "success_3",
    "Success@1": "success_1",
}


def cases(*parts: str) -> Path:
    """A path inside the folder of conformance cases; skips the test where that folder is not given."""
    folder = os.environ.get("QRELBOARD_CASES", "")
    if not folder:
        pytest.skip("QRELBOARD_CASES is not set")
    return Path(folder).joinpath(*parts)


def read(text: str | bytes, **options: Any) -> RunReading:
    return read_run(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


def codes(reading: RunReading) -> list[str]:
    return [fault.code for fault in reading.report.faults]


def notice_codes(reading: RunReading) -> list[str]:
    return [notice.code for notice in reading.report.notices]


def qrels_of(text: str | bytes) -> Qrels:
    return read_qrels(io.BytesIO(text.encode() if isinstance(text, str) else text)).qrels


def a_run(rankings: Mapping[str, Mapping[str, float]]) -> str:
    """Lines of a run from topic → document → score."""
    return "".join(
        f"{topic} Q0 {document} {place} {score!r} tag\n"
        for topic, ranking in rankings.items()
        for place, (document, score) in enumerate(ranking.items(), 1)
    )


def ranked(*documents: str) -> dict[str, float]:
    """Documents with falling scores."""
    return {document: float(len(documents) - place) for place, document in enumerate(documents)}


def scored(qrels: Mapping[str, Mapping[str, int]], run: str | bytes, measures: Sequence[str], **options: Any) -> Any:
    """Score a run text against topic → document → grade; returns the evaluation."""
    gold = Qrels.of(qrels)
    reading_options = {key: options.pop(key) for key in ("depth", "remove_identical") if key in options}
    return evaluate(gold, read(run, qrels=gold, **reading_options), measures, **options)


def value(qrels: Mapping[str, int], documents: Sequence[str], measure: str, **options: Any) -> float:
    """The value of one measure for one topic whose ranking is this list."""
    run = a_run({"q1": ranked(*documents), "other": {"x": 1.0}})
    return float(scored({"q1": qrels, "other": {"y": 1}}, run, [measure], **options).scores.values[0, 0])
