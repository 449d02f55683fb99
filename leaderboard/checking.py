"""What a host runs before opening a task: card, gold and public files, each verified, and the fingerprint printed.

All that is wrong is said at once. The words are for the host alone, who has the gold; nothing of it is printed but
counts, lines and the fingerprint.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from data.cards import load_tasks
from data.faults import Faults
from data.gold import Gold, open_gold, read_package
from data.published import read_published
from data.task import LANGUAGES, Task
from data.telltale import strangers_sentence, telltale_sentence
from evaluation import CardError, GoldError, TopicsFormatError, read_run, read_topic_ids
from leaderboard.budget import budget_lines
from leaderboard.settings import SHIPPED_TASKS, Settings
from leaderboard.standings import shown_values
from leaderboard.submissions import GoldFacts
from leaderboard.vault import Opened, Vault

MAX_FAULTS = 25  # of one file; the others are counted

_ABOUT = re.compile(r"about\.(?P<language>[^.]*)\.(md|txt|markdown)", re.IGNORECASE)


def main(settings: Settings, task_id: str) -> int:
    """Print what is there of a task and every problem; return 0, or 1 where something must be mended."""
    settings.make_folders()
    tasks, refused = load_tasks(settings.task_folders)
    task = next((one for one in tasks if one.id == task_id), None)
    broken = [one for one in refused if one.folder.name == task_id]
    if task is None and not broken:
        return _end(_unknown(settings, task_id, [one.id for one in tasks]))
    faults = Faults()
    faults.found += [one.error for one in broken]
    folder = broken[0].folder if task is None else task.folder
    for path in sorted(folder.iterdir()):
        faults.attempt(None, _check_about, path)
    if task is None:
        _check_files(settings, folder, faults)
        return _end(_lines(faults))
    print(f"Task {task.id}: {task.name['en']}, {len(task.measures)} measures, {len(task.axes)} axes")
    print(f"Folder: {task.folder}")
    reported = faults.attempt((), read_published, SHIPPED_TASKS.parent / "published", task.id)
    print(f"Numbers reported elsewhere: {len(reported)}")
    if not task.has_gold:
        print('Gold: none (the card says gold = "none")')
        return _end(_lines(faults))
    code = _end([*_lines(faults), *_problems_of_gold(settings, task)])
    if code == 0:
        print(f"Board: http://127.0.0.1:{settings.port}/{task.id}, or with the port (PORT) that your app was given.")
        print("A running app shows a new task within seconds, and a changed card or gold after it is started again.")
    return code


def _problems_of_gold(settings: Settings, task: Task) -> Iterator[str]:
    """Open the gold, describe it, and say what is wrong with it and with the public files that go with it."""
    vault = Vault(settings, {task.id: task})
    if vault.is_on_samples(task):
        vault.write_sample_gold(task)
    source, faults = vault.source_of(task), Faults()
    if source is None:
        yield _no_gold(settings, task.id)
        return
    gold: Gold | None = faults.attempt(None, open_gold, task, source, n_shown=MAX_FAULTS)
    topic_ids = faults.attempt((), _listed, task.folder)
    opened = None if faults else vault.open(task.id)
    if opened is not None:
        _describe(task, opened)
        yield from _problems_of_budget(task, opened)
        topic_ids = opened.topic_ids
    yield from _lines(faults)
    if gold is not None:
        for note in filter(None, [telltale_sentence(gold.qrels, task.relevant_from), *_strangers(task, gold)]):
            print(f"Note: {note}")
    if gold is not None and topic_ids:
        yield from _problems_of_topics(task, gold, topic_ids)
    is_sample = gold is not None and gold.is_sample
    yield from _problems_of_example(settings.public_folder / task.id if is_sample else task.folder, task, topic_ids)


def _strangers(task: Task, gold: Gold) -> Iterator[str]:
    """Compare the judged documents with the public list, where there is one."""
    path = task.folder / "documents.txt"
    if path.is_file():
        yield strangers_sentence(gold.qrels, frozenset(path.read_text(encoding="utf-8", errors="replace").split()))


def _check_files(settings: Settings, folder: Path, faults: Faults) -> None:
    """Check what can be checked without a card: the gold's files as they are, and the public list."""
    gold = None if settings.gold_folder is None else settings.gold_folder / folder.name
    if gold is not None and gold.is_dir():
        faults.attempt(None, read_package, folder.name, gold, n_shown=MAX_FAULTS)
    faults.attempt((), _listed, folder)


