"""What a host runs before opening a task: card, gold and public files, each verified, and the fingerprint printed.

Its words are for the host alone, who has the gold; nothing of it is printed but counts, lines and the fingerprint.
"""

from collections.abc import Iterator
from pathlib import Path

from data.cards import load_catalogue
from data.published import read_published
from data.task import Task
from evaluation import CardError, GoldError, read_run
from leaderboard.settings import SHIPPED_TASKS, Settings
from leaderboard.standings import shown_values
from leaderboard.submissions import GoldFacts
from leaderboard.vault import Opened, Vault

_SHOWN_FAULTS = 5


def main(settings: Settings, task_id: str) -> int:
    """Print what is there of a task and every problem; return 0, or 1 where something must be mended."""
    settings.make_folders()
    try:
        tasks = load_catalogue(settings.task_folders)
        task = tasks.get(task_id)
        if task is None:
            return _end([f"There is no task {task_id!r}. Known: {', '.join(tasks)}."])
        n_reported = len(read_published(SHIPPED_TASKS.parent / "published", task.id))
        print(f"Task {task.id}: {task.name['en']}, {len(task.measures)} measures, {len(task.axes)} axes")
        print(f"Numbers reported elsewhere: {n_reported}")
        if not task.has_gold:
            print('Gold: none (the card says gold = "none")')
            return 0
        vault = Vault(settings, tasks)
        if vault.is_on_samples(task):
            vault.write_sample_gold(task)
        opened = vault.open(task.id)
    except (CardError, GoldError) as error:
        return _end([str(error)])
    if opened is None:
        place = settings.gold_folder or settings.gold_source
        return _end([f"There is no gold: expected a package in {place}/{task.id} (qrels.trec and topics.jsonl)."])
    _describe(task, opened)
    return _end([*_problems_of_topics(task, opened), *_problems_of_example(settings, task, opened)])


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


def _slices(task: Task, facts: GoldFacts) -> Iterator[str]:
    n_ranked = facts.n_topics if facts.n_live is None else facts.n_live
    for axis_id, values in facts.axes.items():
        enough = shown_values({value: n for value, n, _ in values}, n_ranked, task)
        sizes = ", ".join(f"{value} {n}{'' if value in enough else ' (not shown)'}" for value, n, _ in values)
        yield f"Topics by {axis_id}: {sizes}"


def _problems_of_topics(task: Task, opened: Opened) -> Iterator[str]:
    """Compare the public list with the gold: a topic that is not listed could never be answered."""
    missing = frozenset(opened.gold.qrels.topic_ids).difference(opened.topic_ids)
    if missing:
        yield f"{task.id}/topics.txt: {len(missing)} judged topics are missing; list every topic of the gold."


def _problems_of_example(settings: Settings, task: Task, opened: Opened) -> Iterator[str]:
    """Read the example run as an upload would be read. With generated gold, it is made when a worker starts."""
    folder = settings.public_folder / task.id if opened.facts.is_sample else task.folder
    path: Path = folder / "example.run"
    if not path.is_file():
        print("Example run: none")
        return
    with path.open("rb") as stream:
        report = read_run(stream, topics=opened.topic_ids, depth=task.depth).report
    print(f"Example run: {report.n_topics} of {len(opened.topic_ids)} topics answered")
    for fault in report.faults[:_SHOWN_FAULTS]:
        yield f"{task.id}/example.run: line {fault.line}: {fault.message} {fault.fix}"


def _end(problems: list[str]) -> int:
    for problem in problems:
        print(f"Problem: {problem}")
    print("Fit for use." if not problems else f"{len(problems)} to mend.")
    return 1 if problems else 0
