"""No small call stops the pages: others are served while it is judged."""

import threading
import time

import pytest

from tests.attacks.wire import ask, is_alive
from tests.running import RunningApp

pytestmark = pytest.mark.processes

FILE = b'{"path":"x","meta":{}}'
LONG_PLACE = b'{"path":"' + b"a/" * 2_000 + b'","meta":{}}'
BODIES = {
    "files": b'{"data":["x",[' + b",".join([FILE] * 330_000) + b"]]}",
    "as many files as pass": b'{"data":["x",[' + b",".join([FILE] * 490) + b"]]}",
    "long places": b'{"data":["x",[' + b",".join([LONG_PLACE] * 490) + b"]]}",
    "lists": b'{"data":["x",[' + b",".join([b"[]"] * 2_600_000) + b"]]}",
    "keys": b'{"data":["x",{},{' + b",".join(b'"k%d":1' % n for n in range(300_000)) + b'},""]}',
    "escapes": b"[" * 60 + b'"' + b'\\"' * 3_900_000,
    "quotes": b"[" * 60 + b'"' * 7_800_000,
    "UTF-16": ('["\u2200",' + ",".join(["[]"] * 1_000_000) + ',"\u2200"]').encode("utf-16-le"),
    "accents": '{{"data":["x",null,{{"name":"{}"}},""]}}'.format("\u0300\u0316" * 1_900_000).encode(),
    "deep": b'{"data":["x",' + b"[" * 900 + b"]" * 900 + b"]}",
}


@pytest.mark.parametrize("endpoint", ["status", "submit"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_pages_are_served_while_a_call_is_judged(target: RunningApp, body: bytes, endpoint: str) -> None:
    said: list[int] = []
    call = threading.Thread(
        target=lambda: said.append(ask(target, "POST", f"/gradio_api/run/{endpoint}", body, seconds=30).status)
    )
    slowest = 0.0

    call.start()
    while call.is_alive():
        began = time.monotonic()
        assert is_alive(target)
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.02)

    assert said[0] in (200, 400, 500)
    assert slowest < 2


def test_a_call_nested_too_deep_is_a_bad_request(target: RunningApp) -> None:
    assert ask(target, "POST", "/gradio_api/run/status", BODIES["deep"]).status == 400
