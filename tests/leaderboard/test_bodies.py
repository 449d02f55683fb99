"""The shape of calls: what pages send passes, what would stop the process does not."""

import time

import pytest

from leaderboard.bodies import MOST_BRACKETS, MOST_DEPTH, MOST_VALUES, is_simple

FILE = b'{"path":"x","meta":{"_type":"gradio.FileData"}}'


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no JSON at all",
        b'{"data":["irsc",' + FILE + b',{"name":"A"},""]}',
        b'{"data":["' + b"[{,}]" * 100_000 + b'"]}',
        b'{"data":["' + rb"\"[" * 100_000 + b'"]}',
        b'{"data":["' + rb"\\" * 100_000 + b'",[]]}',
        b"[" * MOST_DEPTH + b"]" * MOST_DEPTH,
        b"[" + b",".join([b"[]"] * (MOST_BRACKETS - 1)) + b"]",
        b"[" + b",".join([b"1"] * MOST_VALUES) + b"]",
    ],
)
def test_what_a_page_may_send_is_simple(body: bytes) -> None:
    assert is_simple(body)


@pytest.mark.parametrize(
    "body",
    [
        b'{"data":["x",[' + b",".join([FILE] * 20_000) + b"]]}",
        b"[" + b",".join([b"[]"] * 2_600_000) + b"]",
        b'{"data":[{' + b",".join(b'"k%d":1' % n for n in range(300_000)) + b"}]}",
        b"[" * 900 + b"]" * 900,
        b"[" * (MOST_DEPTH + 1) + b"]" * (MOST_DEPTH + 1),
        b"[" * 100_000,
        b"[" + b",".join([b"[]"] * MOST_BRACKETS) + b"]",
        b"[" + b",".join([b"1"] * (MOST_VALUES + 2)) + b"]",
        b'"' + b"[" * 100_000,
    ],
    ids=["files", "lists", "keys", "deep", "just too deep", "open", "just too many", "values", "text without an end"],
)
def test_what_would_stop_the_process_is_not(body: bytes) -> None:
    assert not is_simple(body)


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_coding_whose_bytes_hide_where_a_text_ends_is_not(coding: str) -> None:
    hidden = '["\u2200",' + ",".join(["[]"] * 2_000) + ',"\u2200"]'

    assert not is_simple(hidden.encode(coding))


@pytest.mark.parametrize("sign", [b'\\"', b'"', b"\\", b'\\\\"', b'",', b'["', b'"\\'])
def test_no_body_takes_long_to_judge(sign: bytes) -> None:
    body = b"[" * (MOST_DEPTH + 1) + b'"' + sign * (8_000_000 // len(sign))
    began = time.process_time()

    assert not is_simple(body)
    assert time.process_time() - began < 1


def test_brackets_after_a_text_with_escapes_are_counted() -> None:
    assert not is_simple(rb'["\\","\"",' + b",".join([b"[]"] * MOST_BRACKETS) + b"]")
