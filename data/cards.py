"""Read task cards (TOML) into tasks, checked so that a host learns file, key and cure. No gold is ever opened here."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from data.faults import joined
from data.task import (
    CHARTS,
    KINDS_OF_GOLD,
    LANGUAGES,
    SEALED_MIN_SLICE_TOPICS,
    Axis,
    Limits,
    MeasureColumn,
    Source,
    Task,
)
from data.task.table import CardTable, did_you_mean, refuse, shown
from evaluation import CardError, UnknownMeasure, parse_measure

CARD = "card.toml"
MAX_DEPTH = 100_000
RESERVED_AXES = frozenset({"topic_id", "group", "half"})

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_AXIS_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
# pages and plain routes of the site: a task of the same name would hide them
_RESERVED_ID = re.compile(
    "about|account|admin|api|archive|assets|badge|boards|claim|compare|comparisons|config|examples|gradio_api|healthz|"
    "history|host|hosting|llms|log(in|out)|look|method|monitoring|reliability|runs|scores|static|submissions?|submit|svelte|systems?|theme"
)
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_MEAN_OF_GROUPS = 'is "{mean}" but {name} is a mean over groups; write "topics"'
_WHY_SEALED = (
    f" where gold is sealed: a mean over fewer than {SEALED_MIN_SLICE_TOPICS} topics, asked for again and again with "
    "small changes, gives away their judgements; take the key away, or raise it"
)


@dataclass(frozen=True, slots=True)
class RefusedCard:
    """A task folder whose card cannot be used, and all that is wrong with it."""

    folder: Path
    error: CardError


class Catalogue(Mapping[str, Task]):
    """All tasks by id, in the order of the home page. Those who read it share one, and see what is added to it."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = {task.id: task for task in tasks}

    def add(self, task: Task) -> None:
        """Add a task at its place; whoever walks through the tasks meanwhile walks through the old ones."""
        ordered = sorted([*self._tasks.values(), task], key=lambda one: one.position)
        self._tasks = {one.id: one for one in ordered}

    def __getitem__(self, task_id: str) -> Task:
        return self._tasks[task_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    def family(self, task: Task) -> tuple[Task, ...]:
        """Return the tasks that one page switches between, this one included."""
        if task.family is None:
            return (task,)
        return tuple(other for other in self._tasks.values() if other.family == task.family)


def load_card(folder: Path) -> Task:
    """Read the card of a task folder.

    Raises:
        CardError: naming file and key, where the card is missing, is not TOML, or says what no task can be.
    """
    path = folder / CARD
    file = f"{folder.name}/{CARD}"
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        refuse(file, "", f"the folder has no {CARD}; write one, or take the folder away", code="card_missing")
    except OSError as error:
        refuse(file, "", f"cannot be read ({error.strerror})", code="card_missing")
    except UnicodeDecodeError as error:
        refuse(file, "", f"is not UTF-8 (byte {error.start}); save it as UTF-8", code="card_syntax")
    except tomllib.TOMLDecodeError as error:
        refuse(file, "", f"is not TOML: {error}", code="card_syntax")
    return _task(CardTable(table, file, LANGUAGES), folder)


def load_tasks(folders: Sequence[Path]) -> tuple[list[Task], list[RefusedCard]]:
    """Read every task of the folders, in the order of the home page, and say which cards cannot be used.

    A folder that does not exist is empty; one that holds a card is itself a task. Of two tasks with one id, the first
    counts.
    """
    tasks: dict[str, Task] = {}
    refused: list[RefusedCard] = []
    for folder in folders:
        for task_folder in task_folders(folder):
            try:
                task = load_card(task_folder)
                if task.id in tasks:
                    other = tasks[task.id].folder
                    refuse(f"{task_folder.name}/{CARD}", "id", f'"{task.id}" is also the task of {other}; rename one')
                tasks[task.id] = task
            except CardError as error:
                refused.append(RefusedCard(task_folder, error))
    return sorted(tasks.values(), key=lambda task: task.position), refused


def load_catalogue(folders: Sequence[Path]) -> Catalogue:
    """Read every task of the folders.

    Raises:
        CardError: naming all that is wrong with any card, a folder without a card, or an id that two folders have.
    """
    tasks, refused = load_tasks(folders)
    if refused:
        raise joined([one.error for one in refused])
    return Catalogue(tasks)


def read_about(task: Task, language: str) -> str:
    """Return the task's about text (Markdown) in a language, in English where there is no other, else ""."""
    for name in (f"about.{language}.md", "about.en.md"):
        path = task.folder / name
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return ""


def task_folders(folder: Path) -> list[Path]:
    """Return the folders of tasks in a folder, itself if it is one."""
    if (folder / CARD).is_file():
        return [folder]
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() and path.name[0] not in "._")


