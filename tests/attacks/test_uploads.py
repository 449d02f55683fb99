"""Too much, broken off, from elsewhere, and files that are none: uploads end in a clear answer and leave nothing."""

import gzip
import io
import json
import lzma
import os
import pickle
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.room import sweep
from tests.attacks.conftest import MOST_UPLOADED, TASK
from tests.attacks.wire import ask, call, file_data, form, is_alive, send_raw, upload
from tests.running import RunningApp

pytestmark = pytest.mark.processes

MIB = 1 << 20
UPLOAD, CALL = "/gradio_api/upload", "/gradio_api/run/check"


def head(path: str, length: str, content_type: str = "application/json") -> str:
    return f"POST {path} HTTP/1.1\nHost: 127.0.0.1\nContent-Type: {content_type}\n{length}\n\n"


def chunks(size: int) -> Iterator[bytes]:
    """A body without a declared length."""
    piece = b"x" * (1 << 16)
    for _ in range(0, size, len(piece)):
        yield b"%x\r\n%s\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"


def submit_and_check(app: RunningApp, run: Any) -> list[Any]:
    return [call(app, "check", TASK, run), call(app, "submit", TASK, run, {"name": "Attacker"}, "")]


class TestTooMuch:
    @pytest.mark.parametrize("path", [UPLOAD, CALL])
    def test_declared_length_over_the_cap_is_refused_in_plain_text(self, target: RunningApp, path: str) -> None:
        body, headers = form([("a.run", b"x" * (12 * MIB))])

        said = ask(target, "POST", path, body, headers=headers if path == UPLOAD else None)

        assert said.status == 413
        assert said.headers["content-type"] == "text/plain; charset=utf-8"
        assert said.text.startswith("The upload is larger than")
        assert is_alive(target)

    @pytest.mark.parametrize("path", [UPLOAD, CALL])
    def test_body_without_length_is_cut_off_at_the_cap(self, target: RunningApp, path: str) -> None:
        content_type = "multipart/form-data; boundary=b" if path == UPLOAD else "application/json"
        start = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.run"\r\n\r\n'
        first = b"%x\r\n%s\r\n" % (len(start), start)

        said = send_raw(
            target, head(path, "Transfer-Encoding: chunked", content_type), [first, *chunks(12 * MIB)], seconds=10
        )

        assert said.startswith(b"HTTP/1.1 413 ")
        assert b"content-type: text/plain" in said
        assert is_alive(target)

    def test_body_that_is_announced_and_never_sent_is_refused(self, target: RunningApp) -> None:
        said = send_raw(target, head(UPLOAD, "Content-Length: 99999999999999"), seconds=15)

        assert said.startswith(b"HTTP/1.1 413 ")

    @pytest.mark.parametrize(
        "length", ["Content-Length: -1", "Content-Length: 5\nContent-Length: 6", "Content-Length: x"]
    )
    def test_odd_length_is_a_bad_request(self, target: RunningApp, length: str) -> None:
        assert send_raw(target, head(CALL, f"Content-Length: {length}"), [b"abcde"]).startswith(b"HTTP/1.1 400 ")
        assert is_alive(target)

    def test_many_files_in_one_request_count_together(self, target: RunningApp) -> None:
        body, headers = form([(f"{n}.run", b"x" * 10_000) for n in range(500)])

        said = ask(target, "POST", UPLOAD, body, headers=headers)

        assert len(body) > MOST_UPLOADED + MIB
        assert said.status == 413

    def test_more_files_than_anyone_needs_are_refused(self, target: RunningApp) -> None:
        body, headers = form([(f"{n}.run", b"") for n in range(1001)])

        assert ask(target, "POST", UPLOAD, body, headers=headers).status == 400
        assert is_alive(target)

    @pytest.mark.parametrize(
        "body",
        [b"[" * MIB, b'{"data":[' + b"[" * 400_000 + b"]" * 400_000 + b"]}", b'{"data":[1' + b"0" * MIB + b"]}"],
        ids=["open brackets", "deep list", "long number"],
    )
    def test_json_made_to_break_the_reader_is_a_bad_request(self, target: RunningApp, body: bytes) -> None:
        said = ask(target, "POST", CALL, body)

        assert said.status in (400, 422)
        assert is_alive(target)


