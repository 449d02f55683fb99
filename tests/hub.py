"""A Hub that takes commits, for tests: accounts, repositories, commits, downloads, and the ways in which they fail.

`faults` is asked before each write and may answer with a status, or "after" to say 500 once the commit has landed, or
"hang up" to close the line without an answer.
"""

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

WRITE, READ = "hf_write_token_for_tests", "hf_read_token_for_tests"
Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Repository:
    """Files at the last commit, and the ids of all commits."""

    files: dict[str, bytes] = field(default_factory=dict)
    commits: list[str] = field(default_factory=lambda: ["0" * 40])
    is_private: bool = True
    settings: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)

    @property
    def sha(self) -> str:
        return self.commits[-1]


@dataclass
class Hub:
    """What tests ask and set; `repositories` are by "datasets/org/name" and "spaces/org/name"."""

    repositories: dict[str, Repository] = field(default_factory=dict)
    faults: Callable[[], int | str] = lambda: 0
    calls: list[str] = field(default_factory=list)
    endpoint: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def dataset(self, name: str) -> Repository:
        return self.repositories.setdefault(f"datasets/{name}", Repository())

    def answer(self, method: str, target: str, body: bytes, token: str) -> Answer:
        path = urlsplit(target).path
        with self.lock:
            self.calls.append(f"{method} {path}")
        if token not in (WRITE, READ):
            return _error(401, "RepoNotFound" if "/api/" in path else "")
        if path == "/api/whoami-v2":
            return _json({"type": "user", "name": "host", "avatarUrl": "", "orgs": [{"name": "org"}], "auth": {}})
        if path == "/api/validate-yaml":
            return _json({"errors": [], "warnings": []})
        if method != "GET" and method != "HEAD" and token != WRITE and "/paths-info/" not in path:
            return _error(403)
        if path == "/api/repos/create":
            return self._create(json.loads(body))
        kind, name, rest = _parts(path)
        repository = self.repositories.get(f"{kind}/{name}")
        if repository is None:
            return _error(404, "RepoNotFound")
        return self._in(kind, name, repository, rest, body, method)

    def _create(self, asked: dict[str, Any]) -> Answer:
        kind = f"{asked.get('type') or 'model'}s"
        name = f"{asked.get('organization') or 'host'}/{asked['name']}"
        url = {"url": f"{self.endpoint}/{kind}/{name}"}
        if f"{kind}/{name}" in self.repositories:
            return 409, {"Content-Type": "application/json"}, json.dumps({**url, "error": "exists"}).encode()
        self.repositories[f"{kind}/{name}"] = Repository(
            is_private=asked.get("private") is True or asked.get("visibility") == "private"
        )
        for secret in asked.get("secrets") or []:
            self.repositories[f"{kind}/{name}"].secrets[secret["key"]] = secret["value"]
        return _json(url)

    def _in(self, kind: str, name: str, repository: Repository, rest: str, body: bytes, method: str) -> Answer:
        verb, _, tail = rest.partition("/")
        if verb == "preupload":
            asked = json.loads(body)["files"]
            modes = [{"path": one["path"], "uploadMode": "regular", "shouldIgnore": False} for one in asked]
            return _json({"files": modes})
        if verb == "commit":
            return self._commit(kind, name, repository, body)
        if verb == "paths-info":
            wanted = json.loads(body)["paths"] if body.startswith(b"{") else parse_qs(body.decode()).get("paths", [])
            return _json([_file(path, repository.files[path]) for path in wanted if path in repository.files])
        if verb == "tree":
            folder = tail.partition("/")[2]
            within = f"{folder}/" if folder else ""
            found = [_file(path, data) for path, data in repository.files.items() if path.startswith(within)]
            return _json(found) if found or not folder else _error(404, "EntryNotFound")
        if verb == "resolve":
            path = tail.partition("/")[2]
            if path not in repository.files:
                return _error(404, "EntryNotFound")
            data = repository.files[path]
            etag = hashlib.sha256(data).hexdigest()
            return 200, {"ETag": f'"{etag}"', "X-Repo-Commit": repository.sha}, data
        if verb in ("secrets", "variables"):
            kept = repository.secrets if verb == "secrets" else repository.settings
            if method == "POST":
                asked = json.loads(body)
                kept[asked["key"]] = asked["value"]
            return _json({})
        siblings = [{"rfilename": path} for path in repository.files]
        return _json({"id": name, "sha": repository.sha, "private": repository.is_private, "siblings": siblings})

    def _commit(self, kind: str, name: str, repository: Repository, body: bytes) -> Answer:
        fault = self.faults()
        if isinstance(fault, int) and fault:
            return _error(fault)
        lines = [json.loads(line) for line in body.splitlines()]
        with self.lock:
            header = next(line["value"] for line in lines if line["key"] == "header")
            if header.get("parentCommit") not in (None, repository.sha):
                return _error(412)
            for line in lines:
                value = line["value"]
                if line["key"] == "file":
                    repository.files[value["path"]] = base64.b64decode(value["content"])
                elif line["key"] == "deletedFile":
                    del repository.files[value["path"]]
            repository.commits.append(hashlib.sha1(body + repository.sha.encode()).hexdigest())
        if fault == "after":
            return _error(500)
        if fault == "hang up":
            raise ConnectionAbortedError
        url = f"{self.endpoint}/{kind}/{name}/commit/{repository.sha}"
        return _json({"commitUrl": url, "commitOid": repository.sha, "hookOutput": ""})


@contextmanager
def a_hub() -> Iterator[Hub]:
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer()

        do_POST = do_HEAD = do_PUT = do_DELETE = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

        def _answer(self) -> None:
            body = self._body()
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            try:
                status, headers, told = hub.answer(self.command, self.path, body, token)
            except ConnectionAbortedError:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in {"Content-Length": str(len(told)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(told)

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") == "chunked":
                parts = []
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    hub.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _parts(path: str) -> tuple[str, str, str]:
    """Split "/api/datasets/org/name/commit/main" or "/datasets/org/name/resolve/…" into kind, name and the rest."""
    kind, organisation, name, *rest = unquote(path).removeprefix("/api").strip("/").split("/")
    return kind, f"{organisation}/{name}", "/".join(rest)


def _file(path: str, data: bytes) -> dict[str, Any]:
    return {"type": "file", "path": path, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}


def _json(told: object) -> Answer:
    return 200, {"Content-Type": "application/json"}, json.dumps(told).encode()


def _error(status: int, code: str = "") -> Answer:
    headers = {"X-Error-Code": code} if code else {}
    if status == 429:
        headers["Retry-After"] = "7"
    return status, {"Content-Type": "application/json", **headers}, b'{"error":"refused for a test"}'
