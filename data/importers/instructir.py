"""Import InstructIR: `python -m data.importers.instructir SOURCE OUT` writes the gold package `OUT/instructir`.

SOURCE is a copy of the repository kaistAI/InstructIR, its folder INSTRUCTIR, a flat folder of the same files, or the id
of the dataset on the Hub. Topics keep their ids; the group of a topic is its question.
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from data.package import write_package
from evaluation import UNSPECIFIED, GoldError, Qrels, QrelsFormatError, read_qrels

# the revision of kaist-ai/InstructIR that the shipped card names
REVISION = "1615ed0ee07d6d33b0082362f008bfe62041a54b"
VERSION = "2024.1"
QRELS = ("INSTRUCTIR/qrels/test.tsv", "qrels/test.tsv", "qrels_test.tsv")
INSTRUCTIONS = (
    *("INSTRUCTIR/only_instruction_queries.jsonl", "only_instruction_queries.jsonl"),
    *("INSTRUCTIR/queries.jsonl", "queries.jsonl"),
)
QUESTIONS = ("INSTRUCTIR/only_queries.jsonl", "only_queries.jsonl")
QUERY_TYPES = (
    "data_creation/msmarco/filtered_version/queries.jsonl",
    "../data_creation/msmarco/filtered_version/queries.jsonl",
    "msmarco_filtered_queries.jsonl",
)

_HUB_ID = re.compile(r"[\w-][\w.-]*/[\w.-]+")
_SEPARATOR = "[SEP]"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What went into the package and what stayed out."""

    n_topics: int
    n_groups: int
    query_types: Mapping[str, int]
    group_sizes: Mapping[str, int]
    n_without_judgement: int
    n_without_instruction: int
    n_without_query_type: int
    n_other_prefix: int

    @property
    def lines(self) -> tuple[str, ...]:
        """Say it in English, one fact a line; what was dropped comes last and only where there is any."""
        odd = (
            (self.n_without_judgement, "instructions without a judgement: dropped"),
            (self.n_without_instruction, "judged topics without an instruction: dropped"),
            (self.n_without_query_type, "topics whose question has no query type: kept as unspecified"),
            (self.n_other_prefix, "topics whose id does not begin with their question's id: grouped by question"),
        )
        return (
            f"{self.n_topics} topics in {self.n_groups} groups",
            "query types: " + ", ".join(f"{name} {count}" for name, count in self.query_types.items()),
            "group sizes: " + ", ".join(f"{name} {count}" for name, count in self.group_sizes.items()),
            *(f"{count} {what}" for count, what in odd if count),
        )


@dataclass(frozen=True, slots=True)
class _Question:
    id: str
    query_type: str


def import_instructir(source: Path, package: Path, *, version: str = VERSION) -> ImportReport:
    """Read the upstream files of a folder and write a gold package.

    Raises:
        GoldError: naming file and line, where a file is missing or is not what upstream publishes.
    """
    qrels = _qrels(_find(source, QRELS))
    asked = dict(_asked(_find(source, INSTRUCTIONS)))
    questions = _questions(source, asked)
    judged = {topic_id: index for index, topic_id in enumerate(qrels.topic_ids)}
    topic_ids = [topic_id for topic_id in qrels.topic_ids if topic_id in asked]
    if not topic_ids:
        _refuse(_find(source, INSTRUCTIONS), 0, "has none of the judged topics; do the files belong together?")
    sizes = Counter(questions[asked[topic_id]].id for topic_id in topic_ids)
    rows = [_row(topic_id, questions[asked[topic_id]], sizes) for topic_id in topic_ids]
    judgements = {
        topic_id: {document.decode(): grade for document, grade in qrels.judged(judged[topic_id]).items()}
        for topic_id in topic_ids
    }
    write_package(package, judgements, rows, version=version)
    return ImportReport(
        n_topics=len(rows),
        n_groups=len(sizes),
        query_types=dict(Counter(row["query_type"] for row in rows).most_common()),
        group_sizes=dict(sorted(Counter(row["group_size"] for row in rows).items(), key=lambda size: int(size[0]))),
        n_without_judgement=len(asked.keys() - judged.keys()),
        n_without_instruction=qrels.n_topics - len(topic_ids),
        n_without_query_type=sum(row["query_type"] == UNSPECIFIED for row in rows),
        n_other_prefix=sum(row["topic_id"].rpartition("_")[0] != row["group"] for row in rows),
    )


