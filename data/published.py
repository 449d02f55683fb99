"""Numbers reported elsewhere, each with its setting and source; shown beside a board and never ranked with it."""

import csv
import io
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

from data.task import in_language
from data.task.table import did_you_mean, refuse, shown
from evaluation import CardError, UnknownMeasure, parse_measure

FOLDER = Path(__file__).parent / "published"
COLUMNS = ("system", "params_millions", "measure", "value", "setting", "source")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One value in [0, 1] that somebody else reported, under what setting, and where it stands."""

    system: str
    params_millions: float | None
    measure: str
    value: float
    setting: str
    source: str


def read_published(folder: Path, task_id: str) -> tuple[PublishedRow, ...]:
    """Read `<folder>/<task_id>.csv` in its order; a task without such a file has no rows.

    Raises:
        CardError: naming file, line and column where a value is missing or out of range, or a row stands twice.
    """
    path = folder / f"{task_id}.csv"
    if not path.is_file():
        return ()
    file = f"{folder.name}/{path.name}"
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        refuse(file, "", f"is not UTF-8 (byte {error.start}); save it as UTF-8", code="published_syntax")
    reader = csv.reader(io.StringIO(text), strict=True)
    rows: dict[tuple[str, ...], PublishedRow] = {}
    try:
        _check_heading(file, next(reader, []))
        for cells in reader:
            row = _row(file, reader.line_num, cells)
            key = (row.system, row.measure, row.setting, row.source)
            if key in rows:
                _refuse(file, reader.line_num, "system", f"{shown(row.system)} has this measure, setting, source twice")
            rows[key] = row
    except csv.Error as error:
        _refuse(file, reader.line_num, "", f"is not CSV ({error})")
    return tuple(rows.values())


def in_words(text: str, language: str) -> str:
    """Return a part of a setting or of a source in a language; what the list of words lacks stays as it is."""
    for pattern, words in _phrases():
        if found := pattern.fullmatch(text):
            return in_language(words, language).format(*found.groups())
    return text


@cache
def _phrases() -> Sequence[tuple[re.Pattern[str], Mapping[str, str]]]:
    """Read what the tables of this folder say beside their numbers, as patterns of the English, each with all words."""
    listed = tomllib.loads((FOLDER / "words.toml").read_text(encoding="utf-8"))["phrase"]
    return [(re.compile(re.escape(words["en"]).replace(r"\{\}", "(.+?)")), words) for words in listed]


def _check_heading(file: str, heading: list[str]) -> None:
    expected = ",".join(COLUMNS)
    for name in heading:
        if name not in COLUMNS:
            _refuse(file, 1, "", f"has the column {shown(name)}{did_you_mean(name, COLUMNS)}; expected {expected}")
    if tuple(heading) != COLUMNS:
        _refuse(file, 1, "", f"is {shown(','.join(heading))}; expected {expected}")


def _row(file: str, line: int, cells: list[str]) -> PublishedRow:
    if len(cells) != len(COLUMNS):
        _refuse(file, line, "", f"has {len(cells)} columns; expected {len(COLUMNS)} ({','.join(COLUMNS)})")
    system, params, measure, value, setting, source = (cell.strip() for cell in cells)
    for column, text in (("system", system), ("source", source)):
        if not text:
            _refuse(file, line, column, "is empty; every value names its system and its source")
    try:
        parse_measure(measure)
    except UnknownMeasure as error:
        nearest = f'; did you mean "{error.nearest}"?' if error.nearest else ""
        _refuse(file, line, "measure", f"{shown(measure)} is not a measure that the scales know{nearest}")
    return PublishedRow(
        system=system,
        params_millions=_number(file, line, "params_millions", params, most=1e8) if params else None,
        measure=measure,
        value=_number(file, line, "value", value, most=1.0),
        setting=setting,
        source=source,
    )


def _number(file: str, line: int, column: str, text: str, *, most: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    # the comparison is false for nan
    if not 0 <= number <= most:
        _refuse(file, line, column, f"is {shown(text)}; expected a number from 0 to {most:g}")
    return number


def _refuse(file: str, line: int, column: str, problem: str) -> NoReturn:
    where = f"{file}, line {line}, column {column}" if column else f"{file}, line {line}"
    raise CardError(
        "published_value",
        {"file": file, "line": line, "key": column, "problem": problem},
        f"{where}: {problem}.",
    )
