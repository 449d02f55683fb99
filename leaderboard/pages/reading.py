"""Turn what a page or a script sends into the types of the hall; judging it is the work of the intake."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.submissions import FieldProblem, SystemForm

FIELDS: tuple[str, ...] = tuple(column.name for column in dataclasses.fields(SystemForm))
_PARAMS = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+|,[0-9]{1,2}|,[0-9]{4,})?)\s*(?P<unit>[kK]|[mM]|[bB]|[mM][dD])?")
_UNITS: Mapping[str, float] = {"k": 0.001, "m": 1.0, "b": 1000.0, "md": 1000.0}
WEIGHTS: Mapping[str, bool | None] = {"yes": True, "no": False, "unsaid": None}


def read_fields(values: Sequence[Any]) -> SystemForm:
    """Read the inputs of the page, one value a field in the order of `FIELDS`; an empty input is an empty text."""
    given = dict(zip(FIELDS, values, strict=True))
    for name in ("name", "version", "link", "training_note", "licence", "note"):
        given[name] = given[name] or ""
    given["params_millions"] = read_params(given["params_millions"])
    given["open_weights"] = WEIGHTS.get(given["open_weights"])
    given["run_is_public"] = bool(given["run_is_public"])
    return SystemForm(**given)


def write_fields(form: SystemForm) -> list[Any]:
    """Return the values of the page's inputs for a form, in the order of `FIELDS`."""
    shown = {value: name for name, value in WEIGHTS.items()}
    params = "" if form.params_millions is None else f"{form.params_millions:g}"
    special = {"open_weights": shown[form.open_weights], "params_millions": params}
    return [special[name] if name in special else getattr(form, name) for name in FIELDS]


def fill_empty(values: Sequence[Any], found: SystemForm) -> list[Any]:
    """Return the inputs with what a header says put where nothing was written yet; what somebody typed stays."""
    blank = write_fields(SystemForm(name=""))
    return [
        new if old in (None, "", empty) else old
        for old, new, empty in zip(values, write_fields(found), blank, strict=True)
    ]


def read_params(text: Any) -> Any:
    """Read a number of parameters, in millions or with a unit: "568", "568 M", "7.1 B", "7,1 Md"; None for nothing.

    What is no such number comes back as it is, for the intake to refuse; so does "1,000", which is read in two ways.
    """
    found = _PARAMS.fullmatch(str(text or "").strip())
    if not found:
        return text or None
    return float(found["number"].replace(",", ".")) * _UNITS[(found["unit"] or "m").lower()]


def read_object(given: Any) -> tuple[SystemForm | None, tuple[FieldProblem, ...]]:
    """Read the form of a script: an object with some of `FIELDS`. Unknown fields and other shapes are problems."""
    if not isinstance(given, Mapping):
        return None, (FieldProblem("form", "not-an-object"),)
    strange = [name for name in given if name not in FIELDS]
    if strange:
        return None, tuple(FieldProblem("form", "unknown-field", {"found": str(name)[:40]}) for name in strange[:5])
    return SystemForm(**{"name": "", **given}), ()
