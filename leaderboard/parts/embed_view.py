"""A board inside another page: its caption, the first rows, where it comes from and a link back; and the snippet.

Finished HTML that needs no script, from a board revision and words.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlencode

from data.task import Task, in_language
from leaderboard.parts import blocks, table
from leaderboard.parts.table import Board, Labels
from leaderboard.texts import Texts, format_number, format_score

DEFAULT_TOP = 10
MOST_ROWS = 100
_FRAME_HEIGHT_PX = 560
_GLYPH_WIDTH = 120
_GLYPH_EDGE = 6


def rows_asked(asked: str) -> int:
    """Return how many rows `?top=` wants, at most 100; what is no number of rows gives 10."""
    n_rows = int(asked[:9]) if asked.isascii() and asked.isdigit() else 0
    return min(n_rows, MOST_ROWS) or DEFAULT_TOP


def embedded(board: Board | None, labels: Labels, words: Texts, *, top: int, home: str, system: str) -> str:
    """Return the whole body of an embedded board.

    Args:
        board: a board revision, None where there is none yet.
        labels: words of the card.
        words: the reader's language.
        top: number of rows.
        home: address of the whole board.
        system: address of a system, with SYSTEM where its id goes.
    """
    if board is None or not board["rows"]:
        shown = blocks.empty(words.get("embed.nothing", task=labels.task))
    else:
        shown = _table(board, board["rows"][:top], labels, words, system)
    link = f'<a href="{escape(home)}" target="_blank" rel="noopener">{escape(words.get("embed.whole"))}</a>'
    source = escape(words.get("embed.source", name=words.get("common.name")))
    return f'<main class="q-embed">{blocks.block(shown)}<p class="q-embed-source q-block">{source} {link}</p></main>'


def offer(task: Task, words: Texts, *, site: str, lang: str) -> str:
    """Return the folded box under a board that offers the snippet; `site` is the site's address without last slash."""
    name = in_language(task.name, lang)
    query = urlencode({"embed": 1, "top": DEFAULT_TOP, "theme": "light", "lang": lang})
    snippet = (
        f'<iframe src="{escape(f"{site}/{task.id}?{query}")}" title="{escape(name)}" loading="lazy"\n'
        f'  style="width: 100%; height: {_FRAME_HEIGHT_PX}px; border: 0"></iframe>'
    )
    return blocks.block(
        f'<details class="q-fold"><summary>{escape(words.get("embed.offer"))}</summary>'
        f"<p>{escape(words.get('embed.how'))}</p>{blocks.copy_box(snippet, words)}</details>"
    )


def _table(board: Board, rows: Sequence[Mapping[str, Any]], labels: Labels, words: Texts, system: str) -> str:
    first = board["columns"][0]
    ends = _ends(rows)
    head = [words.get("table.rank"), words.get("table.system"), f"{first['label'] or first['measure']} ↑"]
    cells = [_cells(row, board, words, system, ends) for row in rows]
    caption = table.caption(board, labels, words)
    if len(rows) < len(board["rows"]):
        caption = words.get("table.plain_top", n=format_number(len(rows), words.lang), caption=caption)
    body = "".join(
        f'<tr><td class="is-number">{rank}</td><th scope="row">{name}</th><td class="is-number">{score}</td></tr>'
        for rank, name, score in cells
    )
    heads = "".join(
        f'<th scope="col"{"" if place == 1 else " class=is-number"}>{escape(label)}</th>'
        for place, label in enumerate(head)
    )
    return (
        f'<div class="q-scroll" tabindex="0" role="region" aria-label="{escape(labels.task)}">'
        f'<table class="q-table"><caption><b class="q-embed-title">{escape(labels.task)}</b>{escape(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cells(
    row: Mapping[str, Any], board: Board, words: Texts, system: str, ends: tuple[float, float]
) -> tuple[str, str, str]:
    lang, digits = words.lang, board["digits"]
    rank = format_number(row["rank"], lang)
    if row.get("rank_interval") and row["rank_interval"][0] < row["rank_interval"][1]:
        best, worst = (format_number(end, lang) for end in row["rank_interval"])
        rank += f' <span class="q-muted q-small">{best}–{worst}</span>'
    name = table.system_link(row, system, ' target="_blank" rel="noopener"')
    if row["version"]:
        name += f' <span class="q-muted q-small">{escape(row["version"])}</span>'
    kinds = [kind for kind in ("sample", "baseline") if row[f"is_{kind}"]]
    name += "".join(f" {blocks.badge(words.get(f'table.badge_{kind}'))}" for kind in kinds)
    score = f"<b>{format_score(row['scores'][0], lang, digits)}</b>"
    interval = _interval(row)
    if interval is not None:
        low, high = (format_score(end, lang, digits) for end in interval)
        score += f' <span class="q-muted q-small">{escape(words.get("embed.interval", low=low, high=high))}</span>'
    return rank, name, score + _glyph(row, ends)


def _interval(row: Mapping[str, Any]) -> tuple[float, float] | None:
    found = (row.get("intervals") or [None])[0]
    return None if found is None else (found[0], found[1])


def _ends(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Return the ends of the axis that all rows share: the lowest and highest score or end of an interval."""
    known = [row["scores"][0] for row in rows if row["scores"][0] is not None]
    known += [end for row in rows for end in _interval(row) or ()]
    return (min(known), max(known)) if known else (0.0, 1.0)


def _glyph(row: Mapping[str, Any], ends: tuple[float, float]) -> str:
    """Return the dot of a score, with a line through it where there is an interval; the digits beside it say it all."""
    low, high = ends
    if row["scores"][0] is None or high <= low:
        return ""

    def at(value: float) -> str:
        return f"{_GLYPH_EDGE + (value - low) / (high - low) * (_GLYPH_WIDTH - 2 * _GLYPH_EDGE):.1f}"

    interval = _interval(row)
    line = f'<path d="M{at(interval[0])} 8H{at(interval[1])}"/>' if interval else ""
    return (
        f'<svg class="q-embed-glyph" viewBox="0 0 {_GLYPH_WIDTH} 16" aria-hidden="true">{line}'
        f'<circle cx="{at(row["scores"][0])}" cy="8" r="4"/></svg>'
    )
