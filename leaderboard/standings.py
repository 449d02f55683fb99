"""Turn the scores of published submissions into a finished board: ranks, cells, and what sealed gold may show of both.

Pure: books, clock and gold stay outside. No score of a single topic ever enters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from data.task import Axis, Task
from leaderboard.submissions import GoldFacts, ScoreSheet, Submission

MOST_DIGITS = 3

Json = dict[str, Any]
Published = Sequence[tuple[Submission, ScoreSheet]]


@dataclass(frozen=True, slots=True)
class Column:
    """One score of a row: a measure and how it is averaged ("topics", "groups" or "macro:<axis>")."""

    id: str
    measure: str
    label: str | None
    mean: str
    is_primary: bool


def make_board(published: Published, task: Task, facts: GoldFacts) -> Json:
    """Rank the submissions that were scored on this gold; all keys of a board revision but "revision" and "made_at".

    Highest primary value first; equal values share a rank and the earlier submission comes first. Compared are the
    values of the sheets as they are: at full precision on open gold, as rounded by `shut` on sealed gold.
    Submissions scored on another version of the gold are left out.
    """
    columns = columns_of(task)
    axes = [_axis_json(task.axis(axis.id), task, facts) for axis in task.axes]
    scored = [(one, sheet) for one, sheet in published if sheet.gold_version == facts.version]
    scored.sort(key=lambda pair: (-_primary_value(pair[1], columns), pair[0].submitted_at, pair[0].id))
    rows: list[Json] = []
    for place, (submission, sheet) in enumerate(scored, 1):
        value = _primary_value(sheet, columns)
        is_tied = bool(rows) and value == _primary_value(scored[place - 2][1], columns)
        rank = rows[-1]["rank"] if is_tied else place
        rows.append({"rank": rank, **_row_json(submission), **_cells_json(sheet, columns, axes, task)})
    return {
        "task": task.id,
        "gold": {
            "version": facts.version,
            "kind": facts.kind,
            "is_sample": facts.is_sample,
            "fingerprint": facts.fingerprint,
        },
        "topics": _n_ranked(facts),
        "listed": n_listed(facts),
        "digits": shown_digits(facts),
        "columns": [
            {"id": c.id, "measure": c.measure, "label": c.label, "mean": c.mean, "is_primary": c.is_primary}
            for c in columns
        ],
        "axes": axes,
        "measures": list(task.measure_names),
        "rows": rows,
    }


def noted_moves(board: Json, shown: Json | None) -> Json:
    """Return a board on whose rows stands, where another gold moved them, where they stood on the last one.

    `shown` is the board before. What it notes of the same gold stays; generated gold is not compared with.
    """
    if shown is None or not shown["rows"]:
        return board
    is_other = shown["gold"]["fingerprint"] != board["gold"]["fingerprint"]
    if is_other and shown["gold"]["is_sample"]:
        return board
    was = {
        row["id"]: {"rank": row["rank"], "score": row["scores"][0], "gold": shown["gold"]["version"]}
        if is_other
        else row.get("was")
        for row in shown["rows"]
    }
    rows = []
    for row in board["rows"]:
        note = was.get(row["id"])
        has_moved = note and (not is_other or note["rank"] != row["rank"])
        rows.append({**row, "was": note} if has_moved else row)
    return {**board, "rows": rows}


def with_own_certainty(board: Json, sheet: ScoreSheet, row: Mapping[str, Any] | None) -> Json:
    """Return a board of one run with the intervals of its sheet, if any, and the rank interval of its row, if any."""
    if not sheet.certainty:
        return board
    intervals, slices = sheet.certainty["intervals"], sheet.certainty["slices"]
    sure = {
        "intervals": [intervals.get(column["id"]) for column in board["columns"]],
        "slice_intervals": {
            axis["id"]: [slices.get(axis["id"], {}).get(value["id"]) for value in axis["values"]]
            for axis in board["axes"]
        },
        "rank_interval": row and row.get("rank_interval"),
    }
    return {**board, "rows": [{**board["rows"][0], **sure}]}


def columns_of(task: Task) -> tuple[Column, ...]:
    """Return the columns of a task's board: the primary measure, the others in card order, then the plain topic mean.

    All measures are averaged as the card says, but group measures over their groups; the last column stands there only
    where the card averages over an axis.
    """
    measures = sorted(task.measures, key=lambda measure: not measure.is_primary)
    columns = [Column(m.name, m.name, m.label, "groups" if m.is_group else task.mean, m.is_primary) for m in measures]
    if task.macro_axis is not None:
        primary = task.primary
        columns.append(Column(f"{primary.name}:topics", primary.name, primary.label, "topics", is_primary=False))
    return tuple(columns)


def shut(evaluation: Mapping[str, Any], task: Task) -> Json:
    """Return what sealed gold may show of an evaluation over its live half: rounded values, no small slices, no more.

    The worker does this before anything is written to the books, so that whoever reads them later finds nothing finer.
    A slice is rounded to the digits that its own number of topics allows.
    """
    n_topics = evaluation["topics"]
    digits = sealed_digits(n_topics)
    slices: Json = {}
    for axis, values in evaluation.get("slices", {}).items():
        counts = {value: cell["topics"] for value, cell in values.items()}
        shown = shown_values(counts, n_topics, task)
        slices[axis] = {value: _rounded_cell(values[value]) for value in values if value in shown}
    return {
        **{key: evaluation[key] for key in ("topics", "depth") if key in evaluation},
        "means": _rounded(evaluation.get("means", {}), digits),
        "macro": {axis: _rounded(means, digits) for axis, means in evaluation.get("macro", {}).items()},
        "slices": slices,
    }


def sealed_digits(n_topics: int) -> int:
    """Return the decimals that a mean over so many topics may show on sealed gold: floor(log10 n), at most 3."""
    return min(MOST_DIGITS, len(str(max(1, n_topics))) - 1)


def shown_digits(facts: GoldFacts) -> int:
    """Return the decimals that the numbers over all topics of a board have, wherever they are shown."""
    return sealed_digits(_n_ranked(facts)) if facts.kind == "sealed" else MOST_DIGITS


def shown_values(counts: Mapping[str, int], n_topics: int, task: Task) -> frozenset[str]:
    """Return the values of an axis that have enough topics to show a number.

    On sealed gold the hidden rest must be large enough too, or the shown slices and the mean over all topics would give
    it away by subtraction; the smallest shown slices are hidden until it is. (Where every topic has one value; an axis
    whose topics have several needs the check that looks at the topics themselves.)
    """
    least = task.limits.min_slice_topics
    shown = {value: n for value, n in counts.items() if n >= least}
    if task.gold == "sealed" and sum(counts.values()) == n_topics:
        while 0 < n_topics - sum(shown.values()) < least:
            del shown[min(shown, key=lambda value: (shown[value], value))]
    return frozenset(shown)


def n_listed(facts: GoldFacts) -> int:
    """Return the number of topics of which a board says how many a run answers.

    On sealed gold these are all of the public list: among the live ones alone, the count of a run that answers a chosen
    few would tell which of them are live.
    """
    if facts.kind != "sealed" or facts.n_listed is None:
        return facts.n_topics
    return facts.n_listed


def utc_text(moment: datetime) -> str:
    """Return a moment in UTC as boards write it: 2026-01-31T08:00:00Z."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _n_ranked(facts: GoldFacts) -> int:
    """Return the number of topics that the board ranks by: the live half where there are two."""
    return facts.n_topics if facts.n_live is None else facts.n_live


