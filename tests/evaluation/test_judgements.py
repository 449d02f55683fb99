"""Reading judgements: two layouts, exact repeats, clashes, and faults with their lines."""

import gzip
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import Limits, Qrels, QrelsFormatError, read_qrels
from tests.evaluation.inputs import qrels_of


def judgements(qrels: Qrels) -> dict[str, dict[str, int]]:
    return {
        topic_id: {document.decode(): grade for document, grade in qrels.judged(index).items()}
        for index, topic_id in enumerate(qrels.topic_ids)
    }


def refusal(text: str) -> QrelsFormatError:
    with pytest.raises(QrelsFormatError) as caught:
        qrels_of(text)
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n",
        "q1\t0\ta\t1\nq1 Q0  b 0 \n\n# note\n q2 0 a +2",
        "\ufeffqid\tpid\tscore\r\nq1\ta\t1\r\nq1\tb\t0\r\nq2\ta\t2\r\n",
        "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t0\nq2\ta\t2\n",
        "query_id\tdoc_id\trelevance\nq1 a 1\nq1 b 0\nq2 a 2\n",
        "q1 0 a 1\nq2 0 a 2\nq1 0 b 0\n",
    ],
    ids=["trec", "blanks and comments", "msmarco", "beir", "other heading", "scattered"],
)
@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "gzip"])
def test_layouts_that_mean_the_same_read_the_same(text: str, is_packed: bool) -> None:
    raw = text.encode()

    qrels = qrels_of(gzip.compress(raw) if is_packed else raw)

    assert judgements(qrels) == {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}
    assert (qrels.n_topics, qrels.n_judgements) == (2, 3)


def test_heading_is_not_a_topic_and_is_told() -> None:
    reading = read_qrels(io.BytesIO(b"qid\tpid\tscore\nq1\ta\t1\n"))

    assert (reading.has_heading, reading.qrels.n_topics, reading.n_lines) == (True, 1, 2)


def test_exact_repeat_is_dropped_and_counted() -> None:
    reading = read_qrels(io.BytesIO(b"q1 0 a 1\nq1 1 a +1\nq2 0 a 1\n"))

    assert (reading.n_repeats, judgements(reading.qrels)) == (1, {"q1": {"a": 1}, "q2": {"a": 1}})


def test_one_pair_with_two_grades_is_refused_naming_both_lines() -> None:
    fault = refusal("q1 0 a 1\nq2 0 a 0\nq1 0 a 2\n").faults[0]

    assert (fault.code, fault.line, fault.facts["first_line"]) == ("grade_conflict", 3, 1)
    assert "line 1" in fault.message
    assert fault.message.startswith("Line 3: ")


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("q1 0 a 1\nq1 0 b 1.5\n", "grade_not_integer", 2, "grade"),
        ("q1 0 a 1.0\n", "grade_not_integer", 1, "grade"),
        ("q1 0 a １\n", "grade_not_integer", 1, "grade"),
        ("q1 0 a 1_0\n", "grade_not_integer", 1, "grade"),
        ("q1 0 a 0x1\n", "grade_not_integer", 1, "grade"),
        ("q1 0 a yes\n", "grade_not_integer", 1, "grade"),
        ("q1 0 a 99999999999999999999999\n", "grade_out_of_range", 1, "grade"),
        ("q1 0 a -1000000001\n", "grade_out_of_range", 1, "grade"),
        ("q1\ta\t1\n", "qrels_no_heading", 1, ""),
        ("q1 0 a 1\nq1 a 1\n", "qrels_no_heading", 2, ""),
        ("qid\tpid\tscore\nq1 0 a 1\n", "qrels_fields", 2, ""),
        ("q1 Q0 a 1 2.0 t\n", "qrels_fields", 1, ""),
        ("q1 0 a b 1\n", "qrels_fields", 1, ""),
        ("", "empty_file", None, ""),
        ("\n# only\n", "qrels_empty", None, ""),
        ("qid\tpid\tscore\n", "qrels_empty", None, ""),
        ("q1 0 a\x00 1\n", "control_byte", 1, ""),
        (f"q1 0 {'d' * 257} 1\n", "id_too_long", 1, "document"),
        (f"q1 0 {'d' * 5000} 1\n", "line_too_long", 1, ""),
        ('{"q1": {"a": 1}}', "wrong_container", None, ""),
    ],
)
def test_faulty_judgements_are_refused_with_their_line(text: str, code: str, line: int | None, column: str) -> None:
    fault = refusal(text).faults[0]

    assert (fault.code, fault.line, fault.column) == (code, line, column)
    assert fault.fix


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(QrelsFormatError) as caught:
        qrels_of(b"q1 0 caf\xe9 1\n")

    assert [(fault.code, fault.line) for fault in caught.value.faults] == [("not_utf8", 1)]


JUDGEMENT = st.tuples(
    st.sampled_from(["q1", "q1", "q2", "q3", "é#", "#q"]),
    st.sampled_from(["0", "Q0"]),
    st.sampled_from(["a", "b", "c", "#d", "é", "d" * 40, "d" * 257]),
    st.sampled_from(["0", "1", "1", "2", "-1", "9", "10", "+1", "1.5"]),
)


@settings(max_examples=400, deadline=None)
@given(lines=st.lists(JUDGEMENT, min_size=1, max_size=30), n_lines=st.sampled_from([10**6, 9]))
def test_tidy_judgements_are_read_as_untidy_ones_are(lines: list[tuple[str, ...]], n_lines: int) -> None:
    tidy, untidy = ("".join(" ".join(line) + end for line in lines) for end in ("\n", " \n"))

    first, second = outcome(tidy, Limits(lines=n_lines)), outcome(untidy, Limits(lines=n_lines))

    assert first == second


def outcome(text: str, limits: Limits) -> object:
    """What reading gives: the columns, or the faults."""
    try:
        reading = read_qrels(io.BytesIO(text.encode()), limits)
    except QrelsFormatError as error:
        return [(fault.code, fault.line, fault.facts) for fault in error.faults], error.more_faults
    qrels = reading.qrels
    columns = [column.tolist() for column in (qrels.starts, qrels.doc_starts, qrels.grades)]
    return qrels.topic_ids, qrels.doc_ids, columns, reading.n_lines, reading.n_repeats


def test_all_faults_are_collected_and_the_rest_counted() -> None:
    error = refusal("q1 0 a 1.5\n" * 30 + "q1 0 a\n")

    assert (len(error.faults), dict(error.more_faults)) == (25, {"grade_not_integer": 5, "qrels_no_heading": 1})
    assert str(error) == error.faults[0].message


def test_subset_keeps_order_and_ignores_unknown_topics() -> None:
    qrels = qrels_of("q1 0 a 1\nq2 0 é 2\nq3 0 c 3\n")

    assert judgements(qrels.subset(["q3", "q1", "q9"])) == {"q1": {"a": 1}, "q3": {"c": 3}}


def test_columns_built_from_a_mapping_equal_those_read() -> None:
    read, built = (
        qrels_of("q1 0 a 1\nq1 0 bé 0\nq2 0 a 2\n"),
        Qrels.of({"q1": {"a": 1, "bé": 0}, "q2": {"a": 2}, "q3": {}}),
    )

    assert (read.topic_ids, read.doc_ids) == (built.topic_ids, built.doc_ids)
    assert [column.tolist() for column in (read.starts, read.doc_starts, read.grades)] == [
        column.tolist() for column in (built.starts, built.doc_starts, built.grades)
    ]
