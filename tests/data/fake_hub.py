"""A Hub with one dataset, for tests: the few routes that files are fetched by, and the ways in which they fail."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME = "org/gold"
SHA = "a" * 40
TOKEN = "hf_read_token_for_tests"


class FakeHub:
    """Answers about `files` at `sha` to whoever has the token; `status` is what it answers instead, if set."""

    def __init__(self, files: Mapping[str, bytes], *, is_public: bool = False) -> None:
        self.files = dict(files)
        self.sha = SHA
        self.is_public = is_public
        self.status = 0
        self.calls: list[str] = []
        self.endpoint = ""

    def answer(self, path: str, token: str | None) -> tuple[int, dict[str, str], bytes]:
        self.calls.append(path)
        if self.status:
            return self.status, {}, b"{}"
        if not self.is_public and token != f"Bearer {TOKEN}":
            return 401, {}, b"{}"
        if path.startswith(f"/api/datasets/{NAME}/revision/"):
            siblings = [{"rfilename": name} for name in self.files]
            return 200, {}, json.dumps({"id": NAME, "sha": self.sha, "siblings": siblings}).encode()
        if path.startswith(f"/api/datasets/{NAME}/tree/"):
            tree = [{"type": "file", "path": name, "size": len(body), "oid": "0"} for name, body in self.files.items()]
            return 200, {}, json.dumps(tree).encode()
        name = path.removeprefix(f"/datasets/{NAME}/resolve/{SHA}/")
        if name not in self.files:
            return 404, {"X-Error-Code": "EntryNotFound"}, b""
        return 200, {"ETag": f'"{hash(self.files[name])}"', "X-Repo-Commit": SHA}, self.files[name]


@contextmanager
def a_hub(files: Mapping[str, bytes], *, is_public: bool = False) -> Iterator[FakeHub]:
    hub = FakeHub(files, is_public=is_public)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def log_message(self, format: str, *args: object) -> None:
            pass

        def _answer(self, *, with_body: bool) -> None:
            status, headers, body = hub.answer(self.path.split("?")[0], self.headers.get("Authorization"))
            self.send_response(status)
            for name, value in {
                "Content-Length": str(len(body)),
                "Content-Type": "application/json",
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            if with_body:
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    hub.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
