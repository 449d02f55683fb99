"""What a host runs once on gold that will be sealed: mark the live and the sealed half, whole groups, from a seed.

Its words are for the host alone; nothing of the gold is printed but counts of topics.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from data.cards import load_tasks
from data.gold import HALF, LIVE, SEALED, read_package
from data.task import Task
from evaluation import Floats, GoldError, TopicTable
from leaderboard.settings import Settings

N_TRIES = 2000
MOST_IMBALANCE = 0.05  # of a cell: how far its share of live topics may be from that of all topics
TOPICS_FILE = "topics.jsonl"


@dataclass(frozen=True, slots=True)
class Cell:
    """A slice after the split; `imbalance` is how far its live share is from that of all topics."""

    name: str
    n_live: int
    n_sealed: int
    imbalance: float


def main(settings: Settings, task_id: str, seed: int) -> int:
    """Split the gold of a task, print every cell, and write the halves; 1 where it cannot be done, nothing written."""
    tasks, _ = load_tasks(settings.task_folders)
    task = next((one for one in tasks if one.id == task_id), None)
    folder = settings.gold_folder
    if task is None or folder is None:
        return _refused(f"There is no task {task_id!r} with gold in a folder of this machine.")
    path = folder / task.id / TOPICS_FILE
    try:
        reading, table, _ = read_package(task.id, folder / task.id)
        qrels = reading.qrels
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (GoldError, FileNotFoundError) as error:
        return _refused(str(error) if isinstance(error, GoldError) else f"{task.id}: needs {TOPICS_FILE}.")
    if table is None or any(HALF in row for row in rows):
        return _refused(f"{task.id}: the topics have halves already; another split would mix them.")
    known = frozenset(table.topic_ids)
    lacking = sum(topic_id not in known for topic_id in qrels.topic_ids)
    if lacking:
        return _refused(f"{task.id}: {lacking} judged topics have no row in {TOPICS_FILE}.")
    table = table.subset(qrels.topic_ids)
    live = split(task, table, seed)
    cells = imbalances(task, table, live)
    for cell in cells:
        print(f"{cell.name}: {cell.n_live} live, {cell.n_sealed} sealed, {100 * cell.imbalance:+.1f} points")
    uneven = [cell.name for cell in cells if abs(cell.imbalance) > MOST_IMBALANCE]
    if uneven:
        return _refused(f"Over {MOST_IMBALANCE:.0%} in {', '.join(uneven)}: try another --seed, or merge small values.")
    chosen = frozenset(live)
    _write(path, [{**row, HALF: LIVE if row["topic_id"] in chosen else SEALED} for row in rows])
    print(f"Written: {TOPICS_FILE}, seed {seed}. Keep the seed to yourself: with it anybody can tell the halves apart.")
    return 0


def split(task: Task, table: TopicTable, seed: int) -> tuple[str, ...]:
    """Return the live topics: half of them, no group torn apart, all slices as even as the best of many tries has them.

    The same table, task and seed give the same halves.
    """
    groups = list(table.groups or table.topic_ids)
    groups = [group or topic_id for group, topic_id in zip(groups, table.topic_ids, strict=True)]
    units = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    unit_of = np.array([units[group] for group in groups], dtype=np.int64)
    members = _members(task, table)
    counts = np.stack([np.bincount(unit_of[rows], minlength=len(units)) for rows in members.values()], axis=1)
    totals = counts.sum(axis=0)
    random = np.random.default_rng(seed)
    best, least = np.zeros(len(units), dtype=bool), np.inf
    for _ in range(N_TRIES):
        order = random.permutation(len(units))
        n_live = np.searchsorted(np.cumsum(counts[order, 0]), totals[0] / 2) + 1
        is_live = np.zeros(len(units), dtype=bool)
        is_live[order[:n_live]] = True
        uneven = _worst(counts[is_live].sum(axis=0) / totals)
        if uneven < least:
            best, least = is_live, uneven
    return tuple(topic_id for topic_id, unit in zip(table.topic_ids, unit_of, strict=True) if best[unit])


def imbalances(task: Task, table: TopicTable, live: Sequence[str]) -> tuple[Cell, ...]:
    """Return all topics and every slice with its topics in each half."""
    chosen = frozenset(live)
    is_live = np.array([topic_id in chosen for topic_id in table.topic_ids])
    share = float(is_live.mean())
    return tuple(
        Cell(name, int(is_live[rows].sum()), int((~is_live[rows]).sum()), float(is_live[rows].mean()) - share)
        for name, rows in _members(task, table).items()
    )


def _members(task: Task, table: TopicTable) -> dict[str, Any]:
    """Return the places of the topics of every cell, all topics first."""
    found: dict[str, list[int]] = {}
    for axis in task.axes:
        for place, values in enumerate(table.axes.get(axis.id, ())):
            for value in values:
                found.setdefault(f"{axis.id} {value}", []).append(place)
    cells = {"all topics": np.arange(len(table.topic_ids))}
    return {**cells, **{name: np.array(places) for name, places in found.items()}}


def _worst(shares: Floats) -> float:
    """Return the largest distance of a cell's live share from that of all topics, and of that from a half."""
    return float(max(abs(shares[0] - 0.5), np.abs(shares - shares[0]).max()))


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    unfinished = path.with_name(f"{path.name}.part")
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        stream.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.replace(path)


def _refused(problem: str) -> int:
    print(f"Problem: {problem}")
    return 1
