"""The dumbbell of robustness: two measures of each system joined by a line, whose length is the message."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape

from data.published import PublishedRow
from leaderboard.parts import blocks
from leaderboard.parts.charts import name_height, name_room, row_name, upright_grid
from leaderboard.parts.drawing import Axis, Sheet, line, mark, svg, text
from leaderboard.parts.figure import NARROW, WIDE, Cell, Figure, finished, listed, series_legend, subtitle
from leaderboard.parts.slices import chosen_rows
from leaderboard.parts.table import Board, Labels
from leaderboard.texts import Texts, format_score

MOST_PAIRS = 16
MOST_TOLD = 4
_ROW_PX, _GAP_PX, _NUMBER_PX, _TOP_PX = 30, 10, 48, 40

Pair = tuple[str, float, float]


def draw_pairs(board: Board, labels: Labels, words: Texts, published: Sequence[PublishedRow] = ()) -> str:
    """Return the ranking measure joined with the first measure over groups, as finished HTML.

    "" where the board has no measure over groups, or nobody has both values. Numbers that were published elsewhere
    stand in a drawing of their own that a reader opens, as hollow marks below the systems of the board.
    """
    place = next((i for i, column in enumerate(board["columns"]) if i and column["mean"] == "groups"), None)
    if place is None:
        return ""
    rows = chosen_rows(board, MOST_PAIRS) if board["rows"] else []
    pairs: list[Pair] = [
        (row["name"], row["scores"][0], row["scores"][place])
        for row in rows
        if row["scores"][0] is not None and row["scores"][place] is not None
    ]
    if not pairs:
        return ""
    first, other = (labels.heading(board["columns"][at]["measure"]) for at in (0, place))
    columns = (board["columns"][0]["measure"], board["columns"][place]["measure"])
    drawn = finished(_figure(pairs, first, other, board, words), board, labels, words)
    return drawn + _beside_published(pairs, _published_pairs(published, *columns), board, words)


def _published_pairs(published: Sequence[PublishedRow], first: str, other: str) -> list[Pair]:
    """Return what one source says of both measures of a system under one setting, in the order of the sources."""
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in published:
        found.setdefault((row.system, row.setting, row.source), {})[row.measure] = row.value
    return [(name, two[first], two[other]) for (name, *_), two in found.items() if first in two and other in two]


def _beside_published(pairs: Sequence[Pair], published: Sequence[Pair], board: Board, words: Texts) -> str:
    if not published:
        return ""
    score = partial(format_score, lang=words.lang, digits=board["digits"])
    told = [f"{name} {score(one)} → {score(two)}" for name, one, two in published]
    alternative = words.get("charts.elsewhere_alternative", list=listed(told, words, len(told)))
    draw = partial(_draw, [*pairs, *published], score, words, alternative, n_scored=len(pairs))
    return blocks.block(
        f'<details class="q-fold"><summary>{escape(words.get("charts.elsewhere"))}</summary>'
        f'<div class="q-figure"><div class="q-sheet" tabindex="0" role="group" '
        f'aria-label="{escape(words.get("charts.elsewhere"))}">{draw(WIDE)}{draw(NARROW)}</div>'
        f'<p class="q-small q-muted">{escape(words.get("charts.elsewhere_note"))}</p></div></details>'
    )


def _figure(pairs: Sequence[Pair], first: str, other: str, board: Board, words: Texts) -> Figure:
    score = partial(format_score, lang=words.lang, digits=board["digits"])
    gaps = sorted(((score(abs(one - two)), name) for name, one, two in pairs), reverse=True)
    title = words.get("charts.pair_question", first=first, other=other)
    if len(gaps) < 2 or gaps[0][0] != gaps[1][0]:
        title = words.get("charts.pair_title", system=gaps[0][1], first=first, other=other, gap=gaps[0][0])
    told = [f"{name} {score(one)} → {score(two)}" for name, one, two in pairs]
    alternative = words.get("charts.pair_alternative", first=first, other=other, list=listed(told, words, MOST_TOLD))
    head = [words.get("table.system"), first, other, words.get("charts.gap")]
    numbers: list[list[Cell]] = [[name, one, two, one - two] for name, one, two in pairs]
    cells = [[escape(name), score(one), score(two), score(one - two)] for name, one, two in pairs]
    return Figure(
        name=f"{board['task']}-robustness",
        title=title,
        subtitle=subtitle(board, words, len(pairs), words.get("charts.pair_what", first=first, other=other)),
        alternative=alternative,
        draw=partial(_draw, pairs, score, words, alternative),
        table=blocks.table(head, cells, caption=title, numbers={1, 2, 3}),
        head=head,
        rows=numbers,
        legend=series_legend([first, other]),
        notes=[words.get("charts.axis_start")],
    )


def _draw(
    pairs: Sequence[Pair],
    score: Callable[[float], str],
    words: Texts,
    alternative: str,
    sheet: Sheet,
    n_scored: int | None = None,
) -> str:
    """Return a row a system in board order, its two values beside its marks; after `n_scored` rows they are hollow."""
    right = sheet.width - _NUMBER_PX - _GAP_PX
    axis = Axis.of_scores([value for _, *two in pairs for value in two], name_room(sheet) + _NUMBER_PX, right)
    row_px = _ROW_PX + name_height(sheet)
    height = _TOP_PX + row_px * len(pairs) + 8
    parts = [upright_grid(axis, sheet, words, _TOP_PX - 24, _TOP_PX - 8, height - 8)]
    for down, (name, first, other) in enumerate(pairs):
        y = _TOP_PX + down * row_px + name_height(sheet) + _ROW_PX / 2
        left, far = sorted((first, other))
        kind = "is-plain" if n_scored is not None and down >= n_scored else ""
        parts += [
            row_name(sheet, name, y, _ROW_PX),
            line(axis.at(first), y, axis.at(other), y, "q-joint"),
            mark(1, axis.at(other), y, words.labelled(name, score(other)), kind),
            mark(0, axis.at(first), y, words.labelled(name, score(first)), kind),
            text(axis.at(left) - _GAP_PX, y, score(left), "q-cell q-haloed", anchor="end"),
            text(axis.at(far) + _GAP_PX, y, score(far), "q-cell q-haloed"),
        ]
    return svg(sheet, height, "".join(parts), alternative)
