"""The compiled reader says exactly what the plain one says: report, notices, faults with their lines, and hits."""

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation import Limits, Qrels, RunReading, read_qrels, read_run, warm
from tests.evaluation.inputs import cases

ROOT = Path(__file__).resolve().parent.parent.parent
QRELS = Qrels.of({"q1": {"a": 2, "b": 0, "é": 1}, "q2": {"a": 1, "d" * 17: 3}, "q3": {"c": -1}})
MUCH = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module", autouse=True)
def _compiled_once() -> None:
    assert warm()


def assert_same(raw: bytes, **against: Any) -> RunReading:
    """Read by both readers, from a stream that can go back and from one that cannot."""
    expected = read_run(io.BytesIO(raw), engine="plain", **against)
    for stream in (io.BytesIO(raw), OneWay(raw)):
        actual = read_run(stream, engine="compiled", **against)
        assert expected.report == actual.report
        assert (expected.hits is None) == (actual.hits is None)
        if expected.hits is not None and actual.hits is not None:
            for column in ("topic", "rank", "grade", "first", "last", "retrieved"):
                one, other = getattr(expected.hits, column), getattr(actual.hits, column)
                assert one.dtype == other.dtype
                assert one.tolist() == other.tolist()
    return expected


class OneWay(io.RawIOBase):
    """A stream that cannot be asked to go back, and hands out little at a time."""

    def __init__(self, raw: bytes) -> None:
        self._left = raw

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def read(self, size: int = -1) -> bytes:
        piece, self._left = self._left[: min(size, 70_000)], self._left[min(size, 70_000) :]
        return piece


# ---------------------------------------------------------------- made files

topics = st.sampled_from(["q1", "q1", "q1", "q2", "q3", "q9", "q10", "t" * 9])
ids = st.sampled_from(
    ["a", "b", "c", "é", "#1", "0", "d" * 7, "d" * 8, "d" * 16, "d" * 17, "d" * 16 + "e", "q1", "d,e"]
)
decimals = st.one_of(
    st.sampled_from(["1", "1.0", "1e0", "+1", "10e-1", "0", "-0.0", ".5", "5.", "0.5", "1e-400", "1e22", "1e23"]),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-5, 5).map(str),
    st.from_regex(r"[+-]?[0-9]{0,20}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
)
bad_scores = st.sampled_from(
    [
        "nan",
        "NaN(7)",
        "inf",
        "-Infinity",
        "1e999",
        "0x10",
        "1_000",
        "0,9",
        "abc",
        "1.2.3",
        "e5",
        "1e",
        "1e+",
        "+",
        ".",
        "٣",
    ]
)
ranks = st.one_of(
    st.integers(-2, 12).map(str), st.sampled_from(["+1", "x", "1.0", "999999999", "1000000000", "-", "007"])
)
tags = st.sampled_from(["t", "t", "t", "tag2", "x" * 30, "тег"])
blanks = st.sampled_from([" ", " ", " ", "\t", "  ", " \t "])
ends = st.sampled_from(["\n", "\n", "\n", "\r\n"])


@st.composite
def good_lines(draw: st.DrawFn) -> bytes:
    fields = [
        draw(topics),
        draw(st.sampled_from(["Q0", "Q0", "0"])),
        draw(ids),
        draw(ranks),
        draw(decimals) or "1",
        draw(tags),
    ]
    blank = draw(blanks)
    edge = draw(st.sampled_from(["", "", "", " ", "\t"]))
    return (edge + blank.join(fields) + edge + draw(ends)).encode()


