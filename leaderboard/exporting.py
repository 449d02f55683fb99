"""`python -m leaderboard export <folder or hf://datasets/org/name>`: the public results as Parquet with a card.

Made from finished boards and public submissions alone, so nothing is in it that a reader of the site cannot see; scores
by topic only where the gold is open. Boards on generated gold are left out: their numbers are nobody's.
"""

import csv
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from sqlalchemy.exc import SQLAlchemyError

from data.cards import load_catalogue
from data.task import Task, in_language
from leaderboard.archive_places import HUB, Away, HubPlace, Refused
from leaderboard.board import Board
from leaderboard.downloads import topic_scores_file
from leaderboard.settings import Settings
from leaderboard.standings import columns_of
from leaderboard.store import Store

Row = dict[str, Any]
CARD = "README.md"
MOST_LATEST = 10_000_000
# The columns of each table, in order, with their kind: an empty table has them too.
TABLES: Mapping[str, Mapping[str, str]] = {
    "systems": {
        **dict.fromkeys(
            ("task", "benchmark", "gold_version", "system_id", "submission_id", "name", "version"), "string"
        ),
        **dict.fromkeys(("link", "run_type", "submitted_at", "published_at"), "string"),
        **{"rank": "Int64", "answered": "Int64", "topics": "Int64", "params_millions": "Float64"},
        **dict.fromkeys(("open_weights", "is_baseline"), "boolean"),
    },
    "scores": {
        **dict.fromkeys(("task", "submission_id", "name", "version", "measure", "mean"), "string"),
        **{"is_primary": "boolean", "value": "Float64", "low": "Float64", "high": "Float64"},
    },
    "slices": {
        **dict.fromkeys(("task", "submission_id", "name", "version", "axis", "slice", "measure"), "string"),
        **{"topics": "Int64", "value": "Float64"},
    },
    "history": {
        **dict.fromkeys(("task", "gold_version", "system_id", "submission_id", "name", "version"), "string"),
        **dict.fromkeys(("submitted_at", "published_at", "measure", "mean"), "string"),
        "value": "Float64",
    },
    "topics": {
        **dict.fromkeys(("task", "submission_id", "topic", "measure"), "string"),
        "value": "Float64",
    },
}


def main(settings: Settings, target: str) -> int:
    """Write the dataset; 0, or 1 where it cannot be written."""
    store = Store.open(settings.database_url)
    try:
        catalogue = load_catalogue(settings.task_folders)
        board = Board(store, catalogue, lambda: datetime.now(UTC))
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made) if target.startswith(HUB) else Path(target).expanduser()
            counts = write(board, catalogue, settings.topic_scores_folder, folder)
            if target.startswith(HUB):
                _upload(folder, target, os.environ.get("EXPORT_TOKEN") or settings.archive_token)
    except (OSError, Refused, Away, SQLAlchemyError) as error:
        print(f"qrelboard: export failed: {error}", file=sys.stderr)
        return 1
    finally:
        store.close()
    told = ", ".join(f"{n} {name}" for name, n in counts.items())
    print(f"qrelboard: exported to {target}: {told}", file=sys.stderr)
    return 0


def write(board: Board, catalogue: Mapping[str, Task], topic_scores: Path, folder: Path) -> dict[str, int]:
    """Write all tables and the card into a folder; returns how many rows each table has. An empty table is left out."""
    shown = [task for task in catalogue.values() if _is_real(board, task)]
    makers: Mapping[str, Callable[[Task], Iterator[Row]]] = {
        "systems": lambda task: _systems(board, task),
        "scores": lambda task: _scores(board, task),
        "slices": lambda task: _slices(board, task),
        "history": lambda task: _history(board, task),
        "topics": lambda task: _topics(board, task, topic_scores),
    }
    counts = {}
    for name, make in makers.items():
        rows = [row for task in shown for row in make(task)]
        file = folder / name / "all.parquet"
        file.unlink(missing_ok=True)
        counts[name] = len(rows)
        if rows:
            file.parent.mkdir(parents=True, exist_ok=True)
            kinds = TABLES[name]
            pd.DataFrame(rows, columns=list(kinds)).astype(dict(kinds)).to_parquet(file, index=False)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CARD).write_text(card(board, shown, counts), encoding="utf-8")
    return counts


def card(board: Board, tasks: list[Task], counts: Mapping[str, int]) -> str:
    """Return the dataset card: one configuration a table that has rows, and what the tables are."""
    there = [name for name, n in counts.items() if n]
    listed = "".join(
        f"- config_name: {name}\n  data_files: {name}/all.parquet\n" + ("  default: true\n" if name == "scores" else "")
        for name in there
    )
    configs = f"configs:\n{listed}" if there else ""
    lines = [
        f"---\npretty_name: Results of a retrieval leaderboard\n{configs}---\n",
        "# Results of a retrieval leaderboard\n",
        "Public submissions of the boards below, as the boards show them.\n",
        '```python\nfrom datasets import load_dataset\n\nload_dataset(<this dataset>, "scores", split="train")\n```\n',
        "| table | rows | one row is |\n|---|---|---|",
        *(f"| `{name}` | {counts[name]} | {_ABOUT[name]} |" for name in there),
        "\n| task | gold | systems | licence of the benchmark |\n|---|---|---|---|",
        *(_task_line(board, task) for task in tasks),
        "\nScores by topic are given for open gold only. Numbers of sealed gold are rounded as on the board.",
    ]
    return "\n".join(lines) + "\n"


