"""Score a run or check its format from the command line; a contract that scripts rely on.

Exit status: 0 done or accepted, 1 a file was refused for its content, 2 wrong usage or a file that cannot be opened.
Standard output holds the result and nothing else. This is the only room of the scales that opens files.
"""

import argparse
import gc
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from io import TextIOWrapper
from typing import Any

from evaluation import layouts
from evaluation.errors import (
    GoldError,
    MissingGroups,
    QrelsFormatError,
    TopicsFormatError,
    UnknownAxis,
    UnknownMeasure,
)
from evaluation.judgements import read_qrels
from evaluation.measures import parse_measure
from evaluation.reading import read_run
from evaluation.scoring import check_table, evaluate
from evaluation.ties import tie_extremes, tie_notices
from evaluation.topics import read_topic_ids, read_topics
from evaluation.types import Fault, Limits, Notice, QrelsReading, TopicTable

DEFAULT_MEASURES = ("nDCG@10", "AP@10", "R@10", "RR")
# one's own machine may read what a public server may not; a gzip bomb stays one
_LOCAL = Limits(size=2**40, lines=10**10, topics=10**8)
_ACCEPTED, _REFUSED, _USAGE = 0, 1, 2


class _Refused(Exception):
    """A file was refused; carries which one, its faults, and the exit status."""

    def __init__(
        self, what: str, name: str, faults: Sequence[Fault], more: Mapping[str, int], status: int = _REFUSED
    ) -> None:
        super().__init__(what)
        self.what, self.name, self.faults, self.more, self.status = what, name, faults, dict(more), status


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; every failure is a sentence on standard error."""
    asked = _parser().parse_args(arguments)
    try:
        text, status = _score(asked) if asked.command == "score" else _check(asked)
    except _Refused as refusal:
        sys.stderr.write(_refusal_text(refusal, asked.format))
        return refusal.status
    except (UnknownMeasure, UnknownAxis, MissingGroups) as error:
        return _fail(error.message)
    except OSError as error:
        return _fail(f"cannot read {error.filename or 'the file'}: {error.strerror or type(error).__name__}")
    except MemoryError:
        return _fail("not enough memory for this file")
    sys.stdout.write(text)
    sys.stdout.flush()
    return status


def _score(asked: argparse.Namespace) -> tuple[str, int]:
    measures = list(dict.fromkeys(asked.measures or DEFAULT_MEASURES))
    parsed = [parse_measure(name) for name in measures]
    gold = _read_gold(asked.qrels)
    topics = _read_table(asked.topics) if asked.topics is not None else None
    try:
        check_table(gold.qrels.topic_ids, topics, parsed, asked.axes)
    except GoldError as error:
        fault = Fault(error.code, facts=error.facts)
        raise _Refused("topics", asked.topics, [fault], {}) from None
    with open(asked.run, "rb") as stream:
        reading = read_run(
            stream, qrels=gold.qrels, depth=asked.depth, remove_identical=asked.remove_identical, limits=_LOCAL
        )
    if not reading.report.accepted:
        raise _Refused("run", asked.run, reading.report.faults, reading.report.more_faults)
    scale = partial(evaluate, topics=topics, axes=asked.axes, relevant_from=asked.relevant_from)
    evaluation = scale(gold.qrels, reading, measures)
    notices = [*reading.report.notices, *_gold_notices(gold), *evaluation.notices]
    if asked.ties:
        worst, best = tie_extremes(reading)
        notices += tie_notices(scale(gold.qrels, worst, measures), scale(gold.qrels, best, measures))
    if asked.format == "json":
        plain = evaluation.to_json(per_topic=asked.per_topic)
        result = {"topics": plain.pop("topics"), "answered": plain.pop("answered"), "depth": asked.depth, **plain}
        return _json({**result, "warnings": [notice.to_json() for notice in notices]}), _ACCEPTED
    sys.stderr.write(layouts.notices(notices))
    if asked.format == "trec":
        return layouts.trec(evaluation), _ACCEPTED
    return layouts.table(evaluation, per_topic=asked.per_topic), _ACCEPTED


def _check(asked: argparse.Namespace) -> tuple[str, int]:
    topic_ids = None
    if asked.topics is not None:
        with open(asked.topics, "rb") as stream:
            try:
                topic_ids = read_topic_ids(stream)
            except TopicsFormatError as error:
                raise _Refused("topics", asked.topics, error.faults, error.more_faults, _USAGE) from None
    with open(asked.run, "rb") as stream:
        report = read_run(stream, topics=topic_ids, limits=_LOCAL).report
    text = _json(report.to_json()) if asked.format == "json" else layouts.report(asked.run, report)
    return text, _ACCEPTED if report.accepted else _REFUSED


def _read_gold(path: str) -> QrelsReading:
    with open(path, "rb") as stream:
        try:
            return read_qrels(stream, _LOCAL)
        except QrelsFormatError as error:
            raise _Refused("qrels", path, error.faults, error.more_faults) from None


def _read_table(path: str) -> TopicTable:
    with open(path, "rb") as stream:
        try:
            return read_topics(stream)
        except TopicsFormatError as error:
            raise _Refused("topics", path, error.faults, error.more_faults) from None


def _gold_notices(gold: QrelsReading) -> list[Notice]:
    return [Notice("repeated_judgements", gold.n_repeats)] if gold.n_repeats else []


def _refusal_text(refusal: _Refused, layout: str) -> str:
    if layout != "json":
        return layouts.faults(refusal.name, refusal.faults, refusal.more)
    faults = [fault.to_json() for fault in refusal.faults]
    return _json({"refused": refusal.what, "accepted": False, "faults": faults, "more_faults": refusal.more})


def _json(plain: dict[str, Any]) -> str:
    return json.dumps(plain, indent=1, allow_nan=False) + "\n"


def _fail(sentence: str) -> int:
    sys.stderr.write(f"python -m evaluation: {sentence}\n")
    return _USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluation", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    score = commands.add_parser("score", help="score a run against judgements", allow_abbrev=False)
    score.add_argument("qrels", metavar="QRELS")
    score.add_argument("run", metavar="RUN")
    score.add_argument("--topics", metavar="TOPICS.jsonl", help="one flat object a topic: topic_id, group, each axis")
    score.add_argument("-m", dest="measures", action="append", metavar="MEASURE", help="such as nDCG@10; may repeat")
    score.add_argument("--by", dest="axes", action="append", default=[], metavar="AXIS", help="slice by it; may repeat")
    score.add_argument("--depth", type=_positive, metavar="N", help="documents kept a topic (default: all)")
    score.add_argument("--relevant-from", type=_positive, default=1, metavar="G", help="lowest relevant grade")
    score.add_argument("--remove-identical", action="store_true", help="drop a document with the id of its topic")
    score.add_argument("--per-topic", action="store_true", help="show every topic and group too")
    score.add_argument("--ties", action="store_true", help="warn how far equal scores leave each measure open")
    score.add_argument("--format", choices=("table", "json", "trec"), default="table")
    check = commands.add_parser("check", help="check the format of a run, without judgements", allow_abbrev=False)
    check.add_argument("run", metavar="RUN")
    check.add_argument("--topics", metavar="FILE", help="the task's topics: one id a line, or TOPICS.jsonl")
    check.add_argument("--format", choices=("text", "json"), default="text")
    return parser


def _positive(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, found {text!r}")
    return int(text)


def _run() -> int:
    """Start from a shell: a closed pipe, Ctrl-C or a defect of ours ends with a sentence, never with a trace."""
    # numba would load its linear algebra where there is scipy, which nothing here uses: a quarter of a second, 12 MiB
    sys.modules.setdefault("scipy", None)  # type: ignore[arg-type]
    try:
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        return main()
    except OSError as error:  # reading is over by now: a closed pipe or a full disk
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _fail(f"cannot write the result: {error.strerror or type(error).__name__}")
    except KeyboardInterrupt:
        return 130
    except Exception as defect:
        return _fail(f"internal error: {type(defect).__name__}: {defect}")


if __name__ == "__main__":
    gc.disable()  # one run and the process ends: looking for cycles would cost a twentieth of the time and find none
    sys.exit(_run())
