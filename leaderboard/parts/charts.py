"""Charts of a breakdown: a heatmap or an ordered dot plot, with the sentence, the legend and the table that go with it.

Pure functions of a board revision and words. Colours are put on by charts.css from tokens, so that one figure serves
both themes; the heatmap's shade is one hue over the ground of the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import median
from typing import Any

import plotly.graph_objects as go

from leaderboard.parts import blocks
from leaderboard.parts.table import Board, Labels, gold_words, made_at, mean_words
from leaderboard.texts import Texts, format_date, format_number, format_score

HEAT_ROWS = 24
DOT_SYSTEMS = 4
# Half of this over white is the token `heat` in the light theme, over the dark surface the one in the dark theme.
_SHADE = "57, 137, 221"
_SCALE = [[0, f"rgba({_SHADE}, 0)"], [1, f"rgba({_SHADE}, 0.5)"]]
_SYMBOLS = ("circle", "square", "diamond", "triangle-up")
_SIZES = (11, 10, 12, 14)  # a triangle of the same number looks smaller than a square
_GLYPHS = (
    '<circle cx="7" cy="7" r="5"/>',
    '<rect x="2.5" y="2.5" width="9" height="9"/>',
    '<path d="M7 1l6 6-6 6-6-6z"/>',
    '<path d="M7 1.5l6 11H1z"/>',
)


@dataclass(frozen=True, slots=True)
class Slices:
    """The numbers of one chart: `scores[system][value]`, None where a slice has too few topics or no value."""

    axis_id: str
    values: tuple[str, ...]
    n_topics: tuple[int, ...]
    systems: tuple[str, ...]
    scores: tuple[tuple[float | None, ...], ...]

    def medians(self) -> dict[str, float]:
        """Return the median over the systems shown, by value; values without any score are left out."""
        known = {
            value: [score for row in self.scores if (score := row[place]) is not None]
            for place, value in enumerate(self.values)
        }
        return {value: median(scores) for value, scores in known.items() if scores}


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure (None where there is nothing to draw) and the finished HTML that stands above and below it."""

    figure: Any | None
    above: str
    below: str


def draw_axis(board: Board, axis_id: str, labels: Labels, words: Texts, whole_link: str) -> Chart:
    """Return the chart of one breakdown, by the nature of its axis.

    Args:
        board: a board revision.
        axis_id: the axis; one that the revision does not have gives an empty chart.
        labels: words of the card.
        words: the reader's language.
        whole_link: address of the board with this breakdown, for all systems.
    """
    axis = next((one for one in board["axes"] if one["id"] == axis_id), None)
    is_dots = axis is not None and axis["chart"] == "dots"
    slices = _slices_of(board, axis, _chosen_rows(board, DOT_SYSTEMS if is_dots else HEAT_ROWS))
    medians = slices.medians()
    if not medians:
        return Chart(None, blocks.block(blocks.empty(words.get("charts.nothing"))), "")
    figure = dots(slices, board, labels, words) if is_dots else heatmap(slices, board, labels, words)
    legend = _dots_legend(slices) if is_dots else _heat_legend(slices, board, words)
    return Chart(
        figure,
        above=_above(slices, medians, board, labels, words) + legend,
        below=_below(slices, medians, board, labels, words, whole_link)
        + blocks.block(numbers_table(slices, board, labels, words, is_by_value=is_dots)),
    )


def heatmap(slices: Slices, board: Board, labels: Labels, words: Texts) -> Any:
    """Return systems × values, the score printed in each cell, rows in board order from the top."""
    shown = [[format_score(score, words.lang, board["digits"]) for score in row] for row in slices.scores]
    places = list(range(len(slices.values)))
    figure = go.Figure(
        go.Heatmap(
            z=[list(row) for row in slices.scores],
            x=places,
            y=list(range(len(slices.systems))),
            text=shown,
            texttemplate="%{text}",
            hoverinfo="skip",
            colorscale=_SCALE,
            showscale=False,
            xgap=2,
            ygap=2,
        )
    )
    columns = [_value_label(slices, place, labels, words) for place in places]
    figure.update_xaxes(tickvals=places, ticktext=columns, side="top", showgrid=False, automargin=True)
    figure.update_yaxes(
        tickvals=list(range(len(slices.systems))),
        ticktext=[_plain(name) for name in slices.systems],
        autorange="reversed",
        showgrid=False,
    )
    return _finish(figure, height=72 + 32 * len(slices.systems), top=56)


