"""Read task cards (TOML) into tasks, checked so that a host learns file, key and cure. No gold is ever opened here."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

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
from evaluation import UnknownMeasure, parse_measure

CARD = "card.toml"
MAX_DEPTH = 100_000
RESERVED_AXES = frozenset({"topic_id", "group", "half"})

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_AXIS_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
# pages and plain routes of the site: a task of the same name would hide them
_RESERVED_ID = re.compile(
    "about|api|assets|boards|compare|config|examples|gradio_api|healthz|log(in|out)|look|method|static|"
    "submissions?|submit|systems?|theme"
)
_LANGUAGE = re.compile(r"[a-z]{2,3}")


class Catalogue(Mapping[str, Task]):
    """All tasks by id, in the order of the home page."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = {task.id: task for task in tasks}

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


def load_catalogue(folders: Sequence[Path]) -> Catalogue:
    """Read every task of the folders; one that does not exist is empty, one that holds a card is itself a task.

    Raises:
        CardError: for the first card that is wrong, a folder without a card, or an id that two folders have.
    """
    tasks: dict[str, Task] = {}
    for folder in folders:
        for task_folder in _task_folders(folder):
            task = load_card(task_folder)
            if task.id in tasks:
                other = tasks[task.id].folder
                refuse(f"{task_folder.name}/{CARD}", "id", f'"{task.id}" is also the task of {other}; rename one')
            tasks[task.id] = task
    return Catalogue(sorted(tasks.values(), key=lambda task: task.position))


def read_about(task: Task, language: str) -> str:
    """Return the task's about text (Markdown) in a language, in English where there is no other, else ""."""
    for name in (f"about.{language}.md", "about.en.md"):
        path = task.folder / name
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return ""


def _task_folders(folder: Path) -> list[Path]:
    if (folder / CARD).is_file():
        return [folder]
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() and path.name[0] not in "._")


def _task(card: CardTable, folder: Path) -> Task:
    gold = card.choice("gold", KINDS_OF_GOLD)
    has_groups = card.flag("has_groups")
    axes = tuple(_axis(table) for table in card.tables("axis"))
    _refuse_repeats(card, "axis", "id", [axis.id for axis in axes])
    task = Task(
        id=_task_id(card, folder),
        benchmark=card.text("benchmark", longest=60),
        version=card.text("version", longest=40),
        gold=gold,
        depth=card.number("depth", 1000, 1, MAX_DEPTH),
        mean=card.choice("mean", ["topics", *(f"macro:{axis.id}" for axis in axes)], "topics"),
        relevant_from=card.number("relevant_from", 1, 1, 1000),
        remove_identical=card.flag("remove_identical"),
        has_groups=has_groups,
        name=card.words("name", longest=80, required=True),
        summary=card.words("summary", longest=300, required=True),
        description=card.words("description", longest=2000),
        languages=_languages(card),
        pitfalls=_pitfalls(card),
        measures=_measures(card, has_groups=has_groups),
        axes=axes,
        limits=_limits(card.table("limits"), is_sealed=gold == "sealed"),
        source=_source(card.table("source")),
        family=card.text("family", "", longest=40) or None,
        position=card.number("position", 1000, 0),
        folder=folder,
    )
    card.finish()
    if task.primary.is_group and task.mean != "topics":
        card.refuse("mean", f'is "{task.mean}" but {task.primary.name} is a mean over groups; write "topics"')
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
            card.refuse(f"languages[{number}]", f'is "{language}"; expected a code such as "en", "fr" or "zh"')
    return languages


def _pitfalls(card: CardTable) -> dict[str, tuple[str, ...]]:
    table = card.table("pitfalls")
    pitfalls = table.by_language(table.texts)
    for language, listed in pitfalls.items():
        if len(listed) != len(pitfalls["en"]):
            table.refuse(language, f"has {len(listed)} pitfalls but English has {len(pitfalls['en'])}; translate all")
    return pitfalls


def _refuse_repeats(card: CardTable, kind: str, key: str, values: Sequence[str]) -> None:
    for number, value in enumerate(values, 1):
        if value in values[: number - 1]:
            card.refuse(f"{kind}[{number}].{key}", f'"{value}" stands twice; take one away')


