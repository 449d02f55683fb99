"""What every request passes first: closed addresses, origin, how often, size; and the headers of every answer.

An ASGI middleware that knows no page and no task. It answers with a short plain sentence in the reader's language.
"""

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.bodies import is_simple
from leaderboard.rates import SENDER, UNCOUNTED, Rates, kind_of
from leaderboard.room import Passage, Room
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
# Words of a sender that Gradio would believe about our own address, and keep for all readers.
FORGEABLE = frozenset(
    (b"x-forwarded-host", b"x-forwarded-server", b"x-forwarded-prefix", b"x-gradio-server", b"forwarded")
)
CLOSED = ("/monitoring", "/login", "/logout", "/svelte", "/pwa_icon", "/openapi.json", "/docs", "/redoc")
# ours, among addresses that are Gradio's
LOGIN = ("/login/huggingface", "/login/callback")
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
STALLED_S = 30.0  # a body that stays silent for so long is given up: it would keep room and connections of others
FULL_WAIT_S = 60
MOST_AT_ONCE = 6  # uploads of one address on their way, where addresses are limited
AT_ONCE_WAIT_S = 5
FOREVER = b"public, max-age=31536000, immutable"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caps:
    """The most bytes that a request body may have: an upload, and anything else."""

    upload_bytes: int
    other_bytes: int = 8 * MIB

    def of(self, path: str) -> int:
        """Return the cap for an address."""
        return self.upload_bytes + MULTIPART_ROOM if _is_upload(path) else self.other_bytes