def dots(slices: Slices, board: Board, labels: Labels, words: Texts) -> Any:
    """Return values on the vertical axis in their own order, scores along the horizontal one, a marker a system."""
    figure = go.Figure()
    places = list(range(len(slices.values)))
    for number, (name, row) in enumerate(zip(slices.systems, slices.scores, strict=True)):
        said = [format_score(score, words.lang, board["digits"]) for score in row]
        figure.add_scatter(
            x=list(row),
            y=places,
            mode="markers",
            name=_plain(name),
            text=said,
            hovertemplate="%{text}<extra>%{fullData.name}</extra>",
            marker={"symbol": _SYMBOLS[number], "size": _SIZES[number]},
        )
    figure.update_yaxes(
        tickvals=places,
        ticktext=[_plain(labels.value(slices.axis_id, value)) for value in slices.values],
        autorange="reversed",
        range=[len(places) - 0.5, -0.5],
    )
    figure.update_xaxes(tickformat=".2f", side="top", nticks=8)
    for place, n in enumerate(slices.n_topics):
        text = words.get("table.n_topics", n=format_number(n, words.lang))
        figure.add_annotation(
            x=1, xref="paper", xanchor="left", xshift=8, y=place, text=text, showarrow=False, font={"size": 12}
        )
    figure.update_layout(separators=",\u202f" if words.lang == "fr" else ".,")
    return _finish(figure, height=64 + 40 * len(places), top=40, right=72)


def _finish(figure: Any, *, height: int, top: int, right: int = 8) -> Any:
    """Fix what both kinds share: no colours of Plotly's own, no zoom that would trap a finger, a fixed height."""
    figure.update_xaxes(fixedrange=True, zeroline=False, ticks="")
    figure.update_yaxes(fixedrange=True, zeroline=False, ticks="", ticklabelstandoff=6, automargin=True)
    figure.update_layout(
        template=None,
        height=height,
        margin={"l": 8, "r": right, "t": top, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"size": 13, "family": "system-ui, sans-serif"},
        showlegend=False,
        dragmode=False,
        hoverlabel={"align": "left"},
    )
    return figure


def _chosen_rows(board: Board, most: int) -> list[Mapping[str, Any]]:
    """Return the first rows of the board; the last place goes to the best baseline where none is among them."""
    rows: Sequence[Mapping[str, Any]] = board["rows"]
    chosen = list(rows[:most])
    baseline = next((row for row in rows[most:] if row["is_baseline"]), None)
    if baseline is not None and not any(row["is_baseline"] for row in chosen):
        chosen[-1] = baseline
    return chosen


def _slices_of(board: Board, axis: Mapping[str, Any] | None, rows: Sequence[Mapping[str, Any]]) -> Slices:
    """Take the primary measure of the rows, for the values of the axis that have enough topics."""
    if axis is None:
        return Slices("", (), (), (), ())
    at = board["measures"].index(board["columns"][0]["measure"])
    places = [place for place, value in enumerate(axis["values"]) if value["enough"]]

    def score(row: Mapping[str, Any], place: int) -> float | None:
        cells = row["slices"].get(axis["id"], [])
        cell = cells[place] if place < len(cells) else None
        return None if cell is None else cell[at]

    return Slices(
        axis_id=axis["id"],
        values=tuple(axis["values"][place]["id"] for place in places),
        n_topics=tuple(axis["values"][place]["topics"] for place in places),
        systems=tuple(row["name"] for row in rows),
        scores=tuple(tuple(score(row, place) for place in places) for row in rows),
    )


