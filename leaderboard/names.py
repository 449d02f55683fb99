"""Judge the names, links and short texts that strangers give us: what can deceive a reader is refused with its reason.

Pure functions of text. Nothing here knows which names are in use; the books compare skeletons.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

NAME_LENGTHS = (2, 80)
MAX_LINK = 300
NAME_SIGNS = "-_.()+/ "
FORMULA_STARTS = "=+-@"

# Scripts by the first word of a letter's Unicode name. Those that Japanese and Chinese write together count as one;
# scripts made of look-alikes of Latin (Cherokee, Lisu, Deseret …) are left out on purpose.
_SCRIPTS = {
    name: name
    for name in (
        *("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "HEBREW", "ARABIC", "DEVANAGARI", "BENGALI", "GURMUKHI"),
        *("GUJARATI", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "THAI", "LAO", "TIBETAN", "MYANMAR"),
        *("GEORGIAN", "ETHIOPIC", "KHMER", "MONGOLIAN", "HANGUL"),
    )
} | {name: "CJK" for name in ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA")}

# Chinese, Japanese and Korean names hold Latin words as a matter of course, and none of their letters passes for one.
_BESIDE_LATIN = frozenset(("CJK", "HANGUL"))

# Of the letters called Latin and Hangul those that today's languages are written in; the others belong to phonetics and
# old books, and the eye takes many of them for a common one.
_IN_USE = {
    "LATIN": re.compile("[A-Za-z\u00c0-\u017e\u01a0\u01a1\u01af\u01b0\u01cd-\u01dc\u0218-\u021b\u1e00-\u1ef9]"),
    "HANGUL": re.compile("[\uac00-\ud7a3]"),
}

# What the eye takes for a Latin letter, in pairs. Capitals whose small letter looks like another one come first, before
# case is folded; the rest after, without accents.
_CAPITALS = ("Ηh", "Μm", "Νn", "Υy")
_PAIRS = (
    *("аa", "вb", "еe", "кk", "мm", "нh", "оo", "рp", "сc", "тt", "уy", "хx", "іl", "јj", "ѕs", "ԁd", "һh", "ԛq"),
    *("ԝw", "ьb", "зe", "гr", "пn", "αa", "βb", "εe", "ζz", "ηn", "ιl", "κk", "νv", "οo", "ρp", "τt", "υu", "χx"),
    *("γy", "ωw", "μu", "օo", "սu", "ոn", "հh", "ցg", "յj", "զq", "ıl", "łl", "øo", "đd", "ħh", "ŧt", "ɑa", "ɡg"),
    *("ᴀa", "ʙb", "ᴄc", "ᴅd", "ᴇe", "ɢg", "ʜh", "ɪl", "ᴊj", "ᴋk", "ʟl", "ᴍm", "ɴn", "ᴏo", "ᴘp", "ʀr", "ᴛt", "ᴜu"),
    *("ᴠv", "ᴡw", "ʏy", "ᴢz", "0o", "1l", "il", "丨l", "亅l", "〇o"),
    *("ĸk", "ŋn", "工l", "エl", "口o", "ロo", "二ニ", "力カ", "夕タ", "卜ト", "八ハ"),
)
_ALIKE_CAPITALS = str.maketrans({pair[0]: pair[1] for pair in _CAPITALS})
_LOOK_ALIKES = str.maketrans({pair[0]: pair[1] for pair in _PAIRS})
_BETWEEN_DIGITS = re.compile(r"(?<=[0-9])[-_.()/ ]+(?=[0-9])")
_SEPARATORS = re.compile(r"(?<![0-9])[-_.()/ ]+|[-_.()/ ]+(?![0-9])")
_INVISIBLE_LETTERS = "\u034f\u115f\u1160\u3164\uffa0"
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")
_LINK_CHARACTERS = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a text is refused: a stable code and the facts for its message."""

    code: str
    facts: Mapping[str, str | int | float] = field(default_factory=dict)


