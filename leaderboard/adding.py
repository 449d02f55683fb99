"""What a host runs to open a task from a benchmark's own files: read, propose a card, lint, score baselines, install.

Nothing is installed unless all of it is fit for use. The words are for the host alone, who has the gold.
"""

import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path

from data.baselines import bm25_run, oracle_run, random_run
from data.cards import CARD, load_card
from data.faults import Faults
from data.gold import Gold, GoldSource, has_gold, open_gold
from data.importers.layouts import Material, read_folder
from data.importers.proposal import Proposal, card_of, propose, table_rows
from data.package import write_package
from data.task import LANGUAGES, Task
from data.telltale import strangers_sentence, telltale_sentence
from evaluation import CardError, GoldError, evaluate, read_run
from leaderboard.settings import Settings

EXAMPLE_TOPICS = 5
PUBLIC_FILES = ("example.run", "topics.txt", *(f"about.{language}.md" for language in LANGUAGES))


@dataclass(frozen=True, slots=True)
class Asked:
    """What the host asked for: the benchmark's folder, the id and name of the task, and whether to install it."""

    folder: Path
    task_id: str
    name: str
    gold_version: str
    is_trial: bool


def main(settings: Settings, asked: Asked) -> int:
    """Print what was found, what it scores and where the task is; return 0, or 1 where something must be mended."""
    settings.make_folders()
    if not asked.folder.is_dir():
        return _end([f"{asked.folder} is not a folder; give the folder of the benchmark's files."])
    taken = [folder / asked.task_id for folder in settings.task_folders if (folder / asked.task_id).exists()]
    if taken and not asked.is_trial:
        return _end([f"There is a task {asked.task_id!r} already, in {taken[0]}; choose another with --id."])
    if settings.gold_folder is None and not asked.is_trial:
        return _end(
            [f"Gold comes from {settings.gold_source}; add writes into a folder. Unset GOLD_SOURCE, or upload."]
        )
    try:
        with _staged(settings, asked) as staged:
            return _add(settings, asked, staged)
    except (CardError, GoldError) as error:
        return _end(str(error).splitlines())


def id_of_card(folder: Path) -> str:
    """Return the id that a card in the benchmark's folder gives, "" where there is none or it cannot be read."""
    try:
        task_id = tomllib.loads((folder / CARD).read_text(encoding="utf-8-sig")).get("id", "")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return ""
    return task_id if isinstance(task_id, str) and re.fullmatch(r"[a-z0-9-]{1,40}", task_id) else ""


@dataclass(frozen=True, slots=True)
class _Staged:
    """Folders beside the real ones, on the same file system, so that a task is moved there whole or not at all."""

    task: Path
    gold: Path


@contextmanager
def _staged(settings: Settings, asked: Asked) -> Iterator[_Staged]:
    gold_folder = settings.gold_folder or settings.vault_folder
    # a name with a dot is no task and no package to anybody who looks meanwhile
    with (
        tempfile.TemporaryDirectory(dir=settings.data_folder / "tasks", prefix=".add-") as tasks,
        tempfile.TemporaryDirectory(dir=gold_folder, prefix=".add-") as gold,
    ):
        (Path(tasks) / asked.task_id).mkdir()
        yield _Staged(Path(tasks) / asked.task_id, Path(gold))


def _add(settings: Settings, asked: Asked, staged: _Staged) -> int:
    material = read_folder(asked.folder)
    _describe(asked.folder, material)
    own_card = asked.folder / CARD
    proposal = None if own_card.is_file() else propose(material)
    if proposal is None:
        shutil.copyfile(own_card, staged.task / CARD)
    else:
        (staged.task / CARD).write_text(card_of(proposal, asked.task_id, asked.name), encoding="utf-8")
        _describe_proposal(proposal)
    _write_public(asked, material, staged.task)
    judgements = {
        topic_id: {document.decode(): grade for document, grade in material.qrels.judged(place).items()}
        for place, topic_id in enumerate(material.qrels.topic_ids)
    }
    write_package(staged.gold / asked.task_id, judgements, table_rows(material, proposal), version=asked.gold_version)
    faults = Faults()
    task = faults.attempt(None, load_card, staged.task)
    gold = faults.attempt(None, open_gold, task, GoldSource(str(staged.gold))) if task else None
    if gold is None:
        return _end([line for error in faults.found for line in str(error).splitlines()])
    for note in _notes(gold, task, material):
        print(f"Note: {note}")
    _score_baselines(task, gold, material)
    print(f"Fingerprint: {gold.fingerprint}")
    if asked.is_trial:
        print(f"Proposed card:\n\n{(staged.task / CARD).read_text(encoding='utf-8')}")
        return _end([])
    _install(settings, asked, staged)
    return _end([])


