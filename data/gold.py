"""Open the gold of one task: judgements, topic attributes, halves and a fingerprint. Only the worker may import this.

No message here repeats a document, a grade or a line of a gold file: file, line and what is wrong are enough for a host
who has the file, and too little for anybody who reads a log.
"""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from data import hub
from data.faults import Faults
from data.fingerprint import fingerprint
from data.lint import GoldNotice, lint
from data.parquet import as_qrels, as_topics
from data.task import Task
from evaluation import (
    Fault,
    GoldError,
    GoldFormatError,
    Qrels,
    QrelsFormatError,
    QrelsReading,
    TopicsFormatError,
    TopicTable,
    read_qrels,
    read_topics,
)

QRELS_FILES = ("qrels.trec", "qrels.tsv", "qrels.parquet")
TOPICS_FILES = ("topics.jsonl", "topics.parquet")
VERSION_FILE = "gold.toml"
FILES = (*QRELS_FILES, *TOPICS_FILES, VERSION_FILE)
HALF = "half"
LIVE, SEALED = "live", "sealed"
UNNAMED_VERSION = "1"
SHOWN_FAULTS = 3

_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class GoldSource:
    """Where gold packages are: a folder, or `hf://datasets/<org>/<repository>` with a pinned revision and a read token.

    `cache` is the private folder for copies from the Hub, which are gold too; a Hub source cannot be opened without it.
    """

    location: str
    revision: str | None = None
    token: str | None = field(default=None, repr=False)
    cache: Path | None = None
    endpoint: str | None = None


@dataclass(frozen=True, slots=True)
class Gold:
    """The judgements of a task, with one row of attributes a judged topic in the same order.

    `live_ids` and `sealed_ids` are None on open gold. `notices` are for the host alone.
    """

    qrels: Qrels
    topics: TopicTable
    version: str
    fingerprint: str
    live_ids: tuple[str, ...] | None
    sealed_ids: tuple[str, ...] | None
    notices: tuple[GoldNotice, ...]

    @property
    def is_sample(self) -> bool:
        """True for gold that the generator made."""
        return self.version == "sample"


def has_gold(task: Task, folder: Path) -> bool:
    """Say whether a folder holds a gold package of the task, whole or not."""
    return any((folder / task.id / name).is_file() for name in QRELS_FILES)


def open_gold(task: Task, source: GoldSource, *, n_shown: int = SHOWN_FAULTS) -> Gold:
    """Read the gold package of a task and check that it fits the card.

    Gold topics are those with at least one judgement, in the order of the judgements. Rows of the topic table without
    one are ignored and counted in the notices.

    Raises:
        GoldError: naming file and line, where a file is missing or wrong, a judged topic lacks a row, a group or a half
            that the task needs, an axis of the card is in no row, or the Hub does not confirm the pinned revision. Of
            each file at most `n_shown` faults are named and the others counted.
    """
    if not task.has_gold:
        raise GoldError("gold_none", {"task": task.id}, f'Task {task.id} has gold = "none": there is nothing to open.')
    reading, table, version = read_package(task.id, _package(task, source), n_shown=n_shown)
    qrels = reading.qrels
    topics, n_ignored = _fit(task, qrels, table)
    axes = {axis.id: topics.axes[axis.id] for axis in task.axes}
    fitted = TopicTable(qrels.topic_ids, topics.groups if task.has_groups else None, axes)
    live, sealed = _halves(task, topics) if task.gold == "sealed" else (None, None)
    return Gold(
        qrels=qrels,
        topics=fitted,
        version=version,
        fingerprint=fingerprint(qrels, topics),
        live_ids=live,
        sealed_ids=sealed,
        notices=lint(
            task,
            qrels,
            fitted if live is None else fitted.subset(live),
            n_ignored=n_ignored,
            n_repeats=reading.n_repeats,
        ),
    )


