"""The gate: closed addresses, foreign pages, bodies that are too big, headers of every answer, room and rates."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from leaderboard.gate import CLOSED, FOREVER, MOST_AT_ONCE, Caps, Gate
from leaderboard.rates import Rate, Rates
from leaderboard.room import LEAST_COST, Room
from tests.leaderboard.asgi import CHUNK, ask

CAPS = Caps(upload_bytes=5000, other_bytes=3000)
ROOM = 1 << 20


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that reads the whole body and says how long it was."""
    n_bytes = len(await Request(scope, receive).body())
    await PlainTextResponse(f"read {n_bytes}")(scope, receive, send)


def gate(**options: object) -> Gate:
    return Gate(echo, CAPS, **options)  # type: ignore[arg-type]


CLOSED_API = (
    *(
        "/gradio_api/proxy=http://example.org",
        "/gradio_api/vibe-edit",
        "/gradio_api/undo-vibe-edit/",
        "/gradio_api/mcp",
    ),
    *("/gradio_api/deep_link", "/gradio_api/runs", "/gradio_api/component_server", "/gradio_api/openapi.json"),
)


@pytest.mark.parametrize("path", [*CLOSED, "/monitoring/summary", *CLOSED_API])
def test_parts_of_gradio_that_no_page_uses_are_not_found(path: str) -> None:
    answer = ask(gate(), path)

    assert answer.status == 404
    assert answer.text == "There is nothing at this address."


def test_addresses_that_only_begin_alike_stay_open() -> None:
    assert ask(gate(), "/monitoring-task").status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://example.org"}, 200),
        ({"origin": "https://example.org"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "https://evil.example", "x-forwarded-host": "evil.example"}, 403),
        ({"origin": "http://example.org.evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-origin", "origin": "http://example.org"}, 200),
    ],
    ids=["script", "own", "own by proxy", "foreign", "forged host", "longer name", "opaque", "cross-site", "own page"],
)
def test_a_change_must_come_from_this_site_or_from_no_page(headers: dict[str, str], status: int) -> None:
    assert ask(gate(), "/gradio_api/run/x", method="POST", headers=headers, body=[b"{}"]).status == status


def test_a_foreign_page_may_read() -> None:
    assert ask(gate(), "/boards/irsc.json", headers={"origin": "https://blog.example"}).status == 200


def test_the_name_that_a_proxy_in_front_uses_is_our_own() -> None:
    headers = {"origin": "https://board.hf.space"}

    assert ask(gate(own_hosts=["board.hf.space"]), "/x", method="POST", headers=headers, body=[b""]).status == 200


def test_body_within_the_cap_passes() -> None:
    assert ask(gate(), "/x", method="POST", body=[CHUNK] * 3).text == "read 3000"


def test_declared_length_over_the_cap_is_refused_before_anything_is_read() -> None:
    answer = ask(gate(), "/x", method="POST", headers={"content-length": "3001"}, body=[CHUNK])

    assert answer.status == 413
    assert answer.text.startswith("The upload is larger than 3.0 kB. Nothing was kept.")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


def test_body_without_length_is_cut_off_at_the_cap_with_a_413() -> None:
    assert ask(gate(), "/x", method="POST", body=[CHUNK] * 4).status == 413


def test_uploads_have_a_cap_of_their_own_for_the_whole_body() -> None:
    chunk = b"x" * (1 << 18)

    assert ask(gate(), "/gradio_api/upload", method="POST", body=[chunk] * 4).status == 200
    assert ask(gate(), "/gradio_api/upload", method="POST", body=[chunk] * 5).status == 413


def test_refusal_is_in_the_language_of_the_page_that_sent_it() -> None:
    headers = {"content-length": "9999999", "referer": "http://example.org/submit?task=irsc&lang=fr"}

    assert ask(gate(), "/x", method="POST", headers=headers).text.startswith("Le fichier dépasse 3,0\u202fko.")


def test_a_failure_of_the_application_is_answered_in_our_words_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise ZeroDivisionError("secret")

    answer = ask(Gate(broken, CAPS), "/x")

    number = re.findall(r"[0-9a-f]{8}", answer.text)[0]
    assert (answer.status, answer.text.split(".")[0]) == (500, "This request could not be answered")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert number in caplog.text
    assert "ZeroDivisionError" in caplog.text
    assert "secret" not in answer.text


def test_a_failure_in_the_middle_of_an_answer_is_not_swallowed() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(Gate(broken, CAPS), "/x")


