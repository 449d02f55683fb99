"""Speak HTTP to a running app, well or badly, and keep all that it says."""

import http.client
import json
import socket
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.running import RunningApp

MOST_BYTES = 8 << 20
_UNRESERVED = "".join(chr(code) for code in range(0x21, 0x7F))
_BOUNDARY = b"q-boundary"


@dataclass(frozen=True)
class Said:
    """One answer; status 0 where the connection broke. Names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def whole(self) -> bytes:
        """Headers and body: whatever somebody could read."""
        return "\n".join(f"{name}: {value}" for name, value in self.headers.items()).encode() + b"\n\n" + self.body


def ask(
    app: RunningApp,
    method: str,
    path: str,
    body: bytes | str | object = None,
    *,
    headers: Mapping[str, str] | None = None,
    seconds: float = 20.0,
) -> Said:
    """Send one request and read its answer, for so long at most: some answers never end.

    The path goes out as it is, but for characters that no request line can hold. A body that is no text goes as JSON.
    """
    if body is not None and not isinstance(body, bytes | str):
        body = json.dumps(body)
    sent = body.encode() if isinstance(body, str) else body
    all_headers = {"Accept": "text/html", **({"Content-Type": "application/json"} if sent is not None else {})}
    with closing(http.client.HTTPConnection("127.0.0.1", app.port, timeout=seconds)) as connection:
        try:
            connection.request(method, quote(path, safe=_UNRESERVED), sent, {**all_headers, **(headers or {})})
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException):
            return Said(0, {}, b"")
        return Said(
            answer.status, {k.lower(): v for k, v in answer.getheaders()}, _read(answer, time.monotonic() + seconds)
        )


def send_raw(app: RunningApp, head: str, pieces: Iterable[bytes] = (), *, seconds: float = 20.0) -> bytes:
    """Send bytes as they are; return what comes back until the other side closes or falls silent for so long."""
    said = b""
    with socket.create_connection(("127.0.0.1", app.port), timeout=seconds) as connection:
        try:
            connection.sendall(head.replace("\n", "\r\n").encode("latin-1"))
            for piece in pieces:
                connection.sendall(piece)
        except OSError:
            pass  # the other side has heard enough; what it said is still there to read
        try:
            while piece := connection.recv(1 << 16):
                said += piece
                if _is_whole(said):
                    break
        except OSError:
            pass
    return said


def form(files: Iterable[tuple[str, bytes]]) -> tuple[bytes, dict[str, str]]:
    """Body and headers of an upload of files, by name and content."""
    parts = [
        b'--%s\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n'
        % (_BOUNDARY, name.encode("utf-8", "surrogatepass"), content)
        for name, content in files
    ]
    body = b"".join(parts) + b"--%s--\r\n" % _BOUNDARY
    return body, {"Content-Type": f"multipart/form-data; boundary={_BOUNDARY.decode()}"}


def upload(app: RunningApp, content: bytes, name: str = "a.run") -> str:
    """Upload one file as a page does; return its full path on the server, which no uploader is told."""
    body, headers = form([(name, content)])
    said = ask(app, "POST", "/gradio_api/upload", body, headers=headers, seconds=60)
    assert said.status == 200, said.text[:300]
    return str(app.data / "tmp" / said.json[0])


def file_data(path: str, **more: Any) -> dict[str, Any]:
    """A file as Gradio's clients hand it over."""
    return {"path": path, "meta": {"_type": "gradio.FileData"}, **more}


def call(app: RunningApp, endpoint: str, *given: Any, seconds: float = 60.0) -> Any:
    """Call a named endpoint and return its answer."""
    said = ask(app, "POST", f"/gradio_api/run/{endpoint}", {"data": given}, seconds=seconds)
    assert said.status == 200, (said.status, said.text[:300])
    return said.json["data"][0]


def press(app: RunningApp, number: int, given: list[Any], query: str = "", session: str = "attacker") -> Said:
    """Start an event by its number, as the script of a page does."""
    call = {"data": given, "fn_index": number, "session_hash": session}
    return ask(app, "POST", f"/gradio_api/run/predict{query}", call)


def event_of(config: dict[str, Any], elem_id: str, trigger: str) -> tuple[int, list[int]]:
    """(number, ids of its inputs) of the event that runs on the server when something happens to a component."""
    ids = {one["props"].get("elem_id"): one["id"] for one in config["components"]}
    found = [
        (one["id"], one["inputs"])
        for one in config["dependencies"]
        if one["backend_fn"] and [ids[elem_id], trigger] in one["targets"]
    ]
    return found[0]


def is_alive(app: RunningApp) -> bool:
    return ask(app, "GET", "/healthz").status == 200


def _read(answer: http.client.HTTPResponse, deadline: float) -> bytes:
    pieces, size = [], 0
    try:
        while size < MOST_BYTES and time.monotonic() < deadline and (piece := answer.read1(1 << 16)):
            pieces.append(piece)
            size += len(piece)
    except (OSError, http.client.HTTPException):
        pass  # an answer without end, or cut off
    return b"".join(pieces)


def _is_whole(said: bytes) -> bool:
    """Tell whether an answer with a length is there to its last byte."""
    head, found, body = said.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(found and lengths) and len(body) >= int(lengths[0])
