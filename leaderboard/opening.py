"""Before the doors open: wait for a database that is not there yet, and say so to whoever comes meanwhile.

Knows no page and no book; the sign holds one sentence, and nothing of why.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeVar

from sqlalchemy.exc import InterfaceError, OperationalError

from leaderboard.texts import choose_language, texts

Opened = TypeVar("Opened")
SHORTEST_WAIT_S, LONGEST_WAIT_S = 1.0, 30.0
#: exit code of a process that lost its database while it started: whoever watches it starts it again
TRY_AGAIN_EXIT = 75


class PortTaken(Exception):
    """Nobody can be answered, since another program listens on the port."""


def wait_until_open(
    attempt: Callable[[], Opened],
    *,
    say: Callable[[str], object],
    sign: AbstractContextManager[object] | None = None,
    sleep: Callable[[float], object] = time.sleep,
) -> Opened:
    """Try until it works while the database is out of reach, ever less often; any other error is raised.

    The sign hangs out from the first failure to the end. Raises PortTaken where it has no place.
    """
    wait_s = SHORTEST_WAIT_S
    with ExitStack() as meanwhile:
        while True:
            try:
                return attempt()
            except Exception as error:
                if not is_out_of_reach(error):
                    raise
                say(f"the database is out of reach ({type(error).__name__}); next try in {wait_s:g} s")
            if sign is not None:
                meanwhile.enter_context(sign)
                sign = None
            sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)


def is_out_of_reach(error: BaseException | None) -> bool:
    """Tell whether an error, or what caused it, says that the database does not answer."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, OperationalError | InterfaceError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def closed_sign(address: str, port: int) -> Iterator[None]:
    """Answer every request with "coming back", status 503, until the block ends."""
    try:
        server = ThreadingHTTPServer((address, port), _Sign)
    except OSError as error:
        raise PortTaken(str(error)) from None
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="sign", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Sign(BaseHTTPRequestHandler):
    timeout = 5
    server_version, sys_version = "qrelboard", ""

    def do_GET(self) -> None:
        """Answer any request in the reader's language."""
        words = texts(choose_language(None, self.headers.get("Accept-Language", "")))
        title, said = escape(words.get("gate.soon_title")), escape(words.get("gate.soon"))
        body = (
            f'<!doctype html><html lang="{words.lang}"><head><meta charset="utf-8"><title>{title}</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta http-equiv="refresh" content="5">'
            "<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;"
            "margin:20vh auto;padding:0 1rem}</style></head>"
            f"<body><h1>{title}</h1><p>{said}</p></body></html>"
        ).encode()
        self.send_response(503)
        for name, value in (
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Length", str(len(body))),
            ("Retry-After", "5"),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Connection", "close"),
        ):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_POST = do_GET

    def log_message(self, *_: object) -> None:
        """Say nothing of who came."""