def _measures(card: CardTable, *, has_groups: bool) -> tuple[MeasureColumn, ...]:
    tables = card.tables("measure")
    if not tables:
        card.refuse("measure", "is missing; expected at least one table [[measure]]", code="card_key_missing")
    columns = tuple(_measure(table, has_groups=has_groups) for table in tables)
    _refuse_repeats(card, "measure", "name", [column.name for column in columns])
    n_primary = sum(column.is_primary for column in columns)
    if n_primary != 1:
        card.refuse("measure", f"{n_primary} are primary; write primary = true in exactly one [[measure]]")
    return columns


def _measure(table: CardTable, *, has_groups: bool) -> MeasureColumn:
    name = table.text("name", longest=40)
    try:
        measure = parse_measure(name)
    except UnknownMeasure as error:
        nearest = f'; did you mean "{error.nearest}"?' if error.nearest else ""
        table.refuse("name", f'"{name}" is not a measure that the scales know{nearest}')
    if measure.is_group and not has_groups:
        table.refuse("name", f'"{name}" is measured over groups; write has_groups = true at the top of the card')
    column = MeasureColumn(
        name=name,
        label=table.text("label", "", longest=40) or None,
        is_primary=table.flag("primary"),
        is_group=measure.is_group,
        words=table.words("words", longest=400),
    )
    table.finish()
    return column


def _axis(table: CardTable) -> Axis:
    axis_id = table.text("id", longest=40)
    if not _AXIS_ID.fullmatch(axis_id):
        table.refuse("id", f'is "{axis_id}"; expected small letters, digits and single underscores, a letter first')
    if axis_id in RESERVED_AXES:
        table.refuse("id", f'"{axis_id}" is a column of its own in the topic table; choose another')
    is_ordinal = table.flag("ordinal")
    order = table.texts("order")
    if is_ordinal and not order:
        table.refuse(
            "order", "is missing; an ordinal axis lists its values from first to last", code="card_key_missing"
        )
    label_table = table.table("label")
    labels = {value: label_table.words(value, longest=60) for value in label_table.names()}
    for value in labels:
        if order and value not in order:
            table.refuse(f"label.{value}", f"is no value of this axis' order{did_you_mean(value, order)}")
    axis = Axis(
        id=axis_id,
        name=table.words("name", longest=60, required=True),
        is_ordinal=is_ordinal,
        order=order or tuple(labels),
        labels=labels,
        chart=table.choice("chart", CHARTS, "dots" if is_ordinal else "heatmap"),
    )
    table.finish()
    return axis


def _limits(table: CardTable, *, is_sealed: bool) -> Limits:
    per_day, per_month, total, least = (2, 20, 100, SEALED_MIN_SLICE_TOPICS) if is_sealed else (3, 30, 200, 20)
    limits = Limits(
        per_day=table.number("per_day", per_day, 1),
        per_month=table.number("per_month", per_month, 1),
        total=table.number("total", total, 1),
        min_slice_topics=table.number("min_slice_topics", least, SEALED_MIN_SLICE_TOPICS if is_sealed else 1),
    )
    table.finish()
    if limits.per_day > limits.per_month:
        table.refuse("per_day", f"is {limits.per_day}, more than per_month ({limits.per_month}); lower it")
    if limits.per_month > limits.total:
        table.refuse("per_month", f"is {limits.per_month}, more than total ({limits.total}); lower it")
    return limits


def _source(table: CardTable) -> Source:
    source = Source(
        paper=table.url("paper"),
        url=table.url("url"),
        data_url=table.url("data_url"),
        data_version=table.text("data_version", ""),
        example_document=table.text("example_document", ""),
        licence=table.text("licence", "", longest=80),
        bibtex=table.text("bibtex", "", longest=4000),
    )
    table.finish()
    if source.bibtex and not source.bibtex.startswith("@"):
        table.refuse("bibtex", f"begins with {shown(source.bibtex[:10])}; expected a BibTeX entry such as @misc{{…}}")
    return source
