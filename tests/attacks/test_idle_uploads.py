"""Uploads that announce much and send nothing leave the room to others."""

import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.attacks.wire import ask, form
from tests.running import running_app

pytestmark = pytest.mark.processes

MB = 1_000_000
# three that announce all they may would fill the room but for less than the upload of somebody else
CAP, ROOM, OTHERS = 60 * MB, 200 * MB, 20 * MB
N_IDLE = 8


def test_idle_uploads_do_not_close_uploads_of_others(tmp_path: Path) -> None:
    head = (
        "POST /gradio_api/upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        f"Content-Length: {CAP}\r\n\r\n--b"
    )
    limits = {"QRELBOARD_MAX_UPLOAD": str(CAP), "QRELBOARD_UPLOAD_ROOM": str(ROOM), "QRELBOARD_WORKERS": "0"}
    with running_app(tmp_path, **limits) as app, ExitStack() as idle:
        for _ in range(N_IDLE):
            connection = idle.enter_context(socket.create_connection(("127.0.0.1", app.port)))
            connection.sendall(head.encode())
        time.sleep(0.5)
        body, headers = form([("a.run", b"x" * OTHERS)])

        said = ask(app, "POST", "/gradio_api/upload", body, headers=headers)

        assert said.status == 200, said.text
