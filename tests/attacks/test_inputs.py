"""Odd values in every endpoint and every event, and names made to deceive: a clear answer each."""

import unicodedata
from typing import Any

import pytest

from tests.attacks.conftest import SCRIPT, TASK
from tests.attacks.wire import ask, call, file_data, is_alive, press, upload
from tests.running import ROOT, RunningApp

pytestmark = pytest.mark.processes

ODD: dict[str, Any] = {
    "nothing": None,
    "list": [],
    "object": {},
    "nested": {"a": [{"path": {"meta": 1}}]},
    "number": 7,
    "negative": -1,
    "huge": 10**400,
    "infinite": float("inf"),
    "not a number": float("nan"),
    "yes": True,
    "long": "x" * 1_000_000,
    "control": "\0\x1b[2J\r\n",
    "half a character": "\ud800",
    "bidi": "\u202egpj.exe",
    "markup": SCRIPT,
    "template": "{{7*7}}${7*7}#{7*7}%s%n{0.__class__}",
    "query": "' OR 1=1 --",
    "path": "../../books.sqlite",
    "foreign file": {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}},
}
# argument places of the named endpoints
ENDPOINTS = {"check": 2, "submit": 4, "status": 2, "board": 1}
REFUSED_NAMES = (
    *("", " ", "a", "x" * 81, "x" * 100_000, "-", "...", "()", "+ +", "\u3000\u3000"),
    *("=HYPERLINK(0)", "+1+1", "-2+3", "@SUM(A1)", '=cmd|" /C calc"!A0', " =1+1", "\uff1d1+1", "\uff0b11"),
    *(SCRIPT, "<b>bold</b>", "a&lt;b", 'say "hi"', "it's", "a\\b", "a|b", "{{7*7}}", "$(id)", "`id`", "a;b", "100%"),
    *("new\nline", "tab\tbed", "nul\0led", "bell\x07", "esc\x1b[31m", "delete\x7f", "next\x85line", "line\u2028end"),
    *("\u202eteverse", "left\u200eright", "iso\u2066late", "pop\u2069ped", "arabic\u061cmark", "embed\u202bded"),
    *("zero\u200bwidth", "join\u200der", "non\u200cjoin", "word\u2060join", "bom\ufeffbom", "soft\u00adhyphen"),
    *(
        "hangul\u3164filler",
        "half\uffa0filler",
        "graph\u034fjoin",
        "vs\ufe0f16",
        "tag\U000e0041tag",
        "\U000f0000private",
    ),
    *("P\u0430ypal", "\u0421ohere", "\u0391lpha BM25", "BM\u06f25", "\u13e2\u13aa\u13a9\u13aa", "\u0500pen\u0391I"),
    *("\ud83d\ude00 model", "a\u0338b\u0338", "\u2126ohm\u0430", "one\u2044two", "\u0967\u0968"),
)


def says_nothing_of_the_server(app: RunningApp, said: bytes) -> bool:
    return not any(
        word in said for word in (b"Traceback", b"site-packages", str(app.folder).encode(), str(ROOT).encode())
    )


