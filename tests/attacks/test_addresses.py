"""Nobody makes the server ask another one, and nobody chooses the name under which it speaks to others."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.attacks.conftest import TASK
from tests.attacks.wire import Said, ask, press
from tests.running import RunningApp

pytestmark = pytest.mark.processes

EVIL = "evil.example"


class Ear:
    """A port that counts who connects to it."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.n_heard = 0
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/a.run"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self.socket.accept()[0].close()
                self.n_heard += 1


@pytest.fixture
def ear() -> Iterator[Ear]:
    ear = Ear()
    yield ear
    ear.socket.close()


def forms(url: str) -> list[Any]:
    meta = {"_type": "gradio.FileData"}
    bare = url.removeprefix("http:")
    return [
        url,
        bare,
        {"path": url, "meta": meta},
        {"path": bare, "meta": meta},
        {"path": "x", "url": url, "meta": meta},
        {"path": None, "url": url, "meta": meta},
        {"url": url, "meta": meta},
        {"path": url},
        {"path": url, "url": url, "orig_name": "a.run", "is_stream": True, "meta": meta},
        {"path": url, "is_stream": True, "meta": meta},
        [{"path": url, "meta": meta}],
        {"files": [{"path": url, "meta": meta}], "text": url},
        {"video": {"path": url, "meta": meta}},
        {"path": f"/gradio_api/proxy={url}", "url": f"/gradio_api/proxy={url}", "meta": meta},
        f"![x]({url})",
        {"value": url, "__type__": "update"},
    ]


def test_no_event_fetches_an_address_wherever_it_stands(target: RunningApp, config: dict[str, Any], ear: Ear) -> None:
    numbers = [(one["id"], len(one["inputs"])) for one in config["dependencies"] if one["backend_fn"]]
    for form in forms(ear.url):
        for endpoint in ("check", "submit", "status", "board"):
            ask(target, "POST", f"/gradio_api/run/{endpoint}", {"data": [TASK, form, {"name": "x"}, ""][:2]})
            ask(target, "POST", f"/gradio_api/call/{endpoint}", {"data": [form, form]})
        for number, n_inputs in numbers:
            call = {"data": [form] * n_inputs, "fn_index": number, "session_hash": "ear", "event_data": form}
            ask(target, "POST", "/gradio_api/run/predict", call)
        ask(target, "POST", "/gradio_api/queue/join", {**call, "trigger_id": 1})

    assert ear.n_heard == 0
    assert (ask(target, "GET", "/healthz").status, len(numbers) > 10) == (200, True)


def test_no_address_of_a_file_is_fetched(target: RunningApp, ear: Ear) -> None:
    bare = ear.url.removeprefix("http://")
    for form in (ear.url, f"http:/{bare}", f"//{bare}", f"http%3A%2F%2F{bare}", f"http:%2f/{bare}", f"file://{bare}"):
        for path in ("file=", "file/", "proxy=", "stream/x/", "deep_link?x="):
            assert ask(target, "GET", f"/gradio_api/{path}{form}").status in (403, 404), (path, form)

    assert ear.n_heard == 0


def test_the_ear_hears(ear: Ear, target: RunningApp) -> None:
    with contextlib.closing(socket.create_connection(ear.socket.getsockname())):
        target.until(lambda: ear.n_heard == 1, 5)


def test_a_forged_name_is_kept_for_nobody_and_leads_nobody_away(target: RunningApp) -> None:
    forged = {
        "X-Forwarded-Host": EVIL,
        "X-Gradio-Server": f"https://{EVIL}",
        "Forwarded": f"host={EVIL}",
        "X-Forwarded-Prefix": f"//{EVIL}",
        "X-Forwarded-Server": EVIL,
        "X-Forwarded-Proto": "https",
    }
    paths = ("/", f"/{TASK}", "/submit", "/config", "/gradio_api/info", "/gradio_api/info?all_endpoints=true")

    for path in paths:
        assert EVIL.encode() not in ask(target, "GET", path, headers=forged).whole, path
        ask(target, "GET", path, headers={"Host": EVIL})  # what one sees of the own name is one's own affair
        assert EVIL.encode() not in ask(target, "GET", path).whole, path
    called = {"data": [TASK, None]}
    assert EVIL.encode() not in ask(target, "POST", "/gradio_api/run/check", called, headers=forged).whole


def test_no_refusal_is_without_a_word(target: RunningApp, config: dict[str, Any]) -> None:
    numbers = [(one["id"], len(one["inputs"])) for one in config["dependencies"] if one["backend_fn"]]
    refused: list[tuple[str, Said]] = []
    for path in ("/nowhere", "/look/x.css", "/boards/x.json", "/examples/x.run", "/runs/x.run", "/scores/x.csv"):
        refused += [(f"{method} {path}", ask(target, method, path)) for method in ("GET", "POST", "PUT", "DELETE")]
    refused += [
        ("/gradio_api/file=x", ask(target, "GET", "/gradio_api/file=x")),
        ("/badge/x/x.svg", ask(target, "GET", "/badge/x/x.svg")),
    ]
    for path in ("run/check", "run/nowhere", "call/check", "call/nowhere", "queue/join", "upload", "reset", "cancel"):
        refused += [(path, ask(target, "POST", f"/gradio_api/{path}", body)) for body in (b"", b"{}", b'{"data":[]}')]
    refused += [(f"event {number}", press(target, number, [{}] * n_inputs)) for number, n_inputs in numbers]
    mute = [
        (path, said.status, said.body)
        for path, said in refused
        if said.status == 0 or (said.status >= 400 and said.body in (b"", b"null", b'{"error":null}'))
    ]

    assert sum(said.status >= 400 for _, said in refused) > 30
    assert mute == []


def test_what_the_app_makes_is_for_its_own_user_alone(target: RunningApp) -> None:
    open_to_others = [
        f"{path.relative_to(target.data)} {path.stat().st_mode & 0o777:o}"
        for path in (target.data, *target.data.rglob("*"))
        if path.stat().st_mode & 0o077
    ]

    assert open_to_others == []


@pytest.mark.parametrize("path", ["/boards/irsc.json/", "/irsc/", "/healthz/", "/gradio_api/info/"])
def test_no_answer_leads_to_a_host_that_the_sender_named(target: RunningApp, path: str) -> None:
    said = ask(target, "GET", path, headers={"Host": EVIL})

    assert said.status in (200, 301, 404)
    assert said.headers.get("location", "/").startswith("/")
