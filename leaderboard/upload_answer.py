"""What an uploader is told: the name under which an upload can be handed in, and never where it lies on this machine.

An ASGI middleware right around Gradio, which answers with the full path of the file and with English sentences of its
own. Gradio gets the path back in `pages.uploads`; nothing here opens a file.
"""

import json
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.texts import format_bytes
from leaderboard.visit import Visit

UPLOAD = "/gradio_api/upload"


class UploadAnswer:
    """Middleware: shortens the paths in the answer to an upload, and says in our words why there is none.

    Args:
        app: the application inside.
        folder: where Gradio puts uploads.
        max_bytes: the most that one file may have.
    """

    def __init__(self, app: ASGIApp, folder: Path, max_bytes: int) -> None:
        self.app = app
        self.folder = folder
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"].rstrip("/") != UPLOAD:
            await self.app(scope, receive, send)
            return
        status, body = 0, b""

        async def hold(message: Message) -> None:
            nonlocal status, body
            if message["type"] == "http.response.start":
                status = message["status"]
                return
            body += message.get("body", b"")
            if not message.get("more_body"):
                await self._answer(scope, status, body, send)

        await self.app(scope, receive, hold)

    async def _answer(self, scope: Scope, status: int, body: bytes, send: Send) -> None:
        if status == 200:
            kind, said = b"application/json", json.dumps([self._name(path) for path in json.loads(body)])
        else:
            words = Visit.from_page(scope).words
            too_big = words.get("gate.too_big", size=format_bytes(self.max_bytes, words.lang))
            kind, said = b"text/plain; charset=utf-8", too_big if status == 413 else words.get("gate.refused")
        headers = [(b"content-type", kind), (b"content-length", str(len(said.encode())).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": said.encode()})

    def _name(self, path: str) -> str:
        """Return a path below the folder; Gradio put it there, so that another one is a fault of ours."""
        return Path(path).resolve().relative_to(self.folder.resolve()).as_posix()
