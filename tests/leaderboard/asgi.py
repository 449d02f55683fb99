"""Ask an ASGI application without a server: one request in, one answer out."""

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message

CHUNK = b"x" * 1000


@dataclass
class Answer:
    """What an application sent."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode()


def ask(
    app: ASGIApp,
    path: str,
    *,
    method: str = "GET",
    query: str = "",
    headers: dict[str, str] | None = None,
    body: Iterable[bytes] = (),
    is_stalled: bool = False,
) -> Answer:
    """Send one request; the body comes in pieces, as from a network, and may never come to its end."""
    answer = Answer()
    pieces = list(body) or [b""]
    scope: dict[str, Any] = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "server": ("example.org", 80),
        "client": ("192.0.2.1", 1234),
        "headers": [(k.lower().encode(), v.encode()) for k, v in {"host": "example.org", **(headers or {})}.items()],
    }

    async def receive() -> Message:
        if pieces:
            return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces) or is_stalled}
        return await asyncio.get_running_loop().create_future()  # the client stays and says no more

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {k.decode().lower(): v.decode() for k, v in message["headers"]}
        else:
            answer.body += message.get("body", b"")

    # in a thread of its own: a browser that other tests opened keeps an event loop running in this one
    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(asyncio.run, app(scope, receive, send)).result()  # type: ignore[arg-type]
    return answer
