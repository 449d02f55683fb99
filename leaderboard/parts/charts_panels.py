"""Small multiples: where two axes cross, one panel for each value of the second, all on one scale.

Pure functions of a board revision and words; colours come from charts.css.
"""

from dataclasses import dataclass
from functools import partial
from html import escape
from statistics import median
from typing import Any

from leaderboard.parts import blocks
from leaderboard.parts.charts import DOT_SYSTEMS, upright_grid
from leaderboard.parts.drawing import Axis, Sheet, fitted, in_lines, line, mark, svg, text
from leaderboard.parts.figure import Cell, Figure, finished, series_legend, subtitle
from leaderboard.parts.slices import chosen_rows
from leaderboard.parts.table import Board, Labels
from leaderboard.texts import Texts, format_number, format_score

MOST_COLUMNS = 3
_ROW_PX, _DODGE_PX, _GAP_PX, _HEAD_PX, _COUNT_PX, _FOOT_PX, _LINE_PX = 46, 10, 8, 56, 50, 16, 15


@dataclass(frozen=True, slots=True)
class Panels:
    """The numbers of the panels: `scores[system][value][panel]` is None where a cell has too few topics."""

    axis_id: str
    panel_axis: str
    values: tuple[str, ...]
    panels: tuple[str, ...]
    n_topics: tuple[tuple[int, ...], ...]
    systems: tuple[str, ...]
    scores: tuple[tuple[tuple[float | None, ...], ...], ...]

    @property
    def known(self) -> list[float]:
        """Every score that there is."""
        return [one for system in self.scores for row in system for one in row if one is not None]

    def lowest(self, panel: int) -> tuple[int, float] | None:
        """Return the value with the lowest median over the systems shown in a panel, and that median."""
        found = []
        for place in range(len(self.values)):
            scores = [one for system in self.scores if (one := system[place][panel]) is not None]
            if scores:
                found.append((median(scores), place))
        return (min(found)[1], min(found)[0]) if found else None


def draw_panels(board: Board, axis_id: str, labels: Labels, words: Texts, whole_link: str) -> str:
    """Return the panels of an axis that is crossed with another as finished HTML; "" where it is not.

    Args:
        board: a board revision.
        axis_id: the axis whose values are the rows of each panel.
        labels: words of the card.
        words: the reader's language.
        whole_link: address of the board with this breakdown, for all systems.
    """
    panels = panels_of(board, axis_id)
    if panels is None or not panels.known:
        return ""
    return finished(_figure(panels, board, labels, words), board, labels, words, whole_link)


def panels_of(board: Board, axis_id: str) -> Panels | None:
    """Take the crossed means of the first systems of a board; None where there are none."""
    axis = next((one for one in board["axes"] if one["id"] == axis_id), None)
    crossed = axis and axis.get("panels")
    if not crossed:
        return None
    other = next(one for one in board["axes"] if one["id"] == crossed["axis"])
    rows = [row for row in chosen_rows(board, DOT_SYSTEMS) if axis_id in (row.get("crossed") or {})]
    return Panels(
        axis_id=axis_id,
        panel_axis=other["id"],
        values=_ids(axis),
        panels=_ids(other),
        n_topics=tuple(tuple(counts) for counts in crossed["topics"]),
        systems=tuple(row["name"] for row in rows),
        scores=tuple(tuple(tuple(line) for line in row["crossed"][axis_id]) for row in rows),
    )


def _ids(axis: Any) -> tuple[str, ...]:
    return tuple(value["id"] for value in axis["values"])


