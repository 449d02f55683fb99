"""The served HTML around Gradio's part: language, title, early script, header, page head, footer, plain fallback.

An ASGI middleware that edits HTML pages and puts words into Gradio's labels. It knows no task and no gold: each page
says its own head.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from html import escape

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.parts import account_view, assets, blocks
from leaderboard.texts import LANGUAGES, translate_marks
from leaderboard.visit import Heads, PageHead, Visit

INFO_PATH = "/gradio_api/info"
MARKED_PATHS = ("/config", INFO_PATH)
CardWords = Callable[[str], Mapping[str, str]]
Edit = Callable[[Message, bytes], bytes]


class Shell:
    """Middleware: completes every HTML page, translates marks, and answers unknown addresses with a page of ours.

    Args:
        app: the application inside.
        heads: what each page says, by its path without slashes.
        card_words: the words that cards give for marks, by language.
        version: version of the software, for the footer.
        has_login: whether one can log in.
    """

    def __init__(
        self, app: ASGIApp, heads: Heads, card_words: CardWords, version: str, *, has_login: bool = False
    ) -> None:
        self.has_login = has_login
        self.app = app
        self.heads = heads
        self.card_words = card_words
        self.version = version

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; anything but a page or a text with marks passes untouched."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        visit = Visit.from_scope(scope)
        is_known = visit.path in self.heads or f"/{visit.path}" in MARKED_PATHS

        def editor(status: int) -> Edit | None:
            if is_known:
                return partial(self._edit, visit) if status == 200 else None
            return partial(self._not_found, visit) if status == 404 and _wants_html(scope) else None

        await self.app(scope, receive, _Edited(send, editor))

    def _edit(self, visit: Visit, start: Message, body: bytes) -> bytes:
        """Put words into marks, and into a page all that stands around Gradio's element."""
        text = translate_marks(body.decode(), visit.lang, self.card_words(visit.lang))
        if f"/{visit.path}" == INFO_PATH:
            text = _without_snippets(text)
        if visit.path not in self.heads:
            return text.encode()
        _set_header(start, b"vary", b"Accept-Language, Accept-Encoding, Cookie")
        _set_header(start, b"content-language", visit.lang.encode())
        head = self.heads[visit.path](visit)
        start["status"] = head.status
        if head.alone:
            return _document(visit, head, head.alone, base="./").encode()
        return self._complete(text, visit, head).encode()

    def _complete(self, page: str, visit: Visit, head: PageHead) -> str:
        """Put our head, header, intro, fallback and footer around Gradio's element."""
        top, bottom = ("", "") if visit.is_embed else (self._header(visit), self._footer(visit))
        before, _, rest = page.partition("<head>")
        old_head, _, rest = rest.partition("</head>")
        config = old_head[old_head.find("<script>window.gradio_config") :]
        config = config.replace('"title":"Gradio"', f'"title":{_json(_full_title(head, visit))}', 1)
        above = f'{top}{head.intro}<span id="q-main" tabindex="-1"></span>'
        below = f"<noscript>{head.fallback}</noscript>{bottom}" if head.fallback else bottom
        opened = rest.replace("<gradio-app", f"{above}<gradio-app", 1)
        closed = opened.replace("</gradio-app>", f"</gradio-app>{_THEME_GRADIO}{below}", 1)
        html_tag = before.replace('lang="en"', f'lang="{visit.lang}"', 1)
        return f"{html_tag}<head>{_head(visit, head)}{config}</head>{closed}"

    def _not_found(self, visit: Visit, start: Message, body: bytes) -> bytes:
        """Answer an unknown address with a page of ours in place of `body`."""
        _set_header(start, b"content-type", b"text/html; charset=utf-8")
        words = visit.words
        head = PageHead(title=words.get("common.not_found_title"))
        said = words.get("common.not_found", path="/" + visit.path[:80])
        shown = (
            self._header(visit)
            + blocks.intro(head.title, said, actions=blocks.button(words.get("common.go_home"), visit.link("")))
            + self._footer(visit)
        )
        return _document(visit, head, shown, base="/").encode()

    def _header(self, visit: Visit) -> str:
        links = {"home": visit.link(""), "submit": visit.link("submit"), "about": visit.link("about")}
        current = visit.path if visit.path in links else "home" if not visit.path else ""
        languages = {lang: visit.link_here(lang=lang) for lang in LANGUAGES}
        return blocks.header(visit.words, links=links, current=current, languages=languages, account=self._who(visit))

    def _who(self, visit: Visit) -> str:
        """Return the link to the account of who is logged in, else the login where there is one."""
        if visit.account is not None:
            return account_view.who(visit.account.name, visit.link("account"), visit.words)
        return blocks.login_button(visit.words, visit.login_link()) if self.has_login else ""

    def _footer(self, visit: Visit) -> str:
        links = {
            "foot_about": visit.link("about"),
            "foot_compare": visit.link("compare"),
            "foot_hosting": visit.link("hosting"),
            "foot_reliability": visit.link("reliability"),
            "foot_api": visit.link("api"),
            "foot_health": "./healthz",
        }
        return blocks.footer(visit.words, version=self.version, links=links)


