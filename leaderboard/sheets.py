"""What the books hold of an evaluation: all of it and how sure it is on open gold, the rounded live half on sealed.

Runs in the worker alone. Nothing of a single topic is in what comes out.
"""

from collections.abc import Callable

import numpy as np

from data.task import Task
from evaluation import Evaluation, Floats, RunReading, seed_of, tie_extremes
from leaderboard.certainty import with_certainty
from leaderboard.standings import Json, columns_of, make_board, shut
from leaderboard.submissions import ScoreSheet, Submission
from leaderboard.topic_tables import scores_of, topic_values
from leaderboard.vault import Opened


def sealed_sheet(task: Task, opened: Opened, reading: RunReading, live: Evaluation) -> ScoreSheet:
    """Return the sheet of a run on sealed gold; `live` is over the live half, counts are over the public list."""
    version, n_listed = opened.facts.version, len(opened.topic_ids)
    return ScoreSheet(version, n_listed, reading.report.n_topics, shut(live.to_json(), task))


def open_sheet(submission: Submission, task: Task, opened: Opened, scored: Evaluation, ties: Json | None) -> ScoreSheet:
    """Return the sheet of a run on open gold, with its intervals and what its ties leave open.

    The intervals are those that its row would have: every row of a board is resampled with the same draws.
    """
    plain = ScoreSheet(opened.facts.version, scored.n_topics, scored.n_answered, scored.to_json())
    board = make_board([(submission, plain)], task, opened.facts)
    values = topic_values(task, opened, [scores_of(scored)])
    [row] = with_certainty(board, values, [0], seed=seed_of(opened.facts.version))["rows"]
    certainty = {
        "intervals": dict(zip([column["id"] for column in board["columns"]], row["intervals"], strict=True)),
        "slices": {
            axis["id"]: dict(
                zip([value["id"] for value in axis["values"]], row["slice_intervals"][axis["id"]], strict=True)
            )
            for axis in board["axes"]
        },
    }
    evaluation = {**plain.evaluation, "certainty": certainty, "ties": ties}
    return ScoreSheet(plain.gold_version, plain.n_topics, plain.n_answered, evaluation)


def tie_range(task: Task, reading: RunReading, score: Callable[[RunReading], Evaluation]) -> Json | None:
    """Return between which ends equal scores leave the ranking measure open, and in how many topics or groups.

    None where they change nothing. `score` scores a reading as the run itself was scored.
    """
    if reading.hits is None or not (reading.hits.first < reading.hits.last).any():
        return None
    worst, best = (score(extreme) for extreme in tie_extremes(reading))
    measure = task.primary.name
    ends = [_by_topic(evaluation, measure) for evaluation in (worst, best)]
    n_open = int(np.count_nonzero(ends[0] < ends[1]))
    if not n_open:
        return None
    column = columns_of(task)[0]
    low, high = (
        ScoreSheet(task.version, one.n_topics, one.n_answered, one.to_json()).value(measure, column.mean)
        for one in (worst, best)
    )
    return {"n": n_open, "low": low, "high": high}


def _by_topic(evaluation: Evaluation, measure: str) -> Floats:
    kept = scores_of(evaluation)
    return kept.by_topic[measure] if measure in kept.by_topic else kept.by_group[measure]