@st.composite
def bad_lines(draw: st.DrawFn) -> bytes:
    good = draw(good_lines())
    kind = draw(st.integers(0, 8))
    fields = good.split()
    if kind == 0:
        fields[4] = draw(bad_scores).encode()
        return b" ".join(fields) + b"\n"
    if kind == 1:
        del fields[draw(st.integers(0, 5)) :]
        return b" ".join(fields) + b"\n"
    if kind == 2:
        return b" ".join([*fields, *fields[: draw(st.integers(1, 3))]]) + b"\n"
    if kind == 3:
        return draw(
            st.sampled_from([b"\n", b"   \n", b"\r\n", b"#\n", b"# key: value\n", b" # no\n", b"#a b c 1 2.0 t\n"])
        )
    if kind == 4:
        place = draw(st.integers(0, len(good) - 1))
        bad = draw(
            st.sampled_from([b"\0", b"\x07", b"\x0b", b"\x7f", b"\xff", b"\xc3", b"\r", b"\xed\xa0\x80", b"\x1f"])
        )
        return good[:place] + bad + good[place:]
    if kind == 5:
        fields[draw(st.sampled_from([0, 2]))] = b"i" * draw(st.sampled_from([255, 256, 257, 600]))
        return b" ".join(fields) + b"\n"
    if kind == 6:
        return b" ".join(fields) + b" " * draw(st.sampled_from([4000, 4070, 4096, 5000])) + draw(ends).encode()
    if kind == 7:
        fields[5] = b"g" * draw(st.sampled_from([4070, 4080, 4090]))
        return b" ".join(fields) + draw(ends).encode()
    return draw(st.sampled_from([b"a,b,c,d,e,f\n", b"q1\ta\t1\n", b"q1 0 a 1\n", b"q1 Q0 a b 1 2.0 t\n"]))


@st.composite
def files(draw: st.DrawFn, *, may_be_bad: bool) -> bytes:
    lines = draw(st.lists(good_lines(), min_size=1, max_size=40))
    if may_be_bad:
        for line in draw(st.lists(bad_lines(), max_size=8)):
            lines.insert(draw(st.integers(0, len(lines))), line)
    else:
        lines = list({tuple(line.split()[i] for i in (0, 2)): line for line in lines}.values())
    raw = b"".join(lines)
    if draw(st.booleans()):
        raw = raw.removesuffix(b"\n")
    if draw(st.integers(0, 9)) == 0:
        raw = b"\xef\xbb\xbf" + raw
    return gzip.compress(raw) if draw(st.integers(0, 4)) == 0 else raw


against = st.fixed_dictionaries(
    {},
    optional={
        "topics": st.sampled_from([[], ["q1", "q2"], ["q2", "q77", "q1", "q2"], ["zz"], ["q\0", "q1"]]),
        "qrels": st.just(QRELS),
        "depth": st.sampled_from([1, 2, 10]),
        "remove_identical": st.booleans(),
        "documents": st.sampled_from([["a", "b"], ["a", "é", "d" * 16, "a\0b"], ["nothing"], []]),
        "limits": st.sampled_from([Limits(), Limits(lines=7), Limits(topics=2), Limits(faults=2), Limits(bad_lines=2)]),
    },
)


@given(files(may_be_bad=False), against)
@MUCH
def test_runs_without_faults_read_alike(raw: bytes, rules: dict[str, Any]) -> None:
    assert_same(raw, **rules)


@given(files(may_be_bad=True), against)
@MUCH
def test_runs_with_faults_read_alike(raw: bytes, rules: dict[str, Any]) -> None:
    assert_same(raw, **rules)


@given(st.binary(max_size=400), against)
@MUCH
def test_any_bytes_read_alike(raw: bytes, rules: dict[str, Any]) -> None:
    assert_same(raw, **rules)


@given(st.lists(decimals.filter(bool), min_size=2, max_size=12))
@MUCH
def test_scores_are_ordered_by_their_exact_doubles(scores: list[str]) -> None:
    judged = {f"d{number}": number for number in range(len(scores))}
    raw = "".join(f"q1 Q0 d{number} 1 {score} t\n" for number, score in enumerate(scores)).encode()

    assert_same(raw, qrels=Qrels.of({"q1": judged}))