# The element reads this attribute when Gradio's script upgrades it, which is later: its components then wear our theme.
_THEME_GRADIO = (
    '<script>document.querySelector("gradio-app")'
    '.setAttribute("theme_mode", document.documentElement.dataset.theme);</script>'
)


class _Edited:
    """A `send` that holds back an answer and edits it whole, where `editor` finds an edit for its status."""

    def __init__(self, send: Send, editor: Callable[[int], Edit | None]) -> None:
        self.send = send
        self.editor = editor
        self.edit: Edit | None = None
        self.start: Message = {}
        self.pieces: list[bytes] = []

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.edit = self.editor(message["status"])
            self.start = {**message, "headers": list(message["headers"])}
            if self.edit is not None:
                return
        if message["type"] != "http.response.body" or self.edit is None:
            await self.send(message)
            return
        self.pieces.append(message.get("body", b""))
        if message.get("more_body"):
            return
        body = b"".join(self.pieces)
        if body:
            body = self.edit(self.start, body)
            _set_header(self.start, b"content-length", str(len(body)).encode())
        await self.send(self.start)
        await self.send({"type": "http.response.body", "body": body})


def _without_snippets(info: str) -> str:
    """Return Gradio's description of the endpoints without its code examples.

    Gradio keeps the host name of whoever asks first in them for all readers, and that name can be forged.
    """
    described = json.loads(info)
    for endpoint in described["named_endpoints"].values():
        endpoint.pop("code_snippets", None)
    return json.dumps(described, ensure_ascii=False)


def _wants_html(scope: Scope) -> bool:
    return b"text/html" in dict(scope["headers"]).get(b"accept", b"")


def _full_title(head: PageHead, visit: Visit) -> str:
    name = visit.words.get("common.name")
    return f"{head.title} · {name}" if head.title != name else name


def _document(visit: Visit, head: PageHead, body: str, *, base: str) -> str:
    """Return a whole page of ours, without Gradio."""
    return (
        f'<!doctype html><html lang="{visit.lang}"><head>{_head(visit, head, base)}</head>'
        f'<body style="margin:0">{body}</body></html>'
    )


def _head(visit: Visit, head: PageHead, base: str = "./") -> str:
    title, description = escape(_full_title(head, visit)), escape(head.description)
    robots = '<meta name="robots" content="noindex">' if head.is_private else ""
    return (
        f'<meta charset="utf-8"><base href="{base}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title}</title><meta name="description" content="{description}">{robots}'
        f'<meta property="og:type" content="website"><meta property="og:title" content="{title}">'
        f'<meta property="og:description" content="{description}"><meta property="og:locale" content="{visit.lang}">'
        '<meta name="twitter:card" content="summary">'
        f'<link rel="icon" type="image/svg+xml" href="{assets.icon_address()}">'
        f'<link rel="stylesheet" href="./look/{assets.stylesheet().name}"><script>{assets.early_script()}</script>'
        f'<script src="./look/{assets.script().name}" defer></script>'
    )


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _set_header(start: Message, name: bytes, value: bytes) -> None:
    start["headers"] = [(key, old) for key, old in start["headers"] if key != name] + [(name, value)]
