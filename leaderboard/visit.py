"""One look at a page: which page, which query, which language; and what the served HTML says about that page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from leaderboard.texts import Texts, choose_language, texts


@dataclass(frozen=True, slots=True)
class Visit:
    """A reader's address and language. `asked` is the language named in the address, if any: links keep it."""

    path: str
    query: Mapping[str, str]
    lang: str
    asked: str | None = None

    @classmethod
    def of(cls, path: str, query: Mapping[str, str], accepted: str = "") -> "Visit":
        """Read a visit from a path without slashes, its query and the browser's `Accept-Language`."""
        asked = query.get("lang")
        lang = choose_language(asked, accepted)
        return cls(path=path, query=dict(query), lang=lang, asked=lang if asked else None)

    @classmethod
    def from_query_string(cls, path: str, query_string: str, accepted: str = "") -> "Visit":
        """Read a visit from a raw query string; of a repeated key the last value counts."""
        return cls.of(path.strip("/"), dict(parse_qsl(query_string, keep_blank_values=True)), accepted)

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

    def link_here(self, **changed: str) -> str:
        """Return the address of this same view with some keys of the query changed."""
        return f"./{self.path}?{urlencode({**self.query, **changed})}"


@dataclass(frozen=True, slots=True)
class PageHead:
    """What the served HTML says before any script runs.

    `title` and `description` are plain text; `intro` is finished HTML with the page's one `<h1>`, shown above Gradio's
    part; `fallback` is finished HTML for readers without scripts. `status` is the HTTP status of the page.
    """

    title: str
    description: str = ""
    intro: str = ""
    fallback: str = ""
    status: int = 200
    is_private: bool = field(default=False)


HeadOf = Callable[[Visit], PageHead]
Heads = Mapping[str, HeadOf]