def _figure(panels: Panels, board: Board, labels: Labels, words: Texts) -> Figure:
    digits = board["digits"]
    axis, other = (labels.axes.get(one, one).lower() for one in (panels.axis_id, panels.panel_axis))
    measure = labels.heading(board["columns"][0]["measure"])
    both = words.get("charts.panels_axes", axis=axis, panels=other)
    what = words.get("charts.measure_by", measure=measure, mean=words.get("table.mean_topics"), axis=both)
    said = [
        words.labelled(
            labels.value(panels.panel_axis, panel),
            f"{labels.value(panels.axis_id, panels.values[low[0]])} {format_score(low[1], words.lang, digits)}",
        )
        for place, panel in enumerate(panels.panels)
        if (low := panels.lowest(place)) is not None
    ]
    alternative = words.get("charts.panels_alternative", list=words.get("charts.semicolon").join(said))
    is_whole = len(panels.known) == len(panels.systems) * len(panels.values) * len(panels.panels)
    rows: list[list[Cell]] = [
        [
            labels.value(panels.axis_id, value),
            labels.value(panels.panel_axis, panel),
            panels.n_topics[down][across],
            *(system[down][across] for system in panels.scores),
        ]
        for down, value in enumerate(panels.values)
        for across, panel in enumerate(panels.panels)
    ]
    heads = [*(labels.axes.get(one, one) for one in (panels.axis_id, panels.panel_axis)), words.get("charts.topics")]
    shown = [
        [*map(escape, map(str, row[:2])), format_number(int(row[2] or 0), words.lang)]
        + [format_score(None if one is None else float(one), words.lang, digits) for one in row[3:]]
        for row in rows
    ]
    return Figure(
        name=f"{board['task']}-{panels.axis_id}-{panels.panel_axis}",
        title=words.get("charts.question", axis=both),
        subtitle=subtitle(board, words, len(panels.systems), what),
        alternative=alternative,
        draw=partial(_drawn, panels, labels, words, alternative, digits),
        table=blocks.table(
            [*heads, *panels.systems],
            shown,
            caption=words.get("charts.table_caption_plain", measure=measure),
            numbers=range(2, 3 + len(panels.systems)),
        ),
        head=[*heads, *panels.systems],
        rows=rows,
        legend=series_legend(panels.systems),
        notes=[*([] if is_whole else [words.get("charts.panels_few")]), words.get("charts.axis_start")],
    )


def _drawn(panels: Panels, labels: Labels, words: Texts, alternative: str, digits: int, sheet: Sheet) -> str:
    """Return the panels, beside each other or on a phone below each other, all with one scale."""
    n_columns = 1 if sheet.is_phone else min(MOST_COLUMNS, len(panels.panels))
    left = sheet.left if sheet.is_phone else sheet.left * 0.7
    width = (sheet.width - left) / n_columns
    height = _HEAD_PX + _ROW_PX * len(panels.values) + _FOOT_PX
    parts = []
    for place in range(len(panels.panels)):
        down, across = divmod(place, n_columns)
        start = left + across * width
        axis = Axis.of_scores(panels.known, start + _GAP_PX, start + width - _COUNT_PX - _GAP_PX)
        top = down * height
        parts.append(_panel(panels, place, axis, top, labels, words, digits, sheet))
        if across == 0:
            parts += [
                text(left - _GAP_PX, top + _HEAD_PX + (row + 0.5) * _ROW_PX + shift, piece, anchor="end")
                for row, value in enumerate(panels.values)
                for shift, piece in _pieces(labels.value(panels.axis_id, value), left - 2 * _GAP_PX)
            ]
    n_down = -(-len(panels.panels) // n_columns)
    return svg(sheet, n_down * height, "".join(parts), alternative)


def _pieces(name: str, room: float) -> list[tuple[float, str]]:
    """Return a name in at most two lines, each with its distance from the middle."""
    lines = in_lines(name, room)
    return [((place - (len(lines) - 1) / 2) * _LINE_PX, one) for place, one in enumerate(lines)]


def _panel(
    panels: Panels, place: int, axis: Axis, top: float, labels: Labels, words: Texts, digits: int, sheet: Sheet
) -> str:
    """Return one panel: its name, the scale, and for each value the systems one below the other."""
    end = top + _HEAD_PX + _ROW_PX * len(panels.values)
    begin = _GAP_PX if sheet.is_phone else axis.start
    name = fitted(labels.value(panels.panel_axis, panels.panels[place]), axis.end + _COUNT_PX - begin)
    few = Sheet(sheet.name, sheet.width, sheet.left, sheet.right, 3)
    parts = [text(begin, top + 14, name, "q-panel"), upright_grid(axis, few, words, top + 36, top + 48, end)]
    for down in range(len(panels.values)):
        y = top + _HEAD_PX + (down + 0.5) * _ROW_PX
        parts.append(line(axis.start, y + _ROW_PX / 2, axis.end, y + _ROW_PX / 2, "q-grid"))
        count = words.get("table.n_topics", n=format_number(panels.n_topics[down][place], words.lang))
        parts.append(text(axis.end + _GAP_PX, y, count, "q-quiet"))
        for series in reversed(range(len(panels.systems))):
            score = panels.scores[series][down][place]
            if score is not None:
                at = y + (series - (len(panels.systems) - 1) / 2) * _DODGE_PX
                said = words.labelled(panels.systems[series], format_score(score, words.lang, digits))
                parts.append(mark(series, axis.at(score), at, said))
    return "".join(parts)
