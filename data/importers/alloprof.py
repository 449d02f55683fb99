"""Import Alloprof: `python -m data.importers.alloprof SOURCE OUT` writes the gold packages of its three targets.

SOURCE is a copy of the repository mila-aia/alloprof-data, or a folder with its `alloprof.csv`. The columns `answer`
(it holds the links that are the gold) and `user` (the authors are minors) are never kept.
"""

import argparse
import csv
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from data.package import write_package
from evaluation import UNSPECIFIED, GoldError

VERSION = "2023.1"
PLACES = ("data/alloprof.csv", "alloprof.csv", "alloprof/alloprof.csv")
TARGETS = ("pages", "questions", "both")
COLUMNS = ("id", "language", "images", "relevant", "is_query", "subject", "grade")
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg", ".heic")
FIELD_BYTES = 1 << 27  # a row may list thousands of candidates

_PAGE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-[a-z]{2}")
_QUESTION = re.compile(r"[0-9]+")
# GradeID and CategoryID of the repository's own lists, and their names without accents
_SUBJECTS = {
    "mathematics": ("8", "13", "mathematiques", "mathematics", "math"),
    "french": ("5", "22", "francais", "french"),
    "english": ("2", "14", "anglais", "english"),
    "science": ("11", "16", "sciences", "science"),
    "physics": ("10", "17", "physique", "physics"),
    "chemistry": ("3", "18", "chimie", "chemistry"),
    "history": ("7", "15", "histoire", "history"),
    "geography": ("6", "19", "geographie", "geography"),
    "contemporary-world": ("9", "20", "monde contemporain", "contemporary world", "contemporary_world"),
    "financial-education": ("4", "21", "education financiere", "financial education", "financial_ed"),
    "other": ("12", "23", "autre", "other"),
}
_SUBJECT_OF = {name: subject for subject, names in _SUBJECTS.items() for name in names}
_GRADE_OF = {
    **{name: f"primary-{n}" for n in range(1, 7) for name in (str(n), f"primaire {n}")},
    **{name: f"secondary-{n}" for n in range(1, 6) for name in (str(n + 6), f"secondaire {n}")},
    **dict.fromkeys(("12", "post-secondaire"), "post-secondary"),
    # a user, a parent, a teacher: not a grade of a school
    **dict.fromkeys(("0", "13", "14", "utilisateur", "parent", "enseignant"), UNSPECIFIED),
}


@dataclass(slots=True)
class Question:
    """A student's question: its attributes, and the ids that its accepted explanations link to."""

    row: Mapping[str, Any]
    linked: dict[str, None]


@dataclass(frozen=True, slots=True)
class Upstream:
    """What the file holds: questions by id, the ids of all its documents, and what was odd."""

    questions: Mapping[str, Question]
    doc_ids: frozenset[str]
    odd: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What went into one package and what stayed out, with counts."""

    target: str
    n_topics: int
    n_judgements: int
    dropped: Mapping[str, int]

    @property
    def lines(self) -> tuple[str, ...]:
        """Say it in English, one fact a line."""
        return (
            f"alloprof-{self.target}: {self.n_topics} topics, {self.n_judgements} judgements",
            *(f"  {count} {what}" for what, count in self.dropped.items() if count),
        )


def read_upstream(path: Path) -> Upstream:
    """Read the file once. Raises GoldError naming file and line where it is not what upstream publishes."""
    questions: dict[str, Question] = {}
    doc_ids: set[str] = set()
    odd: Counter[str] = Counter()
    for line, row in _rows(path):
        topic_id = row["id"].strip()
        if not _PAGE.fullmatch(topic_id) and not _QUESTION.fullmatch(topic_id):
            _refuse(path, line, "the id is neither a page (uuid-language) nor a question (a number)")
        doc_ids.add(topic_id)
        if row["is_query"].strip().lower() not in ("true", "1", "1.0"):
            continue
        linked = dict.fromkeys(_split(row["relevant"]))
        if topic_id in questions:
            # one row for each accepted explanation
            odd["further rows of a question: their links were added to its first row"] += 1
            questions[topic_id].linked.update(linked)
        else:
            questions[topic_id] = Question(_attributes(topic_id, row, odd), linked)
    if not questions:
        _refuse(path, 0, "no row has is_query = True")
    return Upstream(questions, frozenset(doc_ids), odd)


def import_alloprof(upstream: Upstream, package: Path, target: str, *, version: str = VERSION) -> ImportReport:
    """Write the gold package of one target: reference pages, past questions, or both."""
    dropped: Counter[str] = Counter(upstream.odd)
    judgements: dict[str, dict[str, int]] = {}
    for topic_id, question in upstream.questions.items():
        kept = {}
        for doc_id in question.linked:
            reason = _reason(doc_id, topic_id, target, upstream.doc_ids)
            if reason:
                dropped[reason] += 1
            else:
                kept[doc_id] = 1
        if kept:
            judgements[topic_id] = kept
        else:
            dropped["questions without a document of this target: left out, they cannot be scored"] += 1
    if not judgements:
        raise GoldError(
            "import_file", {"target": target}, f"alloprof.csv: no question links to a document of {target}."
        )
    write_package(package, judgements, [upstream.questions[one].row for one in judgements], version=version)
    return ImportReport(target, len(judgements), sum(map(len, judgements.values())), dropped)


def main(arguments: Sequence[str] | None = None) -> int:
    """Import and print the report; 0 done, 1 the source cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m data.importers.alloprof", description=__doc__.split("\n")[0])
    parser.add_argument("source", type=Path, help="a copy of mila-aia/alloprof-data, or a folder with alloprof.csv")
    parser.add_argument("out", type=Path, help="gold folder; the packages are written to OUT/alloprof-<target>")
    parser.add_argument("--target", choices=TARGETS, action="append", help="one target; repeat it (default: all three)")
    parser.add_argument("--gold-version", default=VERSION, help=f"version that boards name (default {VERSION})")
    options = parser.parse_args(arguments)
    try:
        upstream = read_upstream(_find(options.source))
        for target in options.target or TARGETS:
            package = options.out / f"alloprof-{target}"
            report = import_alloprof(upstream, package, target, version=options.gold_version)
            print("\n".join((*report.lines, f"  written to {package}")))
    except GoldError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _reason(doc_id: str, topic_id: str, target: str, doc_ids: frozenset[str]) -> str:
    """Say why a linked id is no judgement of a target, "" if it is one."""
    is_page, is_question = bool(_PAGE.fullmatch(doc_id)), bool(_QUESTION.fullmatch(doc_id))
    if not is_page and not is_question:
        return "links that are no id (such as http:): dropped"
    if doc_id == topic_id:
        return "links of a question to itself: dropped"
    if target == "pages" and is_question:
        return "links to past questions: not of this target"
    if target == "questions" and is_page:
        return "links to pages: not of this target"
    if doc_id not in doc_ids:
        return "links to documents that the corpus does not have: dropped"
    return ""