class TestWhatStays:
    def test_uploads_broken_off_leave_nothing_after_the_sweep(self, target: RunningApp) -> None:
        start = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.run"\r\n\r\n' + b"x" * 100_000
        temp = target.data / "tmp"
        before = sum(1 for path in temp.iterdir() if path.is_file())
        for _ in range(5):
            send_raw(
                target, head(UPLOAD, "Content-Length: 1000000", "multipart/form-data; boundary=b"), [start], seconds=0.3
            )
        target.until(lambda: sum(1 for path in temp.iterdir() if path.is_file()) >= before + 5)
        upload(target, b"a whole one")
        with_sessions = form([(f"{n}.run", b"%d" % n) for n in range(500)])
        assert ask(target, "POST", UPLOAD, with_sessions[0], headers=with_sessions[1]).status == 200

        sweep(temp, 3600, lambda: time.time() + 3601)  # the files first, then the folders, which just changed
        sweep(temp, 3600, lambda: time.time() + 7300)

        assert list(temp.rglob("*")) == []
        assert list((target.folder / "tmp").rglob("tmp*")) == [], "the system's temp folder is swept by nobody"
        assert is_alive(target)

    @pytest.mark.parametrize(
        "name", ["../../../../books.sqlite", "/etc/cron.d/x", "..\\..\\x", "a/../../x", "", ".", "x" * 3000]
    )
    def test_a_file_name_leads_nowhere(self, target: RunningApp, name: str) -> None:
        books = (target.data / "books.sqlite").read_bytes()[:16]

        place = Path(upload(target, b"overwritten", name))

        assert place.resolve().is_relative_to((target.data / "tmp").resolve())
        assert len(place.name) < 256
        assert (target.data / "books.sqlite").read_bytes()[:16] == books == b"SQLite format 3\0"

    @pytest.mark.parametrize("name", ["evil.html", "evil.svg", "evil.xhtml", "evil.js", "evil.xml"])
    def test_an_upload_is_never_shown_as_a_page(self, target: RunningApp, name: str) -> None:
        place = upload(target, b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", name)

        said = ask(target, "GET", f"/gradio_api/file={place}")

        assert said.headers["content-disposition"].startswith("attachment")
        assert said.headers["content-type"] == "application/octet-stream"


class TestForeignPages:
    @pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example"])
    @pytest.mark.parametrize(
        "path",
        [
            UPLOAD,
            CALL,
            *(f"/gradio_api/{name}" for name in ("call/submit", "queue/join", "api/submit", "cancel", "reset")),
        ],
    )
    def test_change_asked_for_by_another_site_is_refused(self, target: RunningApp, path: str, origin: str) -> None:
        said = ask(target, "POST", path, {"data": []}, headers={"Origin": origin})

        assert said.status == 403
        assert "another site" in said.text

    def test_no_other_site_may_send_what_a_form_cannot(self, target: RunningApp) -> None:
        asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}

        said = ask(target, "OPTIONS", CALL, headers=asked)

        assert "access-control-allow-origin" not in said.headers

    def test_own_page_may(self, target: RunningApp) -> None:
        said = ask(target, "POST", CALL, {"data": [TASK, None]}, headers={"Origin": target.url})

        assert said.status == 200


class TestFilesThatAreNone:
    def places(self, app: RunningApp) -> list[str]:
        inside = Path(upload(app, b"a run")).parent
        links = {"books": app.data / "books.sqlite", "gold": app.data / "vault", "dots": Path("/proc/self/environ")}
        for name, goal in links.items():
            (inside / name).unlink(missing_ok=True)
            os.symlink(goal, inside / name)
        return [
            *(str(inside / name) for name in links),
            *(str(app.data / name) for name in ("books.sqlite", "jobs.sqlite", "tmp/../books.sqlite", "vault", "runs")),
            str(app.data / "vault" / "gold-sample" / TASK / "qrels.trec"),
            str(app.data / "public" / TASK / "example.run"),
            *("/etc/passwd", "/proc/self/environ", "../../books.sqlite", "~/.bashrc", "", ".", "a\0b", "\ud800"),
            *("file:///etc/passwd", "data:text/plain;base64,aGVsbG8=", "https://example.org/x.run", "/dev/zero"),
            str(inside / ("x" * 5000)),
        ]

    def test_only_uploads_are_read_however_they_are_handed_over(self, target: RunningApp) -> None:
        for place in self.places(target):
            answers = [*submit_and_check(target, file_data(place)), call(target, "check", TASK, {"path": place})]

            assert {answer["error"]["code"] for answer in answers} <= {"upload-foreign", "upload-missing"}, place
            assert str(target.folder) not in json.dumps(answers)

    def test_no_address_is_fetched(self, target: RunningApp) -> None:
        address = "http://127.0.0.1:9/a.run"  # nobody listens there; Gradio makes a folder before it asks
        before = sorted((target.data / "tmp").iterdir())

        for run in (
            file_data(address),
            file_data("x", url=address),
            file_data("", url=address),
            {"url": address},
            address,
        ):
            assert {answer["error"]["code"] for answer in submit_and_check(target, run)} == {"upload-foreign"}

        assert sorted((target.data / "tmp").iterdir()) == before
        for path in (f"/gradio_api/file={address}", f"/gradio_api/file/{address}", f"/gradio_api/proxy={address}"):
            assert ask(target, "GET", path).status == 404

    @pytest.mark.parametrize(
        "name", ["gzip bomb", "zip", "xz", "pickle", "gzip twice", "two members", "html", "yaml bomb"]
    )
    def test_bombs_and_wrong_containers_are_refused_at_once(
        self, target: RunningApp, example: bytes, name: str
    ) -> None:
        line = example.splitlines(keepends=True)[0]
        start, end = b"# ir_metadata.start\n# a: &a [x]\n", b"# ir_metadata.end\n"
        content, codes = {
            "gzip bomb": (gzip.compress(b"\0" * (300 * MIB), 1), {"ratio_too_high"}),
            "zip": (zipped(example), {"wrong_container"}),
            "xz": (lzma.compress(example, preset=0), {"wrong_container"}),
            "pickle": (pickle.dumps({"a": print}), {"wrong_container"}),
            "gzip twice": (gzip.compress(gzip.compress(line)), {"gzip_nested"}),
            "two members": (gzip.compress(line) * 2, {"gzip_members"}),
            "html": (b"<script>alert(1)</script> Q0 <img/src=x/onerror=alert(1)> 1 1 t\n", {"no_known_topic"}),
            "yaml bomb": (start + b"".join(b"# b: &b%d [*a,*a]\n" % n for n in range(99)) + end + line, set()),
        }[name]
        place = upload(target, content)

        started = time.monotonic()
        answer = call(target, "check", TASK, file_data(place))

        assert time.monotonic() - started < 10  # 2 s on an idle machine
        assert {fault["code"] for fault in answer["faults"]} == codes or answer["faults"][0]["code"] in codes
        assert is_alive(target)


def zipped(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../a.run", content)
    return packed.getvalue()
