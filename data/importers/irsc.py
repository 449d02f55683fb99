"""Import IRSC: `python -m data.importers.irsc SOURCE OUT --mapping FILE` writes the gold package `OUT/irsc`.

The layout of the upstream repository is not fixed, so a mapping file (TOML) names its files and columns:

    [topics]
    files = ["topics.jsonl"]          # JSON lines, CSV, tab columns or Parquet
    id = "id"
    query_type = "type"
    query_language = "query_lang"
    document_language = "doc_lang"

    [qrels]
    files = ["qrels.tsv"]             # four TREC columns (.trec), or a table with
    topic = "query-id"
    document = "corpus-id"
    grade = "score"

    [query_types]                     # upstream's word = query, title, part, keyword or summary
    question = "query"

    [languages]                       # upstream's word = en or zh
    english = "en"

A topic's language is that of the query where the documents have the same, else "mixed".
"""

import argparse
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.faults import Faults
from data.importers.layouts import Columns, read_judgements
from data.importers.tables import layout_of, refuse, rows
from data.package import write_package
from data.task.table import CardTable
from evaluation import CardError, GoldError

VERSION = "2024.1"
QUERY_TYPES = ("query", "title", "part", "keyword", "summary")
LANGUAGES = ("en", "zh")
MIXED = "mixed"
ATTRIBUTES = ("query_type", "query_language", "document_language")


@dataclass(frozen=True, slots=True)
class Layout:
    """What the mapping file says: files, columns, and what upstream's words mean."""

    topic_files: tuple[Path, ...]
    qrels_files: tuple[Path, ...]
    topic_columns: Mapping[str, str]
    qrels_columns: Columns | None
    words: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What went into the package and what stayed out, with counts."""

    n_topics: int
    n_judgements: int
    slices: Mapping[str, Mapping[str, int]]
    dropped: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """Say it in English, one fact a line."""
        listed = (
            f"{axis}: {', '.join(f'{value} {count}' for value, count in counts.items())}"
            for axis, counts in self.slices.items()
        )
        return (f"{self.n_topics} topics, {self.n_judgements} judgements", *listed, *self.dropped)


def read_mapping(path: Path, source: Path) -> Layout:
    """Read a mapping file. Raises CardError naming every key that is wrong."""
    try:
        values = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CardError("card_syntax", {"file": path.name}, f"{path.name} cannot be read ({error}).") from None
    card = CardTable(values, path.name, ())
    read = card.attempt
    topics, qrels = card.table("topics"), card.table("qrels")
    found = {name: read((), _files, table, source) for name, table in (("topics", topics), ("qrels", qrels))}
    columns = {name: read("", topics.text, name) for name in ("id", *ATTRIBUTES)}
    judged = [read("", qrels.text, name, "") for name in ("topic", "document", "grade")]
    words = {
        "query_type": read({}, _words, card.table("query_types"), QUERY_TYPES),
        "language": read({}, _words, card.table("languages"), LANGUAGES),
    }
    for table in (topics, qrels, card):
        table.finish()
    card.faults.raise_all()
    named: Columns | None = ([judged[0]], [judged[1]], [judged[2]]) if all(judged) else None
    return Layout(found["topics"], found["qrels"], columns, named, words)


def import_irsc(mapping: Layout, package: Path, *, version: str = VERSION) -> ImportReport:
    """Write the gold package.

    Raises:
        GoldError: naming file and line of everything that is not as the mapping says.
    """
    faults, dropped = Faults(), list[str]()
    is_trec = layout_of(mapping.qrels_files[0]) == ".trec"
    columns = None if is_trec else mapping.qrels_columns
    qrels = faults.attempt(None, read_judgements, mapping.qrels_files, dropped, columns)
    table = faults.attempt({}, _topics, mapping)
    faults.raise_all()
    judged = [topic_id for topic_id in qrels.topic_ids if topic_id in table]
    if not judged:
        raise GoldError("import_file", {}, "No judged topic is in the topics' files; do the files belong together?")
    n_unjudged, n_unknown = len(table.keys() - set(judged)), qrels.n_topics - len(judged)
    dropped += [f"{n_unjudged} topics without a judgement: dropped, they cannot be scored"] * bool(n_unjudged)
    dropped += [f"{n_unknown} judged topics that the topics' files do not have: dropped"] * bool(n_unknown)
    place = {topic_id: number for number, topic_id in enumerate(qrels.topic_ids)}
    judgements = {
        topic_id: {document.decode(): grade for document, grade in qrels.judged(place[topic_id]).items()}
        for topic_id in judged
    }
    made = [{"topic_id": topic_id, **table[topic_id]} for topic_id in judged]
    write_package(package, judgements, made, version=version)
    return ImportReport(
        len(made),
        sum(map(len, judgements.values())),
        {axis: dict(Counter(row[axis] for row in made).most_common()) for axis in ("query_type", "language")},
        tuple(dropped),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Import and print the report; 0 done, 1 the source cannot be used."""
    about, _, layout = __doc__.partition("\n\n")
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m data.importers.irsc", description=about, epilog=layout, formatter_class=form
    )
    parser.add_argument("source", type=Path, help="folder of the upstream files")
    parser.add_argument("out", type=Path, help="gold folder; the package is written to OUT/TASK")
    parser.add_argument("--mapping", type=Path, required=True, help="TOML file that names files, columns and words")
    parser.add_argument("--task", default="irsc", help="id of the task")
    parser.add_argument("--gold-version", default=VERSION, help=f"version that boards name (default {VERSION})")
    options = parser.parse_args(arguments)
    try:
        mapping = read_mapping(options.mapping, options.source)
        report = import_irsc(mapping, options.out / options.task, version=options.gold_version)
    except (CardError, GoldError) as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join((*report.lines, f"written to {options.out / options.task}")))
    return 0


