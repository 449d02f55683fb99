"""One look at a page: which page, which query, which language; and what the served HTML says about that page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from leaderboard.accounts import Account, person_of
from leaderboard.rates import SENDER
from leaderboard.texts import Texts, choose_language, texts


@dataclass(frozen=True, slots=True)
class Visit:
    """A reader's address and language.

    `asked` is the language named in the address, if any: links keep it. `site` is the site's address as this reader
    sees it, such as `https://example.org`, for what is copied to elsewhere; "" where it is not known. `sender` is the
    network address whose share of work counts; "" where addresses are not limited.
    `account` is who is logged in: a person, not a token.
    """

    path: str
    query: Mapping[str, str]
    lang: str
    asked: str | None = None
    site: str = ""
    sender: str = ""
    account: Account | None = None

    @classmethod
    def of(cls, path: str, query: Mapping[str, str], headers: Mapping[str, str] | None = None) -> "Visit":
        """Read a visit from a path without slashes, its query and the request's headers (names in small letters)."""
        said = headers or {}
        asked, host = query.get("lang"), said.get("host", "")
        lang = choose_language(asked, said.get("accept-language", ""))
        site = f"{said.get('x-forwarded-proto', 'http').split(',')[0]}://{host}" if host else ""
        return cls(path=path, query=dict(query), lang=lang, asked=lang if asked else None, site=site)

    @classmethod
    def from_scope(cls, scope: Mapping[str, Any], query_string: str | None = None) -> "Visit":
        """Read a visit from an ASGI request, or with another query string; of a repeated key the last value counts."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        asked = scope["query_string"].decode("latin-1") if query_string is None else query_string
        visit = cls.of(scope["path"].strip("/"), dict(parse_qsl(asked, keep_blank_values=True)), headers)
        return replace(visit, sender=scope.get(SENDER, ""), account=person_of(scope))

    @classmethod
    def from_page(cls, scope: Mapping[str, Any]) -> "Visit":
        """Read the visit of the page that sent a request, for its language; of a script the request's own."""
        referer = next((value for name, value in scope["headers"] if name == b"referer"), b"").decode("latin-1")
        return cls.from_scope(scope, urlsplit(referer).query or None)

    @property
    def words(self) -> Texts:
        """The sentences in the reader's language."""
        return texts(self.lang)

    @property
    def is_embed(self) -> bool:
        """Whether the page is asked for without header and footer, to be put into another page."""
        return self.query.get("embed") == "1"

    def link(self, path: str, /, **query: str) -> str:
        """Return a relative address of one of our pages that keeps the language that was asked for."""
        kept = {**query, **({"lang": self.asked} if self.asked else {})}
        return f"./{path}" + (f"?{urlencode(kept)}" if kept else "")

    def login_link(self) -> str:
        """Return the relative address that logs in and comes back to this page."""
        query = f"?{urlencode(self.query)}" if self.query else ""
        return f"./login/huggingface?{urlencode({'next': f'/{self.path}{query}'})}"

    def link_here(self, **changed: str) -> str:
        """Return the address of this same view with some keys of the query changed."""
        return f"./{self.path}?{urlencode({**self.query, **changed})}"


@dataclass(frozen=True, slots=True)
class PageHead:
    """What the served HTML says before any script runs.

    `title` and `description` are plain text; `intro` is finished HTML with the page's one `<h1>`, shown above Gradio's
    part; `fallback` is finished HTML for readers without scripts. `status` is the HTTP status of the page. `alone` is
    the finished body of a page that stands for itself, without Gradio, header and footer.
    """

    title: str
    description: str = ""
    intro: str = ""
    fallback: str = ""
    status: int = 200
    is_private: bool = False
    alone: str = ""


HeadOf = Callable[[Visit], PageHead]
Heads = Mapping[str, HeadOf]
