"""Read a table of any common layout as rows with their line: JSON lines, CSV, tab columns, Parquet, TREC topics.

Plain or gzip. What cannot be read is refused with file and line; what stands there is the host's to judge.
"""

import csv
import gzip
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from data.parquet import read_columns
from evaluation import GoldError

Row = dict[str, Any]
TABLES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".trec", ".txt", ".tab", ".xml", ".sgml", ".topics")

_TOPIC = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r"<(\w+)>\s*(?:Number:|Topic:|Description:|Narrative:)?\s*([^<]*)", re.IGNORECASE)


def layout_of(path: Path) -> str:
    """Return the ending that says how a file is laid out, without ".gz"."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def rows(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield each row with its line (of Parquet: its number). Raises GoldError naming file and line."""
    layout = layout_of(path)
    if layout == ".parquet":
        columns = read_columns(path)
        for number, values in enumerate(zip(*columns.values(), strict=True), 1):
            yield number, dict(zip(columns, values, strict=True))
        return
    text = _text(path)
    if layout in (".jsonl", ".ndjson"):
        yield from _json_rows(path, text)
    elif layout == ".json":
        yield from _json_list(path, text)
    elif layout == ".csv":
        yield from _csv_rows(path, text, ",")
    elif "<top>" in text[:4000].lower():
        yield from _trec_topics(text)
    else:
        yield from _csv_rows(path, text, "\t")


def lines(path: Path) -> bytes:
    """Return the bytes of a text file, unpacked."""
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    except (OSError, EOFError) as error:
        refuse(path, 0, f"cannot be read ({type(error).__name__})")


def refuse(path: Path, line: int, problem: str) -> NoReturn:
    """Raise GoldError for a file and a line of it (0: the whole file)."""
    where = f"{path.name}, line {line}" if line else path.name
    if line and layout_of(path) == ".parquet":
        where = f"{path.name}, row {line}"
    raise GoldError("import_file", {"file": path.name, "line": line}, f"{where}: {problem}.")


def _text(path: Path) -> str:
    raw = lines(path)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        refuse(path, raw[: error.start].count(b"\n") + 1, "is not UTF-8; save the file as UTF-8")


def _json_rows(path: Path, text: str) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            refuse(path, number, f"is not JSON ({error}); write one object a line")
        if not isinstance(row, dict):
            refuse(path, number, f"is a {type(row).__name__}, expected an object with named fields")
        yield number, row


def _json_list(path: Path, text: str) -> Iterator[tuple[int, Row]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        yield from _json_rows(path, text)
        return
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        refuse(path, 0, "expected a list of objects, or one object a line (JSON lines)")
    yield from enumerate(found, 1)


def _csv_rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, Row]]:
    source = io.StringIO(text, newline="")
    if delimiter == ",":
        reader = csv.reader(source, strict=True)
    else:
        reader = csv.reader(source, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    try:
        heading = next(reader, [])
        if len(set(heading)) != len(heading):
            refuse(path, 1, "two columns have the same name")
        if delimiter == "\t" and len(heading) == 2 and not any(name.lower() in _KNOWN for name in heading):
            # MS MARCO's topics: an id and a text, without a heading
            yield 1, {"topic_id": heading[0], "text": heading[1]}
            heading = ["topic_id", "text"]
        for cells in reader:
            if len(cells) > len(heading) or (cells and len(cells) < len(heading)):
                refuse(path, reader.line_num, f"has {len(cells)} columns, expected {len(heading)} as in the heading")
            if cells:
                yield reader.line_num, dict(zip(heading, cells, strict=True))
    except csv.Error as error:
        refuse(path, reader.line_num, f"is not a table with {'commas' if delimiter == ',' else 'tabs'} ({error})")


_KNOWN = frozenset(("topic_id", "_id", "id", "qid", "query_id", "query-id", "text", "query", "title", "topic"))


def _trec_topics(text: str) -> Iterator[tuple[int, Row]]:
    for match in _TOPIC.finditer(text):
        fields = {name.lower(): " ".join(value.split()) for name, value in _FIELD.findall(match.group(1))}
        yield text.count("\n", 0, match.start()) + 1, {"topic_id": fields.get("num", ""), "text": fields.get("title")}
