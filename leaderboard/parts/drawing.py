"""Drawing in SVG: axes with round ticks, markers, lines, texts that fit. Colours are classes of charts.css.

A drawing has a width of its own in pixels, so that its text is as large as the page's: one for wide pages, one for
phones.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_NARROW_EM, _WIDE_EM = 0.6, 1.0
_WIDE_FROM = "\u2e80"  # from here on a character is as wide as it is high
_CUT = "…"
FONT_PX = 13
# the outlines of the four series around (0, 0): circle, square, diamond, triangle
MARKS = (
    "M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z",
    "M-5-5h10v10h-10z",
    "M0-6.5 6.5 0 0 6.5-6.5 0z",
    "M0-6.5 6.5 5h-13z",
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The ground of a drawing: its width, and the room left and right of the plotted part, all in pixels."""

    name: str
    width: int
    left: int
    right: int
    n_ticks: int

    @property
    def is_phone(self) -> bool:
        """True for the drawing that phones show."""
        return self.name == "narrow"


@dataclass(frozen=True, slots=True)
class Axis:
    """Places values of [low, high] on pixels from `start` to `end`; a logarithmic one needs low > 0."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    @classmethod
    def around(cls, values: Sequence[float], start: float, end: float, *, is_log: bool = False) -> "Axis":
        """Return an axis a little longer than the values, so that no mark is cut."""
        low, high = min(values), max(values)
        if is_log:
            return cls(low / 1.5, high * 1.5, start, end, is_log=True)
        margin = (high - low) * 0.04 or 0.05
        return cls(low - margin, high + margin, start, end)

    @classmethod
    def of_scores(cls, scores: Sequence[float], start: float, end: float) -> "Axis":
        """Return an axis around scores that does not leave [0, 1]."""
        loose = cls.around(scores, start, end)
        return cls(max(0.0, loose.low), min(1.0, loose.high), start, end)

    def at(self, value: float) -> float:
        """Return the pixel of a value."""
        low, high, value = (
            (math.log(v) for v in (self.low, self.high, value))
            if self.is_log
            else (
                self.low,
                self.high,
                value,
            )
        )
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """Return at most `most` round values on the axis; powers of ten on a logarithmic one."""
        if self.is_log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            return [10.0**power for power in powers]
        unit = 10.0 ** math.floor(math.log10((self.high - self.low) / most))
        for step in (unit, 2 * unit, 5 * unit, 10 * unit, 20 * unit):
            places = range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)
            if len(places) <= most:
                return [place * step for place in places]
        return []


def digits_of(ticks: Sequence[float]) -> int:
    """Return how many digits tell the ticks apart, at least two."""
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 0.1
    return max(2, math.ceil(-math.log10(step) - 1e-9))


def svg(sheet: Sheet, height: float, body: str, label: str, *, width: float | None = None) -> str:
    """Return a finished drawing; `label` is its text alternative, `width` another one than that of the sheet."""
    wide = width or sheet.width
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="q-drawing is-{sheet.name}" width="{wide:g}" '
        f'height="{height:g}" viewBox="0 0 {wide:g} {height:g}" role="img" aria-label="{escape(label)}">{body}</svg>'
    )


def text(x: float, y: float, content: str, kind: str = "", *, anchor: str = "start") -> str:
    """Return a text whose middle line is at y."""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" dy="0.34em"{_class(kind)}{place}>{escape(content)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Return a straight line."""
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"{_class(kind)}/>'


def mark(series: int, x: float, y: float, title: str, kind: str = "") -> str:
    """Return the mark of a series (0 to 3) with the words that a pointer shows."""
    name = " ".join(part for part in (f"q-mark q-series-{series + 1}", kind) if part)
    return (
        f'<path d="{MARKS[series]}" transform="translate({x:.1f} {y:.1f})"{_class(name)}>'
        f"<title>{escape(title)}</title></path>"
    )


def legend_mark(series: int) -> str:
    """Return the mark of a series for a line of a legend."""
    return f'<svg viewBox="-7 -7 14 14" aria-hidden="true"><path d="{MARKS[series]}"/></svg>'


def text_width(content: str, font_px: float = FONT_PX) -> float:
    """Return about how many pixels a text takes."""
    return font_px * sum(_WIDE_EM if character >= _WIDE_FROM else _NARROW_EM for character in content)


def fitted(content: str, room: float) -> str:
    """Cut a text so that it fits into so many pixels."""
    if text_width(content) <= room:
        return content
    kept = content
    while kept and text_width(kept + _CUT) > room:
        kept = kept[:-1]
    return kept.rstrip() + _CUT


def in_lines(content: str, room: float, most: int = 2) -> list[str]:
    """Break a text into lines of so many pixels, inside a word where it is too long; the last line is cut."""
    lines: list[str] = []
    for word in (piece for whole in content.split() for piece in _pieces(whole, room)):
        if lines and not lines[-1].endswith("-") and text_width(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    kept = [*lines[: most - 1], " ".join(lines[most - 1 :])] if len(lines) > most else lines
    return [fitted(one, room) for one in kept]


def _pieces(word: str, room: float) -> list[str]:
    """Return a word in pieces that fit into so many pixels, all but the last with a hyphen at their end."""
    if text_width(word) <= room or len(word) < 2:
        return [word]
    at = word.find("-") + 1
    if at and text_width(word[:at]) <= room:
        return [word[:at], *_pieces(word[at:], room)] if word[at:] else [word]
    n = max(1, next(n for n in range(len(word), 0, -1) if n == 1 or text_width(f"{word[:n]}-") <= room))
    return [f"{word[:n]}-", *_pieces(word[n:], room)]


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
