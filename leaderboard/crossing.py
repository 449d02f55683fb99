"""Where two axes of a card cross: the primary measure in every cell, for the charts that show one panel a value.

Pure. Only for open gold: cells are small, and nothing small is shown of sealed gold.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation import Flags
from leaderboard.certainty import DIGITS, TopicValues

Json = dict[str, Any]
Wanted = Mapping[str, str]


def with_crossed(board: Json, values: TopicValues, places: Sequence[int], wanted: Wanted, *, least: int) -> Json:
    """Return a board with the means of the cells of crossed axes.

    Row i of `values` holds the scores of the board's row `places[i]`; `wanted` names for an axis the one whose values
    are its panels. An axis then has `panels`: that axis and the topics of each cell, value by panel; a row has
    `crossed`: for the axis the means in the same order, None under `least` topics and for rows without scores. Nothing
    is added for a measure over groups.
    """
    scores = values.by_topic.get(board["columns"][0]["measure"])
    known = {axis["id"]: axis for axis in board["axes"]}
    pairs = {one: other for one, other in wanted.items() if one in known and other in known}
    if scores is None or not pairs:
        return board
    cells = {one: _cells(known[one], known[other], values) for one, other in pairs.items()}
    counts = {one: [[int(topics.sum()) for topics in row] for row in cells[one]] for one in pairs}
    axes = [
        {**axis, "panels": {"axis": pairs[axis["id"]], "topics": counts[axis["id"]]}} if axis["id"] in pairs else axis
        for axis in board["axes"]
    ]
    row_of = dict(zip(places, scores, strict=True))
    rows = [
        {
            **row,
            "crossed": {
                one: [
                    [
                        round(float(row_of[place][topics].mean()), DIGITS) if place in row_of and n >= least else None
                        for topics, n in zip(line, numbers, strict=True)
                    ]
                    for line, numbers in zip(cells[one], counts[one], strict=True)
                ]
                for one in pairs
            },
        }
        for place, row in enumerate(board["rows"])
    ]
    return {**board, "axes": axes, "rows": rows}


def _cells(axis: Json, panels: Json, values: TopicValues) -> list[list[Flags]]:
    """Return the topics (n_topics,) of each cell, value by panel."""
    own, other = (values.slices[one["id"]] for one in (axis, panels))
    return [[own[value["id"]] & other[panel["id"]] for panel in panels["values"]] for value in axis["values"]]