def _above(slices: Slices, medians: Mapping[str, float], board: Board, labels: Labels, words: Texts) -> str:
    lowest = min(medians, key=lambda value: medians[value])
    first = board["columns"][0]
    title = words.get(
        "charts.hardest",
        value=labels.value(slices.axis_id, lowest),
        median=format_score(medians[lowest], words.lang, board["digits"]),
    )
    subtitle = words.get(
        "charts.subtitle",
        measure=labels.heading(first["measure"]),
        mean=mean_words("groups" if first["mean"] == "groups" else "topics", labels, words),
        axis=labels.axes.get(slices.axis_id, slices.axis_id).lower(),
        systems=words.count("charts.systems", len(slices.systems)),
        topics=format_number(board["topics"], words.lang),
        date=format_date(made_at(board), words.lang),
    )
    return f'<div class="q-block q-chart-head"><h2>{escape(title)}</h2><p class="q-muted">{escape(subtitle)}</p></div>'


def _below(
    slices: Slices, medians: Mapping[str, float], board: Board, labels: Labels, words: Texts, whole_link: str
) -> str:
    source = words.get("charts.source", task=labels.task, gold=gold_words(board, words))
    said = [
        f"{labels.value(slices.axis_id, value)} {format_score(score, words.lang, board['digits'])}"
        for value, score in medians.items()
    ]
    alternative = words.get("charts.alternative", list=words.get("charts.comma").join(said))
    return blocks.block(
        f'<p class="q-small">{escape(alternative)}</p><p class="q-small q-muted">{escape(source)} '
        f'<a href="{escape(whole_link)}">{escape(words.get("charts.whole"))}</a></p>'
        f"<h3>{escape(words.get('charts.as_table'))}</h3>"
    )


def numbers_table(slices: Slices, board: Board, labels: Labels, words: Texts, *, is_by_value: bool) -> str:
    """Return the numbers of a chart as a table with the number of topics of each slice, the best of a slice in bold.

    A line is a system, as in a heatmap, or with `is_by_value` a slice, as in a dot plot.
    """
    names = [labels.value(slices.axis_id, value) for value in slices.values]
    counts = [words.get("table.n_topics", n=format_number(n, words.lang)) for n in slices.n_topics]
    best = [_best(column) for column in zip(*slices.scores, strict=True)]
    cells = [
        [_score_cell(score, words, board["digits"], is_best=score == best[place]) for place, score in enumerate(row)]
        for row in slices.scores
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


def _score_cell(score: float | None, words: Texts, digits: int, *, is_best: bool) -> str:
    shown = format_score(score, words.lang, digits)
    return f"<b>{shown}</b>" if is_best and score is not None else shown


def _dots_legend(slices: Slices) -> str:
    marks = "".join(
        f'<li class="q-series-{number + 1}"><svg viewBox="0 0 14 14" aria-hidden="true">{_GLYPHS[number]}</svg>'
        f"{escape(name)}</li>"
        for number, name in enumerate(slices.systems[: len(_GLYPHS)])
    )
    return f'<ul class="q-chart-legend">{marks}</ul>'


def _heat_legend(slices: Slices, board: Board, words: Texts) -> str:
    known = [score for row in slices.scores for score in row if score is not None]
    low, high = (format_score(edge(known), words.lang, board["digits"]) for edge in (min, max))
    return (
        f'<p class="q-chart-legend"><span>{escape(words.get("charts.lowest"))} {low}</span>'
        '<span class="q-heat-scale" aria-hidden="true"></span>'
        f"<span>{high} {escape(words.get('charts.highest'))}</span></p>"
    )


def _value_label(slices: Slices, place: int, labels: Labels, words: Texts) -> str:
    n = words.get("table.n_topics", n=format_number(slices.n_topics[place], words.lang))
    return f"{_plain(labels.value(slices.axis_id, slices.values[place]))}<br>{n}"


def _plain(text: str) -> str:
    """Escape what Plotly would read as its own markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
