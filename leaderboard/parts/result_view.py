"""What a run reached: the headline with its rank, the other measures, a table of slices for each axis. Finished HTML.

The numbers come as a board of one row, in the form of a board revision, so they are rounded and cut as the board is.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from data.task import Axis, Task, in_language
from leaderboard.parts.sureness import Ends, glyph, interval, rank_words, shared_axis
from leaderboard.texts import Texts, format_number, format_score
from leaderboard.texts.format import MISSING

HEAT_STEPS = 5

Board = Mapping[str, Any]


def headline(board: Board, task: Task, words: Texts, *, rank: tuple[int, int] | None, is_on_board: bool) -> str:
    """Return the primary score in large type with its rank, the other measures, and how many topics were answered.

    Args:
        board: a board of one row.
        task: its card.
        words: the reader's language.
        rank: (place, rows) on the board, or None where there is no board.
        is_on_board: whether the row stands there, or would.
    """
    row, columns = board["rows"][0], board["columns"]
    ends = row.get("intervals") or [None] * len(columns)
    first, *others = [
        (
            column_name(column, words),
            column_mean(column, task, words),
            _score(value, board, words),
            _range(pair, board, words),
        )
        for column, value, pair in zip(columns, row["scores"], ends, strict=True)
    ]
    placed = ""
    if rank is not None:
        told = rank_words(rank, row.get("rank_interval"), words, is_on_board=is_on_board)
        placed = f'<p class="q-rank">{escape(told)}</p>'
    rest = "".join(
        f'<div><dt>{escape(name)}<span class="q-mean">{escape(mean)}</span></dt><dd>{escape(score)}{found}</dd></div>'
        for name, mean, score, found in others
    )
    name, mean, score, found = first
    return (
        f'<div class="q-headline"><div class="q-primary"><p class="q-primary-name">{escape(name)}'
        f'<span class="q-mean">{escape(mean)}</span></p><p class="q-primary-score">{escape(score)}{found}</p>'
        f"{placed}</div>"
        f'<dl class="q-measures">{rest}</dl></div><p class="q-muted">{escape(_answered(row, board, words))}</p>'
    )


def slices(board: Board, task: Task, words: Texts) -> str:
    """Return one table an axis: a row a value with its number of topics, a column a measure, shaded in the column."""
    tables = "".join(_axis_table(axis, board, task, words) for axis in board["axes"] if axis["values"])
    rounded = ""
    if tables and board["gold"]["kind"] == "sealed":
        rounded = f'<p class="q-small q-muted">{escape(words.get("submission.slices_rounded"))}</p>'
    return f"{tables}{rounded}"


def primary_score(board: Board, words: Texts) -> tuple[str, str]:
    """Return name and value of the measure that the task ranks by, as plain text."""
    column, value = board["columns"][0], board["rows"][0]["scores"][0]
    return column_name(column, words), _score(value, board, words)


def column_name(column: Mapping[str, Any], words: Texts) -> str:
    """Return the heading of a score column: the benchmark's own label where it has one."""
    return str(column["label"] or column["measure"])


def column_mean(column: Mapping[str, Any], task: Task, words: Texts) -> str:
    """Say how a column is averaged."""
    mean = str(column["mean"])
    if mean.startswith("macro:"):
        axis = task.axis(mean.removeprefix("macro:"))
        return words.get("submission.result_mean_macro", axis=within_sentence(in_language(axis.name, words.lang)))
    return words.get("submission.result_mean_groups" if mean == "groups" else "submission.result_mean_topics")