def download(hub_id: str, into: Path, *, revision: str = REVISION, endpoint: str | None = None) -> Path:
    """Copy the files that the importer reads from a public dataset of the Hub. Raises GoldError if that fails."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415

    wanted = [*QRELS, *INSTRUCTIONS, *QUESTIONS, *(path for path in QUERY_TYPES if not path.startswith(".."))]
    try:
        snapshot_download(
            hub_id,
            repo_type="dataset",
            revision=revision,
            allow_patterns=wanted,
            local_dir=into,
            token=False,
            endpoint=endpoint,
        )
    except Exception as error:
        kind = type(error).__name__
        message = (
            f"{hub_id} at {revision[:12]} could not be fetched from the Hub ({kind}). Check id, revision and network."
        )
        raise GoldError("import_hub", {"source": hub_id, "cause": kind}, message) from None
    return into


def main(arguments: Sequence[str] | None = None) -> int:
    """Import and print the report; 0 done, 1 the source cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m data.importers.instructir", description=__doc__.split("\n")[0])
    parser.add_argument(
        "source", help="folder of the upstream files, or a dataset on the Hub such as kaist-ai/InstructIR"
    )
    parser.add_argument("out", type=Path, help="gold folder; the package is written to OUT/TASK")
    parser.add_argument("--task", default="instructir", help="id of the task")
    parser.add_argument("--gold-version", default=VERSION, help=f"version that boards name (default {VERSION})")
    parser.add_argument("--revision", default=REVISION, help="commit of the dataset on the Hub")
    options = parser.parse_args(arguments)
    folder = Path(options.source)
    try:
        with tempfile.TemporaryDirectory(prefix="instructir-") as temporary:
            if not folder.is_dir() and _HUB_ID.fullmatch(options.source):
                folder = download(options.source, Path(temporary), revision=options.revision)
            report = import_instructir(folder, options.out / options.task, version=options.gold_version)
    except GoldError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join((*report.lines, f"written to {options.out / options.task}")))
    return 0


def _find(source: Path, places: Sequence[str]) -> Path:
    for place in places:
        if (source / place).is_file():
            return source / place
    message = (
        f"{source.name}: found none of {', '.join(places)}. Give a copy of the repository or of its INSTRUCTIR folder."
    )
    raise GoldError("import_missing", {"file": places[0]}, message)


def _qrels(path: Path) -> Qrels:
    try:
        with path.open("rb") as stream:
            return read_qrels(stream).qrels
    except QrelsFormatError as error:
        _refuse(path, error.faults[0].line or 0, error.faults[0].code.replace("_", " "))


def _asked(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each topic with the text of its question."""
    for line, row in _objects(path):
        topic_id, text = row.get("_id"), row.get("text")
        metadata = row.get("metadata")
        question = metadata.get("origin_query") if isinstance(metadata, dict) else None
        if question is None and isinstance(text, str) and _SEPARATOR in text:
            question = text.split(_SEPARATOR, 1)[1]
        if not isinstance(topic_id, str) or not isinstance(question, str):
            _refuse(path, line, f"expected _id, and metadata.origin_query or a text with {_SEPARATOR}")
        yield topic_id, question.strip()


def _questions(source: Path, asked: Mapping[str, str]) -> dict[str, _Question]:
    """Return each question by its text: its id upstream, else the part of the topic id before the last underscore."""
    ids = {question: topic_id.rpartition("_")[0] for topic_id, question in asked.items()}
    ids.update(_texts_by(source, QUESTIONS))
    types = _query_types(source)
    return {question: _Question(ids[question], types.get(ids[question], UNSPECIFIED)) for question in asked.values()}


def _texts_by(source: Path, places: Sequence[str]) -> dict[str, str]:
    path = next((source / place for place in places if (source / place).is_file()), None)
    if path is None:
        return {}
    return {str(row.get("text", "")).strip(): str(row.get("_id", "")) for _, row in _objects(path)}


def _query_types(source: Path) -> dict[str, str]:
    """Return MS MARCO's type of each question by its id; none where the source has no such file (the Hub's copy)."""
    path = next((source / place for place in QUERY_TYPES if (source / place).is_file()), None)
    types: dict[str, str] = {}
    for line, row in _objects(path) if path is not None else ():
        metadata = row.get("metadata")
        query_type = metadata.get("query_type") if isinstance(metadata, dict) else None
        if not isinstance(query_type, str) or "_id" not in row:
            _refuse(path or source, line, "expected _id and metadata.query_type")
        types[str(row["_id"])] = query_type
    return types


def _row(topic_id: str, question: _Question, sizes: Mapping[str, int]) -> dict[str, str]:
    return {
        "topic_id": topic_id,
        "group": question.id,
        "query_type": question.query_type,
        "group_size": str(sizes[question.id]),
    }


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open("rb") as stream:
        for line, raw in enumerate(stream, 1):
            if not raw.strip():
                continue
            try:
                row = json.loads(raw)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                _refuse(path, line, "is not a JSON object")
            yield line, row


def _refuse(path: Path, line: int, problem: str) -> NoReturn:
    where = f"{path.name}, line {line}" if line else path.name
    raise GoldError("import_file", {"file": path.name, "line": line}, f"{where}: {problem}.")


if __name__ == "__main__":
    sys.exit(main())
