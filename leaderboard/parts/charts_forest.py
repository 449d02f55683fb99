"""The forest plot of a comparison: each other system minus the reference, overall and in every slice.

Pure functions of a board revision, an answer's JSON and words; colours come from charts.css.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

from leaderboard.parts import blocks
from leaderboard.parts.charts import name_height, name_room, row_name
from leaderboard.parts.drawing import Axis, Sheet, digits_of, fitted, line, mark, svg, text
from leaderboard.parts.figure import Cell, Figure, finished, series_legend
from leaderboard.parts.table import Board, Labels, made_at, mean_words
from leaderboard.texts import Texts, format_date, format_gap, format_number, format_score
from leaderboard.texts.format import MISSING

_ROW_PX, _MORE_PX, _HEAD_PX, _GAP_PX, _TOP_PX = 26, 14, 34, 8, 64
_LEAST_P = 0.001

Found = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the plot: a name, the heading over it ("" for none), its topics, a cell for each other system."""

    heading: str
    name: str
    n_topics: int
    cells: Sequence[Found]


def draw_forest(
    board: Board,
    answer: Found,
    names: Mapping[str, str],
    others: Sequence[str],
    labels: Labels,
    words: Texts,
    whole_link: str,
) -> str:
    """Return the plot with its title, table and downloads, as finished HTML.

    Args:
        board: the board that the rows stand on.
        answer: the comparison's JSON.
        names: system's name by submission id.
        others: the compared submissions in the reader's order, without the reference.
        labels: words of the card.
        words: the reader's language.
        whole_link: address of the board.
    """
    reference, said = names[answer["reference"]], [names[one] for one in others]
    lines = list(_lines(board, answer, others, labels, words))
    heading = labels.heading(answer["measure"])
    what = words.get(
        "compare.forest_what",
        measure=heading,
        reference=reference,
        mean=mean_words(answer["mean"], labels, words),
    )
    units = words.count(f"compare.units_{answer['unit']}", answer["n_units"])
    date = format_date(made_at(board), words.lang)
    alternative = _alternative(lines[0], said, words, board["digits"])
    unit = words.get(f"compare.unit_{answer['unit']}")
    head, rows, cells = _numbers(lines, said, words, board["digits"])
    caption = words.get("compare.forest_table", reference=reference)
    figure = Figure(
        name=f"{board['task']}-comparison",
        title=words.get("compare.forest_title"),
        subtitle=words.get("compare.forest_subtitle", what=what, units=units, date=date),
        alternative=alternative,
        draw=partial(_draw, lines, reference, said, words, board["digits"], alternative),
        table=blocks.table(head, cells, caption=caption, numbers={1, 3, 4, 5}),
        head=["slice", "topics", "system", "difference", "low", "high", "p", "p_holm", "clear"],
        rows=rows,
        legend=series_legend(said) if len(said) > 1 else "",
        notes=[words.get("compare.filled", n=format_number(answer["n_comparisons"], words.lang), unit=unit)],
    )
    return finished(figure, board, labels, words, whole_link)


def _lines(board: Board, answer: Found, others: Sequence[str], labels: Labels, words: Texts) -> Iterator[Line]:
    """Yield the overall difference, then every slice with a verdict, in the order of the card."""
    order = [answer["others"].index(one) for one in others]
    yield Line("", words.get("compare.overall"), board["topics"], [answer["overall"][place] for place in order])
    axis_id = None
    for one in answer["slices"]:
        if one["others"] is None:
            continue
        heading = labels.axes.get(one["axis"], one["axis"]) if one["axis"] != axis_id else ""
        axis_id = one["axis"]
        name = labels.value(axis_id, one["value"])
        yield Line(heading, name, one["topics"], [one["others"][place] for place in order])


def _draw(
    lines: Sequence[Line],
    reference: str,
    others: Sequence[str],
    words: Texts,
    digits: int,
    alternative: str,
    sheet: Sheet,
) -> str:
    """Return a line a slice; right of zero the other system is better, left of it the reference."""
    known = [value for one in lines for cell in one.cells for value in (cell["difference"], *(cell["interval"] or ()))]
    right = sheet.width - (_GAP_PX if sheet.is_phone else sheet.right)
    axis = Axis.around([0.0, *known], name_room(sheet), right)
    row_px = _ROW_PX + _MORE_PX * (len(others) - 1) + name_height(sheet)
    height = _TOP_PX + sum(row_px + (_HEAD_PX if one.heading else 0) for one in lines) + 8
    parts = [_ground(axis, sheet, words, height), _directions(axis, reference, others, words)]
    y = float(_TOP_PX)
    for one in lines:
        if one.heading:
            y += _HEAD_PX
            parts.append(text(_GAP_PX, y - 10, fitted(one.heading, sheet.width - 2 * _GAP_PX), "q-quiet"))
            parts.append(line(_GAP_PX, y - 1, sheet.width - _GAP_PX, y - 1, "q-grid"))
        inner = row_px - name_height(sheet)
        middle = y + name_height(sheet) + inner / 2
        parts.append(row_name(sheet, one.name, middle, inner))
        count = words.get("table.n_topics", n=format_number(one.n_topics, words.lang))
        place = (sheet.width - _GAP_PX, y + 11, "end") if sheet.is_phone else (right + _GAP_PX, middle, "start")
        parts.append(text(place[0], place[1], count, "q-quiet", anchor=place[2]))
        for series, (name, cell) in enumerate(zip(others, one.cells, strict=True)):
            at = middle + (series - (len(others) - 1) / 2) * _MORE_PX
            parts.append(_mark(cell, series, name, at, axis, words, digits))
        y += row_px
    return svg(sheet, height, "".join(parts), alternative)