# ---------------------------------------------------------------- larger files


def lines_of(n_topics: int, depth: int, seed: int = 1) -> list[bytes]:
    random = np.random.default_rng(seed)
    scores = np.round(random.random((n_topics, depth)) * 50, 1)
    return [
        b"topic%d Q0 doc-%d 1 %.1f tag\n" % (topic, document * 7919 % 100_003, scores[topic, document])
        for topic in range(n_topics)
        for document in range(depth)
    ]


def judgements_for(n_topics: int) -> Qrels:
    return Qrels.of(
        {f"topic{topic}": {f"doc-{i * 7919 % 100_003}": i % 3 for i in range(0, 60, 7)} for topic in range(n_topics)}
    )


@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("is_scattered", [False, True], ids=["grouped", "scattered"])
def test_files_of_several_blocks_read_alike(is_scattered: bool, is_packed: bool) -> None:
    lines = lines_of(900, 100)
    if is_scattered:
        np.random.default_rng(2).shuffle(lines)
    raw = b"".join(lines)

    reading = assert_same(gzip.compress(raw, 1) if is_packed else raw, qrels=judgements_for(901), depth=50)

    assert reading.report.accepted
    assert reading.report.unpacked_bytes > 2 * 1024**2


def test_one_deep_topic_reads_alike() -> None:
    raw = b"".join(lines_of(1, 60_000))

    assert_same(raw, qrels=judgements_for(1))
    assert not assert_same(raw, qrels=judgements_for(1), depth=1000).report.accepted


def test_many_topics_read_alike_without_a_list_of_them() -> None:
    lines = lines_of(20_000, 2)

    assert_same(b"".join(lines))
    assert_same(b"".join(lines[::2] + lines[1::2]))


def test_repeats_are_found_at_their_lines_however_topics_are_scattered() -> None:
    lines = lines_of(50, 40)
    lines[700] = lines[699]
    lines[1500:1500] = lines[3:40]
    np.random.default_rng(3).shuffle(lines)

    report = assert_same(b"".join(lines)).report

    assert [fault.code for fault in report.faults] == ["duplicate_document"] * 25
    assert report.more_faults == {"duplicate_document": 13}


def test_topic_that_comes_back_at_the_end_is_ranked_as_one() -> None:
    lines = lines_of(300, 30)

    assert_same(b"".join([*lines[1:], lines[0]]), qrels=judgements_for(300))


@pytest.mark.parametrize("line", [b"#\n", b"# text\n", b"\n", b"x\n", b"\xff\n", b"q1 Q0 a 1 nan t\n", b"#\xff\n"])
def test_long_files_of_anything_but_rows_read_alike(line: bytes) -> None:
    good = b"".join(lines_of(3, 30))

    assert_same(line * 300_000)
    assert_same(line * 100_000 + good + line * 100_000 + good.replace(b"topic", b"other"))


@pytest.mark.parametrize("line", [b"x\n", b"\xff\n", b"q1 Q0 a 1 nan t\n", b"#\x00\n"])
def test_file_that_is_wrong_throughout_is_not_read_to_its_end(line: bytes) -> None:
    report = assert_same(line * 4_000_000).report

    assert report.faults[-1].code == "too_many_faults"
    assert report.unpacked_bytes <= 3 * 1024**2
    assert len(report.faults) + report.n_more == report.n_lines + 1


def test_faults_of_one_file_are_in_line_order_and_counted_beyond_the_limit() -> None:
    lines = lines_of(40, 25)
    for number in range(0, 1000, 9):
        lines[number] = lines[number].replace(b" tag", b"")
    lines[500] = b"\xff" + lines[500]
    lines[31] = lines[30]

    assert_same(b"".join(lines), qrels=judgements_for(40))


# ---------------------------------------------------------------- real files


