"""The tiny inputs of the field cases, through the command line."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation import mean, robustness
from evaluation.__main__ import main
from tests.evaluation.inputs import cases


def tiny_inputs() -> list[dict[str, Any]]:
    folder = os.environ.get("QRELBOARD_CASES", "")
    path = Path(folder, "cases", "tiny_inputs.jsonl")
    if not folder:
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


TINY = tiny_inputs()


def test_folder_of_cases_holds_tiny_inputs() -> None:
    cases()

    assert len(TINY) >= 20


@pytest.mark.parametrize("case", TINY, ids=[str(case["no"]) for case in TINY])
def test_tiny_input_gives_what_the_field_expects(
    case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = case["expect"]
    if "groups" in case:
        groups = list(case["groups"].values())
        number = np.repeat(np.arange(len(groups)), [len(group) for group in groups])

        assert expected["robustness@10"] == mean(robustness(np.concatenate(groups), number))
        return
    qrels, run = tmp_path / "gold.qrels", tmp_path / "system.run"
    qrels.write_text(case["qrels"], encoding="utf-8", newline="")
    run.write_text(case["run"], encoding="utf-8", newline="")
    asked = [option for name in expected for option in ("-m", name)] if isinstance(expected, dict) else []

    status = main(["score", str(qrels), str(run), "--format", "json", *asked])
    out, err = capsys.readouterr()

    if isinstance(expected, dict):
        means = json.loads(out)["means"]
        assert (0, expected) == (status, {name: round(means[name], 4) for name in expected})
    else:
        refusal = json.loads(err)
        assert (status, out) == (1, "")
        assert refusal["refused"] == ("qrels" if expected == "refuse-qrels" else "run")
        assert all(fault["message"] and fault["fix"] for fault in refusal["faults"])
        if expected == "refuse-qrels":
            assert [fault["line"] for fault in refusal["faults"]] == [1]
