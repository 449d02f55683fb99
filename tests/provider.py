"""A Hub that people log in at, for tests: discovery, authorize, token and userinfo, with PKCE and one-time codes."""

import base64
import hashlib
import json
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT, SECRET = "qrelboard-for-tests", "a-secret-of-the-tests-0123456789"
PERSON = {"sub": "64f0c0ffee64f0c0ffee64f0", "preferred_username": "ada", "name": "Ada L."}
Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Provider:
    """`person` is who sits at the browser; `status` is what userinfo answers instead, if set."""

    person: dict[str, str] = field(default_factory=lambda: dict(PERSON))
    status: int = 0
    refuses: bool = False
    nonsense: bytes = b""
    url: str = ""
    calls: list[str] = field(default_factory=list)
    codes: dict[str, Mapping[str, str]] = field(default_factory=dict)
    tokens: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, str]:
        """The environment of an app whose login this is."""
        return {"OAUTH_CLIENT_ID": CLIENT, "OAUTH_CLIENT_SECRET": SECRET, "OPENID_PROVIDER_URL": self.url}

    def answer(self, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        parts = urlsplit(target)
        asked = {name: values[-1] for name, values in parse_qs(parts.query or body.decode()).items()}
        self.calls.append(parts.path)
        if parts.path == "/.well-known/openid-configuration":
            paths = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
            return _json(200, {f"{name}_endpoint": f"{self.url}/oauth/{path}" for name, path in paths.items()})
        if parts.path == "/oauth/authorize":
            return self._authorize(asked)
        if parts.path == "/oauth/token" and self.nonsense:
            return 200, {"Content-Type": "application/json"}, self.nonsense
        if parts.path == "/oauth/token":
            return self._token(asked, headers.get("authorization", ""))
        if parts.path == "/oauth/userinfo":
            person = self.tokens.get(headers.get("authorization", "").removeprefix("Bearer "))
            return _json(self.status or (200 if person else 401), person or {})
        return _json(404, {})

    def _authorize(self, asked: dict[str, str]) -> Answer:
        if asked.get("client_id") != CLIENT or asked.get("response_type") != "code" or "code_challenge" not in asked:
            return _json(400, {"error": "invalid_request"})
        code = secrets.token_hex(8)
        self.codes[code] = asked
        said = {"error": "access_denied"} if self.refuses else {"code": code}
        return 302, {"Location": f"{asked['redirect_uri']}?{urlencode({**said, 'state': asked['state']})}"}, b""

    def _token(self, asked: dict[str, str], authorization: str) -> Answer:
        is_known = authorization == "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        begun = self.codes.pop(asked.get("code", ""), None)
        digest = hashlib.sha256(asked.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        is_same = begun is not None and (
            begun["code_challenge"] == challenge and begun["redirect_uri"] == asked.get("redirect_uri")
        )
        if not is_known or not is_same:
            return _json(400, {"error": "invalid_grant"})
        token = secrets.token_hex(8)
        self.tokens[token] = dict(self.person)
        return _json(200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600})


@contextmanager
def a_provider() -> Iterator[Provider]:
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def log_message(self, format: str, *args: object) -> None:
            pass

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, said, content = provider.answer(self.path, headers, body)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **said}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _json(status: int, body: Mapping[str, object]) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps(body).encode()