class TestOddValues:
    @pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
    @pytest.mark.parametrize(("endpoint", "n_places"), ENDPOINTS.items())
    def test_named_endpoint_answers_in_words(
        self, target: RunningApp, endpoint: str, n_places: int, value: Any
    ) -> None:
        for place in range(n_places):
            given = [TASK, {"path": "x"}, {"name": "Odd one"}, ""][:n_places]
            given[place] = value

            said = ask(target, "POST", f"/gradio_api/run/{endpoint}", {"data": given})

            assert says_nothing_of_the_server(target, said.body)
            assert said.status == 200
            answer = said.json["data"][0]
            assert answer["error"]["code"] != "unexpected" if "error" in answer else answer["task"] == TASK, answer

    @pytest.mark.parametrize(
        "form", [{name: value} for name in ("name", "link", "note", "run_type") for value in ODD.values()]
    )
    def test_no_field_of_the_form_breaks_the_intake(self, target: RunningApp, form: dict[str, Any]) -> None:
        answer = call(target, "submit", TASK, {"path": "x"}, {"name": "Odd one", **form}, "")

        assert answer["error"]["code"] in ("form-refused", "upload-foreign")

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"null",
            b"[]",
            b"7",
            b'"x"',
            b"{",
            b"\xff\xfe",
            b'{"data":null}',
            b'{"data":{}}',
        ],
    )
    @pytest.mark.parametrize(
        "path", ["run/check", "api/check", "call/check", "call/v2/check", "queue/join", "cancel", "reset"]
    )
    def test_what_is_no_call_is_a_bad_request(self, target: RunningApp, path: str, body: bytes) -> None:
        said = ask(target, "POST", f"/gradio_api/{path}", body)

        assert said.status in (400, 422, 500)
        assert says_nothing_of_the_server(target, said.body)
        assert is_alive(target)

    @pytest.mark.parametrize("number", [-1, 9999, 2**63])
    def test_an_event_that_nobody_made_is_answered_in_our_words(self, target: RunningApp, number: int) -> None:
        said = press(target, number, [])

        assert said.status == 500
        assert said.text.startswith("This request could not be answered.")

    def test_every_event_bears_every_value(self, target: RunningApp, config: dict[str, Any]) -> None:
        """By number, as `/config` lists them; what a page hides is no less open."""
        values = [value for name, value in ODD.items() if name != "long"]
        numbers = [(one["id"], len(one["inputs"])) for one in config["dependencies"] if one["backend_fn"]]
        assert len(numbers) > 30
        for number, n_inputs in numbers:
            for value in values if n_inputs else [None]:
                said = press(target, number, [value] * n_inputs, session="odd")
                assert says_nothing_of_the_server(target, said.body), (number, value)
                assert said.status in (200, 500), (number, value)
        assert is_alive(target)

    def test_queue_answers_odd_values_too(self, target: RunningApp, config: dict[str, Any]) -> None:
        numbers = [(one["id"], len(one["inputs"])) for one in config["dependencies"] if one["backend_fn"]]
        for number, n_inputs in numbers:
            given = {"data": [{}] * n_inputs, "fn_index": number, "session_hash": f"odd{number}"}
            assert ask(target, "POST", "/gradio_api/queue/join", given).status in (200, 500)
        said = ask(target, "GET", f"/gradio_api/queue/data?session_hash=odd{numbers[0][0]}", seconds=3)

        assert b"process_completed" in said.body
        assert says_nothing_of_the_server(target, said.body)


@pytest.fixture(scope="module")
def place(target: RunningApp, line: bytes) -> dict[str, Any]:
    """A run that the task accepts, uploaded once."""
    return file_data(upload(target, line))


class TestNames:
    def test_there_are_many(self) -> None:
        assert len(set(REFUSED_NAMES)) >= 60

    @pytest.mark.parametrize("name", REFUSED_NAMES, ids=lambda name: ascii(name)[1:25])
    def test_name_made_to_deceive_is_refused_with_its_reason(self, target: RunningApp, place: Any, name: str) -> None:
        answer = call(target, "submit", TASK, place, {"name": name}, "")

        problem = answer["error"]["problems"][0]
        assert (answer["error"]["code"], problem["field"]) == ("form-refused", "name")
        hidden = [
            sign for sign in problem["message"] if unicodedata.category(sign) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
        ]
        assert hidden == []

    @pytest.mark.parametrize("version", ["=1+1", "+1", "-1", "@x", "v\u202e1", "v\u200b1", "v\n1", "x" * 41, " =1+1"])
    def test_version_made_to_deceive_is_refused(self, target: RunningApp, place: Any, version: str) -> None:
        form = {"name": "Good name", "version": version}

        answer = call(target, "submit", TASK, place, form, "")

        assert [problem["field"] for problem in answer["error"]["problems"]] == ["version"]

    @pytest.mark.parametrize(
        "link",
        [
            *(
                "javascript:alert(1)",
                "JaVaScRiPt:alert(1)",
                "data:text/html,x",
                "http://example.org",
                "//example.org",
                "x",
            ),
            *(
                "https://user:pass@example.org",
                "https://127.0.0.1/",
                "https://[::1]/",
                "https://localhost/",
                "https://",
            ),
            *(
                "https://ex\u0430mple.org",
                "https://example.org/\u202e",
                "https://example.org/\"onload='x'",
                "https://a b.org",
            ),
            *("https://example.org:99999", "vbscript:x", "https:example.org", "https://example.org\\@evil.example"),
        ],
    )
    def test_link_that_leads_elsewhere_is_refused(self, target: RunningApp, place: Any, link: str) -> None:
        form = {"name": "Good name", "link": link}

        answer = call(target, "submit", TASK, place, form, "")

        assert [problem["field"] for problem in answer["error"]["problems"]] == ["link"]