def _primary_value(sheet: ScoreSheet, columns: Sequence[Column]) -> float:
    value = sheet.value(columns[0].measure, columns[0].mean)
    return -1.0 if value is None else value


def _axis_json(axis: Axis, task: Task, facts: GoldFacts) -> Json:
    is_sealed = facts.kind == "sealed"
    known = {value: (n_topics, n_groups) for value, n_topics, n_groups in facts.axes.get(axis.id, ())}
    shown = shown_values({value: n for value, (n, _) in known.items()}, _n_ranked(facts), task)
    return {
        "id": axis.id,
        "ordinal": axis.is_ordinal,
        "chart": axis.chart,
        "values": [
            {
                "id": value,
                "topics": known[value][0],
                "groups": known[value][1],
                "enough": value in shown,
                "digits": sealed_digits(known[value][0]) if is_sealed else MOST_DIGITS,
            }
            for value in axis.sorted_values(set(known))
        ],
    }


def _row_json(submission: Submission) -> Json:
    form = submission.form
    published_at = submission.published_at
    return {
        "id": submission.id,
        "system": submission.system_id,
        "name": form.name,
        "version": form.version,
        "params_millions": form.params_millions,
        "open_weights": form.open_weights,
        "is_baseline": submission.is_baseline,
        "is_sample": submission.is_sample,
        "run_type": form.run_type,
        "link": form.link or None,
        "submitted_at": utc_text(submission.submitted_at),
        "published_at": utc_text(published_at) if published_at else None,
    }


def _cells_json(sheet: ScoreSheet, columns: Sequence[Column], axes: Sequence[Json], task: Task) -> Json:
    slices = sheet.evaluation.get("slices", {})
    return {
        "answered": sheet.n_answered,
        "scores": [sheet.value(column.measure, column.mean) for column in columns],
        "slices": {
            axis["id"]: [
                _slice_json(slices.get(axis["id"], {}).get(value["id"]), value["enough"], task)
                for value in axis["values"]
            ]
            for axis in axes
        },
    }


def _slice_json(cell: Mapping[str, Any] | None, is_enough: bool, task: Task) -> list[float | None] | None:
    if cell is None or not is_enough:
        return None
    return [cell.get(name) for name in task.measure_names]


def _rounded_cell(cell: Mapping[str, Any]) -> Json:
    counts = {key: cell[key] for key in ("topics", "groups") if key in cell}
    scores = {key: value for key, value in cell.items() if key not in counts}
    return {**counts, **_rounded(scores, sealed_digits(cell["topics"]))}


def _rounded(scores: Mapping[str, float | None], digits: int) -> Json:
    return {name: None if value is None else round(value, digits) for name, value in scores.items()}