def within_sentence(name: str) -> str:
    """Return a heading as it stands inside a sentence: a small first letter, but not in an abbreviation."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name


def _answered(row: Mapping[str, Any], board: Board, words: Texts) -> str:
    answered, topics = row["answered"], board["listed"]
    told = words.get(
        "submission.answered",
        answered=format_number(answered, words.lang),
        topics=format_number(topics, words.lang),
    )
    return f"{told} · {words.get('submission.answered_rest')}" if answered < topics else told


def _score(value: float | None, board: Board, words: Texts) -> str:
    return format_score(value, words.lang, board["digits"])


def _range(ends: Ends | None, board: Board, words: Texts) -> str:
    """Return an interval beside a score, as HTML; "" where there is none."""
    told = interval(ends, words, board["digits"])
    return f' <span class="q-range">{escape(told)}</span>' if told else ""


def _axis_table(axis_json: Mapping[str, Any], board: Board, task: Task, words: Texts) -> str:
    axis = task.axis(axis_json["id"])
    cells: Sequence[Sequence[float | None] | None] = board["rows"][0]["slices"].get(axis.id) or []
    measures = board["measures"]
    scales = [_scale([cell[place] for cell in cells if cell is not None]) for place in range(len(measures))]
    has_groups = any(value["groups"] is not None for value in axis_json["values"])
    name = in_language(axis.name, words.lang)
    heads = [words.get("submission.slices_topics")] + ([words.get("submission.slices_groups")] if has_groups else [])
    labels = {column.name: column.heading for column in task.measures}
    head = f'<th scope="col">{escape(name)}</th>' + "".join(
        f'<th scope="col" class="is-number">{escape(text)}</th>' for text in heads + [labels[m] for m in measures]
    )
    body = "".join(
        _slice_head(value, axis, has_groups=has_groups, words=words) + _slice_scores(value, cell, scales, beside, words)
        for value, cell, beside in zip(axis_json["values"], cells, _beside(board, axis.id, cells, words), strict=False)
    )
    caption = words.get("submission.slices_of", axis=within_sentence(name))
    return (
        f'<div class="q-scroll q-slices" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f'<table class="q-table"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _beside(
    board: Board, axis_id: str, cells: Sequence[Sequence[float | None] | None], words: Texts
) -> list[dict[int, str]]:
    """Return for each slice what stands beside the score of the ranking measure, by the place of that measure."""
    place = board["measures"].index(board["columns"][0]["measure"])
    ends = board["rows"][0].get("slice_intervals", {}).get(axis_id) or [None] * len(cells)
    scores = [None if cell is None else cell[place] for cell in cells]
    axis = shared_axis(zip(scores, ends, strict=True))
    return [
        {} if score is None else {place: glyph(score, pair, axis) + _range(pair, board, words)}
        for score, pair in zip(scores, ends, strict=True)
    ]


def _slice_head(value: Mapping[str, Any], axis: Axis, *, has_groups: bool, words: Texts) -> str:
    lang = words.lang
    label = in_language(axis.labels.get(value["id"], {}), lang) or value["id"]
    counts = [value["topics"]] + ([value["groups"]] if has_groups else [])
    numbers = "".join(
        f'<td class="is-number q-muted">{escape(MISSING if n is None else format_number(n, lang))}</td>' for n in counts
    )
    return f'<tr><th scope="row">{escape(label)}</th>{numbers}'


def _slice_scores(
    value: Mapping[str, Any],
    cell: Sequence[float | None] | None,
    scales: Sequence[tuple[float, float] | None],
    beside: Mapping[int, str],
    words: Texts,
) -> str:
    if cell is None:
        few = words.get("submission.slices_too_few", n=format_number(value["topics"], words.lang))
        return f'<td class="is-number q-muted q-small" colspan="{len(scales)}">{escape(few)}</td></tr>'
    return (
        "".join(
            f'<td class="is-number{_heat(score, scale)}">'
            f"{escape(format_score(score, words.lang, value['digits']))}{beside.get(place, '')}</td>"
            for place, (score, scale) in enumerate(zip(cell, scales, strict=True))
        )
        + "</tr>"
    )


def _scale(values: Sequence[float | None]) -> tuple[float, float] | None:
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if len(known) > 1 and min(known) < max(known) else None


def _heat(value: float | None, scale: tuple[float, float] | None) -> str:
    """Return the class of a cell's shade, light for the lowest of its column; none where nothing can be compared."""
    if value is None or scale is None:
        return ""
    low, high = scale
    return f" q-heat-{round((value - low) / (high - low) * HEAT_STEPS)}"
