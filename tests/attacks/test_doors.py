"""What answers and with which headers: closed addresses, files of the machine, forged names, words of the asker."""

import os
import re
from itertools import product
from pathlib import Path

import pytest

from tests.attacks.conftest import TASK
from tests.attacks.wire import Said, ask, upload
from tests.running import ROOT, RunningApp

pytestmark = pytest.mark.processes

PAGES = ("/", f"/{TASK}", "/submit", "/submission", "/system", "/about")
MARKUP = "zz\"'><img src=x onerror=alert(1)>"
# How a file can be asked for; {path} is absolute, {bare} the same without its first slash, {name} its last part.
SHAPES = (
    *("/gradio_api/file={path}", "/gradio_api/file/{path}", "/gradio_api/file={bare}", "/gradio_api/file=/{path}"),
    *("/file={path}", "/file/{path}", "/file={bare}", "/gradio_api/file=./{bare}", "/gradio_api/file=//{bare}"),
    *(
        "/gradio_api/file={temp}/../{name}",
        "/gradio_api/file={temp}/x/../../{name}",
        "/gradio_api/file={temp}//../{name}",
    ),
    *(
        "/gradio_api/file={temp}%2f..%2f{name}",
        "/gradio_api/file={temp}/%2e%2e/{name}",
        "/gradio_api/file={temp}/..;/{name}",
    ),
    *("/gradio_api/file={temp}%252f..%252f{name}", "/gradio_api/file={path}%00", "/gradio_api/file={path}%00.run"),
    *(
        "/gradio_api/file={path}/",
        "/gradio_api/file={path}?x=1",
        "/gradio_api/file=%2f{bare}",
        "/gradio_api/file=file://{path}",
    ),
    *(
        "/gradio_api/file=/proc/self/root{path}",
        "/gradio_api/file=/proc/self/cwd/..{path}",
        "/gradio_api/file=~/../..{path}",
    ),
    *("/gradio_api/proxy={path}", "/gradio_api/stream/{path}", "/gradio_api/custom_component/{bare}"),
    *("/static/..{path}", "/static/../../../../../../../..{path}", "/static/{path}", "/assets/{path}"),
    *("/assets/..%2f..%2f..%2f..%2f..%2f..%2f..{path}", "/svelte/{path}", "/svelte/..{path}", "/look/..%2f{name}"),
    *("/look/{path}", "/boards/..%2f{name}.json", "/boards/{bare}.json", "/examples/..%2f..%2f{name}.run"),
    *("/examples/{bare}.run", "/{bare}", "//{bare}", "/../../../../../../..{path}", "/%2e%2e/%2e%2e/%2e%2e{path}"),
    *("/\\..\\..\\{name}", "/gradio_api/file=C:{path}", "/gradio_api/file={path}#x", "/config?deep_link=../{name}"),
)
CLOSED = (
    *("/monitoring", "/monitoring/", "/monitoring/summary", "/monitoring/x", "/login", "/login/", "/logout"),
    *("/pwa_icon", "/pwa_icon/192", "/docs", "/redoc", "/openapi.json", "/svelte/x.js", "/%6donitoring"),
    *(f"/gradio_api/{name}" for name in ("deep_link", "runs", "runs/", "run-history/records", "run-history/connect")),
    *(f"/gradio_api/{name}" for name in ("vibe-edit", "vibe-edit/", "vibe-code", "vibe-code/", "vibe-starter-queries")),
    *(
        f"/gradio_api/{name}"
        for name in ("undo-vibe-edit", "vibe", "proxy=x", "dev/reload", "token", "token/", "mcp/sse")
    ),
    *(f"/gradio_api/{name}" for name in ("component_server", "component_server/", "openapi.json", "process_recording")),
    *(
        f"/gradio_api/{name}"
        for name in ("profiling/traces", "profiling/clear", "stream/x", "custom_component/a/client/b/c")
    ),
)


def files(app: RunningApp) -> list[Path]:
    """What must stay on the machine."""
    gold = app.data / "vault" / "gold-sample" / TASK
    data = [app.data / name for name in ("books.sqlite", "books.sqlite-wal", "jobs.sqlite")]
    runs = [next(path for path in (app.data / "runs").rglob("*") if path.is_file())]
    return [*data, gold / "qrels.trec", gold / "topics.jsonl", *runs, app.log, ROOT / "app.py", Path("/etc/passwd")]


def gives_away(said: Said, content: bytes) -> bool:
    """Tell whether an answer holds a piece of a file."""
    piece = content[:48]
    return len(piece) > 8 and piece in said.body


class TestHeaders:
    @pytest.mark.parametrize(
        "path",
        [
            *(
                *PAGES,
                "/nowhere",
                "/config",
                "/healthz",
                f"/boards/{TASK}.json",
                f"/examples/{TASK}.run",
                "/boards/x.json",
            ),
            *("/gradio_api/info", "/gradio_api/run/board", "/gradio_api/file=/etc/passwd", "/monitoring", "/theme.css"),
            "/gradio_api/run/no-such-endpoint",
        ],
    )
    @pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "DELETE"])
    def test_every_answer_carries_them(self, target: RunningApp, method: str, path: str) -> None:
        said = ask(target, method, path, {"data": [TASK]} if method == "POST" else None)

        assert said.headers["x-content-type-options"] == "nosniff"
        assert said.headers["referrer-policy"] == "same-origin"
        policy = said.headers["content-security-policy"]
        assert "object-src 'none'" in policy
        assert "base-uri 'self'" in policy
        assert "frame-ancestors *" in policy
        assert "x-frame-options" not in said.headers
        assert "set-cookie" not in said.headers

    @pytest.mark.parametrize("path", [*PAGES, "/config", "/gradio_api/info"])
    def test_no_other_site_reads_with_the_visitors_rights(self, target: RunningApp, path: str) -> None:
        said = ask(target, "GET", path, headers={"Origin": "https://evil.example"})

        assert "access-control-allow-origin" not in said.headers


