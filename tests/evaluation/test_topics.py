"""Reading topic tables and lists of topic ids."""

import io

import pytest

from evaluation import UNSPECIFIED, TopicsFormatError, TopicTable, read_topic_ids, read_topics


def table(text: str | bytes) -> TopicTable:
    return read_topics(io.BytesIO(text.encode() if isinstance(text, str) else text))


def refusal(text: str | bytes) -> TopicsFormatError:
    with pytest.raises(TopicsFormatError) as caught:
        table(text)
    return caught.value


def test_values_lists_and_groups_are_read() -> None:
    read = table(
        '{"topic_id": "q1", "group": "g", "grade": ["a", "b"], "n": 3}\n\n{"topic_id": 2, "group": 7, "n": true}\n'
    )

    assert read.topic_ids == ("q1", "2")
    assert read.groups == ("g", "7")
    assert read.axes == {"grade": (("a", "b"), (UNSPECIFIED,)), "n": (("3",), ("true",))}


@pytest.mark.parametrize("value", ["null", '""', "[]", '["", null]'])
def test_topic_without_a_value_is_unspecified(value: str) -> None:
    assert table(f'{{"topic_id": "q1", "level": {value}}}').axes == {"level": ((UNSPECIFIED,),)}


def test_repeated_value_counts_once() -> None:
    assert table('{"topic_id": "q1", "level": ["a", "a"]}').axes["level"] == (("a",),)


def test_table_without_groups_has_none() -> None:
    assert table('{"topic_id": "q1", "group": null}').groups is None
    assert table('{"topic_id": "q1", "group": ""}\n{"topic_id": "q2", "group": "g"}').groups == ("", "g")


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("not json", "topics_not_object", 1),
        ('{"topic_id": "q1"}\n["q2"]', "topics_not_object", 2),
        ('{"topic_id": "q1"', "topics_not_object", 1),
        (b'{"topic_id": "\xff"}', "topics_not_object", 1),
        ("[" * 100_000, "topics_not_object", 1),
        ('{"group": "g"}', "topics_without_id", 1),
        ('{"topic_id": ""}', "topics_without_id", 1),
        ('{"topic_id": ["a", "b"]}', "topics_without_id", 1),
        ('{"topic_id": "\\ud800"}', "topics_without_id", 1),
        ('{"topic_id": "q1", "x": {"a": 1}}', "topics_bad_value", 1),
        ('{"topic_id": "q1", "x": [["a"]]}', "topics_bad_value", 1),
        ('{"topic_id": "q1", "group": ["a", "b"]}', "topics_bad_value", 1),
        ('{"topic_id": "q1"}\n{"topic_id": "q1"}', "topics_repeated", 2),
        ("", "topics_empty", None),
        ("\n\n", "topics_empty", None),
    ],
)
def test_faulty_tables_are_refused_with_their_line(text: str | bytes, code: str, line: int | None) -> None:
    fault = refusal(text).faults[0]

    assert (fault.code, fault.line) == (code, line)
    assert fault.message
    assert fault.fix


def test_subset_and_alignment_keep_rows_together() -> None:
    read = table('{"topic_id": "a", "x": "1"}\n{"topic_id": "b", "x": "2"}\n{"topic_id": "c", "x": "3"}')

    assert read.subset({"c", "a", "z"}).axes == {"x": (("1",), ("3",))}
    assert read.aligned(["c", "b"]).axes == {"x": (("3",), ("2",))}


@pytest.mark.parametrize(
    "text",
    ["q1\nq2\n", "\ufeffq1\r\n\r\n# note\r\n q2 ", '{"topic_id": "q1", "x": "y"}\n{"topic_id": "q2"}', "q1\nq2\nq1\n"],
    ids=["list", "untidy list", "table", "repeats"],
)
def test_topic_ids_are_read_from_a_list_or_a_table(text: str) -> None:
    assert read_topic_ids(io.BytesIO(text.encode())) == ("q1", "q2")


@pytest.mark.parametrize("raw", [b"", b"# nothing\n", b"caf\xe9\n", b'{"id": 1}'])
def test_list_without_usable_ids_is_refused(raw: bytes) -> None:
    with pytest.raises(TopicsFormatError):
        read_topic_ids(io.BytesIO(raw))
