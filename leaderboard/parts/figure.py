"""What stands around every drawing: title, subtitle, legend, alternative, source, downloads, the numbers as a table."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from leaderboard.parts import blocks
from leaderboard.parts.drawing import Sheet, legend_mark
from leaderboard.parts.table import Board, Labels, gold_words, made_at, mean_words
from leaderboard.texts import Texts, format_date, format_number

WIDE = Sheet("wide", width=920, left=250, right=88, n_ticks=7)
NARROW = Sheet("narrow", width=356, left=112, right=64, n_ticks=3)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart in all its forms.

    `name` is the stem of its files; `title`, `subtitle`, `alternative` and `notes` are plain text; `draw` makes the
    drawing on a sheet; `legend` and `table` are finished HTML; `head` and `rows` are the numbers in full precision.
    """

    name: str
    title: str
    subtitle: str
    alternative: str
    draw: Callable[[Sheet], str]
    table: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    legend: str = ""
    notes: Sequence[str] = ()


def finished(figure: Figure, board: Board, labels: Labels, words: Texts, whole: str = "") -> str:
    """Return the figure as HTML; `whole` is the address of the board that it is taken from, "" for none."""
    source = words.get("charts.source", task=labels.task, gold=gold_words(board, words))
    link = f' <a href="{escape(whole)}">{escape(words.get("charts.whole"))}</a>' if whole else ""
    notes = "".join(f"{escape(note)} " for note in figure.notes)
    return blocks.block(
        f'<figure class="q-figure" data-q-figure="{escape(figure.name)}"><figcaption class="q-chart-head">'
        f'<h2>{escape(figure.title)}</h2><p class="q-muted">{escape(figure.subtitle)}</p></figcaption>{figure.legend}'
        f'<div class="q-sheet" tabindex="0" role="group" aria-label="{escape(figure.title)}">'
        f"{figure.draw(WIDE)}{figure.draw(NARROW)}</div>"
        f'<p class="q-small">{escape(figure.alternative)}</p>'
        f'<p class="q-small q-muted">{notes}<span data-q-source>{escape(source)}</span>{link}</p>'
        f"{_downloads(figure, words)}"
        f'<details class="q-fold"><summary>{escape(words.get("charts.as_table"))}</summary>{figure.table}</details>'
        "</figure>"
    )


def subtitle(board: Board, words: Texts, n_systems: int, what: str) -> str:
    """Return measure, number of systems and topics, day, direction; `what` says measure and mean."""
    return words.get(
        "charts.subtitle",
        what=what,
        systems=words.count("charts.systems", n_systems),
        topics=format_number(board["topics"], words.lang),
        date=format_date(made_at(board), words.lang),
    )


def first_measure(board: Board, labels: Labels, words: Texts) -> str:
    """Say what ranks the board: measure and mean."""
    first = board["columns"][0]
    mean = mean_words(first["mean"], labels, words)
    return words.get("charts.measure", measure=labels.heading(first["measure"]), mean=mean)


def series_legend(names: Sequence[str]) -> str:
    """Return the names of up to four series beside their marks."""
    entries = "".join(
        f'<li class="q-series-{place + 1}">{legend_mark(place)}{escape(name)}</li>' for place, name in enumerate(names)
    )
    return f'<ul class="q-chart-legend">{entries}</ul>'


def listed(told: Sequence[str], words: Texts, most: int) -> str:
    """Return the first few of what there is to tell in one sentence, and how much more there is."""
    shown = words.get("charts.comma").join(told[:most])
    rest = format_number(len(told) - most, words.lang)
    return words.get("charts.and_more", list=shown, n=rest) if len(told) > most else shown


def nothing(sentence: str) -> str:
    """Return what stands in place of a chart that cannot be drawn."""
    return blocks.block(blocks.empty(sentence))


def csv_text(head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return numbers in full precision as CSV; text that a spreadsheet would run as a formula is quoted with '."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in (head, *rows):
        writer.writerow([f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell for cell in row])
    return out.getvalue()


def _downloads(figure: Figure, words: Texts) -> str:
    address = "data:text/csv;charset=utf-8," + quote(csv_text(figure.head, figure.rows))
    buttons = "".join(
        f'<button class="q-button" type="button" data-q-picture="{kind.lower()}">{kind}</button>'
        for kind in ("PNG", "SVG")
    )
    return (
        f'<p class="q-downloads"><span>{escape(words.get("charts.download"))}</span>{buttons}'
        f'<a class="q-button" href="{escape(address)}" download="{escape(figure.name)}.csv">CSV</a></p>'
    )
