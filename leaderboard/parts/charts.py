"""Charts of a breakdown: a heatmap or an ordered dot plot with intervals, in the reader's words.

Pure functions of a board revision and words. Colours are put on by charts.css from tokens, so that one drawing serves
both themes; the heatmap's shade is one hue over the ground of the page.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape

from leaderboard.parts import blocks
from leaderboard.parts.drawing import (
    Axis,
    Sheet,
    digits_of,
    fitted,
    in_lines,
    line,
    mark,
    svg,
    text,
)
from leaderboard.parts.figure import Cell, Figure, finished, nothing, series_legend, subtitle
from leaderboard.parts.slices import Ends, Slices, chosen_rows, slices_of
from leaderboard.parts.table import Board, Labels
from leaderboard.texts import Texts, format_number, format_score

HEAT_ROWS = 24
DOT_SYSTEMS = 4
_HEAT_ROW_PX, _HEAT_CELL_PX, _DOT_ROW_PX, _DODGE_PX = 32, 56, 52, 11
_GAP_PX, _NAME_PX = 8, 22


def draw_axis(board: Board, axis_id: str, labels: Labels, words: Texts, whole_link: str) -> str:
    """Return the chart of one breakdown, by the nature of its axis, as finished HTML.

    Args:
        board: a board revision.
        axis_id: the axis; one that the revision does not have gives a sentence.
        labels: words of the card.
        words: the reader's language.
        whole_link: address of the board with this breakdown, for all systems.
    """
    axis = next((one for one in board["axes"] if one["id"] == axis_id), None)
    is_dots = axis is not None and axis["chart"] == "dots"
    slices = slices_of(board, axis, chosen_rows(board, DOT_SYSTEMS if is_dots else HEAT_ROWS))
    medians = slices.medians()
    if not medians:
        return nothing(words.get("charts.nothing"))
    return finished(_figure(slices, medians, board, labels, words, is_dots), board, labels, words, whole_link)


def heatmap(slices: Slices, board: Board, labels: Labels, words: Texts, alternative: str, sheet: Sheet) -> str:
    """Return systems × values, the score printed in each cell, rows in board order from the top."""
    known = [score for row in slices.scores for score in row if score is not None]
    low, span = min(known), (max(known) - min(known)) or 1.0
    left = name_room(sheet)
    row_px = _HEAT_ROW_PX + name_height(sheet)
    cell = max(_HEAT_CELL_PX, (sheet.width - left - _GAP_PX) / len(slices.values))
    most = 4 if sheet.is_phone else 2
    names = [in_lines(labels.value(slices.axis_id, value), cell - 4, most) for value in slices.values]
    top = 16 * max(len(name) for name in names) + 28
    parts = []
    for place, (name, n) in enumerate(zip(names, slices.n_topics, strict=True)):
        middle = left + (place + 0.5) * cell
        count = words.get("table.n_topics", n=format_number(n, words.lang))
        parts += [text(middle, top - 28 - 16 * (len(name) - i - 1), one, anchor="middle") for i, one in enumerate(name)]
        parts.append(text(middle, top - 12, count, "q-quiet", anchor="middle"))
    for down, (system, row) in enumerate(zip(slices.systems, slices.scores, strict=True)):
        y = top + down * row_px + name_height(sheet)
        parts.append(row_name(sheet, system, y + _HEAT_ROW_PX / 2, _HEAT_ROW_PX))
        for place, score in enumerate(row):
            x = left + place * cell
            strength = 0 if score is None else (score - low) / span
            shown = format_score(score, words.lang, board["digits"])
            parts.append(
                f'<rect class="q-heat" x="{x + 1:.1f}" y="{y + 1}" width="{cell - 2:.1f}" height="{_HEAT_ROW_PX - 2}" '
                f'fill-opacity="{strength:.2f}"/>'
            )
            parts.append(text(x + cell / 2, y + _HEAT_ROW_PX / 2, shown, "q-cell", anchor="middle"))
    width = max(sheet.width, left + cell * len(slices.values) + _GAP_PX)
    return svg(sheet, top + row_px * len(slices.systems) + 8, "".join(parts), alternative, width=width)


def dots(slices: Slices, board: Board, labels: Labels, words: Texts, alternative: str, sheet: Sheet) -> str:
    """Return values on the vertical axis in their own order, scores along the horizontal one, a mark a system.

    The systems of a value stand one below the other, so that none hides another; intervals are lines.
    """
    ends = [end for row in slices.intervals for pair in row if pair is not None for end in pair]
    known = [score for row in slices.scores for score in row if score is not None]
    axis = Axis.of_scores([*known, *ends], sheet.left, sheet.width - sheet.right)
    top, height = 40, 40 + _DOT_ROW_PX * len(slices.values) + 8
    parts = [upright_grid(axis, sheet, words, top - 24, top - 8, height - 8)]
    for down, (value, n) in enumerate(zip(slices.values, slices.n_topics, strict=True)):
        y = top + (down + 0.5) * _DOT_ROW_PX
        parts.append(line(axis.start, y + _DOT_ROW_PX / 2, axis.end, y + _DOT_ROW_PX / 2, "q-grid"))
        parts.append(_left_name(sheet, labels.value(slices.axis_id, value), y))
        count = words.get("table.n_topics", n=format_number(n, words.lang))
        parts.append(text(sheet.width - sheet.right + _GAP_PX, y, count, "q-quiet"))
        parts += [
            _dot(slices, series, down, y, axis, board["digits"], words)
            for series in reversed(range(len(slices.systems)))
        ]
    return svg(sheet, height, "".join(parts), alternative)


def upright_grid(axis: Axis, sheet: Sheet, words: Texts, y_label: float, y_from: float, y_to: float) -> str:
    """Return the ticks of a horizontal axis of scores with their lines, far enough apart for the sheet."""
    ticks = axis.ticks(sheet.n_ticks)
    digits = digits_of(ticks)
    return "".join(
        line(axis.at(tick), y_from, axis.at(tick), y_to, "q-grid")
        + text(axis.at(tick), y_label, format_number(tick, words.lang, digits), "q-tick", anchor="middle")
        for tick in ticks
    )


def row_name(sheet: Sheet, name: str, y: float, height: float) -> str:
    """Return a system's name: left of a row of this height whose middle is at y, or over it on a phone."""
    if sheet.is_phone:
        return text(_GAP_PX, y - height / 2 - name_height(sheet) / 2 + 2, fitted(name, sheet.width - 2 * _GAP_PX))
    return _left_name(sheet, name, y)


