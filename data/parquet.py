"""Parquet gold files as the text files that the scales read, so that one reader checks every layout."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from evaluation import GoldError

TOPIC_COLUMNS = ("topic_id", "query-id", "query_id", "qid", "topic")
DOCUMENT_COLUMNS = ("doc_id", "corpus-id", "corpus_id", "pid", "docid", "docno", "document")
GRADE_COLUMNS = ("grade", "score", "relevance", "label", "rel")
BATCH_ROWS = 10_000


def as_qrels(path: Path) -> BinaryIO:
    """Return judgements as tab columns under a heading; line n + 1 is row n. Raises GoldError where one is missing."""
    columns = read_columns(path)
    names = [_column(path, columns, known) for known in (TOPIC_COLUMNS, DOCUMENT_COLUMNS, GRADE_COLUMNS)]
    rows = zip(*(columns[name] for name in names), strict=True)
    lines = ["topic\tdocument\tgrade\n", *("\t".join(str(value) for value in row) + "\n" for row in rows)]
    return io.BytesIO("".join(lines).encode())


def as_topics(path: Path) -> BinaryIO:
    """Return a topic table as JSON lines; line n is row n. Raises GoldError without a column of topic ids."""
    columns = read_columns(path)
    topic_column = _column(path, columns, TOPIC_COLUMNS)
    ids = [str(value) for value in columns[topic_column]]
    others = {name: values for name, values in columns.items() if name != topic_column}
    lines = [
        json.dumps({"topic_id": topic_id, **{name: values[row] for name, values in others.items()}}, default=str) + "\n"
        for row, topic_id in enumerate(ids)
    ]
    return io.BytesIO("".join(lines).encode())


def read_columns(path: Path) -> Mapping[str, list[Any]]:
    """Return every column of a Parquet file. Raises GoldError where it is none."""
    # datasets takes up to a second and 146 MB to import, and only a worker whose gold is Parquet needs it
    from datasets import load_dataset  # noqa: PLC0415

    columns: dict[str, list[Any]] = {}
    try:
        # streamed: anything else leaves a second copy of the gold in the library's cache
        rows = load_dataset("parquet", data_files=[str(path)], split="train", streaming=True)
        for batch in rows.iter(batch_size=BATCH_ROWS):
            for name, values in batch.items():
                columns.setdefault(name, []).extend(values)
    except Exception as error:
        kind = type(error).__name__
        message = f"{path.parent.name}/{path.name}: is not a Parquet file that can be read ({kind})."
        raise GoldError("gold_unreadable", {"file": path.name, "cause": kind}, message) from None
    return columns


def _column(path: Path, columns: Mapping[str, list[Any]], known: tuple[str, ...]) -> str:
    for name in known:
        if name in columns:
            return name
    message = f"{path.parent.name}/{path.name}: no column named {' or '.join(known)}; found {', '.join(columns)}."
    raise GoldError("gold_column", {"file": path.name, "expected": known[0]}, message)
