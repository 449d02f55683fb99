"""Find and read the judgements, topics and corpus of a benchmark in the layouts that the field publishes.

TREC (`qrels`, `<top>` topics), BEIR (`qrels/test.tsv`, `queries.jsonl`, `corpus.jsonl`), MTEB's datasets on the Hub
(the same as Parquet), JSON lines, CSV, tab columns, Parquet. Nothing is written here.
"""

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.faults import Faults
from data.importers.tables import TABLES, layout_of, lines, refuse, rows
from data.parquet import DOCUMENT_COLUMNS, GRADE_COLUMNS, TOPIC_COLUMNS
from evaluation import GoldError, Qrels, QrelsFormatError, read_qrels

SPLITS = ("test", "dev", "validation", "train")
QRELS_NAMES = ("qrels", "qrel", "judgements", "judgments", "relevance", "default")
TOPICS_NAMES = ("topics", "queries", "query", "questions", "topic")
CORPUS_NAMES = ("corpus", "documents", "collection", "docs", "passages", "pages")
ID_COLUMNS = ("topic_id", "_id", "query-id", "query_id", "qid", "id", "topic")
DOC_ID_COLUMNS = ("doc_id", "_id", "corpus-id", "corpus_id", "docid", "docno", "pid", "id")
TEXT_COLUMNS = ("text", "query", "question", "contents", "body", "passage")
MOST_DOCUMENTS = 500_000  # whose text is kept