def _install(settings: Settings, asked: Asked, staged: _Staged) -> None:
    """Move the gold first: a card without gold would be seen by a running app, gold without a card is not."""
    gold = (settings.gold_folder or settings.vault_folder) / asked.task_id
    if has_gold(load_card(staged.task), gold.parent) or gold.exists():
        raise GoldError("gold_there", {}, f"{gold} is there already; move it away, or choose another id with --id.")
    (staged.gold / asked.task_id).rename(gold)
    task = settings.data_folder / "tasks" / asked.task_id
    staged.task.rename(task)
    print(f"Card and public files: {task}")
    print(f"Gold: {gold}")
    print(f"Board: http://127.0.0.1:{settings.port}/{asked.task_id}, or with the port (PORT) that your app was given.")
    print("A running app shows it within seconds; start one with `make serve`.")


def _describe(folder: Path, material: Material) -> None:
    for role, paths in material.files.items():
        names = ", ".join(str(path.relative_to(folder)) for path in paths) or "none found"
        print(f"{role.capitalize()}: {names}")
    qrels = material.qrels
    grades = {int(grade): int((qrels.grades == grade).sum()) for grade in sorted(set(qrels.grades.tolist()))}
    print(f"Topics: {qrels.n_topics} judged, {qrels.n_judgements} judgements, {len(material.texts)} with a text")
    print(f"Grades: {', '.join(f'{grade} ({count})' for grade, count in grades.items())}")
    if material.corpus is not None:
        print(f"Documents: {len(material.corpus.doc_ids)}")
    for line in material.dropped:
        print(f"Dropped or changed: {line}")


def _describe_proposal(proposal: Proposal) -> None:
    print("Card: none in the folder, so one is proposed; read it and complete its words")
    print(f"  measures: {', '.join(proposal.measures)} (the first ranks)")
    for axis in proposal.axes:
        values = ", ".join(f"{value} {count}" for value, count in axis.values.items())
        print(f"  axis {axis.id}{' (in this order)' if axis.is_ordinal else ''}: {values}")
    for column, reason in proposal.left_out.items():
        print(f"  no axis: {column} ({reason})")


def _write_public(asked: Asked, material: Material, folder: Path) -> None:
    """Write the public list of topics, an example run and, where there is a corpus, the public list of documents."""
    for name in PUBLIC_FILES:
        if (asked.folder / name).is_file():
            shutil.copyfile(asked.folder / name, folder / name)
    qrels, corpus = material.qrels, material.corpus
    if not (folder / "topics.txt").exists():
        _write_lines(folder / "topics.txt", qrels.topic_ids)
    if corpus is not None:
        _write_lines(folder / "documents.txt", corpus.doc_ids)
    if not (folder / "example.run").exists():
        # by chance, so that the example says nothing about the judgements
        documents = corpus.doc_ids[:1000] if corpus is not None else [f"example-{number}" for number in range(1, 4)]
        run = random_run(qrels.subset(qrels.topic_ids[:EXAMPLE_TOPICS]), documents).decode().splitlines()
        _write_lines(folder / "example.run", [line for line in run if int(line.split()[3]) <= 3])


def _write_lines(path: Path, lines: Mapping[str, object] | tuple[str, ...] | list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _notes(gold: Gold, task: Task, material: Material) -> Iterator[str]:
    yield from (notice.message for notice in gold.notices)
    yield from filter(None, [telltale_sentence(gold.qrels, task.relevant_from)])
    if material.corpus is not None:
        yield from filter(None, [strangers_sentence(gold.qrels, frozenset(material.corpus.doc_ids))])


def _score_baselines(task: Task, gold: Gold, material: Material) -> None:
    """Score runs that say what the numbers mean: the best that can be had, chance, and BM25."""
    corpus = material.corpus
    names = task.measure_names
    makers = {
        "oracle": partial(oracle_run, gold.qrels),
        "random": partial(random_run, gold.qrels, corpus.doc_ids if corpus else ()),
    }
    if corpus is not None and corpus.texts and material.texts:
        makers["bm25"] = partial(bm25_run, material.texts, corpus)
    else:
        print("BM25: not scored, it needs the texts of topics and documents")
    print(f"Baselines: {', '.join(names)}")
    for tag, make in makers.items():
        try:
            run = make()
        except GoldError as error:
            print(f"  {error}")
            continue
        reading = read_run(BytesIO(run), qrels=gold.qrels, depth=task.depth, remove_identical=task.remove_identical)
        if not reading.report.accepted:
            print(f"  {tag}: ranks no document of these topics")
            continue
        means = evaluate(gold.qrels, reading, names, topics=gold.topics, relevant_from=task.relevant_from).means
        print(f"  {tag}: {', '.join(f'{means[name]:.4f}' for name in names)}")


def _end(problems: list[str]) -> int:
    for problem in problems:
        print(f"Problem: {problem}")
    if problems:
        print(f"{len(problems)} to mend; nothing was installed.")
    return 1 if problems else 0
