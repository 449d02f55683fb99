"""The style sheet and the script of all pages, each one text with an address that changes when the text does."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
STYLES = ("theme.css",)
SCRIPTS = ("frame.js",)


@dataclass(frozen=True, slots=True)
class Asset:
    """A finished text: `name` holds a hash of it, so it may be cached for ever."""

    name: str
    media_type: str
    body: bytes


@cache
def stylesheet() -> Asset:
    """Return all styles as one asset."""
    return _join("hall", "css", "text/css", STYLES)


@cache
def script() -> Asset:
    """Return all scripts as one asset."""
    return _join("hall", "js", "text/javascript", SCRIPTS)


@cache
def early_script() -> str:
    """Return the script that must stand inside the page, before first paint."""
    return (FOLDER / "early.js").read_text(encoding="utf-8")


def _join(stem: str, ending: str, media_type: str, names: tuple[str, ...]) -> Asset:
    body = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in names).encode()
    return Asset(f"{stem}.{hashlib.sha256(body).hexdigest()[:12]}.{ending}", f"{media_type}; charset=utf-8", body)