class Gate:
    """Middleware: refuses what is closed, foreign, too often or too big; adds security and cache headers to answers.

    Args:
        app: the application inside.
        caps: sizes of request bodies.
        own_hosts: further host names under which readers see this site, as a proxy in front of it may use.
        room: where uploads lie; without it there is no bound on all of them together.
        rates: how often one address may ask for work; without it as often as it likes.
        stalled_s: after so many seconds of silence a body is given up.
    """

    def __init__(
        self,
        app: ASGIApp,
        caps: Caps,
        own_hosts: Collection[str] = (),
        *,
        room: Room | None = None,
        rates: Rates | None = None,
        stalled_s: float = STALLED_S,
    ) -> None:
        self.app = app
        self.caps = caps
        self.own_hosts = frozenset(own_hosts)
        self.room = room
        self.rates = rates
        self.stalled_s = stalled_s
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path, words = scope["path"], _words(scope)
        answer = _Answer(send, path, words)
        if not _is_open(path) or b"%00" in scope["query_string"]:
            await answer.refuse(404, words.get("gate.closed"))
        elif scope["method"] not in READING and not self._is_own(scope):
            await answer.refuse(403, words.get("gate.origin"))
        elif wait_s := self._wait_s(scope):
            await _drain(receive, self.caps.of(path))
            await answer.refuse(429, words.count("gate.too_often", wait_s), wait_s=wait_s)
        else:
            scope["headers"] = [pair for pair in scope["headers"] if not self._is_forgeable(*pair)]
            await self._enter(scope, receive, answer)

    async def _enter(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        """Serve a request; an upload only while there is room for it."""
        if self.room is None or scope["method"] != "POST" or not _is_upload(scope["path"]):
            await self._serve(scope, receive, answer)
            return
        cap, declared = self.caps.of(scope["path"]), _header(scope, b"content-length")
        n_bytes = min(cap, int(declared)) if declared.isdigit() else cap
        sender = scope.get(SENDER, "")
        if sender and self._under_way[sender] >= MOST_AT_ONCE:
            await _drain(receive, n_bytes)
            sentence = answer.words.count("gate.too_often", AT_ONCE_WAIT_S)
            await answer.refuse(429, sentence, wait_s=AT_ONCE_WAIT_S)
            return
        passage = Passage(self.room, n_bytes)
        self._under_way[sender] += 1
        try:
            if await asyncio.to_thread(passage.reach, 0):
                await self._serve(scope, receive, answer, passage)
            else:
                await _drain(receive, n_bytes)
                await answer.refuse(503, answer.words.get("gate.full"), wait_s=FULL_WAIT_S)
        finally:
            passage.end()
            self._under_way -= Counter((sender,))

    async def _serve(self, scope: Scope, receive: Receive, answer: "_Answer", passage: Passage | None = None) -> None:
        """Pass the request on while its body stays under the cap and in the room that is kept for it.

        Else answer 413 or 503 and let the application end.
        """
        cap = self.caps.of(scope["path"])
        sentence = _words(scope).get("gate.too_big", size=format_bytes(cap, _words(scope).lang))
        declared = _header(scope, b"content-length")
        if declared.isdigit() and int(declared) > cap:
            await _drain(receive, _DRAINED * cap)
            await answer.refuse(413, sentence)
            return
        n_bytes, is_whole = 0, False

        async def counted() -> Message:
            nonlocal n_bytes, is_whole
            try:
                message = await (receive() if is_whole else asyncio.wait_for(receive(), self.stalled_s))
            except TimeoutError:
                await answer.refuse(408, answer.words.get("gate.stalled"))
                return {"type": "http.disconnect"}
            if message["type"] == "http.request":
                is_whole = not message.get("more_body")
                n_bytes += len(message.get("body", b""))
                if n_bytes > cap:
                    if message.get("more_body"):
                        await _drain(receive, _DRAINED * cap - n_bytes)
                    await answer.refuse(413, sentence)
                    return {"type": "http.disconnect"}
                is_over = passage is not None and n_bytes > passage.n_bytes
                if passage is not None and is_over and not await asyncio.to_thread(passage.reach, n_bytes):
                    if message.get("more_body"):
                        await _drain(receive, cap - n_bytes)
                    await answer.refuse(503, answer.words.get("gate.full"), wait_s=FULL_WAIT_S)
                    return {"type": "http.disconnect"}
            return message

        is_call = scope["path"].startswith(API) and not _is_upload(scope["path"])
        try:
            await self.app(scope, _judged(counted, answer) if is_call else counted, answer)
        except Exception:
            if answer.is_refused:
                return  # it may well stumble over the request that we cut off
            if answer.is_started:
                raise
            number = secrets.token_hex(4)
            _log.error("request not answered, %s", number, exc_info=True)
            await answer.refuse(500, _words(scope).get("gate.failed", number=number))

    def _wait_s(self, scope: Scope) -> int:
        """Return how long the sender must wait before asking for this; 0 if it need not."""
        if self.rates is None:
            return 0
        peer = scope["client"][0] if scope.get("client") else ""
        scope[SENDER] = address = self.rates.address(peer, _header(scope, b"x-forwarded-for"))
        kind = kind_of(scope["method"], scope["path"])
        if kind is None:
            return 0
        if kind != "run":
            scope[UNCOUNTED] = address  # an event is known by its number alone: who runs it counts what it costs
        return self.rates.wait_s(kind, address)

    def _is_forgeable(self, name: bytes, value: bytes) -> bool:
        """Tell whether a header would let the sender choose our address; the names of our own proxies are no choice."""
        if name == b"x-forwarded-proto":
            return value not in (b"http", b"https")
        return name in FORGEABLE and not (name == b"x-forwarded-host" and value.decode("latin-1") in self.own_hosts)

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
    """A `send` that puts headers on the answer, or stands in for it once the request is refused.

    An answer that refuses without a word gets one.
    """

    def __init__(self, send: Send, path: str, words: Texts) -> None:
        self.send = send
        self.path = path
        self.words = words
        self.is_refused = False
        self.is_started = False

    async def __call__(self, message: Message) -> None:
        if self.is_refused:
            return
        if message["type"] == "http.response.start":
            if message["status"] >= 400 and _is_mute(message["headers"]):
                await self.refuse(
                    message["status"], self.words.get("gate.closed" if message["status"] == 404 else "gate.refused")
                )
                return
            self.is_started = True
            message = {**message, "headers": _with_headers(message["headers"], self.path, message["status"])}
        await self.send(message)

    async def refuse(self, status: int, sentence: str, *, wait_s: int = 0) -> None:
        """Answer with a sentence, unless the application has begun to answer already; `wait_s` says when to retry."""
        if self.is_started or self.is_refused:
            return
        body = sentence.encode()
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
        if wait_s:
            headers.append((b"retry-after", str(wait_s).encode()))
        await self({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
        await self({"type": "http.response.body", "body": body})
        self.is_refused = True


def _judged(receive: Receive, answer: _Answer) -> Receive:
    """Hand on the body of a call once it is all there, unless it holds more than Gradio could walk through in time."""

    async def whole() -> Message:
        parts: list[bytes] = []
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return message
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                break
        body = b"".join(parts)
        if await asyncio.to_thread(is_simple, body):
            return {"type": "http.request", "body": body, "more_body": False}
        await answer.refuse(400, answer.words.get("gate.too_many"))
        return {"type": "http.disconnect"}

    return whole


def _is_open(path: str) -> bool:
    """Tell whether somebody is at home at an address: a page, a plain route, or a part of Gradio that pages use."""
    if "\0" in path:  # no name in the books or on the disk holds it, and PostgreSQL cannot be asked for it
        return False
    if "://" in path:  # Gradio would fetch `file=https://…` for whoever asks
        return False
    if path.startswith(API):
        return path.removeprefix(API).partition("/")[0].partition("=")[0] in OPEN_API
    if path in LOGIN:
        return True
    return not any(path == closed or path.startswith(f"{closed}/") for closed in CLOSED)


def _is_upload(path: str) -> bool:
    return path.rstrip("/").endswith("/upload")


def _is_mute(headers: Collection[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"content-length" and value == b"0" for name, value in headers)


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
    return Visit.from_page(scope).words


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
