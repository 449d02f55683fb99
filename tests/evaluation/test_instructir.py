"""InstructIR's real judgements and two runs made by the tool, against exact values worked out elsewhere."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluation.__main__ import main
from tests.evaluation.inputs import cases

MEASURES = ("nDCG@10", "Robustness@10", "AP@10", "R@10", "RR", "nDCG", "GroupMean(nDCG@10)")


def write_topics(path: Path) -> None:
    """Join the upstream files to one topic table: the group is the question, the type that of its MS MARCO query."""
    folder = cases("benchmarks", "instructir")
    types = {}
    for line in (folder / "msmarco_filtered_queries.jsonl").read_text(encoding="utf-8").splitlines():
        query = json.loads(line)
        types[query["_id"]] = query["metadata"]["query_type"]
    with path.open("w", encoding="utf-8") as out:
        for line in (folder / "only_instruction_queries.jsonl").read_text(encoding="utf-8").splitlines():
            topic_id = json.loads(line)["_id"]
            group = topic_id.rpartition("_")[0]
            out.write(json.dumps({"topic_id": topic_id, "group": group, "query_type": types[group]}) + "\n")


@pytest.mark.parametrize("number", [0, 1])
def test_every_expected_number_of_instructir_is_met(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = json.loads(cases("benchmarks", "instructir", "expected.json").read_text())[number]
    qrels, run, topics = (
        cases("benchmarks", "instructir", "qrels_test.tsv"),
        tmp_path / "run",
        tmp_path / "topics.jsonl",
    )
    make_run(expected, qrels, run)
    write_topics(topics)
    asked = [option for name in MEASURES for option in ("-m", name)]

    status = main(
        ["score", str(qrels), str(run), "--topics", str(topics), "--by", "query_type", "--format", "json", *asked]
    )
    actual = json.loads(capsys.readouterr().out)

    assert status == 0
    assert flat(expected) == pytest.approx(flat(renamed(actual)), abs=1e-12, rel=0)


def make_run(expected: dict[str, Any], qrels: Path, run: Path) -> None:
    options = expected["made_with"].partition(" OUT ")[2].split()
    subprocess.run([sys.executable, cases("tools", "make_instructir_run.py"), qrels, run, *options], check=True)
    assert expected["sha256"] == hashlib.sha256(run.read_bytes()).hexdigest()


def renamed(actual: dict[str, Any]) -> dict[str, Any]:
    """Our result in the shape of the expected one."""
    means = dict(actual["means"])
    means["group_mean"] = means.pop("GroupMean(nDCG@10)")
    kinds = {
        kind: {key: row[key] for key in ("topics", "nDCG@10", "groups", "Robustness@10")}
        for kind, row in actual["slices"]["query_type"].items()
    }
    return {"topics": actual["topics"], "answered": actual["answered"], **means, "by_query_type": kinds}


def flat(tree: dict[str, Any], path: str = "") -> dict[str, float]:
    leaves: dict[str, float] = {}
    for key, value in tree.items():
        if key in ("published_program", "published_program_note", "made_with", "sha256"):
            continue
        leaves |= flat(value, f"{path}{key}/") if isinstance(value, dict) else {f"{path}{key}": value}
    return leaves