def read_package(
    task_id: str, folder: Path, *, n_shown: int = SHOWN_FAULTS
) -> tuple[QrelsReading, TopicTable | None, str]:
    """Read the files of a package as they are: judgements, topic table (None without one) and version.

    Raises:
        GoldError: with the faults of all files together.
    """
    faults = Faults()
    reading = faults.attempt(None, _read_qrels, task_id, folder, n_shown)
    table = faults.attempt(None, _read_topics, task_id, folder, n_shown)
    version = faults.attempt("", _read_version, task_id, folder)
    faults.raise_all()
    return reading, table, version


def _package(task: Task, source: GoldSource) -> Path:
    if "://" not in source.location:
        return Path(source.location) / task.id
    if source.cache is None:
        message = "Gold source on the Hub: a private folder for its copies is needed."
        raise GoldError("gold_source", {"source": source.location[:80]}, message)
    return hub.fetch(
        source.location,
        task.id,
        FILES,
        source.cache,
        revision=source.revision or "",
        token=source.token,
        endpoint=source.endpoint,
    )


def _only(task_id: str, folder: Path, names: tuple[str, ...]) -> Path:
    found = [folder / name for name in names if (folder / name).is_file()]
    if not found:
        _refuse(task_id, "", "gold_missing", f"no judgements; expected one of {', '.join(names)}")
    if len(found) > 1:
        both = " and ".join(path.name for path in found)
        _refuse(task_id, "", "gold_twice", f"{both} stand side by side; keep one of them")
    return found[0]


def _read_qrels(task_id: str, folder: Path, n_shown: int) -> QrelsReading:
    path = _only(task_id, folder, QRELS_FILES)
    try:
        with as_qrels(path) if path.suffix == ".parquet" else path.open("rb") as stream:
            return read_qrels(stream)
    except QrelsFormatError as error:
        raise _file_error(task_id, path, error, n_shown) from None
    except OSError as error:
        _refuse(task_id, path.name, "gold_unreadable", f"cannot be read ({error.strerror or type(error).__name__})")


def _read_topics(task_id: str, folder: Path, n_shown: int) -> TopicTable | None:
    if not any((folder / name).is_file() for name in TOPICS_FILES):
        return None
    path = _only(task_id, folder, TOPICS_FILES)
    try:
        with as_topics(path) if path.suffix == ".parquet" else path.open("rb") as stream:
            return read_topics(stream)
    except TopicsFormatError as error:
        raise _file_error(task_id, path, error, n_shown) from None
    except OSError as error:
        _refuse(task_id, path.name, "gold_unreadable", f"cannot be read ({error.strerror or type(error).__name__})")


def _read_version(task_id: str, folder: Path) -> str:
    path = folder / VERSION_FILE
    if not path.is_file():
        return UNNAMED_VERSION
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        _refuse(task_id, path.name, "gold_version", 'is not TOML; write one line such as version = "2026.1"')
    version = table.get("version")
    if set(table) != {"version"} or not isinstance(version, str) or not _VERSION.fullmatch(version):
        problem = 'expected one key, a version of letters, digits and ".-_" in quotes, such as version = "2026.1"'
        _refuse(task_id, path.name, "gold_version", problem)
    return version


def _fit(task: Task, qrels: Qrels, table: TopicTable | None) -> tuple[TopicTable, int]:
    """Return one row a judged topic with all its attributes, and how many rows had no judgement."""
    needs_rows = bool(task.axes) or task.has_groups or task.gold == "sealed"
    if table is None:
        if needs_rows:
            problem = f"no topic table; the card has axes, groups or halves: add {' or '.join(TOPICS_FILES)}"
            _refuse(task.id, "", "gold_topics_missing", problem)
        return TopicTable(qrels.topic_ids, None, {}), 0
    rows = frozenset(table.topic_ids)
    without_row = [topic_id for topic_id in qrels.topic_ids if topic_id not in rows]
    n_ignored = len(rows) - (qrels.n_topics - len(without_row))
    if without_row and not needs_rows:
        return TopicTable(qrels.topic_ids, None, {}), n_ignored
    faults = Faults()
    if without_row:
        problem = f"no row for {len(without_row)} judged topics, first {without_row[0]}; give each a row"
        faults.attempt(None, _refuse, task.id, TOPICS_FILES[0], "gold_topic_without_row", problem)
    for axis in task.axes:
        if axis.id not in table.axes:
            known = ", ".join(sorted(table.axes)) or "none"
            problem = (
                f'no row has the attribute "{axis.id}" of the card; attributes found: {known}. '
                "Rename the attribute, or the axis in the card"
            )
            faults.attempt(None, _refuse, task.id, TOPICS_FILES[0], "gold_axis_missing", problem)
    n_without_group = _n_without_group(qrels, table)
    if task.has_groups and n_without_group:
        problem = (
            f"{n_without_group} judged topics have no group, and the card says has_groups = true: "
            'write "group" in each row, or take has_groups away'
        )
        faults.attempt(None, _refuse, task.id, TOPICS_FILES[0], "gold_topic_without_group", problem)
    faults.raise_all()
    return table.aligned(qrels.topic_ids), n_ignored