def _ground(axis: Axis, sheet: Sheet, words: Texts, height: float) -> str:
    """Return the ticks with their signs, and the line where nobody is better."""
    ticks = axis.ticks(sheet.n_ticks)
    digits = digits_of(ticks)
    grid = "".join(
        line(axis.at(tick), _TOP_PX - 8, axis.at(tick), height - 8, "q-grid")
        + text(axis.at(tick), _TOP_PX - 20, format_gap(tick, words.lang, digits), "q-tick", anchor="middle")
        for tick in ticks
    )
    return grid + line(axis.at(0), _TOP_PX - 8, axis.at(0), height - 8, "q-zero")


def _directions(axis: Axis, reference: str, others: Sequence[str], words: Texts) -> str:
    """Say over the axis who is better on which side, one line a side so that both fit a phone."""
    room = axis.end - axis.start
    left = words.get("compare.left", reference=reference)
    right = words.get("compare.right", other=others[0]) if len(others) == 1 else words.get("compare.right_many")
    return text(axis.start, 10, fitted(left, room)) + text(axis.end, 26, fitted(right, room), anchor="end")


def _mark(cell: Found, series: int, name: str, y: float, axis: Axis, words: Texts, digits: int) -> str:
    said = words.labelled(name, format_gap(cell["difference"], words.lang, digits))
    kind = "" if cell["clear"] else "is-plain"
    if cell["interval"] is None:
        return mark(series, axis.at(cell["difference"]), y, said, kind)
    low, high = cell["interval"]
    whisker = line(axis.at(low), y, axis.at(high), y, f"q-whisker q-series-{series + 1}")
    said += f" {_interval(cell, words, digits)}, {_verdict(cell, words)}"
    return whisker + mark(series, axis.at(cell["difference"]), y, said, kind)


def _alternative(overall: Line, others: Sequence[str], words: Texts, digits: int) -> str:
    """Say the overall differences in one sentence."""
    told = [
        f"{name} {format_gap(cell['difference'], words.lang, digits)} {_interval(cell, words, digits)}, "
        f"{_verdict(cell, words)}"
        for name, cell in zip(others, overall.cells, strict=True)
    ]
    return words.get("compare.alternative", list=words.get("charts.comma").join(told))


def _numbers(
    lines: Sequence[Line], others: Sequence[str], words: Texts, digits: int
) -> tuple[list[str], list[list[Cell]], list[list[str]]]:
    """Return the table's head, the numbers in full, and the table's cells as HTML: a line a slice and other system."""
    head = [words.get(f"compare.{key}") for key in ("slice", "difference", "interval", "p_holm", "verdict")]
    head[1:1] = [words.get("charts.topics"), words.get("table.system")]
    rows: list[list[Cell]] = []
    cells = []
    for one in lines:
        for name, cell in zip(others, one.cells, strict=True):
            low, high = cell["interval"] or (None, None)
            is_clear = None if cell["clear"] is None else str(cell["clear"]).lower()
            rows.append(
                [one.name, one.n_topics, name, cell["difference"], low, high, cell["p"], cell["p_holm"], is_clear]
            )
            gap = format_gap(cell["difference"], words.lang, digits)
            shown = [one.name, format_number(one.n_topics, words.lang), name, gap, _interval(cell, words, digits)]
            shown += [_p_words(cell["p_holm"], words), _verdict(cell, words)]
            cells.append([escape(text) for text in shown])
    return head, rows, cells


def _interval(cell: Found, words: Texts, digits: int) -> str:
    if cell["interval"] is None:
        return MISSING
    low, high = (format_gap(end, words.lang, digits) for end in cell["interval"])
    return words.get("charts.interval", low=low, high=high)


def _p_words(p: float | None, words: Texts) -> str:
    if p is not None and p < _LEAST_P:
        return words.get("compare.below", value=format_score(_LEAST_P, words.lang))
    return format_score(p, words.lang)


def _verdict(cell: Found, words: Texts) -> str:
    if cell["clear"] is None:
        return words.get("compare.no_verdict")
    return words.get("compare.clear" if cell["clear"] else "compare.not_clear")
