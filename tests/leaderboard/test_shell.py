"""The shell: what it makes of the HTML that Gradio serves, and of an address that nobody knows."""

import json
import re

import pytest
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from leaderboard.shell import Shell
from leaderboard.visit import PageHead, Visit
from tests.leaderboard.asgi import Answer, ask

GRADIO = """<!doctype html>
<html
	lang="en"
	style="margin: 0">
	<head>
		<meta property="og:title" content="Gradio" />
		<meta property="og:image" content="https://raw.example/header.jpg" />
		<script>window.gradio_config = {"title":"Gradio","label":"⟦table.rank⟧","axis":"⟦card.toy.kind⟧"};</script>
		<script type="module" src="./assets/index.js"></script>
	</head>
	<body style="margin: 0">
		<gradio-app eager="true"></gradio-app>
	</body>
</html>"""


async def gradio(scope: Scope, receive: Receive, send: Send) -> None:
    path = scope["path"]
    if path == "/config":
        await JSONResponse({"label": "⟦table.rank⟧"})(scope, receive, send)
    elif path == "/gradio_api/info":
        snippets = {"python": f"Client({dict(scope['headers'])[b'host'].decode()!r})"}
        endpoint = {"description": "⟦table.rank⟧", "code_snippets": snippets}
        await JSONResponse({"named_endpoints": {"/check": endpoint}, "unnamed_endpoints": {}})(scope, receive, send)
    elif path in ("/", "/toy", "/other"):
        await HTMLResponse(GRADIO)(scope, receive, send)
    elif path == "/bytes":
        await Response(b"\x1f\x8b\xff", media_type="application/json")(scope, receive, send)
    elif path == "/text":
        await PlainTextResponse("⟦table.rank⟧")(scope, receive, send)
    else:
        await JSONResponse({"detail": "Not Found"}, status_code=404)(scope, receive, send)


def head(visit: Visit) -> PageHead:
    return PageHead(
        title="Toy </title><script>x</script>",
        description='What "toys" are',
        intro="<section><h1>Toy</h1></section>",
        fallback="<table><tr><td>row</td></tr></table>",
        status=410 if visit.query.get("gone") else 200,
        is_private=visit.query.get("key") is not None,
    )


def shell() -> Shell:
    return Shell(gradio, {"": head, "toy": head}, lambda lang: {"card.toy.kind": f'Kind "{lang}"'}, "1.2.3")


def page(query: str = "", path: str = "/toy", **headers: str) -> Answer:
    return ask(shell(), path, query=query, headers={"accept": "text/html", **headers})


def test_language_is_the_one_asked_for_else_the_browsers() -> None:
    assert 'lang="fr"' in page("lang=fr").text.split(">")[1]
    assert 'lang="zh"' in page(**{"accept-language": "zh-CN,zh;q=0.9"}).text.split(">")[1]
    assert 'lang="en"' in page(**{"accept-language": "de-DE"}).text.split(">")[1]
    assert page("lang=fr").headers["content-language"] == "fr"


def test_title_description_and_previews_are_the_pages_own_and_escaped() -> None:
    text = page().text

    assert "<title>Toy &lt;/title&gt;&lt;script&gt;x&lt;/script&gt; · Qrelboard</title>" in text
    assert '<meta name="description" content="What &quot;toys&quot; are">' in text
    assert 'property="og:title" content="Toy &lt;' in text
    assert "raw.example" not in text
    assert '"title":"Toy \\u003c/title\\u003e\\u003cscript\\u003ex\\u003c/script\\u003e · Qrelboard"' in text


def test_early_script_and_style_stand_before_gradios_scripts() -> None:
    text = page().text

    early, style = text.index("qrelboard-theme"), text.index('rel="stylesheet" href="./look/hall.')
    assert max(early, style) < text.index("window.gradio_config") < text.index("./assets/index.js")


def test_header_intro_fallback_and_footer_stand_around_gradios_element() -> None:
    text = page().text

    places = [text.index(part) for part in ("<header", "<h1>Toy</h1>", "<gradio-app", "<noscript><table>", "<footer")]
    assert places == sorted(places)


def test_header_links_keep_the_language_and_the_switch_keeps_the_view() -> None:
    text = page("sort=RR&lang=fr").text

    assert 'href="./submit?lang=fr"' in text
    assert 'href="./toy?sort=RR&amp;lang=zh"' in text


def test_default_view_leaves_links_clean() -> None:
    assert 'href="./submit"' in page().text


def test_embedded_page_has_neither_header_nor_footer() -> None:
    text = page("embed=1").text

    assert "<header" not in text
    assert "<footer" not in text


def test_marks_become_words_in_pages_and_in_what_clients_read() -> None:
    assert '"label":"Rang"' in page("lang=fr").text
    assert '"axis":"Kind \\"fr\\""' in page("lang=fr").text
    assert ask(shell(), "/config", query="lang=zh").text == '{"label":"名次"}'


def test_description_of_the_endpoints_keeps_no_host_name_of_whoever_asked_first() -> None:
    answer = ask(shell(), "/gradio_api/info", headers={"host": "evil.example"})

    assert json.loads(answer.text)["named_endpoints"] == {"/check": {"description": "Rank"}}
    assert "evil" not in answer.text


def test_a_mark_in_any_other_answer_stays() -> None:
    assert ask(shell(), "/text").text == "⟦table.rank⟧"


def test_page_may_say_its_own_status_and_stay_out_of_search_engines() -> None:
    assert page("gone=1").status == 410
    assert '<meta name="robots" content="noindex">' in page("key=abc").text
    assert "noindex" not in page().text


def test_length_is_that_of_the_edited_page() -> None:
    answer = page()

    assert int(answer.headers["content-length"]) == len(answer.body)


@pytest.mark.parametrize("path", ["/nothing", "/<script>alert(1)</script>"])
def test_unknown_address_gets_a_page_that_says_so(path: str) -> None:
    answer = page(path=path)

    assert answer.status == 404
    assert "<h1>Page not found</h1>" in answer.text
    assert "All benchmarks" in answer.text
    assert not re.search(r"<script>alert", answer.text)


@pytest.mark.parametrize("path", ["/bytes", "/text"])
def test_anything_but_a_page_passes_untouched_in_a_browser_too(path: str) -> None:
    plain = ask(gradio, path)

    assert ask(shell(), path, headers={"accept": "text/html"}) == plain


def test_unknown_address_stays_json_for_scripts() -> None:
    assert ask(shell(), "/nothing").text == '{"detail":"Not Found"}'


def test_links_of_the_not_found_page_work_from_any_depth() -> None:
    assert '<base href="/">' in page(path="/a/b/c").text