def _files(table: CardTable, source: Path) -> tuple[Path, ...]:
    names = table.texts("files")
    if not names:
        table.refuse("files", "is missing; expected a list of file names", code="card_key_missing")
    for name in names:
        if not (source / name).is_file():
            table.refuse("files", f"names {name}, which is not in {source}")
    return tuple(source / name for name in names)


def _words(table: CardTable, ours: Sequence[str]) -> dict[str, str]:
    """Return what upstream's words mean; ours mean themselves."""
    return {one: one for one in ours} | {name: table.choice(name, ours) for name in table.names()}


def _topics(mapping: Layout) -> dict[str, dict[str, Any]]:
    """Return the two axes of each topic. Raises GoldError for all rows that are not as the mapping says."""
    made: dict[str, dict[str, Any]] = {}
    faults = Faults()
    for path in mapping.topic_files:
        for line, row in rows(path):
            topic_id, query_type, asked, answered = (
                faults.attempt("", _cell, path, line, row, column) for column in mapping.topic_columns.values()
            )
            types, languages = mapping.words["query_type"], mapping.words["language"]
            kind = faults.attempt("", _meaning, path, line, query_type, types, "query_types")
            spoken = [
                faults.attempt("", _meaning, path, line, one, languages, "languages") for one in (asked, answered)
            ]
            if topic_id in made:
                faults.attempt(None, refuse, path, line, f"topic {topic_id} stands twice; keep one row for each topic")
            made[topic_id] = {"query_type": kind, "language": spoken[0] if spoken[0] == spoken[1] else MIXED}
    faults.raise_all()
    return made


def _cell(path: Path, line: int, row: Mapping[str, Any], column: str) -> str:
    value = row.get(column)
    if value is None or not str(value).strip():
        refuse(path, line, f"has no value in the column {column}; found {', '.join(map(str, row))}")
    return str(value).strip()


def _meaning(path: Path, line: int, word: str, words: Mapping[str, str], table: str) -> str:
    if word and word not in words:
        refuse(path, line, f"{word[:40]!r} is not in [{table}] of the mapping; known: {', '.join(words)}")
    return words.get(word, "")


if __name__ == "__main__":
    sys.exit(main())