def _task(card: CardTable, folder: Path) -> Task:
    """Read every key, whatever is wrong with the others; raises CardError with all that was found."""
    read, faults = card.attempt, card.faults
    gold = read("open", card.choice, "gold", KINDS_OF_GOLD)
    has_groups = read(True, card.flag, "has_groups")
    axes = tuple(axis for table in read([], card.tables, "axis") if (axis := read(None, _axis, table)))
    read(None, _refuse_repeats, card, "axis", "id", [axis.id for axis in axes])
    read(None, _check_panels, card, axes, gold)
    means = None if faults else ["topics", *(f"macro:{axis.id}" for axis in axes)]
    task = Task(
        id=read("", _task_id, card, folder),
        benchmark=read("", card.text, "benchmark", longest=60),
        version=read("", card.text, "version", longest=40),
        gold=gold,
        depth=read(1, card.number, "depth", 1000, 1, MAX_DEPTH),
        # the axes that a mean can be over are not known where one of them is wrong
        mean=read("", card.choice, "mean", means, "topics") if means else read("", card.text, "mean", "topics"),
        relevant_from=read(1, card.number, "relevant_from", 1, 1, 1000),
        remove_identical=read(False, card.flag, "remove_identical"),
        has_groups=has_groups,
        name=read({}, card.words, "name", longest=80, required=True),
        summary=read({}, card.words, "summary", longest=300, required=True),
        description=read({}, card.words, "description", longest=2000),
        languages=read((), _languages, card),
        pitfalls=read({}, _pitfalls, card),
        measures=read((), _measures, card, has_groups=has_groups),
        axes=axes,
        limits=read(Limits(1, 1, 1, 1), _limits, read(None, card.table, "limits"), is_sealed=gold == "sealed"),
        source=read(Source(*[""] * 7), _source, read(None, card.table, "source")),
        family=read("", card.text, "family", "", longest=40) or None,
        position=read(0, card.number, "position", 1000, 0),
        folder=folder,
    )
    card.finish()
    if not faults and task.primary.is_group and task.mean != "topics":
        read(None, card.refuse, "mean", _MEAN_OF_GROUPS.format(mean=task.mean, name=task.primary.name))
    faults.raise_all()
    return task


def _task_id(card: CardTable, folder: Path) -> str:
    task_id = card.text("id", longest=40)
    if not _ID.fullmatch(task_id):
        card.refuse("id", f'is "{task_id}"; expected small letters a-z, digits and single hyphens')
    if _RESERVED_ID.fullmatch(task_id):
        card.refuse("id", f'"{task_id}" is the address of a page of this site; choose another')
    if task_id != folder.name:
        card.refuse("id", f'is "{task_id}" but the folder is "{folder.name}"; make them equal')
    return task_id


def _languages(card: CardTable) -> tuple[str, ...]:
    languages = card.texts("languages")
    for number, language in enumerate(languages, 1):
        if not _LANGUAGE.fullmatch(language):
            problem = f'is "{language[:80]}"; expected a code such as "en", "fr" or "zh"'
            card.attempt(None, card.refuse, f"languages[{number}]", problem)
    return languages


def _pitfalls(card: CardTable) -> dict[str, tuple[str, ...]]:
    table = card.table("pitfalls")
    pitfalls = table.by_language(table.texts)
    for language, listed in pitfalls.items():
        n_english = len(pitfalls.get("en", listed))
        if len(listed) != n_english:
            problem = f"has {len(listed)} pitfalls but English has {n_english}; translate all"
            table.attempt(None, table.refuse, language, problem)
    return pitfalls


def _refuse_repeats(card: CardTable, kind: str, key: str, values: Sequence[str]) -> None:
    for number, value in enumerate(values, 1):
        if value and value in values[: number - 1]:
            card.attempt(None, card.refuse, f"{kind}[{number}].{key}", f'"{value}" stands twice; take one away')


def _measures(card: CardTable, *, has_groups: bool) -> tuple[MeasureColumn, ...]:
    tables = card.tables("measure")
    if not tables:
        card.refuse("measure", "is missing; expected at least one table [[measure]]", code="card_key_missing")
    n_before = len(card.faults.found)
    columns = tuple(_measure(table, has_groups=has_groups) for table in tables)
    _refuse_repeats(card, "measure", "name", [column.name for column in columns])
    n_primary = sum(column.is_primary for column in columns)
    if n_primary != 1 and len(card.faults.found) == n_before:
        card.refuse("measure", f"{n_primary} are primary; write primary = true in exactly one [[measure]]")
    return columns


def _measure(table: CardTable, *, has_groups: bool) -> MeasureColumn:
    read = table.attempt
    name, is_group = read(("", False), _measure_name, table, has_groups=has_groups)
    column = MeasureColumn(
        name=name,
        label=read("", table.text, "label", "", longest=40) or None,
        is_primary=read(False, table.flag, "primary"),
        is_group=is_group,
        words=read({}, table.words, "words", longest=400),
    )
    table.finish()
    return column


