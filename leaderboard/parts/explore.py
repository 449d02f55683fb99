"""Every system of a breakdown as an interactive Plotly figure: hover for values, drag to zoom. Drawn on request only.

Plotly knows no tokens: each colour is set here, for the theme that the reader sees. Pure functions of a board revision.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go

from leaderboard.parts.charts import DOT_SYSTEMS
from leaderboard.parts.drawing import fitted, in_lines
from leaderboard.parts.slices import Slices, chosen_rows, slices_of
from leaderboard.parts.table import Board, Labels
from leaderboard.parts.theme import tokens
from leaderboard.texts import Texts, format_number, format_score

MOST_PRINTED = 1000
_ROW_PX, _VALUE_PX, _HEAD_PX, _FOOT_PX, _LEGEND_PX = 26, 56, 64, 16, 120
_CELL_PX, _PAGE_PX, _NAME_PX, _NAME_PHONE_PX = 80, 1200, 250, 112
_SYMBOLS = ("circle", "square", "diamond", "triangle-up")
_CONFIG = {"displayModeBar": False, "doubleClick": "reset"}


@dataclass(frozen=True, slots=True)
class Look:
    """How the reader sees the page: the colours by token, whether it is as narrow as a phone, the room of names."""

    colours: Mapping[str, str]
    is_phone: bool
    name_px: int

    @classmethod
    def of(cls, said: str) -> "Look":
        """Read what the page says of itself, "dark phone" for instance; anything unknown is light and wide."""
        is_dark, is_phone = (word in said.split() for word in ("dark", "phone"))
        colours = {name: pair[is_dark] for name, pair in tokens().items()}
        return cls(colours, is_phone, _NAME_PHONE_PX if is_phone else _NAME_PX)


def explore(board: Board, axis_id: str, labels: Labels, words: Texts, look: Look) -> str:
    """Return the figure of all systems as Plotly's JSON, dots for an ordered axis; "" where nothing can be drawn."""
    axis = next((one for one in board["axes"] if one["id"] == axis_id), None)
    is_dots = axis is not None and axis["chart"] == "dots"
    first = chosen_rows(board, DOT_SYSTEMS) if is_dots and board["rows"] else []
    slices = slices_of(board, axis, [*first, *(row for row in board["rows"] if row not in first)])
    if not slices.medians():
        return ""
    draw = _dots if is_dots else _heatmap
    figure = draw(slices, _Said(slices, board, labels, words), look)
    ink, ground = look.colours["text"], look.colours["surface"]
    figure.update_layout(
        font={"color": ink, "size": 13, "family": "system-ui, sans-serif"},
        paper_bgcolor=ground,
        plot_bgcolor=ground,
        hoverlabel={"bgcolor": ink, "bordercolor": ink, "font": {"color": ground, "size": 13}},
        separators=",\u202f" if words.lang == "fr" else ".,",
        dragmode=False if look.is_phone else "zoom",
    )
    return json.dumps({**figure.to_dict(), "config": _CONFIG}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Said:
    """The words of a figure. Plotly reads tags in them: what a submitter or a card wrote is escaped."""

    slices: Slices
    board: Board
    labels: Labels
    words: Texts

    def names(self, room: float) -> list[str]:
        return [escape(fitted(name, room), quote=False) for name in self.slices.systems]

    def values(self, room: float) -> list[str]:
        """Return the names of the values, in two lines at most, each over its number of topics."""
        told = []
        for value, n in zip(self.slices.values, self.slices.n_topics, strict=True):
            lines = in_lines(self.labels.value(self.slices.axis_id, value), room)
            count = self.words.get("table.n_topics", n=format_number(n, self.words.lang))
            told.append("<br>".join([*(escape(line, quote=False) for line in lines), count]))
        return told

    def score(self, score: float | None) -> str:
        return format_score(score, self.words.lang, self.board["digits"])

    def hover(self, system: int) -> list[str]:
        """Return what a pointer hears of each value of a system: name, value, score and interval."""
        told = []
        for place, value in enumerate(self.slices.values):
            shown, ends = self.score(self.slices.scores[system][place]), self.slices.intervals[system][place]
            if ends is not None:
                low, high = (self.score(end) for end in ends)
                shown += f" {self.words.get('charts.interval', low=low, high=high)}"
            names = (self.slices.systems[system], self.labels.value(self.slices.axis_id, value))
            told.append("<br>".join([*(escape(name, quote=False) for name in names), shown]))
        return told


def _heatmap(slices: Slices, said: _Said, look: Look) -> go.Figure:
    """Return systems × values in board order from the top, the digits in each cell while there are not too many."""
    n_rows, n_columns = len(slices.systems), len(slices.values)
    is_printed = n_rows * n_columns <= MOST_PRINTED
    cells = go.Heatmap(
        z=slices.scores,
        text=[[said.score(score) for score in row] for row in slices.scores] if is_printed else None,
        texttemplate="%{text}" if is_printed else None,
        textfont={"color": look.colours["text"]},
        hovertext=[said.hover(system) for system in range(n_rows)],
        hoverinfo="text",
        colorscale=[[0, look.colours["surface"]], [1, look.colours["heat"]]],
        showscale=False,
        xgap=2,
        ygap=2,
    )
    figure = go.Figure(cells)
    wide = look.name_px + n_columns * _CELL_PX
    room = _CELL_PX if look.is_phone or wide > _PAGE_PX else (_PAGE_PX - look.name_px) / n_columns
    figure.update_xaxes(**_ticks(said.values(room - 8), look), side="top", tickangle=0, showgrid=False)
    figure.update_yaxes(**_ticks(said.names(look.name_px - 16), look), autorange="reversed", showgrid=False)
    figure.update_layout(
        height=_HEAD_PX + n_rows * _ROW_PX + _FOOT_PX,
        width=wide if room == _CELL_PX else None,
        margin={"l": look.name_px, "r": 8, "t": _HEAD_PX, "b": _FOOT_PX},
    )
    return figure


def _dots(slices: Slices, said: _Said, look: Look) -> go.Figure:
    """Return values in their own order from the top, a trace a system; its name in the legend shows and hides it."""
    n_values, head = len(slices.values), _HEAD_PX + (_LEGEND_PX if look.is_phone else 0)
    names = said.names(_NAME_PX)
    figure = go.Figure([_trace(slices, system, names[system], said, look) for system in range(len(names))])
    figure.update_xaxes(gridcolor=look.colours["line"], zeroline=False, side="top", tickformat=".2f")
    figure.update_yaxes(**_ticks(said.values(look.name_px - 16), look), gridcolor=look.colours["line"])
    figure.update_yaxes(range=[n_values - 0.5, -0.5])
    over = {"yref": "container", "y": 1, "yanchor": "top", "x": 0, "xanchor": "left", "maxheight": _LEGEND_PX}
    figure.update_layout(
        height=head + n_values * _VALUE_PX + _FOOT_PX,
        margin={"l": look.name_px, "r": 8, "t": head, "b": _FOOT_PX},
        legend=over if look.is_phone else {"x": 1.02},
        showlegend=True,
    )
    return figure


def _trace(slices: Slices, system: int, name: str, said: _Said, look: Look) -> go.Scatter:
    """Return the marks of a system; its first four have the marks that they have in the picture above."""
    scores, turn = slices.scores[system], system % DOT_SYSTEMS
    pairs = [
        (s, ends) if s is not None and ends else None for s, ends in zip(scores, slices.intervals[system], strict=True)
    ]
    shift = (turn - (DOT_SYSTEMS - 1) / 2 + 0.25 * (system >= DOT_SYSTEMS)) * 0.18
    return go.Scatter(
        name=name,
        x=scores,
        y=[place + shift for place in range(len(scores))],
        error_x={
            "array": [pair and pair[1][1] - pair[0] for pair in pairs],
            "arrayminus": [pair and pair[0] - pair[1][0] for pair in pairs],
            "thickness": 2,
            "width": 0,
        },
        mode="markers",
        marker={
            "color": look.colours[f"series-{turn + 1}"],
            "symbol": _SYMBOLS[(turn + system // DOT_SYSTEMS) % len(_SYMBOLS)],
            "size": 10,
        },
        text=said.hover(system),
        hoverinfo="text",
        visible=True if system < DOT_SYSTEMS else "legendonly",
    )


def _ticks(names: Sequence[str], look: Look) -> dict[str, Any]:
    return {
        "tickvals": list(range(len(names))),
        "ticktext": names,
        "ticklabelstandoff": 6,
        "color": look.colours["text"],
        "zeroline": False,
    }