def _listed(folder: Path) -> tuple[str, ...]:
    """Return the public list of topics; empty where there is none. Raises GoldError with all that is wrong."""
    path = folder / "topics.txt"
    if not path.is_file():
        return ()
    try:
        with path.open("rb") as stream:
            return read_topic_ids(stream)
    except TopicsFormatError as error:
        where = f"{folder.name}/topics.txt"
        lines = [f"{where}: {fault.message} {fault.fix}" for fault in error.faults]
        raise GoldError(error.code, {"file": where}, "\n".join(lines)) from None


def _check_about(path: Path) -> None:
    """Refuse an about text that no page would show, or that cannot be read."""
    name = f"{path.parent.name}/{path.name}"
    match = _ABOUT.fullmatch(path.name)
    if match is None:
        return
    expected = " or ".join(f"about.{language}.md" for language in LANGUAGES)
    if path.name not in expected.split(" or "):
        raise CardError("about_name", {"file": name}, f"{name}: no page shows this file; name it {expected}.")
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        message = f"{name} is not UTF-8 (line {error.object[: error.start].count(10) + 1}); save it as UTF-8."
        raise CardError("about_syntax", {"file": name}, message) from None
    if not text.strip():
        raise CardError("about_empty", {"file": name}, f"{name} is empty; write something, or take the file away.")


def _describe(task: Task, opened: Opened) -> None:
    facts, gold = opened.facts, opened.gold
    halves = "" if facts.n_live is None else f", {facts.n_live} of them live"
    groups = "" if facts.n_groups is None else f", {facts.n_groups} groups"
    print(f"Gold: {facts.kind}, version {facts.version}, {facts.n_topics} topics{halves}{groups}")
    print(f"Fingerprint: {gold.fingerprint}")
    if facts.fingerprint != gold.fingerprint:
        print(f"Published instead: {facts.fingerprint}")
    for line in _slices(task, facts):
        print(line)
    for notice in gold.notices:
        print(f"Note: {notice.message}")


def _problems_of_budget(task: Task, opened: Opened) -> Iterator[str]:
    """Say what a sealed board gives away, and what of it is too much."""
    if opened.ranked_ids is not None:
        line, problems = budget_lines(task, opened.gold.topics.subset(tuple(opened.gold.live_ids or ())))
        print(line)
        yield from problems


def _slices(task: Task, facts: GoldFacts) -> Iterator[str]:
    n_ranked = facts.n_topics if facts.n_live is None else facts.n_live
    for axis_id, values in facts.axes.items():
        enough = shown_values({value: n for value, n, _ in values}, n_ranked, task)
        sizes = ", ".join(f"{value} {n}{'' if value in enough else ' (not shown)'}" for value, n, _ in values)
        yield f"Topics by {axis_id}: {sizes}"


def _problems_of_topics(task: Task, gold: Gold, topic_ids: Sequence[str]) -> Iterator[str]:
    """Compare the public list with the gold: a topic that is not listed could never be answered."""
    missing = frozenset(gold.qrels.topic_ids).difference(topic_ids)
    if missing:
        yield f"{task.id}/topics.txt: {len(missing)} judged topics are missing; list every topic of the gold."


def _problems_of_example(folder: Path, task: Task, topic_ids: Sequence[str]) -> Iterator[str]:
    """Read the example run as an upload would be read. With generated gold, it is made when a worker starts."""
    path = folder / "example.run"
    if not path.is_file():
        print("Example run: none")
        return
    with path.open("rb") as stream:
        report = read_run(stream, topics=topic_ids or None, depth=task.depth).report
    if topic_ids:
        print(f"Example run: {report.n_topics} of {len(topic_ids)} topics answered")
    for fault in report.faults[:MAX_FAULTS]:
        yield f"{task.id}/example.run: {fault.message} {fault.fix}"
    n_more = len(report.faults[MAX_FAULTS:]) + sum(report.more_faults.values())
    if n_more:
        yield f"{task.id}/example.run: and {n_more} more faults."


def _unknown(settings: Settings, task_id: str, known: Sequence[str]) -> list[str]:
    """Say where a task was looked for, and what there is instead."""
    searched = "".join(f"\n  {folder}" for folder in settings.task_folders)
    return [
        f"There is no task {task_id!r}. Looked for a folder of this name, with a card.toml in it, in:{searched}\n"
        f"  Tasks there: {', '.join(known) or 'none'}."
    ]


def _no_gold(settings: Settings, task_id: str) -> str:
    place = settings.gold_folder or settings.gold_source
    return f"There is no gold: expected a package in {place}/{task_id} (qrels.trec, and topics.jsonl for axes)."


def _lines(faults: Faults) -> list[str]:
    return [line for error in faults.found for line in str(error).splitlines()]


def _end(problems: Sequence[str]) -> int:
    for problem in problems:
        print(f"Problem: {problem}")
    print("Fit for use." if not problems else f"{len(problems)} to mend.")
    return 1 if problems else 0