def name_room(sheet: Sheet) -> float:
    """Return the pixels that the names take at the left."""
    return _GAP_PX if sheet.is_phone else sheet.left


def name_height(sheet: Sheet) -> float:
    """Return the pixels that a name takes over its row."""
    return _NAME_PX if sheet.is_phone else 0


def _left_name(sheet: Sheet, name: str, y: float) -> str:
    return text(sheet.left - _GAP_PX, y, fitted(name, sheet.left - 2 * _GAP_PX), anchor="end")


def _figure(
    slices: Slices, medians: Mapping[str, float], board: Board, labels: Labels, words: Texts, is_dots: bool
) -> Figure:
    digits = board["digits"]
    lowest = slices.hardest(digits)
    axis_name = labels.axes.get(slices.axis_id, slices.axis_id)
    measure = labels.heading(board["columns"][0]["measure"])
    mean = "groups" if board["columns"][0]["mean"] == "groups" else "topics"
    what = words.get("charts.measure_by", measure=measure, mean=words.get(f"table.mean_{mean}"), axis=axis_name.lower())
    said = [
        f"{labels.value(slices.axis_id, value)} {format_score(score, words.lang, digits)}"
        for value, score in medians.items()
    ]
    alternative = words.get("charts.alternative", list=words.get("charts.comma").join(said))
    notes = [words.get("charts.intervals")] if is_dots and slices.has_intervals else []
    if len(slices.systems) < len(board["rows"]):
        n, total = (format_number(count, words.lang) for count in (len(slices.systems), len(board["rows"])))
        notes.append(words.get("charts.chosen", n=n, total=total))
    if lowest is None and len(medians) > 1:
        notes.append(words.get("charts.not_apart"))
    return Figure(
        name=f"{board['task']}-{slices.axis_id}",
        title=words.get("charts.question", axis=axis_name.lower())
        if lowest is None
        else words.get(
            "charts.hardest",
            value=labels.value(slices.axis_id, lowest),
            median=format_score(medians[lowest], words.lang, digits),
        ),
        subtitle=subtitle(board, words, len(slices.systems), what),
        alternative=alternative,
        draw=partial(dots if is_dots else heatmap, slices, board, labels, words, alternative),
        table=numbers_table(slices, board, labels, words, is_by_value=is_dots),
        head=[axis_name, words.get("charts.topics"), *_file_heads(slices)],
        rows=[
            [labels.value(slices.axis_id, value), n, *_file_cells(slices, place)]
            for place, (value, n) in enumerate(zip(slices.values, slices.n_topics, strict=True))
        ],
        legend=series_legend(slices.systems) if is_dots else _heat_legend(slices, board, words),
        notes=[*notes, words.get("charts.axis_start")] if is_dots else notes,
    )


