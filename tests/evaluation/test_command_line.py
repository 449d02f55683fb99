"""The command line as scripts use it: exit status, standard output, JSON, never a trace."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluation.__main__ import main
from tests.evaluation.inputs import COLLECTION

ROOT = COLLECTION.parent.parent
QRELS, RUN, TOPICS = str(COLLECTION / "qrels.trec"), str(COLLECTION / "run.trec"), str(COLLECTION / "topics.jsonl")
FAULT_KEYS = {"code", "line", "column", "found", "message", "fix"}


def shell(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evaluation", *arguments]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    done = subprocess.run(command, cwd=ROOT, text=True, encoding="utf-8", timeout=60, check=False, **options)
    assert "Traceback" not in (done.stderr or "")
    return done


def scored(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["score", QRELS, RUN, "--format", "json", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--format", "json"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    return json.loads(captured.err)


def a_file(folder: Path, name: str, text: str | bytes) -> str:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


# score


def test_module_prints_json_and_nothing_else() -> None:
    done = shell("score", QRELS, RUN, "--format", "json")

    assert (done.returncode, done.stderr) == (0, "")
    assert list(json.loads(done.stdout)) == ["topics", "answered", "depth", "means", "macro", "slices", "warnings"]


def test_default_measures_are_four(capsys: pytest.CaptureFixture[str]) -> None:
    result = scored(capsys)

    assert list(result["means"]) == ["nDCG@10", "AP@10", "R@10", "RR"]
    assert (result["topics"], result["answered"], result["depth"]) == (24, 22, None)
    assert (result["macro"], result["slices"]) == ({}, {})


def test_values_are_at_full_precision(capsys: pytest.CaptureFixture[str]) -> None:
    expected = json.loads((COLLECTION / "expected.values.json").read_text(encoding="utf-8"))

    result = scored(capsys, "-m", "nDCG@10", "-m", "RR", "--per-topic", "--topics", TOPICS, "--by", "kind")

    assert result["means"] == {name: expected["means"][name] for name in ("nDCG@10", "RR")}
    assert result["per_topic"] == {
        topic_id: {name: row[name] for name in ("nDCG@10", "RR")} for topic_id, row in expected["per_topic"].items()
    }
    assert result["macro"]["kind"]["RR"] == expected["macro"]["kind"]["RR"]
    assert result["slices"]["kind"]["lamp"] == {
        key: expected["slices"]["kind"]["lamp"][key] for key in ("topics", "nDCG@10", "RR")
    }


def test_axes_and_group_measures_repeat(capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--topics",
        TOPICS,
        "--by",
        "kind",
        "--by",
        "language",
        "-m",
        "Robustness@10",
        "-m",
        "nDCG@10",
        "--per-topic",
    ]

    result = scored(capsys, *options)

    assert set(result["slices"]) == set(result["macro"]) == {"kind", "language"}
    assert set(result["slices"]["language"]["fr"]) == {"topics", "groups", "Robustness@10", "nDCG@10"}
    assert set(result["per_group"]) == {f"q{n:02d}" for n in range(1, 7)}
    assert set(result["per_topic"]["q01-1"]) == {"nDCG@10"}


def test_keys_are_the_names_as_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(scored(capsys, "-m", "mrr", "-m", "ndcg@10", "-m", "mrr")["means"]) == ["mrr", "ndcg@10"]


def test_warnings_are_part_of_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    warnings = scored(capsys)["warnings"]

    assert {warning["code"] for warning in warnings} >= {"foreign_topics", "missing_topics", "ties"}
    assert all(set(warning) == {"code", "count", "line", "message"} for warning in warnings)


def test_depth_threshold_and_identical_documents_are_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels = a_file(tmp_path, "qrels", "x7 0 d1 1\nx7 0 d2 2\n")
    run = a_file(tmp_path, "run", "x7 Q0 x7 1 3 t\nx7 Q0 d1 2 2 t\nx7 Q0 d2 3 1 t\n")

    def means(*options: str) -> Any:
        assert main(["score", qrels, run, "--format", "json", "-m", "RR", "-m", "R@10", *options]) == 0
        return json.loads(capsys.readouterr().out)["means"]

    assert means() == {"RR": 0.5, "R@10": 1.0}
    assert means("--depth", "2") == {"RR": 0.5, "R@10": 0.5}
    assert means("--remove-identical", "--depth", "1") == {"RR": 1.0, "R@10": 0.5}
    assert means("--relevant-from", "2") == {"RR": 1 / 3, "R@10": 1.0}


def test_trec_layout_is_trec_evals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", QRELS, RUN, "--format", "trec", "-m", "nDCG@10", "-m", "RR"]) == 0

    out = capsys.readouterr().out
    stored = (COLLECTION / "expected.trec_eval-c-q.txt").read_text(encoding="utf-8").splitlines()
    assert out.splitlines() == [line for line in stored if line.split()[0] in ("ndcg_cut_10", "recip_rank")]


def test_table_shows_means_slices_topics_and_groups(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--topics", TOPICS, "--by", "kind", "-m", "nDCG@10", "-m", "Robustness@10", "--per-topic"]

    assert main(["score", QRELS, RUN, *options]) == 0

    captured = capsys.readouterr()
    rows = [line.split() for line in captured.out.splitlines()]
    assert ["mean", "0.4913", "0.1049"] in rows
    assert ["lamp", "13", "6", "0.4675", "0.2606"] in rows
    assert ["q06-1", "0.0000"] in rows
    assert "answered 22 of 24 topics" in captured.out
    assert "warning: Topics that are not part of this task: 1" in captured.err


def test_gzip_is_told_by_content_on_both_sides(tmp_path: Path) -> None:
    qrels, run = (a_file(tmp_path, Path(path).stem, gzip.compress(Path(path).read_bytes())) for path in (QRELS, RUN))

    packed = shell("score", qrels, run, "--format", "json")

    assert packed.stdout == shell("score", QRELS, RUN, "--format", "json").stdout


# refusals


def test_refused_run_is_status_1_with_faults_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = a_file(tmp_path, "run", "q01-1 Q0 a 1 nan t\n" * 30)

    refusal = refused(capsys, "score", QRELS, run)

    assert (refusal["refused"], refusal["accepted"], refusal["more_faults"]) == ("run", False, {"score_not_finite": 5})
    assert [fault["line"] for fault in refusal["faults"]] == [*range(1, 26)]
    assert all(set(fault) == FAULT_KEYS for fault in refusal["faults"])


def test_refused_judgements_name_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels = a_file(tmp_path, "qrels", "q1 0 a 1\nq1 0 b 1.5\n")

    refusal = refused(capsys, "score", qrels, RUN)
    status = main(["score", qrels, RUN])

    assert (refusal["refused"], [fault["line"] for fault in refusal["faults"]]) == ("qrels", [2])
    assert (status, "Line 2: Column grade: found 1.5" in capsys.readouterr().err) == (1, True)


@pytest.mark.parametrize("topics", ['{"topic_id": "q01-1", "kind": "x", "group": "g"}', "[]", ""])
def test_refused_topic_table_is_status_1(topics: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = a_file(tmp_path, "topics.jsonl", topics)

    refusal = refused(capsys, "score", QRELS, RUN, "--topics", path, "--by", "kind")

    assert refusal["refused"] == "topics"
    assert all(set(fault) == FAULT_KEYS and fault["message"] for fault in refusal["faults"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "nDGC@10"], "nDCG@10"),
        (["-m", ""], "Unknown measure"),
        (["--by", "kind"], "Unknown axis kind"),
        (["--topics", TOPICS, "--by", "grade"], "language, kind"),
        (["-m", "Robustness@10"], "needs groups"),
        (["--depth", "0"], "whole number"),
        (["--depth", "１"], "whole number"),
        (["--depth", "-1"], "whole number"),
        (["--relevant-from", "x"], "whole number"),
        (["--format", "yaml"], "yaml"),
        (["--form", "json"], "unrecognized"),
        (["extra"], "unrecognized"),
        (["--topics", "/does/not/exist"], "No such file"),
    ],
)
def test_wrong_usage_is_status_2_with_a_sentence(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status: object = main(["score", QRELS, RUN, *arguments])
    except SystemExit as stop:  # argparse leaves by itself
        status = stop.code

    captured = capsys.readouterr()
    assert (status, captured.out) == (2, "")
    assert said in captured.err


@pytest.mark.parametrize(
    "arguments", [[], ["score"], ["score", QRELS], ["check"], ["frobnicate"], ["check", RUN, "\udcff"]]
)
def test_missing_or_strange_arguments_are_status_2(arguments: list[str]) -> None:
    raw = [argument.encode("utf-8", "surrogateescape") for argument in arguments]

    done = subprocess.run([sys.executable, "-m", "evaluation", *raw], cwd=ROOT, capture_output=True, check=False)

    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (2, b"", False)


@pytest.mark.parametrize("place", [1, 2])
def test_file_that_cannot_be_opened_is_status_2(place: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (tmp_path, tmp_path / "absent"):
        arguments = ["score", QRELS, RUN]
        arguments[place] = str(path)

        assert main(arguments) == 2

        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith(f"python -m evaluation: cannot read {path}: ")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission_is_status_2(tmp_path: Path) -> None:
    path = Path(a_file(tmp_path, "run", "q1 Q0 a 1 2 t\n"))
    path.chmod(0)

    assert shell("check", str(path)).returncode == 2


# check


def test_accepted_run_is_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", RUN, "--format", "json"]) == 0

    report = json.loads(capsys.readouterr().out)
    assert list(report) == ["accepted", "lines", "topics", "faults", "more_faults", "warnings"]
    assert (report["accepted"], report["lines"], report["topics"], report["faults"]) == (True, 430, 23, [])


def test_topics_are_checked_against_a_list_or_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = "".join(json.loads(line)["topic_id"] + "\n" for line in Path(TOPICS).read_text(encoding="utf-8").splitlines())
    listed = a_file(tmp_path, "topics.txt", ids)

    for topics in (listed, TOPICS):
        assert main(["check", RUN, "--topics", topics, "--format", "json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["topics"] == 22
        assert [warning["code"] for warning in report["warnings"]][:2] == ["foreign_topics", "missing_topics"]


def test_refused_check_is_status_1_and_its_report_is_the_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = a_file(tmp_path, "run", "q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n")

    assert main(["check", run, "--format", "json"]) == 1

    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert (report["accepted"], captured.err) == (False, "")
    assert [set(fault) for fault in report["faults"]] == [FAULT_KEYS]
    assert [(fault["code"], fault["line"], fault["column"]) for fault in report["faults"]] == [
        ("duplicate_document", 2, "document")
    ]


def test_text_report_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = a_file(tmp_path, "good", "q1 Q0 a 1 2 t\n"), a_file(tmp_path, "bad", "q1\ta\t1\n" * 30)

    assert main(["check", good]) == 0
    assert "accepted, 1 lines, 1 topics, 1 to 1 documents each" in capsys.readouterr().out
    assert main(["check", bad]) == 1
    said = capsys.readouterr().out
    assert "looks like the three-column MS MARCO layout" in said
    assert "and 5 more: msmarco_layout 5" in said


def test_unusable_topic_list_is_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", RUN, "--topics", a_file(tmp_path, "topics", '{"x": 1}\n')]) == 2

    assert "topic_id" in capsys.readouterr().err


# the shell around it


def test_run_may_come_through_a_pipe() -> None:
    with Path(RUN).open("rb") as stream:
        done = shell("check", "/dev/stdin", "--format", "json", stdin=stream)

    assert (done.returncode, json.loads(done.stdout)["lines"]) == (0, 430)


def test_closed_pipe_ends_without_a_trace() -> None:
    reader, writer = os.pipe()
    os.close(reader)

    done = shell("score", QRELS, RUN, "--format", "trec", stdout=writer)
    os.close(writer)

    assert done.returncode == 2
    assert "cannot write the result" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_full_disk_ends_without_a_trace() -> None:
    with Path("/dev/full").open("wb") as full:
        done = shell("check", RUN, stdout=full)

    assert (done.returncode, "cannot write the result" in done.stderr) == (2, True)


def test_ascii_terminal_gets_escapes_and_no_error(tmp_path: Path) -> None:
    qrels, run = a_file(tmp_path, "q", "é雾 0 a 1\n"), a_file(tmp_path, "r", "é雾 Q0 a 1 2 t\n")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}

    done = shell("score", qrels, run, "--format", "json", "--per-topic", env=environment)

    assert (done.returncode, list(json.loads(done.stdout)["per_topic"])) == (0, ["é雾"])
    assert shell("score", qrels, run, "--per-topic", env=environment).returncode == 0


def test_interrupt_ends_without_a_trace(tmp_path: Path) -> None:
    pipe = tmp_path / "run"
    os.mkfifo(pipe)
    waiting = subprocess.Popen(
        [sys.executable, "-m", "evaluation", "check", str(pipe)], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    with pipe.open("wb"):  # opens once the command is reading
        waiting.send_signal(signal.SIGINT)
        _, said = waiting.communicate(timeout=30)

    assert (waiting.returncode, "Traceback" in said) == (130, False)


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["score", "--help"])

    said = capsys.readouterr().out
    assert stop.value.code == 0
    options = (
        "--topics",
        "-m",
        "--by",
        "--depth",
        "--relevant-from",
        "--remove-identical",
        "--per-topic",
        "--ties",
        "--format",
    )
    assert all(option in said for option in options)


def test_large_file_is_scored_without_loading_scipy(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 document-3 1\n")
    (tmp_path / "run").write_bytes(b"".join(b"q1 Q0 document-%d 1 %d t\n" % (n, n) for n in range(400_000)))
    code = (
        "import runpy, sys\n"
        "try: runpy.run_module('evaluation', run_name='__main__', alter_sys=True)\n"
        "except SystemExit as end: print(end.code, 'numba' in sys.modules, 'scipy.linalg' in sys.modules)"
    )
    command = [sys.executable, "-c", code, "score", str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "RR"]

    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)

    assert done.stdout.splitlines()[-1] == "0 True False"
    assert "mean" in done.stdout
