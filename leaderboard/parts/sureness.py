"""How sure a number is, in words and as a glyph: an interval, the ranks that are possible, what ties leave open.

Plain text and finished HTML from numbers; the browser draws the same for the board (`table_cells.js`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leaderboard.texts import Texts, format_number, format_ordinal, format_score

Ends = Sequence[float]


def interval(ends: Ends | None, words: Texts, digits: int) -> str:
    """Write an interval as [0.803, 0.820]; empty where there is none."""
    if ends is None:
        return ""
    low, high = (format_score(end, words.lang, digits) for end in ends)
    return words.get("charts.interval", low=low, high=high)


def shared_axis(cells: Iterable[tuple[float | None, Ends | None]]) -> Ends | None:
    """Return the ends of the axis that scores with their intervals share; None where nothing can be compared."""
    known = [end for score, ends in cells if score is not None for end in (score, *(ends or ()))]
    return (min(known), max(known)) if known and min(known) < max(known) else None


def glyph(score: float, ends: Ends | None, axis: Ends | None) -> str:
    """Return a dot on a shared axis with a line through it; empty without an interval. The digits say it all."""
    if ends is None or axis is None:
        return ""
    low, span = axis[0], axis[1] - axis[0]
    at, first, last = (f"{min(1.0, max(0.0, (end - low) / span)):.1%}" for end in (score, *ends))
    return (
        f'<span class="q-glyph has-interval" aria-hidden="true" style="--at: {at}; --low: {first}; --high: {last}">'
        "</span>"
    )


def rank_words(rank: tuple[int, int], possible: Sequence[int] | None, words: Texts, *, is_on_board: bool) -> str:
    """Say where a row stands, or would stand, and whether these topics decide it.

    `possible` are the first and last rank that they leave to it; only a row of the board has them.
    """
    place, of = (format_number(number, words.lang) for number in rank)
    if not is_on_board:
        return words.get("submission.rank_would_be", rank=place, of=of)
    if possible is None or possible[0] == possible[1]:
        return words.get("submission.rank_on_board", rank=place, of=of)
    low, high = (format_number(number, words.lang) for number in possible)
    told = words.get("submission.rank_range", rank=place, low=low, high=high, of=of)
    if possible[0] < rank[0]:
        tied = words.get("submission.rank_tied", place=format_ordinal(possible[0], words.lang))
        return words.get("submission.rank_joined", rank=told, tied=tied)
    if rank[0] == 1:
        return words.get("submission.rank_joined", rank=told, tied=words.get("submission.rank_lead_open"))
    return told


def tie_words(ties: Mapping[str, Any] | None, column: Mapping[str, Any], words: Texts, digits: int) -> str:
    """Say between which values equal scores leave the ranking measure open; empty where the digits do not show it."""
    if ties is None:
        return ""
    low, high = (format_score(ties[end], words.lang, digits) for end in ("low", "high"))
    if low == high:
        return ""
    fields = {"measure": str(column["label"] or column["measure"]), "low": low, "high": high}
    if column["mean"] == "groups":
        return words.get("submission.ties_groups", n=format_number(ties["n"], words.lang), **fields)
    return words.count("submission.ties", ties["n"], **fields)