def clean(text: str) -> str:
    """Return the text in NFKC with single blanks and none at the ends: this is what is checked and stored."""
    return re.sub(" +", " ", unicodedata.normalize("NFKC", text)).strip(" ")


def name_flaw(name: str) -> Flaw | None:
    """Say why a cleaned name may not stand on a board, or None if it may."""
    low, high = NAME_LENGTHS
    if len(name) < low:
        return Flaw("name-too-short", {"length": len(name), "min": low})
    if len(name) > high:
        return Flaw("text-too-long", {"length": len(name), "max": high})
    if flaw := hidden_flaw(name):
        return flaw
    if name[0] in FORMULA_STARTS:
        return Flaw("name-formula", {"found": name[0]})
    scripts: dict[str, str] = {}
    for character in name:
        if character in NAME_SIGNS or character in "0123456789":
            continue
        script = _script(character)
        if script is None:
            return Flaw("name-character", {"found": character, "codepoint": f"U+{ord(character):04X}"})
        scripts.setdefault(script, character)
    if len(scripts) > 1 and not (len(scripts) == 2 and "LATIN" in scripts and _BESIDE_LATIN & scripts.keys()):
        first, second = list(scripts.values())[:2]
        return Flaw("name-two-scripts", {"first": first, "second": second})
    if not scripts and not any(character in "0123456789" for character in name):
        return Flaw("name-no-letter")
    return None


def name_skeleton(name: str) -> str:
    """Return what the eye keeps of a name: two names with one skeleton look alike.

    Case, accents, separators and look-alike letters of other scripts fall away; "+" stays, since SPLADE is not
    SPLADE++, and one separator between two digits, since 1.5 is not 15. Never empty for a name without flaw.
    """
    written = unicodedata.normalize("NFKC", name).translate(_ALIKE_CAPITALS)
    folded = unicodedata.normalize("NFKD", written.casefold())
    bare = "".join(character for character in folded if not unicodedata.combining(character))
    joined = _SEPARATORS.sub("", _BETWEEN_DIGITS.sub("-", bare))
    return joined.translate(_LOOK_ALIKES).replace("rn", "m").replace("vv", "w")


def text_flaw(text: str, max_length: int, *, has_lines: bool = False) -> Flaw | None:
    """Say why a short text is refused: too long, or characters that hide, reorder or break lines."""
    if len(text) > max_length:
        return Flaw("text-too-long", {"length": len(text), "max": max_length})
    return hidden_flaw(text.replace("\r\n", "").replace("\n", "") if has_lines else text)


def hidden_flaw(text: str) -> Flaw | None:
    """Find the first character that a reader cannot see: controls, zero width, changes of direction, private use."""
    for character in text:
        if character != " " and (unicodedata.category(character)[0] in "CZ" or character in _INVISIBLE_LETTERS):
            return Flaw("hidden-character", {"codepoint": f"U+{ord(character):04X}"})
    return None


def link_flaw(link: str) -> Flaw | None:
    """Say why a link may not be shown: only absolute https addresses of a plain host name, without credentials."""
    if len(link) > MAX_LINK:
        return Flaw("text-too-long", {"length": len(link), "max": MAX_LINK})
    if not link.lower().startswith("https://"):
        return Flaw("link-not-https")
    if not _LINK_CHARACTERS.fullmatch(link):
        return Flaw("link-malformed")
    try:
        parts = urlsplit(link)
        host, has_credentials = parts.hostname or "", "@" in parts.netloc
        _ = parts.port
    except ValueError:
        return Flaw("link-malformed")
    if has_credentials:
        return Flaw("link-credentials")
    return None if _HOST.fullmatch(host) and len(host) <= 253 else Flaw("link-host")


def _script(character: str) -> str | None:
    category = unicodedata.category(character)
    if category[0] not in "LM":
        return None
    script = _SCRIPTS.get(unicodedata.name(character, "").partition(" ")[0])
    in_use = _IN_USE.get(script or "")
    return script if in_use is None or in_use.fullmatch(character) else None
