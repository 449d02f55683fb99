"""Small makers of cards and gold packages for the tests of the vault."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data.cards import load_card
from data.task import Task

SHIPPED = Path(__file__).resolve().parents[2] / "data" / "tasks"

CARD = """\
id = "toy"
benchmark = "Toy"
version = "1"
gold = "open"
depth = 100
mean = "macro:kind"
has_groups = true
languages = ["en"]
family = "toys"

[name]
en = "Toy task"
fr = "Tâche jouet"

[summary]
en = "Find the toy."

[pitfalls]
en = ["It is a toy."]
fr = ["C’est un jouet."]

[[measure]]
name = "nDCG@10"
label = "n@10"
primary = true
words = { en = "Gain of the first ten." }

[[measure]]
name = "Robustness@10"

[[axis]]
id = "kind"
name = { en = "Kind" }

[axis.label]
car = { en = "Car", fr = "Voiture" }
doll = { en = "Doll" }

[[axis]]
id = "size"
ordinal = true
order = ["small", "large"]
name = { en = "Size" }

[limits]
per_day = 2
per_month = 10
total = 20
min_slice_topics = 1

[source]
paper = "https://example.org/paper"
bibtex = "@misc{toy}"
"""

PLAIN_CARD = """\
id = "toy"
benchmark = "Toy"
version = "1"
gold = "open"
name = { en = "Toy" }
summary = { en = "Find the toy." }

[[measure]]
name = "nDCG@10"
primary = true
"""

SEALED_CARD = PLAIN_CARD.replace('gold = "open"', 'gold = "sealed"')

ROWS = (
    {"topic_id": "t1", "group": "g1", "kind": "car", "size": "small"},
    {"topic_id": "t2", "group": "g1", "kind": ["car", "doll"], "size": "large"},
    {"topic_id": "t3", "group": "g2", "kind": "doll", "size": "small"},
)
QRELS = "t1 0 d1 1\nt1 0 d2 0\nt2 0 d1 2\nt3 0 d9 1\n"


def a_card(folder: Path, text: str = CARD, task_id: str = "toy") -> Path:
    """Write a card into `<folder>/<task id>` and return that folder."""
    task_folder = folder / task_id
    task_folder.mkdir(parents=True, exist_ok=True)
    (task_folder / "card.toml").write_text(text, encoding="utf-8")
    return task_folder


def a_task(folder: Path, text: str = CARD) -> Task:
    return load_card(a_card(folder / "tasks", text))


def shipped(task_id: str) -> Task:
    return load_card(SHIPPED / task_id)


def a_package(
    folder: Path,
    qrels: str | None = QRELS,
    rows: Sequence[Mapping[str, Any]] | str | None = ROWS,
    *,
    qrels_name: str = "qrels.trec",
    version: str | None = None,
    task_id: str = "toy",
) -> Path:
    """Write a gold package into `<folder>/<task id>` and return `folder`."""
    package = folder / task_id
    package.mkdir(parents=True, exist_ok=True)
    if qrels is not None:
        (package / qrels_name).write_text(qrels, encoding="utf-8")
    if rows is not None:
        text = rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows)
        (package / "topics.jsonl").write_text(text, encoding="utf-8")
    if version is not None:
        (package / "gold.toml").write_text(version, encoding="utf-8")
    return folder
