"""The shape of calls: what pages send passes, what would stop the process does not."""

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