def _dot(slices: Slices, series: int, place: int, y: float, axis: Axis, digits: int, words: Texts) -> str:
    """Return a system's mark for one value, with its interval as a line."""
    score, ends = slices.scores[series][place], slices.intervals[series][place]
    if score is None:
        return ""
    y += (series - (len(slices.systems) - 1) / 2) * _DODGE_PX
    said = words.labelled(slices.systems[series], format_score(score, words.lang, digits))
    if ends is None:
        return mark(series, axis.at(score), y, said)
    low, high = (format_score(end, words.lang, digits) for end in ends)
    whisker = line(axis.at(ends[0]), y, axis.at(ends[1]), y, f"q-whisker q-series-{series + 1}")
    return whisker + mark(series, axis.at(score), y, f"{said} {words.get('charts.interval', low=low, high=high)}")


def numbers_table(slices: Slices, board: Board, labels: Labels, words: Texts, *, is_by_value: bool) -> str:
    """Return the numbers of a chart as a table with the number of topics of each slice, the best of a slice in bold.

    A line is a system, as in a heatmap, or with `is_by_value` a slice, as in a dot plot.
    """
    names = [labels.value(slices.axis_id, value) for value in slices.values]
    counts = [words.get("table.n_topics", n=format_number(n, words.lang)) for n in slices.n_topics]
    best = [_best(column) for column in zip(*slices.scores, strict=True)]
    cells = [
        [
            _score_cell(score, ends, words, board["digits"], is_best=score == best[place])
            for place, (score, ends) in enumerate(zip(row, intervals, strict=True))
        ]
        for row, intervals in zip(slices.scores, slices.intervals, strict=True)
    ]
    if is_by_value:
        head = [labels.axes.get(slices.axis_id, slices.axis_id), words.get("charts.topics"), *slices.systems]
        lines = zip(names, slices.n_topics, zip(*cells, strict=True), strict=True)
        rows = [[escape(name), format_number(n, words.lang), *column] for name, n, column in lines]
    else:
        head = [words.get("table.system"), *(f"{name} ({n})" for name, n in zip(names, counts, strict=True))]
        rows = [[escape(name), *row] for name, row in zip(slices.systems, cells, strict=True)]
    caption = words.get("charts.table_caption", measure=labels.heading(board["columns"][0]["measure"]))
    return blocks.table(head, rows, caption=caption, numbers=range(1, len(head)))


def _best(scores: Sequence[float | None]) -> float | None:
    """Return the highest score, None where there is nothing to compare."""
    known = {score for score in scores if score is not None}
    return max(known) if len(known) > 1 else None


def _score_cell(score: float | None, ends: Ends, words: Texts, digits: int, *, is_best: bool) -> str:
    shown = format_score(score, words.lang, digits)
    if is_best and score is not None:
        shown = f"<b>{shown}</b>"
    if ends is None:
        return shown
    low, high = (format_score(end, words.lang, digits) for end in ends)
    return f'{shown} <span class="q-range">{escape(words.get("charts.interval", low=low, high=high))}</span>'


def _file_heads(slices: Slices) -> list[str]:
    """Return the heads of the systems in a file: a column each, and two for its interval where there are any."""
    if not slices.has_intervals:
        return list(slices.systems)
    return [f"{name}{end}" for name in slices.systems for end in ("", " low", " high")]


def _file_cells(slices: Slices, place: int) -> list[Cell]:
    """Return the numbers of one value, in the order of the heads."""
    if not slices.has_intervals:
        return [row[place] for row in slices.scores]
    pairs = zip(slices.scores, slices.intervals, strict=True)
    return [cell for scores, intervals in pairs for cell in (scores[place], *(intervals[place] or (None, None)))]


def _heat_legend(slices: Slices, board: Board, words: Texts) -> str:
    known = [score for row in slices.scores for score in row if score is not None]
    low, high = (format_score(edge(known), words.lang, board["digits"]) for edge in (min, max))
    return (
        f'<p class="q-chart-legend"><span>{escape(words.get("charts.lowest"))} {low}</span>'
        '<span class="q-heat-scale" aria-hidden="true"></span>'
        f"<span>{high} {escape(words.get('charts.highest'))}</span></p>"
    )