@pytest.mark.parametrize("path", ["/gradio_api/file=https://example.org/x", "/gradio_api/file/http://example.org/x"])
def test_no_address_is_fetched_for_others(path: str) -> None:
    assert ask(gate(), path).status == 404


def test_a_call_with_more_values_than_a_page_sends_is_refused_before_anything_reads_it() -> None:
    answer = ask(gate(), "/gradio_api/run/status", method="POST", body=[b"[" * 600, b"]" * 600])

    assert answer.status == 400
    assert answer.text == "This call holds more values than any page of ours sends. Send fewer, or a file."


@pytest.mark.parametrize("path", ["/gradio_api/upload", "/gradio_api/run/status", "/x"])
def test_body_that_falls_silent_is_given_up_and_leaves_its_room(path: str, tmp_path: Path) -> None:
    room = Room(tmp_path, most_bytes=4 * ROOM)
    stalled = ask(gate(room=room, stalled_s=0.05), path, method="POST", body=[b"[1,"], is_stalled=True)

    assert stalled.status == 408
    assert stalled.text == "The rest of this request did not come in time. Send it again."
    assert room.enter(4 * ROOM)


def test_an_answer_may_take_longer_than_a_body_may_be_silent() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await Request(scope, receive).body()
        await asyncio.wait([asyncio.ensure_future(receive())], timeout=0.3)
        await PlainTextResponse("slow")(scope, receive, send)

    assert ask(Gate(slow, CAPS, stalled_s=0.05), "/x", method="POST", body=[b"1"]).text == "slow"


def test_a_call_that_comes_in_parts_is_handed_on_whole() -> None:
    answer = ask(gate(), "/gradio_api/run/status", method="POST", body=[b'{"data":', b'["irsc"]}'])

    assert answer.text == "read 17"