def test_every_shared_file_reads_alike() -> None:
    paths = [path for path in sorted(cases("cases").rglob("*")) if path.is_file()]

    for path in paths:
        assert_same(path.read_bytes())
    assert len(paths) > 20


def test_trec_evals_own_collection_reads_alike() -> None:
    with cases("cases", "usnistgov-trec_eval", "qrels.test").open("rb") as stream:
        qrels = read_qrels(stream).qrels

    results, trunc = (
        cases("cases", "usnistgov-trec_eval", name).read_bytes() for name in ("results.test", "results.trunc")
    )

    assert assert_same(results, qrels=qrels).report.accepted
    assert_same(trunc, qrels=qrels)


# ---------------------------------------------------------------- what it costs, and other ways to run


def run_python(code: str, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


PEAK = """
import resource, sys
from evaluation import read_run, warm
warm()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open(sys.argv[1], "rb") as stream:
    assert read_run(stream, engine="compiled").report.accepted
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def grouped_file(path: Path, n_topics: int) -> Path:
    path.write_bytes(b"".join(lines_of(n_topics, 100)))
    return path


def test_memory_for_grouped_files_does_not_grow_with_their_length(tmp_path: Path) -> None:
    grown_kib = int(run_python(PEAK, str(grouped_file(tmp_path / "long.run", 6000))))

    assert (tmp_path / "long.run").stat().st_size > 17_000_000
    assert grown_kib < 16 * 1024


def test_scattered_files_cost_less_than_45_mib_a_million_lines(tmp_path: Path) -> None:
    lines = lines_of(4000, 100)
    (tmp_path / "scattered.run").write_bytes(b"".join(lines[::2] + lines[1::2]))

    grown_kib = int(run_python(PEAK, str(tmp_path / "scattered.run")))

    assert grown_kib < 45 * 1024 * len(lines) / 1_000_000 + 16 * 1024


INTERPRETED = """
import sys
import numba
assert numba.config.DISABLE_JIT
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", sys.argv[1], "-k", "interpreted or any_bytes"]))
"""


@pytest.mark.parametrize("is_scattered", [False, True], ids=["grouped", "scattered"])
def test_interpreted_scanner_reads_alike(is_scattered: bool) -> None:
    lines = [
        *lines_of(12, 30),
        b"q1 Q0 a 1 0.12345678901234567890 t\n",
        b"q1 Q0 a 2 1 t\n",
        b"q1 Q0 b 1 nan t\n",
        b"\xff\n",
    ]
    if is_scattered:
        lines = lines[::3] + lines[1::3] + lines[2::3]

    assert_same(b"".join(lines), qrels=judgements_for(12), documents=["doc-0"], remove_identical=True)


def test_scanner_runs_without_its_compiler() -> None:
    run_python(INTERPRETED, __file__, NUMBA_DISABLE_JIT="1")


def test_small_files_do_not_load_the_compiler() -> None:
    code = (
        "import io, sys, evaluation; evaluation.read_run(io.BytesIO(b'q1 Q0 a 1 1 t')); print('numba' in sys.modules)"
    )

    assert run_python(code).strip() == "False"


def test_large_files_are_read_by_the_compiled_reader() -> None:
    code = (
        "import io, sys, evaluation\n"
        "raw = b''.join(b'q1 Q0 document-%d 1 1 t\\n' % i for i in range(400_000))\n"
        "evaluation.read_run(io.BytesIO(raw)); print('evaluation.scanner' in sys.modules)"
    )

    assert run_python(code).strip() == "True"


def test_without_numba_the_plain_reader_reads_all() -> None:
    code = (
        "import io, sys\n"
        "sys.modules['numba'] = None\n"
        "import evaluation\n"
        "raw = b''.join(b'q1 Q0 document-%d 1 1 t\\n' % i for i in range(300_000))\n"
        "print(evaluation.warm(), evaluation.read_run(io.BytesIO(raw)).report.n_lines)"
    )

    assert run_python(code).split() == ["False", "300000"]
