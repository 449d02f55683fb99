import time

import pytest

from evaluation import read_run
from leaderboard.run_header import read_header
from leaderboard.submissions import SystemForm, check_form
from tests.builders import a_run, a_stream

HEADER = """ir_metadata.start
schema version: 0.2
platform:
  hardware:
    cpu:
      model: 'Some CPU'
implementation:
  source:
    lang: python
    repository: https://example.org/group/system
    commit: 0123456789abcdef0123
method:
  automatic: true
  description: 'BM25, then a cross-encoder'
  retrieval:
    - name: bm25
      k1: 0.9
    - name: monot5
      reranks: bm25
actor:
  name: Somebody
data:
  training data:
    - name: MS MARCO
    - name: 'Natural Questions'
tag: bm25 + monot5
ir_metadata.end"""


def lines(body: str) -> str:
    return f"ir_metadata.start\n{body}\nir_metadata.end"


def test_header_fills_the_form() -> None:
    assert read_header(HEADER) == SystemForm(
        name="bm25 + monot5",
        version="0123456789ab",
        link="https://example.org/group/system",
        run_type="reranker",
        training_note="MS MARCO, Natural Questions",
        note="BM25, then a cross-encoder",
    )


def test_form_of_a_header_can_be_handed_in() -> None:
    form = read_header(HEADER)

    assert form is not None
    assert check_form(form) == ()


def test_header_of_a_real_file_is_found_by_the_reader_of_runs() -> None:
    report = read_run(a_stream(a_run(header=HEADER))).report

    form = read_header(report.header, report.tags)

    assert form is not None
    assert form.name == "bm25 + monot5"


@pytest.mark.parametrize("header", [None, "", "just a remark\nanother one", "tag: x"])
def test_other_remarks_are_no_header(header: str | None) -> None:
    assert read_header(header) is None


def test_run_tag_is_the_name_where_the_header_has_none() -> None:
    form = read_header(lines("method:\n  automatic: true"), ["splade"])

    assert form is not None
    assert form.name == "splade"


@pytest.mark.parametrize(
    ("method", "run_type"),
    [
        ("automatic: false", "manual"),
        ("retrieval: [{name: a}, {name: b, interpolates: [a, c]}]", "fusion"),
        ("retrieval: [{name: a}, {name: b, reranks: a}]", "reranker"),
        ("retrieval: [{name: a, k1: 0.9}]", "first-stage"),
        ("retrieval: many", "unspecified"),
        ("automatic: true", "unspecified"),
    ],
)
def test_method_tells_the_type_of_run(method: str, run_type: str) -> None:
    form = read_header(lines(f"method:\n  {method}"))

    assert form is not None
    assert form.run_type == run_type


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "\n".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]" for n in range(20)
)
HOSTILE = {
    "alias bomb": BOMB,
    "anchor": "tag: &a x",
    "python object": "tag: !!python/object/apply:os.system ['echo']",
    "own tag": "tag: !!binary aGk=",
    "too deep": "a: " + "[" * 9 + "]" * 9,
    "far too deep": "a: " + "[" * 20_000,
    "too many": "a: [" + "x," * 5_000 + "]",
    "too long": "tag: " + "x" * 70_000,
    "no YAML": "tag: [unclosed",
    "tabs": "tag:\n\t- x",
    "a list": "- tag",
    "a text": "only words",
    "huge integer": "tag: " + "9" * 10_000,
    "impossible date": "tag: 2026-99-99",
    "two documents": "tag: a\n---\ntag: b",
    "odd key": "? [a, b]\n: c",
    "nothing": "",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_header_gives_nothing_and_no_error_in_no_time(case: str) -> None:
    start = time.perf_counter()

    assert read_header(lines(HOSTILE[case])) is None
    assert time.perf_counter() - start < 2


ODD_VALUES = {
    "number as tag": ("tag: 7", "7"),
    "list as tag": ("tag: [a, b]", ""),
    "truth as tag": ("tag: yes", ""),
    "hidden characters": ('tag: "a\\u202eb\\u200bc\\nd"', "a b c d"),
    "long name": (f"tag: {'x' * 500}", "x" * 80),
    "parts that are no mappings": ("tag: ok\nmethod: 3\nimplementation: [1]\ndata: x\nresearch goal:", "ok"),
}


@pytest.mark.parametrize("case", ODD_VALUES)
def test_what_does_not_fit_is_left_out(case: str) -> None:
    body, name = ODD_VALUES[case]

    form = read_header(lines(body))

    assert form is not None
    assert form.name == name


@pytest.mark.parametrize("link", ["http://example.org", "javascript:alert(1)", "https://u:p@example.org", "[x]"])
def test_unsafe_link_of_a_header_is_left_out(link: str) -> None:
    form = read_header(lines(f"tag: x\nimplementation:\n  source:\n    repository: {link}"))

    assert form is not None
    assert form.link == ""