# the names that the columns of topic, document and grade may have
Columns = tuple[Sequence[str], Sequence[str], Sequence[str]]
_KNOWN_COLUMNS: Columns = (TOPIC_COLUMNS, DOCUMENT_COLUMNS, GRADE_COLUMNS)


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of a collection: ids, and texts in the same order (empty where there are too many to keep)."""

    doc_ids: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """What a folder holds: judgements, one row of attributes a topic, the texts of topics, the corpus.

    `dropped` says what was left out or changed on the way, and why, with counts.
    """

    qrels: Qrels
    rows: tuple[Mapping[str, Any], ...]
    texts: Mapping[str, str]
    corpus: Corpus | None
    files: Mapping[str, tuple[Path, ...]]
    dropped: tuple[str, ...]


def read_folder(folder: Path) -> Material:
    """Read a benchmark folder.

    Raises:
        GoldError: naming everything that is wrong, with file and line.
    """
    files = find(folder)
    faults, dropped = Faults(), list[str]()
    qrels = faults.attempt(None, read_judgements, files["qrels"], dropped)
    topics = faults.attempt(({}, {}), _topics, files["topics"], dropped)
    corpus = faults.attempt(None, _corpus, files["corpus"], dropped)
    faults.raise_all()
    attributes, texts = topics
    judged = frozenset(qrels.topic_ids)
    table = [{"topic_id": topic_id, **attributes.get(topic_id, {})} for topic_id in qrels.topic_ids]
    n_unjudged = sum(topic_id not in judged for topic_id in attributes)
    if n_unjudged:
        dropped.append(f"{n_unjudged} topics without a judgement: dropped, they cannot be scored")
    n_without = sum(topic_id not in attributes for topic_id in judged)
    if attributes and n_without:
        dropped.append(f"{n_without} judged topics that the topics file does not have: kept, without attributes")
    return Material(qrels, tuple(table), texts, corpus, files, tuple(dropped))


def find(folder: Path) -> dict[str, tuple[Path, ...]]:
    """Return which files are judgements, topics and corpus. Raises GoldError where there are no judgements."""
    tables = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and len(path.relative_to(folder).parts) <= 4 and not path.name.startswith(".")
    ]
    named = {
        "qrels": _choose([path for path in tables if _is_named(path, folder, QRELS_NAMES)]),
        "topics": _choose([path for path in tables if _is_named(path, folder, TOPICS_NAMES)]),
        "corpus": _choose([path for path in tables if _is_named(path, folder, CORPUS_NAMES)]),
    }
    if not named["qrels"]:
        listed = ", ".join(str(path.relative_to(folder)) for path in tables[:10]) or "no file"
        message = (
            f"{folder}: no judgements. Expected a file such as qrels.trec, qrels.tsv, qrels/test.tsv, qrels.jsonl, "
            f"qrels.csv or qrels/test.parquet; found {listed}."
        )
        raise GoldError("import_missing", {"file": "qrels"}, message)
    return named


def _is_named(path: Path, folder: Path, names: Sequence[str]) -> bool:
    """Tell whether a file, or a folder that it is in, has one of the names; the nearest name decides."""
    if layout_of(path) not in TABLES and "qrel" not in path.name.lower():
        return False
    every = {name: kind for kind in (QRELS_NAMES, TOPICS_NAMES, CORPUS_NAMES) for name in kind}
    for part in reversed(path.relative_to(folder).parts):
        words = part.lower().replace("-", " ").replace("_", " ").replace(".", " ").split()
        kinds = [every[word] for word in words if word in every]
        if kinds:
            return kinds[0] is names
    return False


def _choose(paths: list[Path]) -> tuple[Path, ...]:
    """Keep one split, the test split first, and of that all parts of one layout."""
    for split in SPLITS:
        of_split = [path for path in paths if split in path.as_posix().lower().replace("-", "/").split("/")[-2:][-1]]
        if of_split:
            paths = of_split
            break
    first = min(paths, key=lambda path: (len(path.parts), path.name), default=None)
    if first is None:
        return ()
    if layout_of(first) != ".parquet":
        return (first,)
    return tuple(path for path in paths if path.parent == first.parent and layout_of(path) == ".parquet")


def read_judgements(paths: Sequence[Path], dropped: list[str], columns: Columns | None = None) -> Qrels:
    """Read judgements of any layout; `columns` names those of topic, document and grade where they are not known ones.

    What was dropped or changed is added to `dropped`. Raises GoldError naming file and line.
    """
    path, n_whole, shift = paths[0], 0, 0
    is_table = layout_of(path) in (".parquet", ".csv", ".jsonl", ".ndjson", ".json") or columns is not None
    raw = b"" if is_table else lines(path)
    if not raw or _has_float_grades(raw):
        text, n_whole, shift = _as_tabs(paths, columns or _KNOWN_COLUMNS)
        raw = text.encode()
    try:
        reading = read_qrels(io.BytesIO(raw))
    except QrelsFormatError as error:
        places = [_place(path, fault.line, shift, fault.message, fault.fix) for fault in error.faults]
        n_more = sum(error.more_faults.values())
        more = [f"{path.name}: and {n_more} more."] if n_more else []
        raise GoldError("import_file", {"file": path.name}, "\n".join([*places, *more])) from None
    if reading.n_repeats:
        dropped.append(f"{reading.n_repeats} judgements that repeat an earlier one: dropped")
    if n_whole:
        dropped.append(f"{n_whole} grades written with a decimal point, such as 1.0: read as whole numbers")
    return reading.qrels


def _place(path: Path, line: int | None, shift: int, message: str, fix: str) -> str:
    said = message.split(": ", 1)[1] if line and message.startswith("Line ") else message
    unit = "row" if layout_of(path) == ".parquet" else "line"
    where = f"{path.name}, {unit} {line - shift}" if line else path.name
    return f"{where}: {said} {fix}"


def _has_float_grades(raw: bytes) -> bool:
    """Tell whether the first judgement under a heading has a grade such as 1.0."""
    top = raw[:4000].removeprefix(b"\xef\xbb\xbf").split(b"\n")[:2]
    return len(top) == 2 and len(top[0].split(b"\t")) == 3 and b"." in top[1].split(b"\t")[-1]


def _as_tabs(paths: Sequence[Path], columns: Columns) -> tuple[str, int, int]:
    """Return judgements as tab columns, how many grades were whole numbers with a point, and the shift of the lines."""
    written, n_whole = ["topic\tdocument\tgrade"], 0
    shift = 0 if layout_of(paths[0]) in (".csv", ".tsv", ".txt", ".tab") else 1
    for path in paths:
        for number, row in rows(path):
            values = [_value(path, number, row, known) for known in columns]
            grade = _whole(values[2])
            n_whole += grade != values[2]
            written += [""] * (number + shift - len(written) - 1)
            written.append("\t".join((values[0], values[1], grade)))
    return "\n".join(written) + "\n", n_whole, shift


def _value(path: Path, number: int, row: Mapping[str, Any], known: Sequence[str]) -> str:
    for name in known:
        if row.get(name) is not None:
            value = row[name]
            return json.dumps(value) if isinstance(value, float) else str(value).replace("\t", " ").replace("\n", " ")
    refuse(path, number, f"no column named {' or '.join(known)}; found {', '.join(map(str, row))}")


def _whole(grade: str) -> str:
    """Return "1" for "1.0"; a real fraction stays, and is refused with its line."""
    whole, point, rest = grade.strip().partition(".")
    return whole if point and rest.strip("0") == "" and whole.lstrip("-").isdigit() else grade


def _topics(paths: Sequence[Path], dropped: list[str]) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return the attributes and the text of each topic."""
    attributes: dict[str, dict[str, Any]] = {}
    texts: dict[str, str] = {}
    lines_of: dict[str, int] = {}
    faults = Faults()
    for path, number, row in _all_rows(paths):
        topic_id = faults.attempt(None, _id, path, number, row, ID_COLUMNS)
        if topic_id is None:
            continue
        if topic_id in attributes:
            problem = f"topic {topic_id} stands twice, first on line {lines_of[topic_id]}; keep one row for each topic"
            faults.attempt(None, refuse, path, number, problem)
            continue
        lines_of[topic_id] = number
        attributes[topic_id], text = _attributes(row)
        if text:
            texts[topic_id] = text
    faults.raise_all()
    return attributes, texts


