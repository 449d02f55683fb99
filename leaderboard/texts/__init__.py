"""The words of the hall: one TOML file a section and language, and numbers and dates as each language writes them.

Nothing but words and their formats lives here; no page, no database, no request.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from leaderboard.texts.format import (
    format_bytes,
    format_date,
    format_gap,
    format_moment,
    format_number,
    format_ordinal,
    format_params,
    format_score,
    format_span,
)

__all__ = [
    "DEFAULT_LANGUAGE",
    "LANGUAGES",
    "Texts",
    "choose_language",
    "format_bytes",
    "format_date",
    "format_gap",
    "format_moment",
    "format_number",
    "format_ordinal",
    "format_params",
    "format_score",
    "format_span",
    "mark",
    "texts",
    "translate_marks",
]

LANGUAGES: Mapping[str, str] = {"en": "English", "fr": "Français", "zh": "中文"}
DEFAULT_LANGUAGE = "en"
FOLDER = Path(__file__).parent
_MARK = re.compile(r"⟦([^⟦⟧]+)⟧")


class Texts:
    """All sentences of one language, by `section.key`."""

    def __init__(self, lang: str, sections: Mapping[str, Mapping[str, str]]) -> None:
        self.lang = lang
        self.sections = sections

    def get(self, key: str, /, **fields: object) -> str:
        """Return one sentence with its `{placeholders}` filled in. Raises KeyError for an unknown key or placeholder.

        Fields are inserted as they are: escape the whole where it becomes HTML.
        """
        section, _, name = key.partition(".")
        sentence = self.sections[section][name]
        return sentence.format_map(fields) if fields else sentence

    def count(self, key: str, n: int, /, **fields: object) -> str:
        """Return the sentence for a number of things, `key_one` or `key_many`, with `{n}` written as numbers are."""
        is_one = n == 1 or (self.lang == "fr" and n == 0)
        return self.get(f"{key}_{'one' if is_one else 'many'}", n=format_number(n, self.lang), **fields)

    def labelled(self, name: str, value: str) -> str:
        """Return a name and what belongs to it, with the colon of the language."""
        return self.get("table.labelled", name=name, value=value)

    def has(self, key: str) -> bool:
        """Tell whether there is a sentence under this key."""
        section, _, name = key.partition(".")
        return name in self.sections.get(section, {})

    def section(self, name: str) -> Mapping[str, str]:
        """Return all sentences of a section, unfilled, for scripts in the browser that fill them."""
        return self.sections[name]


def texts(lang: str) -> Texts:
    """Return the words of a language; an unknown language gives English."""
    return _read(lang if lang in LANGUAGES else DEFAULT_LANGUAGE)


@cache  # of our languages alone: what strangers ask for is any word
def _read(known: str) -> Texts:
    sections = {
        path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted((FOLDER / known).glob("*.toml"))
    }
    return Texts(known, sections)


def choose_language(asked: str | None, accepted: str) -> str:
    """Return the language to speak: the one asked for, else the browser's first that we have, else English.

    Args:
        asked: value of `?lang=`, or None.
        accepted: the browser's `Accept-Language` header, most wanted first as browsers write it.
    """
    wanted = [asked or "", *(part.split(";")[0] for part in accepted.split(","))]
    for tag in wanted:
        short = tag.strip().lower().split("-")[0]
        if short in LANGUAGES:
            return short
    return DEFAULT_LANGUAGE


def mark(key: str) -> str:
    """Return a mark that stands for a sentence in a label built once for all readers; the shell puts the words in."""
    return f"⟦{key}⟧"


def translate_marks(body: str, lang: str, cards: Mapping[str, str]) -> str:
    """Replace every mark in a served page or JSON text by its sentence, escaped for a JSON string inside a script.

    Args:
        body: the text as served, with marks.
        lang: the reader's language.
        cards: words that come from task cards in this language, by mark.
    """
    words = texts(lang)

    def sentence(found: re.Match[str]) -> str:
        key = found.group(1)
        said = cards.get(key) or (words.get(key) if words.has(key) else key)
        return _escape_for_script(said)

    return _MARK.sub(sentence, body)


def _escape_for_script(sentence: str) -> str:
    escaped = sentence.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return escaped.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
