"""What every request passes first: closed addresses, origin, size of the body; and the headers of every answer.

An ASGI middleware that knows no page and no task. It answers with a short plain sentence in the reader's language.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.texts import Texts, format_bytes
from leaderboard.visit import Visit

MIB = 1 << 20
MULTIPART_ROOM = MIB  # boundaries and field names around an uploaded file
READING = frozenset(("GET", "HEAD", "OPTIONS"))
# Of Gradio's addresses these are in use; all others answer 404: what is not there cannot be abused.
API = "/gradio_api/"
OPEN_API = frozenset(
    (
        *("api", "app_id", "call", "cancel", "file", "heartbeat", "info", "queue", "reset", "run"),
        *("startup-events", "theme.css", "upload", "upload_progress"),
    )
)
CLOSED = ("/monitoring", "/login", "/logout", "/svelte", "/pwa_icon", "/openapi.json", "/docs", "/redoc")
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # an address may hold the key of a private submission
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
    (
        b"content-security-policy",
        # Gradio's own scripts need inline and eval; everything comes from here, and any site may frame a board.
        b"default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' data: blob:; "
        b"object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors *",
    ),
)
# A browser reads no answer while it sends: of a body that is too big, this many times the cap is read and thrown away.
_DRAINED = 4
_SILENCE_S = 5.0  # who announces a body and sends none of it for so long hears the refusal at once
FOREVER = b"public, max-age=31536000, immutable"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caps:
    """The most bytes that a request body may have: an upload, and anything else."""

    upload_bytes: int
    other_bytes: int = 8 * MIB

    def of(self, path: str) -> int:
        """Return the cap for an address."""
        return self.upload_bytes + MULTIPART_ROOM if path.rstrip("/").endswith("/upload") else self.other_bytes


class Gate:
    """Middleware: refuses what is closed, foreign or too big; adds security and cache headers to every answer.

    Args:
        app: the application inside.
        caps: sizes of request bodies.
        own_hosts: further host names under which readers see this site, as a proxy in front of it may use.
    """

    def __init__(self, app: ASGIApp, caps: Caps, own_hosts: Collection[str] = ()) -> None:
        self.app = app
        self.caps = caps
        self.own_hosts = frozenset(own_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        answer = _Answer(send, path)
        if not _is_open(path):
            await answer.refuse(404, _words(scope).get("gate.closed"))
        elif scope["method"] not in READING and not self._is_own(scope):
            await answer.refuse(403, _words(scope).get("gate.origin"))
        else:
            await self._serve(scope, receive, answer)

    async def _serve(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        """Pass the request on while its body stays under the cap; else answer 413 and let the application end."""
        cap = self.caps.of(scope["path"])
        sentence = _words(scope).get("gate.too_big", size=format_bytes(cap, _words(scope).lang))
        declared = _header(scope, b"content-length")
        if declared.isdigit() and int(declared) > cap:
            await _drain(receive, _DRAINED * cap)
            await answer.refuse(413, sentence)
            return
        n_bytes = 0

        async def counted() -> Message:
            nonlocal n_bytes
            message = await receive()
            if message["type"] == "http.request":
                n_bytes += len(message.get("body", b""))
                if n_bytes > cap:
                    if message.get("more_body"):
                        await _drain(receive, _DRAINED * cap - n_bytes)
                    await answer.refuse(413, sentence)
                    return {"type": "http.disconnect"}
            return message

        try:
            await self.app(scope, counted, answer)
        except Exception:
            if answer.is_refused:
                return  # it may well stumble over the request that we cut off
            if answer.is_started:
                raise
            number = secrets.token_hex(4)
            _log.exception("request not answered, %s", number)
            await answer.refuse(500, _words(scope).get("gate.failed", number=number))

    def _is_own(self, scope: Scope) -> bool:
        """Tell whether a request that may change something comes from a page of this site, or from no page at all."""
        if _header(scope, b"sec-fetch-site") == "cross-site":
            return False
        origin = _header(scope, b"origin")
        if not origin:
            return True
        host = urlsplit(origin).netloc
        return bool(host) and (host == _header(scope, b"host") or host in self.own_hosts)


class _Answer:
    """A `send` that puts headers on the answer, or stands in for it once the request is refused."""

    def __init__(self, send: Send, path: str) -> None:
        self.send = send
        self.path = path
        self.is_refused = False
        self.is_started = False

    async def __call__(self, message: Message) -> None:
        if self.is_refused:
            return
        if message["type"] == "http.response.start":
            self.is_started = True
            message = {**message, "headers": _with_headers(message["headers"], self.path, message["status"])}
        await self.send(message)

    async def refuse(self, status: int, sentence: str) -> None:
        """Answer with a sentence, unless the application has begun to answer already."""
        if self.is_started or self.is_refused:
            return
        body = sentence.encode()
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
        await self({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
        await self({"type": "http.response.body", "body": body})
        self.is_refused = True


def sweep(folder: Path, older_than_s: float, now: Callable[[], float] = time.time) -> int:
    """Delete what has lain in the temp folder for too long; return how many files went. Files in use are young."""
    n_deleted = 0
    for path in sorted(folder.rglob("*"), reverse=True):
        try:
            if path.is_symlink() or path.is_file():
                if now() - path.lstat().st_mtime > older_than_s:
                    path.unlink()
                    n_deleted += 1
            elif not any(path.iterdir()) and now() - path.lstat().st_mtime > older_than_s:
                path.rmdir()
        except OSError as error:
            _log.warning("temp file stays (%s)", type(error).__name__)
    return n_deleted


def _is_open(path: str) -> bool:
    """Tell whether somebody is at home at an address: a page, a plain route, or a part of Gradio that pages use."""
    if "://" in path:  # Gradio would fetch `file=https://…` for whoever asks
        return False
    if path.startswith(API):
        return path.removeprefix(API).partition("/")[0].partition("=")[0] in OPEN_API
    return not any(path == closed or path.startswith(f"{closed}/") for closed in CLOSED)


async def _drain(receive: Receive, n_bytes: int) -> None:
    """Read and forget the rest of a body, at most so many bytes, while the sender goes on sending."""
    while n_bytes > 0:
        try:
            message = await asyncio.wait_for(receive(), _SILENCE_S)
        except TimeoutError:
            return
        n_bytes -= len(message.get("body", b""))
        if not message.get("more_body"):
            return


def _with_headers(headers: Collection[tuple[bytes, bytes]], path: str, status: int) -> list[tuple[bytes, bytes]]:
    ours = dict(HEADERS)
    present = {name.lower() for name, _ in headers}
    if b"cache-control" not in present:
        is_asset = path.startswith("/assets/") and status == 200
        ours[b"cache-control"] = FOREVER if is_asset else b"no-cache"
    return [(name, value) for name, value in headers if name.lower() not in ours] + list(ours.items())


def _words(scope: Scope) -> Texts:
    """Choose the language from the page that sent the request, else from the browser."""
    return Visit.from_scope(scope, urlsplit(_header(scope, b"referer")).query or None).words


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