def test_an_application_that_stumbles_over_the_cut_leaves_the_413() -> None:
    async def stumbling(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await Request(scope, receive).body()
        except ClientDisconnect as error:
            raise RuntimeError from error

    assert ask(Gate(stumbling, CAPS), "/x", method="POST", body=[CHUNK] * 4).status == 413


def test_every_answer_carries_the_security_headers() -> None:
    for answer in (ask(gate(), "/"), ask(gate(), "/monitoring")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "object-src 'none'" in answer.headers["content-security-policy"]


def test_any_site_may_frame_a_board() -> None:
    answer = ask(gate(), "/irsc")

    assert "frame-ancestors *" in answer.headers["content-security-policy"]
    assert "x-frame-options" not in answer.headers


def test_assets_are_kept_for_ever_and_pages_asked_for_again() -> None:
    assert ask(gate(), "/assets/index-abc.js").headers["cache-control"] == FOREVER.decode()
    assert ask(gate(), "/irsc").headers["cache-control"] == "no-cache"


def test_upload_is_refused_in_words_while_there_is_no_room(tmp_path: Path) -> None:
    full = gate(room=Room(tmp_path, most_bytes=LEAST_COST - 1))

    answer = ask(full, "/gradio_api/upload", method="POST", headers={"content-length": "9"}, body=[CHUNK])

    assert (answer.status, answer.headers["retry-after"]) == (503, "60")
    assert answer.text.startswith("There is no room for uploads")
    assert ask(full, "/x", method="POST", body=[CHUNK]).status == 200


def test_room_of_an_upload_is_given_back_when_it_ends(tmp_path: Path) -> None:
    narrow = gate(room=Room(tmp_path, most_bytes=2 * ROOM))
    upload = {"method": "POST", "headers": {"content-length": str(ROOM)}, "body": [CHUNK]}

    assert [ask(narrow, "/gradio_api/upload", **upload).status for _ in range(4)] == [200] * 4  # type: ignore[arg-type]


class TestTooOften:
    def test_an_address_waits_its_turn_and_is_told_how_long(self) -> None:
        rates = Rates(rates={"run": Rate(2, 0.1), "event": Rate(1, 1)}, clock=lambda: 0.0)
        slow = gate(rates=rates)
        call = {"method": "POST", "body": [b"{}"], "headers": {"accept-language": "fr"}}

        answers = [ask(slow, "/gradio_api/run/check", **call) for _ in range(3)]  # type: ignore[arg-type]

        assert [answer.status for answer in answers] == [200, 200, 429]
        assert answers[2].headers["retry-after"] == "10"
        assert answers[2].text == "Trop de demandes depuis votre adresse. Réessayez dans 10 secondes."

    def test_reading_is_never_counted(self) -> None:
        slow = gate(rates=Rates(rates={}, clock=lambda: 0.0))

        paths = ("/irsc", "/boards/irsc.json", "/gradio_api/info", "/gradio_api/queue/data")
        assert {ask(slow, path).status for path in paths} == {200}

    def test_forwarded_address_counts_only_behind_a_proxy_of_ours(self) -> None:
        def statuses(n_proxies: int) -> list[int]:
            slow = gate(rates=Rates(n_proxies, rates={"event": Rate(1, 0.1)}, clock=lambda: 0.0))
            names = ("192.0.2.7", "192.0.2.8", "6.6.6.6, 192.0.2.8")
            return [
                ask(slow, "/gradio_api/reset", method="POST", headers={"x-forwarded-for": name}).status
                for name in names
            ]

        assert statuses(0) == [200, 429, 429]
        assert statuses(1) == [200, 200, 429]


@pytest.mark.parametrize("name", ["x-forwarded-host", "x-gradio-server", "forwarded", "x-forwarded-prefix"])
def test_nobody_chooses_our_address(name: str) -> None:
    seen: list[str] = []

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend(key.decode() for key, _ in scope["headers"])
        await PlainTextResponse("x")(scope, receive, send)

    ask(Gate(inside, CAPS), "/", headers={name: "evil.example"})
    ask(Gate(inside, CAPS), "/", headers={"x-forwarded-proto": "https, javascript"})

    assert seen
    assert name not in seen
    assert "x-forwarded-proto" not in seen


def test_names_of_our_own_proxy_reach_the_application() -> None:
    seen: list[tuple[bytes, bytes]] = []

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend(scope["headers"])
        await PlainTextResponse("x")(scope, receive, send)

    ours = {"x-forwarded-host": "board.hf.space", "x-forwarded-proto": "https"}
    ask(Gate(inside, CAPS, own_hosts=["board.hf.space"]), "/", headers=ours)

    assert (b"x-forwarded-host", b"board.hf.space") in seen
    assert (b"x-forwarded-proto", b"https") in seen


@pytest.mark.parametrize(("path", "query"), [("/runs/\0.run", ""), ("/", "id=%00")])
def test_nul_is_at_no_address(path: str, query: str) -> None:
    assert ask(gate(), path, query=query).status == 404


def test_a_refusal_without_a_word_gets_one() -> None:
    async def mute(scope: Scope, receive: Receive, send: Send) -> None:
        await Response(status_code=404 if scope["path"] == "/look/x" else 400)(scope, receive, send)

    assert ask(Gate(mute, CAPS), "/look/x").text == "There is nothing at this address."
    assert ask(Gate(mute, CAPS), "/y").text == "This request was refused."


def test_one_address_has_few_uploads_on_their_way_and_others_go_on(tmp_path: Path) -> None:
    statuses: list[int] = []
    inside = asyncio.Event()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def upload(app: Gate, peer: str, *, is_whole: bool) -> None:
        async def receive() -> Message:
            if not is_whole:
                await inside.wait()
            return {"type": "http.request", "body": b"1", "more_body": False}

        scope = {
            **{"type": "http", "method": "POST", "path": "/gradio_api/upload", "query_string": b""},
            **{"headers": [(b"host", b"x"), (b"content-length", b"1000")], "client": (peer, 1)},
        }
        await app(scope, receive, send)

    async def attack() -> None:
        app = gate(room=Room(tmp_path, most_bytes=100 * ROOM), rates=Rates())
        idle = [asyncio.create_task(upload(app, "192.0.2.1", is_whole=False)) for _ in range(MOST_AT_ONCE)]
        await asyncio.sleep(0.3)
        for peer in ("192.0.2.1", "192.0.2.2"):
            await upload(app, peer, is_whole=True)
        inside.set()
        await asyncio.gather(*idle)
        await upload(app, "192.0.2.1", is_whole=True)

    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(asyncio.run, attack()).result()

    assert statuses == [429, 200, *[200] * MOST_AT_ONCE, 200]


def test_upload_that_outgrows_the_room_is_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.room.STEP_BYTES", LEAST_COST)
    room = Room(tmp_path, most_bytes=2 * LEAST_COST)
    caps = Caps(upload_bytes=8 * LEAST_COST)
    body = [b"x" * LEAST_COST] * 3

    answer = ask(Gate(echo, caps, room=room), "/gradio_api/upload", method="POST", body=body)

    assert (answer.status, answer.headers["retry-after"]) == (503, "60")
    assert room.enter(2 * LEAST_COST)