def _n_without_group(qrels: Qrels, table: TopicTable) -> int:
    """Count the judged topics whose row has no group; those without a row are another fault."""
    judged = frozenset(qrels.topic_ids)
    groups = table.groups or ("",) * len(table.topic_ids)
    return sum(not group and topic_id in judged for topic_id, group in zip(table.topic_ids, groups, strict=True))


def _halves(task: Task, topics: TopicTable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the topics of the live and of the sealed half; a group lies in one of them."""
    values = topics.axes.get(HALF, ((),) * len(topics.topic_ids))
    n_wrong = sum(value not in ((LIVE,), (SEALED,)) for value in values)
    if n_wrong:
        problem = f'{n_wrong} judged topics lack the attribute "{HALF}"; write "{LIVE}" or "{SEALED}" in each row'
        _refuse(task.id, TOPICS_FILES[0], "gold_half", problem)
    halves: dict[str, list[str]] = {LIVE: [], SEALED: []}
    half_of_group: dict[str, str] = {}
    for index, (topic_id, (half,)) in enumerate(zip(topics.topic_ids, values, strict=True)):
        halves[half].append(topic_id)
        if topics.groups and half_of_group.setdefault(topics.groups[index], half) != half:
            _refuse(
                task.id, TOPICS_FILES[0], "gold_half", "a group lies in both halves; keep each group in one of them"
            )
    for half, topic_ids in halves.items():
        if not topic_ids:
            _refuse(task.id, TOPICS_FILES[0], "gold_half", f'no judged topic is in the half "{half}"')
    return tuple(halves[LIVE]), tuple(halves[SEALED])


def _file_error(task_id: str, path: Path, error: GoldFormatError, n_shown: int) -> GoldError:
    """Name file, line and kind of the first faults; what stands on the lines stays out, it is gold."""
    places = [_place(task_id, path, fault) for fault in error.faults[:n_shown]]
    n_more = len(error.faults) - len(places) + sum(error.more_faults.values())
    more = [f"{task_id}/{path.name}: and {n_more} more faults of this kind or others."] if n_more else []
    line = error.faults[0].line or 0
    return GoldError("gold_file", {"task": task_id, "file": path.name, "line": line}, "\n".join([*places, *more]))


def _place(task_id: str, path: Path, fault: Fault) -> str:
    where = f"{task_id}/{path.name}" + (f", line {fault.line}" if fault.line else "")
    column = f", column {fault.column}" if fault.column else ""
    first = f" (first on line {fault.facts['first_line']})" if "first_line" in fault.facts else ""
    facts = fault.facts
    widths = f" (found {facts['n_fields']}, expected {facts['expected']})" if "n_fields" in facts else ""
    return f"{where}{column}: {fault.code.replace('_', ' ')}{first}{widths}. {fault.fix}"


def _refuse(task_id: str, file: str, code: str, problem: str) -> NoReturn:
    where = f"{task_id}/{file}" if file else f"Gold of {task_id}"
    raise GoldError(code, {"task": task_id, "file": file, "problem": problem}, f"{where}: {problem}.")
