"""Systems in a plane: score against size with its frontier, and the best score so far over time.

The line steps up where a system beats all to its left. Pure functions of a board revision and words.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from html import escape
from typing import Any

from leaderboard.parts import blocks
from leaderboard.parts.drawing import Axis, Sheet, digits_of, fitted, line, mark, svg, text, text_width
from leaderboard.parts.figure import Cell, Figure, finished, first_measure, listed, nothing, subtitle
from leaderboard.parts.table import Board, Labels
from leaderboard.texts import Texts, format_date, format_number, format_params, format_score

MOST_NAMED = 12
MOST_TOLD = 6
_PLOT_PX, _TOP_PX, _LEFT_PX, _EDGE_PX, _FOOT_PX = 300, 16, 52, 16, 32
_NAME_ROOM_PX, _LINE_PX, _GAP_PX = 250, 16, 10
_DAY_S = 86_400

Row = Mapping[str, Any]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Dot:
    """A system in the plane. `is_record` says that nobody to its left, and nobody at the same x, scores as high."""

    name: str
    x: float
    score: float
    said: str
    is_record: bool


@dataclass(frozen=True, slots=True)
class Plane:
    """What a drawing needs: the dots from left to right, how x is written, and a height to compare with."""

    dots: tuple[Dot, ...]
    is_log: bool
    x_label: Callable[[float], str]
    x_ticks: Callable[[Axis, int], list[float]]
    score: Callable[[float | None], str]
    reference: tuple[str, float] | None = None

    @property
    def records(self) -> list[Dot]:
        """The dots that raise the line."""
        return [dot for dot in self.dots if dot.is_record]


def draw_sizes(board: Board, labels: Labels, words: Texts) -> str:
    """Return score against number of parameters as finished HTML; unknown sizes are listed below."""
    score = _score_format(board, words)
    rows = [row for row in board["rows"] if row["scores"][0] is not None]
    known = [row for row in rows if row["params_millions"]]
    if len({row["params_millions"] for row in known}) < 2:
        return nothing(words.get("charts.sizes_none"))

    def said(row: Row) -> str:
        return f"{format_params(row['params_millions'], words.lang)}, {score(row['scores'][0])}"

    unknown = [row for row in rows if not row["params_millions"]]
    baseline = next((row for row in unknown if row["is_baseline"]), None)
    plane = Plane(
        dots=_dots(known, lambda row: float(row["params_millions"]), said),
        is_log=True,
        x_label=lambda size: re.sub(r"[.,]0(?=\D)", "", format_params(size, words.lang)),
        x_ticks=lambda axis, most: axis.ticks(most),
        score=score,
        reference=(baseline["name"], baseline["scores"][0]) if baseline else None,
    )
    told = [f"{row['name']} {score(row['scores'][0])}" for row in unknown]
    notes = [words.get("charts.sizes_unknown", list=listed(told, words, MOST_NAMED))] if unknown else []
    columns = [words.get("table.params"), words.get("charts.millions")]
    cells = [[format_params(row["params_millions"], words.lang), row["params_millions"]] for row in rows]
    return _finished("size", plane, rows, columns, cells, notes, board, labels, words)


def draw_progress(board: Board, labels: Labels, words: Texts) -> str:
    """Return the best score so far by the day in which a system came, as finished HTML."""
    rows = [row for row in board["rows"] if row["scores"][0] is not None]
    days = {row["submitted_at"][:10] for row in rows}
    if len(days) < 2:
        return nothing(words.get("charts.progress_none"))
    score = _score_format(board, words)
    plane = Plane(
        dots=_dots(rows, _second, lambda row: f"{row['submitted_at'][:10]}, {score(row['scores'][0])}"),
        is_log=False,
        x_label=lambda second: format_date(datetime.fromtimestamp(second, UTC), words.lang),
        x_ticks=_day_ticks,
        score=score,
    )
    cells: list[list[Any]] = [[row["submitted_at"][:10]] * 2 for row in rows]
    columns = [words.get("table.date")] * 2
    return _finished("progress", plane, rows, columns, cells, [], board, labels, words)


def _finished(
    kind: str,
    plane: Plane,
    rows: Sequence[Row],
    columns: Sequence[str],
    cells: Sequence[Sequence[Any]],
    notes: Sequence[str],
    board: Board,
    labels: Labels,
    words: Texts,
) -> str:
    """Return the figure; `columns` and `cells` give x as readers and as machines read it, by row."""
    records = plane.records
    told = [f"{dot.name} ({dot.said})" for dot in reversed(records)]
    alternative = words.get(f"charts.alternative_{kind}", list=listed(told, words, MOST_TOLD))
    title = words.get(f"charts.title_{kind}", system=records[-1].name, x=plane.x_label(records[-1].x))
    measure = labels.heading(board["columns"][0]["measure"])
    head = [words.get("table.system"), columns[0], measure]
    shown = [
        [escape(row["name"]), escape(str(cell[0])), plane.score(row["scores"][0])]
        for row, cell in zip(rows, cells, strict=True)
    ]
    numbers: list[list[Cell]] = [
        [row["name"], cell[1], row["scores"][0]] for row, cell in zip(rows, cells, strict=True)
    ]
    figure = Figure(
        name=f"{board['task']}-{kind}",
        title=title,
        subtitle=subtitle(
            board,
            words,
            len(plane.dots),
            words.get(f"charts.what_{kind}", measure=first_measure(board, labels, words)),
        ),
        alternative=alternative,
        draw=partial(_draw, plane, words, alternative),
        table=blocks.table(head, shown, caption=title, numbers={1, 2}),
        head=[head[0], columns[1], measure],
        rows=numbers,
        notes=[*notes, words.get("charts.axis_start")],
    )
    return finished(figure, board, labels, words)


def _dots(rows: Sequence[Row], x_of: Callable[[Row], float], said: Callable[[Row], str]) -> tuple[Dot, ...]:
    """Return the rows from left to right, and which of them raise the best score so far."""
    found: list[Dot] = []
    best = float("-inf")
    for row in sorted(rows, key=lambda row: (x_of(row), -row["scores"][0])):
        value = row["scores"][0]
        found.append(Dot(row["name"], x_of(row), value, said(row), is_record=value > best))
        best = max(best, value)
    return tuple(found)


def _draw(plane: Plane, words: Texts, alternative: str, sheet: Sheet) -> str:
    """Return dots, the stepping line, and a name beside each dot of the line that has room for it."""
    scores = [dot.score for dot in plane.dots] + ([plane.reference[1]] if plane.reference else [])
    bottom = _TOP_PX + _PLOT_PX
    x = Axis.around([dot.x for dot in plane.dots], _LEFT_PX, sheet.width - _EDGE_PX, is_log=plane.is_log)
    y = Axis.of_scores(scores, bottom, _TOP_PX)
    parts = [_grid(plane, x, y, words, sheet)]
    taken = [*(_box(x.at(dot.x), y.at(dot.score), 12, 12) for dot in plane.dots), *_step_boxes(plane.records, x, y)]
    if plane.reference:
        name, level = plane.reference
        parts.append(line(x.start, y.at(level), x.end, y.at(level), "q-reference"))
        shown = fitted(f"{name} {plane.score(level)}", _NAME_ROOM_PX)
        parts.append(text(x.end, y.at(level) - _GAP_PX, shown, "q-quiet q-haloed", anchor="end"))
        taken.append(_box(x.end - text_width(shown) / 2, y.at(level) - _GAP_PX, text_width(shown), _LINE_PX))
    parts.append(_steps(plane.records, x, y))
    for dot in plane.dots:
        kind = "" if dot.is_record else "is-plain"
        parts.append(mark(0, x.at(dot.x), y.at(dot.score), words.labelled(dot.name, dot.said), kind))
    for dot in reversed(plane.records[-MOST_NAMED:]):
        parts.append(_name(dot, x, y, taken))
    return svg(sheet, bottom + _FOOT_PX, "".join(parts), alternative)


def _grid(plane: Plane, x: Axis, y: Axis, words: Texts, sheet: Sheet) -> str:
    levels = y.ticks(6)
    digits = digits_of(levels)
    parts = [
        line(x.start, y.at(level), x.end, y.at(level), "q-grid")
        + text(x.start - _GAP_PX, y.at(level), format_number(level, words.lang, digits), "q-tick", anchor="end")
        for level in levels
    ]
    for place in plane.x_ticks(x, sheet.n_ticks):
        parts.append(line(x.at(place), y.end, x.at(place), y.start, "q-grid"))
        parts.append(text(x.at(place), y.start + 16, plane.x_label(place), "q-tick", anchor="middle"))
    return "".join(parts)


def _steps(records: Sequence[Dot], x: Axis, y: Axis) -> str:
    """Return the line of the best so far: level until the next record, then straight up."""
    path = f"M{x.at(records[0].x):.1f} {y.at(records[0].score):.1f}"
    path += "".join(f"H{x.at(dot.x):.1f}V{y.at(dot.score):.1f}" for dot in records[1:])
    return f'<path d="{path}H{x.end:.1f}" class="q-steps-line"/>'


def _step_boxes(records: Sequence[Dot], x: Axis, y: Axis) -> list[Box]:
    """Return where the line runs, for names to keep off."""
    boxes: list[Box] = []
    for dot, after in zip(records, [*records[1:], None], strict=True):
        at_x, at_y, end = x.at(dot.x), y.at(dot.score), x.at(after.x) if after else x.end
        boxes.append((at_x, at_y - 1, end, at_y + 1))
        if after:
            boxes.append((end - 1, y.at(after.score), end + 1, at_y))
    return boxes


def _name(dot: Dot, x: Axis, y: Axis, taken: list[Box]) -> str:
    """Return the name of a dot at the first free place around it; "" where all are taken."""
    shown = fitted(dot.name, _NAME_ROOM_PX)
    wide, at_x, at_y = text_width(shown), x.at(dot.x), y.at(dot.score)
    above, below = at_y - 14, at_y + 16
    for left, middle in (
        *((at_x - wide - _GAP_PX, at_y), (at_x - wide - 2, above), (at_x + 2, below), (at_x + _GAP_PX, at_y)),
        *((at_x - wide / 2, above), (at_x - wide / 2, below), (at_x - wide, below)),
    ):
        box = _box(left + wide / 2, middle, wide, _LINE_PX)
        is_inside = left >= x.start and left + wide <= x.end and y.end - _TOP_PX <= middle <= y.start
        if is_inside and not any(_touch(box, other) for other in taken):
            taken.append(box)
            return text(left, middle, shown, "q-haloed")
    return ""


def _box(x: float, y: float, wide: float, high: float) -> Box:
    return (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _day_ticks(axis: Axis, most: int) -> list[float]:
    """Return midnights, the same number of days apart."""
    first, last = int(-(-axis.low // _DAY_S)), int(axis.high // _DAY_S)
    step = max(1, -(-(last - first + 1) // min(most, 5)))
    return [float(day * _DAY_S) for day in range(first, last + 1, step)]


def _second(row: Row) -> float:
    return datetime.fromisoformat(row["submitted_at"]).timestamp()


def _score_format(board: Board, words: Texts) -> Callable[[float | None], str]:
    return partial(format_score, lang=words.lang, digits=board["digits"])
