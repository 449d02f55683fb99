"""The text of a board for a page: numbers not much longer than they are shown, slices of one axis at most.

The whole text, at full precision, has an address of its own; files are made from it.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import copysign
from typing import Any

_SLICE_KEYS = ("slices", "slice_intervals", "slice_ranks")


@lru_cache(maxsize=32)
def short_text(body: str, axis_id: str = "") -> str:
    """Return a board's text with short numbers and, of the slices, those of one axis; an unknown axis gives none."""
    board = json.loads(body)
    digits = {axis["id"]: [value.get("digits", board["digits"]) for value in axis["values"]] for axis in board["axes"]}
    rows = [_short_row(row, board["digits"], axis_id, digits.get(axis_id, [])) for row in board["rows"]]
    return json.dumps({**board, "rows": rows}, ensure_ascii=False, separators=(",", ":"))


def shortened(value: float | None, shown: int) -> float | None:
    """Round to one decimal more than is shown, for the order of a column, and so that the shown ones stay the same."""
    if value is None:
        return None
    short = round(value, shown + 1)
    if round(short, shown) == round(value, shown):
        return short
    return round(short + copysign(10 ** -(shown + 1), value - short), shown + 1)


def _short_row(row: Mapping[str, Any], digits: int, axis_id: str, value_digits: Sequence[int]) -> dict[str, Any]:
    made = {key: value for key, value in row.items() if key not in _SLICE_KEYS}
    made["scores"] = [shortened(score, digits) for score in row["scores"]]
    if "intervals" in row:
        made["intervals"] = [_short_ends(ends, digits) for ends in row["intervals"]]
    if not value_digits:
        return made
    cells = zip(row["slices"][axis_id], value_digits, strict=True)
    made["slices"] = {axis_id: [cell and [shortened(score, shown) for score in cell] for cell, shown in cells]}
    if "slice_intervals" in row:
        made["slice_intervals"] = {axis_id: [_short_ends(ends, digits) for ends in row["slice_intervals"][axis_id]]}
    if "slice_ranks" in row:
        made["slice_ranks"] = {axis_id: row["slice_ranks"][axis_id]}
    return made


def _short_ends(ends: list[float] | None, digits: int) -> list[float] | None:
    return ends and [round(end, digits) for end in ends]
