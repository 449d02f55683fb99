"""One score followed step by step, from the slices of a board's own JSON to its rank. Computed, never written down.

Pure: a board revision and words go in, finished HTML comes out; the web process has nothing else to compute from.
"""

from html import escape
from typing import Any

from leaderboard.parts import blocks
from leaderboard.parts.table import Board, Labels
from leaderboard.texts import Texts, format_number, format_score

DIGITS = 4
_SAME = 1e-9

Row = dict[str, Any]


def worked_example(board: Board, labels: Labels, words: Texts) -> str:
    """Return the steps for a row whose rank the topics leave open; "" where the board has none to follow.

    That is a board ranked by the mean over the slices of an axis, with intervals, all of whose slices are shown; and a
    row whose mean, computed here, is the one on the board.
    """
    mean = str(board["columns"][0]["mean"])
    if not mean.startswith("macro:") or not board.get("uncertainty"):
        return ""
    axis = next(one for one in board["axes"] if one["id"] == mean.removeprefix("macro:"))
    followed = [row for row in board["rows"] if row["rank_interval"] and _computed(board, row, axis["id"]) is not None]
    if not followed:
        return ""
    row = next((one for one in followed if one["rank_interval"][0] < one["rank_interval"][1]), followed[0])
    return _steps(board, row, axis, labels, words)


def slice_scores(board: Board, row: Row, axis_id: str) -> list[float | None]:
    """Return the ranking measure of a row in every slice of an axis."""
    at = board["measures"].index(board["columns"][0]["measure"])
    return [None if cell is None else cell[at] for cell in row["slices"][axis_id]]


def _computed(board: Board, row: Row, axis_id: str) -> float | None:
    """Return the mean of a row's slices; None where one is missing or the board says otherwise."""
    scores = [score for score in slice_scores(board, row, axis_id) if score is not None]
    if len(scores) < len(row["slices"][axis_id]) or row["intervals"][0] is None:
        return None
    mean = sum(scores) / len(scores)
    return mean if abs(mean - row["scores"][0]) < _SAME else None


def _steps(board: Board, row: Row, axis: Row, labels: Labels, words: Texts) -> str:
    """Return the table of slices and a sentence for each step."""
    rows, uncertainty, lang = board["rows"], board["uncertainty"], words.lang
    scores = [score for score in slice_scores(board, row, axis["id"]) if score is not None]
    first, last = row["rank_interval"]
    low, high = row["intervals"][0]
    n_better = sum(one["scores"][0] is not None and one["scores"][0] > row["scores"][0] for one in rows)
    gold = board["gold"]

    def score(value: float, digits: int = DIGITS) -> str:
        return format_score(value, lang, digits)

    shown = words.get("charts.interval", low=score(low, board["digits"]), high=score(high, board["digits"]))
    told = {
        "task": labels.task,
        "system": row["name"],
        "gold": words.get("method.example_sample" if gold["is_sample"] else "method.example_version", **gold),
        "measure": labels.heading(board["columns"][0]["measure"]),
        "n": format_number(len(scores), lang),
        "sum": " + ".join(score(one) for one in scores),
        "score": score(sum(scores) / len(scores)),
        "units": words.get(
            f"method.example_units_{uncertainty['unit']}", n=format_number(uncertainty["n_units"], lang)
        ),
        "resamples": format_number(uncertainty["n_resamples"], lang),
        "low": score(low),
        "high": score(high),
        "shown": f"{score(row['scores'][0], board['digits'])} {shown}",
    }
    of_rank = {
        "n": len(rows),
        "better": n_better,
        "rank": n_better + 1,
        "above": first - 1,
        "below": len(rows) - last,
        "first": first,
        "last": last,
    }
    sentences = [
        words.get("method.example_2", **told),
        words.get("method.example_3", **told),
        words.get("method.example_4", **{key: format_number(value, lang) for key, value in of_rank.items()}),
    ]
    if uncertainty["resolution"] is not None:
        sentences.append(words.get("method.example_5", resolution=score(uncertainty["resolution"])))
    address = f"boards/{board['task']}.json"
    names = [labels.value(axis["id"], value["id"]) for value in axis["values"]]
    table = blocks.table(
        [labels.axes.get(axis["id"], axis["id"]), words.get("charts.topics"), told["measure"]],
        [
            [escape(name), format_number(value["topics"], lang), score(one)]
            for name, value, one in zip(names, axis["values"], scores, strict=True)
        ],
        caption=words.get("method.example_caption", file=f"/{address}"),
        numbers={1, 2},
    )
    steps = "".join(f"<li>{escape(one)}</li>" for one in sentences)
    return (
        f'<p>{escape(words.get("method.example_1", **told))}</p><div class="q-example">{table}</div><ol>{steps}</ol>'
        f'<p><a href="./{address}">/{address}</a></p>'
    )
