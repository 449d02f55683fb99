"""Write sample gold in the shape of each shipped benchmark, made up from a seed, and the public files beside it.

Nothing here is anybody's data: topics have ids and attributes but no text. The repository holds only this generator.
"""

import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.package import write_package
from data.sample_systems import SEED, SampleRun, example_run, sample_runs
from data.task import Task
from evaluation import Qrels, TopicTable

__all__ = ["SEED", "SampleRun", "sample_runs", "write_public_files", "write_sample_gold"]

N_TOPICS = 420
N_GROUPS = 90
N_TOPICS_A_CELL = 200  # of every two axes of the sealed sample: 100 of them live
LEAST = 24  # topics of the smallest slice

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Sample:
    rows: Sequence[Row]
    judgements: Mapping[str, Mapping[str, int]]


def write_sample_gold(task: Task, gold_folder: Path, seed: int = SEED) -> Path:
    """Write a gold package of version "sample" into `<gold_folder>/<task id>` and return that folder.

    The same task and seed give the same bytes.
    """
    sample = _sample(task, seed)
    folder = gold_folder / task.id
    write_package(folder, sample.judgements, sample.rows, version="sample")
    return folder


def write_public_files(task: Task, public_folder: Path, seed: int = SEED) -> Path:
    """Write `topics.txt` and `example.run` of the sample gold into `<public_folder>/<task id>`; returns that folder."""
    sample = _sample(task, seed)
    folder = public_folder / task.id
    folder.mkdir(parents=True, exist_ok=True)
    qrels = Qrels.of(sample.judgements)
    attributes = {axis.id: tuple(_values(row[axis.id]) for row in sample.rows) for axis in task.axes}
    topics = TopicTable(qrels.topic_ids, None, attributes)
    (folder / "topics.txt").write_text("".join(f"{topic_id}\n" for topic_id in qrels.topic_ids), encoding="utf-8")
    (folder / "example.run").write_bytes(example_run(task, qrels, topics, seed))
    return folder


def _sample(task: Task, seed: int) -> _Sample:
    chance = random.Random(f"{seed}/{task.id}")
    if task.gold == "sealed":
        rows = _sealed_rows(task, chance)
    elif task.has_groups:
        rows = _grouped_rows(task, chance)
    elif task.family == "alloprof":
        rows = _school_rows(task, chance)
    else:
        rows = _plain_rows(task, chance)
    judge = _JUDGES.get(task.id, _judge_plain)
    return _Sample(rows, {row["topic_id"]: judge(number, row, chance) for number, row in enumerate(rows, 1)})


def _values(value: str | list[str]) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _spread(values: Sequence[str], n: int, least: int, chance: random.Random) -> list[str]:
    """Return n values in random order: `least` of each, the rest more often the earlier ones."""
    weights = [1 / place for place in range(1, len(values) + 1)]
    rest = chance.choices(values, weights, k=n - least * len(values))
    spread = [*(value for value in values for _ in range(least)), *rest]
    chance.shuffle(spread)
    return spread


def _plain_rows(task: Task, chance: random.Random) -> list[Row]:
    columns = {axis.id: _spread(axis.order, N_TOPICS, LEAST, chance) for axis in task.axes}
    return [
        {"topic_id": f"{task.id}-{index + 1:04d}", **{axis: values[index] for axis, values in columns.items()}}
        for index in range(N_TOPICS)
    ]


def _sealed_rows(task: Task, chance: random.Random) -> list[Row]:
    """Every pair of values of the first two axes gets as many topics, half of them live."""
    first, second = task.axes
    rows = [
        {first.id: one, second.id: other, "half": "live" if number % 2 else "sealed"}
        for one in first.order
        for other in second.order
        for number in range(N_TOPICS_A_CELL)
    ]
    chance.shuffle(rows)
    return [{"topic_id": f"S{number:04d}", **row} for number, row in enumerate(rows, 1)]


def _grouped_rows(task: Task, chance: random.Random) -> list[Row]:
    """Make groups of 6 to 10 topics, as the questions of InstructIR have instructions."""
    types = _spread(task.axis("query_type").order, N_GROUPS, 6, chance)
    sizes = _spread(task.axis("group_size").order, N_GROUPS, 8, chance)
    rows: list[Row] = []
    for number, (query_type, size) in enumerate(zip(types, sizes, strict=True)):
        group = str(900_000 + 7 * number)
        rows += [
            {"topic_id": f"{group}_{place}", "group": group, "query_type": query_type, "group_size": size}
            for place in range(1, int(size) + 1)
        ]
    return rows


def _school_rows(task: Task, chance: random.Random) -> list[Row]:
    """Grades with their levels, now and then two grades or two subjects, most topics in French."""
    grades = task.axis("grade").order
    columns = {
        axis: _spread(task.axis(axis).order, N_TOPICS, LEAST, chance) for axis in ("grade", "subject", "has_image")
    }
    languages = _spread(task.axis("language").order, N_TOPICS, LEAST, chance)
    rows: list[Row] = []
    for index in range(N_TOPICS):
        own = [columns["grade"][index]]
        # the last two values are no grades of a school year
        if own[0] in grades[:-3] and chance.random() < 0.1:
            own.append(grades[grades.index(own[0]) + 1])
        subjects = [columns["subject"][index]]
        if chance.random() < 0.08:
            other = chance.choice(task.axis("subject").order)
            subjects += [other] if other not in subjects else []
        rows.append(
            {
                "topic_id": str(700_000 + 13 * index),
                "grade": own,
                "level": list(dict.fromkeys(_level(grade) for grade in own)),
                "subject": subjects,
                "language": languages[index],
                "has_image": columns["has_image"][index],
            }
        )
    return rows


def _level(grade: str) -> str:
    return grade.rsplit("-", 1)[0] if grade[-1].isdigit() else grade


def _judge_plain(number: int, row: Row, chance: random.Random) -> dict[str, int]:
    return {f"p{10 * number + place:06d}": 1 for place in range(chance.randint(1, 2))}


def _judge_graded(number: int, row: Row, chance: random.Random) -> dict[str, int]:
    n_documents = chance.randint(4, 7)
    return {f"D{number:04d}-{place}": chance.choice((1, 1, 2, 3)) if place > 1 else 0 for place in range(n_documents)}


def _judge_one(number: int, row: Row, chance: random.Random) -> dict[str, int]:
    return {f"{800_000 + number}_{row['topic_id'].rsplit('_', 1)[1]}": 1}


def _judge_pages(number: int, row: Row, chance: random.Random) -> dict[str, int]:
    n_pages = chance.randint(1, 3)
    return {f"{uuid.UUID(int=chance.getrandbits(128), version=4)}-{row['language']}": 1 for _ in range(n_pages)}


def _judge_questions(number: int, row: Row, chance: random.Random) -> dict[str, int]:
    # earlier questions lie between the topics' own numbers
    return {str(700_000 + 13 * number - place): 1 for place in range(1, chance.randint(2, 4))}


def _judge_both(number: int, row: Row, chance: random.Random) -> dict[str, int]:
    return {**_judge_pages(number, row, chance), **_judge_questions(number, row, chance)}


_JUDGES = {
    "instructir": _judge_one,
    "alloprof-pages": _judge_pages,
    "alloprof-questions": _judge_questions,
    "alloprof-both": _judge_both,
    "sample-sealed": _judge_graded,
}