def _attributes(topic_id: str, row: Mapping[str, str], odd: Counter[str]) -> dict[str, Any]:
    grades = _known(row["grade"], _GRADE_OF, odd, "grades of another name: kept as unspecified")
    subjects = _known(row["subject"], _SUBJECT_OF, odd, "subjects of another name: kept as unspecified")
    levels = dict.fromkeys(grade.rsplit("-", 1)[0] if grade[-1].isdigit() else grade for grade in grades)
    links = _split(row["images"])
    images = [link for link in links if link.lower().split("?")[0].endswith(IMAGES)]
    odd["links in the column images that are no image: not counted as one"] += len(links) - len(images)
    return {
        "topic_id": topic_id,
        "grade": list(grades),
        "level": list(levels),
        "subject": list(subjects),
        "language": row["language"].strip().lower() or UNSPECIFIED,
        "has_image": "yes" if images else "no",
    }


def _known(text: str, names: Mapping[str, str], odd: Counter[str], what: str) -> tuple[str, ...]:
    """Return the values that a `;` list names, each once; a question may carry several."""
    found: dict[str, None] = {}
    for one in _split(text):
        plain = unicodedata.normalize("NFD", one.removesuffix(".0").lower())
        value = names.get("".join(sign for sign in plain if not unicodedata.combining(sign)))
        odd[what] += value is None
        found[value or UNSPECIFIED] = None
    return tuple(found) or (UNSPECIFIED,)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows with the line that each ends on."""
    before = csv.field_size_limit(FIELD_BYTES)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            if stream.read(24).startswith("version https://git-lfs"):
                _refuse(path, 1, "is a pointer of Git LFS, not the data; fetch it with: git lfs pull")
            stream.seek(0)
            reader = csv.DictReader(stream)
            missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                _refuse(path, 1, f"has no column {', '.join(missing)}")
            for row in reader:
                if None in row or None in row.values():
                    _refuse(path, reader.line_num, "has another number of columns than the heading")
                yield reader.line_num, row
    except (csv.Error, UnicodeDecodeError) as error:
        _refuse(path, 0, f"is not a CSV file in UTF-8 ({error})")
    finally:
        csv.field_size_limit(before)


def _find(source: Path) -> Path:
    for place in PLACES:
        if (source / place).is_file():
            return source / place
    raise GoldError("import_missing", {"file": PLACES[0]}, f"{source}: found none of {', '.join(PLACES)}.")


def _refuse(path: Path, line: int, problem: str) -> NoReturn:
    where = f"{path.name}, line {line}" if line else path.name
    raise GoldError("import_file", {"file": path.name, "line": line}, f"{where}: {problem}.")


if __name__ == "__main__":
    sys.exit(main())