def _all_rows(paths: Sequence[Path]) -> Iterator[tuple[Path, int, Mapping[str, Any]]]:
    for path in paths:
        for number, row in rows(path):
            yield path, number, row


def _id(path: Path, number: int, row: Mapping[str, Any], known: Sequence[str]) -> str:
    topic_id = next((str(row[name]).strip() for name in known if row.get(name) is not None), "")
    if not topic_id or len(topic_id.split()) != 1:
        problem = "no id" if not topic_id else f"the id {topic_id[:40]!r} has a blank in it"
        refuse(path, number, f"{problem}; expected one word in a column named {' or '.join(known)}")
    return topic_id


def _attributes(row: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return what may become an axis (texts, numbers, lists of them; one level of `metadata`), and the topic's text."""
    flat = {**row, **row["metadata"]} if isinstance(row.get("metadata"), dict) else dict(row)
    text = next((str(flat[name]) for name in (*TEXT_COLUMNS, "title") if flat.get(name)), "")
    skipped = {*ID_COLUMNS, *TEXT_COLUMNS, "title", "metadata"}
    kept = {
        name: _split(value)
        for name, value in flat.items()
        if name and name not in skipped and isinstance(value, str | int | float | bool | list)
    }
    return {name: value for name, value in kept.items() if value not in ("", [], None)}, text


def _split(value: Any) -> Any:
    """Return a list of plain values; anything nested is left out."""
    if isinstance(value, list):
        return [one for one in value if isinstance(one, str | int | float | bool)]
    return value


def _corpus(paths: Sequence[Path], dropped: list[str]) -> Corpus | None:
    if not paths:
        return None
    ids: dict[str, str] = {}
    n_repeated, faults = 0, Faults()
    for path, number, row in _all_rows(paths):
        doc_id = faults.attempt(None, _id, path, number, row, DOC_ID_COLUMNS)
        if doc_id is None:
            continue
        n_repeated += doc_id in ids
        words = [str(row[name]) for name in ("title", *TEXT_COLUMNS) if row.get(name)]
        ids.setdefault(doc_id, " ".join(words) if len(ids) < MOST_DOCUMENTS else "")
    faults.raise_all()
    if n_repeated:
        dropped.append(f"{n_repeated} documents whose id stood before: dropped")
    texts = tuple(ids.values()) if len(ids) <= MOST_DOCUMENTS and any(ids.values()) else ()
    return Corpus(tuple(ids), texts)
