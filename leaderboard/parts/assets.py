"""Style sheet and script of all pages, each one text with an address that changes when the text does; the icon."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

FOLDER = Path(__file__).parent
STYLES = ("theme.css", "table.css", "charts.css", "embed.css", "submit.css", "compare.css", "account.css")
SCRIPTS = (
    "address.js",
    "elements.js",
    "frame.js",
    "numbers.js",
    "table_model.js",
    "table_view.js",
    "table_cells.js",
    "table_tools.js",
    "downloads.js",
    "table.js",
    "tabs.js",
    "figure.js",
    "explore.js",
    "submit.js",
    "lost.js",
    "compare.js",
)


@dataclass(frozen=True, slots=True)
class Asset:
    """A finished text: `name` holds a hash of it, so it may be cached for ever."""

    name: str
    media_type: str
    body: bytes


@cache
def stylesheet() -> Asset:
    """Return all styles as one asset: the tokens, then every sheet nested in the page.

    The nesting makes each selector outweigh Gradio's resets of the same elements, which come later in the page.
    """
    tokens, sheets = _read("tokens.css"), "\n".join(_read(name) for name in STYLES)
    return _asset("hall", "css", "text/css", f"{tokens}\n:root body {{\n{sheets}\n}}\n")


@cache
def script() -> Asset:
    """Return all scripts as one asset."""
    return _asset("hall", "js", "text/javascript", "\n".join(_read(name) for name in SCRIPTS))


@cache
def icon_address() -> str:
    """Return the site's icon as a data address: browsers look for an icon anew whenever the page's address changes."""
    return f"data:image/svg+xml,{quote(_read('icon.svg'))}"


@cache
def early_script() -> str:
    """Return the script that must stand inside the page, before first paint."""
    return _read("early.js")


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _asset(stem: str, ending: str, media_type: str, text: str) -> Asset:
    body = text.encode()
    return Asset(f"{stem}.{hashlib.sha256(body).hexdigest()[:12]}.{ending}", f"{media_type}; charset=utf-8", body)