def _measure_name(table: CardTable, *, has_groups: bool) -> tuple[str, bool]:
    """Return the name of a measure, and whether it is one over groups."""
    name = table.text("name", longest=40)
    try:
        measure = parse_measure(name)
    except UnknownMeasure as error:
        nearest = f'; did you mean "{error.nearest}"?' if error.nearest else ""
        table.refuse("name", f'"{name}" is not a measure that the scales know{nearest}')
    if measure.is_group and not has_groups:
        table.refuse("name", f'"{name}" is measured over groups; write has_groups = true at the top of the card')
    return name, measure.is_group


def _axis(table: CardTable) -> Axis:
    read = table.attempt
    axis_id = read("", _axis_id, table)
    is_ordinal = read(False, table.flag, "ordinal")
    order = read((), table.texts, "order")
    if is_ordinal and "order" not in table.names():
        problem = "is missing; an ordinal axis lists its values from first to last"
        read(None, table.refuse, "order", problem, code="card_key_missing")
    labels = read({}, _labels, table, order)
    axis = Axis(
        id=axis_id,
        name=read({}, table.words, "name", longest=60, required=True),
        is_ordinal=is_ordinal,
        order=order or tuple(labels),
        labels=labels,
        chart=read("", table.choice, "chart", CHARTS, "dots" if is_ordinal else "heatmap"),
        panels=read("", table.text, "panels", "", longest=40),
    )
    table.finish()
    return axis


def _check_panels(card: CardTable, axes: Sequence[Axis], gold: str) -> None:
    """Refuse panels that are no other axis of the card, and any where gold is sealed: crossed slices are small."""
    for axis in axes:
        others = [other.id for other in axes if other is not axis]
        if axis.panels and gold == "sealed":
            card.refuse("axis", f'"{axis.id}" has panels = "{axis.panels}"; sealed gold shows no crossed slices')
        if axis.panels and axis.panels not in others:
            hint = did_you_mean(axis.panels, others)
            card.refuse("axis", f'"{axis.id}" has panels = "{axis.panels}"; expected the id of another axis{hint}')


def _axis_id(table: CardTable) -> str:
    axis_id = table.text("id", longest=40)
    if not _AXIS_ID.fullmatch(axis_id):
        table.refuse("id", f'is "{axis_id}"; expected small letters, digits and single underscores, a letter first')
    if axis_id in RESERVED_AXES:
        table.refuse("id", f'"{axis_id}" is a column of its own in the topic table; choose another')
    return axis_id


def _labels(table: CardTable, order: Sequence[str]) -> dict[str, dict[str, str]]:
    label_table = table.table("label")
    labels = {
        value: label_table.attempt({}, label_table.words, value, longest=60, required=True)
        for value in label_table.names()
    }
    for value in labels:
        if order and value not in order:
            problem = f"is no value of this axis' order{did_you_mean(value, order)}"
            table.attempt(None, table.refuse, f"label.{value}", problem)
    return labels


def _limits(table: CardTable | None, *, is_sealed: bool) -> Limits:
    if table is None:
        return Limits(1, 1, 1, 1)
    read = table.attempt
    per_day, per_month, total, least = (2, 20, 100, SEALED_MIN_SLICE_TOPICS) if is_sealed else (3, 30, 200, 20)
    lowest, why = (SEALED_MIN_SLICE_TOPICS, _WHY_SEALED) if is_sealed else (1, "")
    limits = Limits(
        per_day=read(1, table.number, "per_day", per_day, 1),
        per_month=read(1, table.number, "per_month", per_month, 1),
        total=read(1, table.number, "total", total, 1),
        min_slice_topics=read(1, table.number, "min_slice_topics", least, lowest, why=why),
    )
    table.finish()
    if table.faults:
        return limits
    if limits.per_day > limits.per_month:
        problem = f"is {limits.per_day}, more than per_month ({limits.per_month}); lower it"
        read(None, table.refuse, "per_day", problem)
    if limits.per_month > limits.total:
        table.refuse("per_month", f"is {limits.per_month}, more than total ({limits.total}); lower it")
    return limits


def _source(table: CardTable | None) -> Source:
    if table is None:
        return Source(*[""] * 7)
    read = table.attempt
    source = Source(
        paper=read("", table.url, "paper"),
        url=read("", table.url, "url"),
        data_url=read("", table.url, "data_url"),
        data_version=read("", table.text, "data_version", ""),
        example_document=read("", table.text, "example_document", ""),
        licence=read("", table.text, "licence", "", longest=80),
        bibtex=read("", table.text, "bibtex", "", longest=4000),
    )
    table.finish()
    if source.bibtex and not source.bibtex.startswith("@"):
        table.refuse("bibtex", f"begins with {shown(source.bibtex[:10])}; expected a BibTeX entry such as @misc{{…}}")
    return source