class TestClosedAddresses:
    @pytest.mark.parametrize("path", CLOSED)
    def test_parts_of_gradio_that_no_page_uses_are_not_there(self, target: RunningApp, path: str) -> None:
        for method in ("GET", "POST"):
            assert ask(target, method, path, {} if method == "POST" else None).status == 404

    def test_a_page_of_ours_is_there(self, target: RunningApp) -> None:
        assert [ask(target, "GET", path).status for path in ("/", f"/{TASK}", "/config", "/gradio_api/info")] == [
            200
        ] * 4

    @pytest.mark.parametrize("page", ["/", f"/{TASK}", "/config"])
    def test_a_saved_state_of_a_page_cannot_be_smuggled_in(self, target: RunningApp, page: str) -> None:
        place = Path(upload(target, b'[{"id": 1, "type": "html", "props": {"value": "smuggled"}}]', "state.json"))

        for link in (place.parent.name, f"../{place.parent.name}", str(place.parent), "x" * 32):
            said = ask(target, "GET", f"{page}?deep_link={link}")
            assert b"smuggled" not in said.body


class TestFilesOfTheMachine:
    def test_no_shape_of_address_hands_one_out(self, target: RunningApp) -> None:
        assert len(SHAPES) >= 40
        for path in files(target):
            content = path.read_bytes()
            temp = target.data / "tmp"
            for shape in SHAPES:
                address = shape.format(
                    path=path, bare=str(path)[1:], name=os.path.relpath(path, target.data), temp=temp
                )
                said = ask(target, "GET", address)
                assert not gives_away(said, content), address
                assert not said.body.startswith(b"SQLite format 3"), address

    @pytest.mark.parametrize(
        "place", ["/proc/self/environ", "/proc/self/maps", "/proc/1/environ", "/dev/fd/3", "/proc/self/cmdline"]
    )
    def test_nothing_of_the_process_is_handed_out(self, target: RunningApp, place: str) -> None:
        for shape in ("/gradio_api/file={}", "/gradio_api/file/{}", "/file={}", "/static/..{}", "/gradio_api/file=/{}"):
            said = ask(target, "GET", shape.format(place))
            assert said.status in (403, 404), shape
            assert b"QRELBOARD_DATA=" not in said.body

    def test_open_files_of_the_process_are_not_handed_out(self, target: RunningApp) -> None:
        for number in range(64):
            assert ask(target, "GET", f"/gradio_api/file=/proc/self/fd/{number}").status in (403, 404)

    def test_an_upload_is_handed_out_so_the_test_would_see_a_file(self, target: RunningApp) -> None:
        content = b"a run that its owner may fetch again, for an hour, by its address"
        place = upload(target, content)

        assert gives_away(ask(target, "GET", f"/gradio_api/file={place}"), content)


class TestForgedNames:
    FORGED = (
        *({"Host": "evil.example"}, {"X-Forwarded-Host": "evil.example"}, {"X-Gradio-Server": "http://evil.example"}),
        *({"X-Direct-Url": "http://evil.example"}, {"Forwarded": "host=evil.example"}),
        {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"},
    )

    def test_a_name_that_one_visitor_forged_reaches_no_other(self, target: RunningApp) -> None:
        paths = (*PAGES, "/config", "/gradio_api/info", "/gradio_api/info?all_endpoints=true", f"/boards/{TASK}.json")
        for path, forged in product(paths, self.FORGED):
            ask(target, "GET", path, headers=forged)

        for path in paths:
            assert b"evil.example" not in ask(target, "GET", path).whole

    def test_a_header_that_names_another_address_opens_nothing(self, target: RunningApp) -> None:
        for name in ("X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Path"):
            said = ask(target, "GET", "/healthz", headers={name: "/monitoring"})
            assert said.json["status"] == "ok"


class TestWordsOfTheAsker:
    QUERIES = ("id", "key", "lang", "task", "tab", "embed", "__theme", "by", "q", "sort", "deep_link", "view", MARKUP)

    @pytest.mark.parametrize("page", [*PAGES, "/nowhere", f"/{MARKUP}", f"/a/{MARKUP}/b"])
    def test_they_come_back_as_text_or_not_at_all(self, target: RunningApp, page: str) -> None:
        headers = {
            "Accept-Language": "<img src=x>",
            "Referer": "http://x/?lang=<img src=x>",
            "X-Forwarded-Proto": "<img src=x>",
        }
        for query in self.QUERIES:
            said = ask(target, "GET", f"{page}?{query}={MARKUP}", headers=headers)
            assert said.status in (200, 404), query
            assert not re.search(rb"<img src=x", said.body), query

    @pytest.mark.parametrize("page", ["//evil.example", "//evil.example/..", "/\\evil.example", "/javascript:alert(1)"])
    def test_no_link_leads_away(self, target: RunningApp, page: str) -> None:
        said = ask(target, "GET", page)

        assert said.status == 404
        assert "location" not in said.headers
        assert re.findall(r'href="(?![./#])', said.text.split("<body")[1]) == []

    def test_very_long_words_are_cut_or_refused(self, target: RunningApp) -> None:
        for path in (f"/{'a' * 20_000}", f"/?q={'a' * 20_000}", f"/submission?id={'a' * 20_000}"):
            assert ask(target, "GET", path).status in (200, 404, 414)