_EXAMPLE = """```python
from datasets import load_dataset

load_dataset("<this dataset or folder>", "scores", split="train")
```
"""
_ABOUT = {
    "systems": "a row of a board: who, what, rank",
    "scores": "one number of a row, with the ends of its 95% interval where the board has one",
    "slices": "one number of a row over one slice of the topics",
    "history": "one number of a public submission, earlier versions too",
    "topics": "one number of a row on one topic",
}


def _task_line(board: Board, task: Task) -> str:
    body = board.body(task.id) or {}
    gold, n_systems = body.get("gold", {}), len(body.get("rows", ()))
    return (
        f"| {in_language(task.name, 'en')} | {gold.get('version')}, {task.gold} | {n_systems} | {task.source.licence} |"
    )


def _is_real(board: Board, task: Task) -> bool:
    body = board.body(task.id)
    return body is not None and not body["gold"]["is_sample"]


def _rows(board: Board, task: Task) -> list[Mapping[str, Any]]:
    body = board.body(task.id)
    return [row for row in body["rows"] if not row["is_sample"]] if body else []


def _systems(board: Board, task: Task) -> Iterator[Row]:
    body = board.body(task.id) or {}
    names = (
        "rank",
        "name",
        "version",
        "link",
        "run_type",
        "params_millions",
        "open_weights",
        "is_baseline",
        "answered",
    )
    for row in _rows(board, task):
        about = {"task": task.id, "benchmark": task.benchmark, "gold_version": body["gold"]["version"]}
        ids = {
            "system_id": row["system"],
            "submission_id": row["id"],
            "answered": row["answered"],
            "topics": body["topics"],
        }
        times = {name: row[name] for name in ("submitted_at", "published_at")}
        yield {**about, **ids, **times, **{name: row[name] for name in names}}


def _scores(board: Board, task: Task) -> Iterator[Row]:
    columns = (board.body(task.id) or {}).get("columns", [])
    for row in _rows(board, task):
        ends = row.get("intervals") or [None] * len(columns)
        for column, value, interval in zip(columns, row["scores"], ends, strict=True):
            low, high = interval or (None, None)
            about = {name: column[name] for name in ("measure", "mean", "is_primary")}
            yield {**_who(task, row), **about, "value": value, "low": low, "high": high}


def _slices(board: Board, task: Task) -> Iterator[Row]:
    body = board.body(task.id) or {}
    for row in _rows(board, task):
        for axis in body["axes"]:
            for value, cell in zip(axis["values"], row["slices"].get(axis["id"], ()), strict=False):
                for measure, number in zip(body["measures"], cell or (), strict=False):
                    about = {"axis": axis["id"], "slice": value["id"], "topics": value["topics"]}
                    yield {**_who(task, row), **about, "measure": measure, "value": number}


def _history(board: Board, task: Task) -> Iterator[Row]:
    for entry in reversed(board.latest(MOST_LATEST)):
        one, sheet = entry.submission, entry.sheet
        if entry.task.id != task.id or sheet is None or one.is_sample:
            continue
        about = {"task": task.id, "gold_version": sheet.gold_version, "system_id": one.system_id}
        who = {"submission_id": one.id, "name": one.form.name, "version": one.form.version}
        times = {"submitted_at": _text(one.submitted_at), "published_at": _text(one.published_at)}
        for column in columns_of(task):
            value = sheet.value(column.measure, column.mean)
            yield {**about, **who, **times, "measure": column.measure, "mean": column.mean, "value": value}


def _topics(board: Board, task: Task, folder: Path) -> Iterator[Row]:
    facts = board.facts(task.id)
    if facts is None or facts.kind != "open" or task.gold != "open":
        return
    for row in _rows(board, task):
        path = topic_scores_file(folder, row["id"])
        if not path.is_file():
            continue
        with path.open(encoding="utf-8", newline="") as stream:
            for line in csv.DictReader(stream):
                topic = line.pop("topic").removeprefix("'")
                for measure, value in line.items():
                    about = {"task": task.id, "submission_id": row["id"], "topic": topic}
                    yield {**about, "measure": measure, "value": float(value)}


def _who(task: Task, row: Mapping[str, Any]) -> Row:
    return {"task": task.id, "submission_id": row["id"], "name": row["name"], "version": row["version"]}


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _upload(folder: Path, target: str, token: str | None) -> None:
    """Put the folder into a dataset of the Hub in one commit. Raises Refused and Away."""
    if not token:
        raise Refused("EXPORT_TOKEN", "not set; give a token that may write to the dataset of the results")
    place = HubPlace(target.removeprefix(HUB).strip("/"), token, os.environ.get("HF_ENDPOINT") or None)
    files = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    place.write(files, [f"{name}/all.parquet" for name in TABLES if f"{name}/all.parquet" not in files], "Results")
