"""A badge for other people's pages: what board, which rank, what score. An SVG that needs no font and no script."""

from html import escape

from leaderboard.texts import Texts, format_number, format_score

_WIDE = "\u2e80"  # from here on a character is as wide as it is high
_NARROW_PX, _WIDE_PX, _PAD_PX, _HEIGHT_PX = 6.8, 12.0, 8, 22
_LABEL_MOST, _CUT = 32, "…"


def badge(label: str, rank: int, n_systems: int, score: float | None, digits: int, words: Texts) -> str:
    """Return the badge of a system on a board.

    Args:
        label: name of the board, cut to 32 characters.
        rank: 1 is the first.
        n_systems: rows of the board.
        score: the value ranked by.
        digits: digits that the board shows.
        words: the reader's language.
    """
    name = label if len(label) <= _LABEL_MOST else label[: _LABEL_MOST - 1] + _CUT
    place, of = (format_number(number, words.lang) for number in (rank, n_systems))
    said = words.get("embed.badge", rank=place, of=of, score=format_score(score, words.lang, digits))
    told = words.labelled(name, said)
    left, right = (round(_width(text) + 2 * _PAD_PX) for text in (name, said))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT_PX}" role="img" '
        f'aria-label="{escape(told)}"><title>{escape(told)}</title>'
        f'<rect width="{left + right}" height="{_HEIGHT_PX}" rx="4" fill="#1f5fbf"/>'
        f'<path d="M4 0H{left}V{_HEIGHT_PX}H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z" fill="#3b4450"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f"{_text(name, left / 2, left)}{_text(said, left + right / 2, right)}</g></svg>"
    )


def _text(text: str, middle: float, room: int) -> str:
    """Return a text that fills its room exactly whatever font the reader has."""
    return (
        f'<text x="{middle:.1f}" y="15" textLength="{room - 2 * _PAD_PX}" lengthAdjust="spacingAndGlyphs">'
        f"{escape(text)}</text>"
    )


def _width(text: str) -> float:
    return sum(_WIDE_PX if character >= _WIDE else _NARROW_PX for character in text)
