"""The worker's own room: gold opened once, what all may know of it, and the scores per topic. Never in the web process.

No judgement and no score of a topic leaves this room but by `keep_scores`, into a folder that only the worker may read.
"""

import hashlib
import hmac
import json
import os
import secrets
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.gold import Gold, GoldSource, has_gold, open_gold
from data.lint import slice_sizes
from data.samples import write_sample_gold
from data.task import Task
from evaluation import Evaluation, Floats, read_topic_ids
from leaderboard.settings import SHIPPED_TASKS, Settings
from leaderboard.submissions import GoldFacts

SALT_FILE = "salt"


@dataclass(frozen=True, slots=True)
class Opened:
    """The gold of a task, its public facts, and its public topic list.

    `ranked_ids` are the topics that the board ranks by: the live half of sealed gold; None means all.
    """

    gold: Gold
    facts: GoldFacts
    topic_ids: tuple[str, ...]
    ranked_ids: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class KeptScores:
    """The scores of one submission by topic, in gold order, and by group, in the order of each group's first topic."""

    by_topic: Mapping[str, Floats]
    by_group: Mapping[str, Floats]


class Vault:
    """All gold that this worker can open, each package once for as long as it lives."""

    def __init__(self, settings: Settings, tasks: Mapping[str, Task]) -> None:
        self._settings = settings
        self._tasks = tasks
        self._opened: dict[str, Opened] = {}

    @property
    def sample_folder(self) -> Path:
        """Where generated gold packages are."""
        return self._settings.vault_folder / "gold-sample"

    def is_on_samples(self, task: Task) -> bool:
        """Return whether a task is scored on generated gold: it is one of ours, and the host gave no source for it."""
        is_ours = task.folder.is_relative_to(SHIPPED_TASKS)
        is_free = self._settings.gold_source is None and not self._has_package(task)
        return task.has_gold and is_ours and is_free

    def write_sample_gold(self, task: Task) -> None:
        """Write the generated gold of a task if it is not there."""
        if has_gold(task, self.sample_folder):
            return
        self.sample_folder.mkdir(mode=0o700, exist_ok=True)
        put_folder(self.sample_folder / task.id, lambda unfinished: write_sample_gold(task, unfinished))

    def open(self, task_id: str, *, again: bool = False) -> Opened | None:
        """Return the gold of a task, read afresh if asked; None if there is none. Raises GoldError if it is broken."""
        if again:
            self._opened.pop(task_id, None)
        if task_id not in self._opened:
            task = self._tasks.get(task_id)
            source = self.source_of(task) if task is not None and task.has_gold else None
            if task is None or source is None:
                return None
            self._opened[task_id] = self._open(task, source)
        return self._opened[task_id]

    def package_of(self, task: Task) -> Path | None:
        """Return the folder of a task's gold package; None where there is none, or gold is not in a folder."""
        folder = self._settings.gold_folder
        return folder / task.id if folder is not None and self._has_package(task) else None

    def keep_scores(self, opened: Opened, submission_id: str, evaluation: Evaluation) -> Path:
        """Write the scores per topic and group of one submission on this gold; twice is once. Returns the file."""
        path = self._scores_path(opened.facts.task_id, submission_id)
        for folder in (path.parent.parent, path.parent):
            folder.mkdir(mode=0o700, exist_ok=True)
        columns = {
            "fingerprint": np.array(opened.facts.fingerprint),
            "measures": np.array(evaluation.scores.measure_names),
            "topics": np.array(evaluation.scores.topic_ids),
            "values": evaluation.scores.values,
        }
        if evaluation.group_scores is not None:
            columns |= {
                "group_measures": np.array(evaluation.group_scores.measure_names),
                "groups": np.array(evaluation.group_scores.group_ids),
                "group_values": evaluation.group_scores.values,
            }
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as unfinished:
            np.savez_compressed(unfinished, allow_pickle=False, **columns)
        Path(unfinished.name).replace(path)
        return path

    def forget_scores(self, task_id: str, submission_id: str) -> None:
        """Remove what was kept of a submission; twice is once."""
        self._scores_path(task_id, submission_id).unlink(missing_ok=True)

    def kept_scores(self, opened: Opened, submission_id: str) -> KeptScores | None:
        """Return what was kept of a submission on this gold; None where there is nothing, or it cannot be read."""
        try:
            with np.load(self._scores_path(opened.facts.task_id, submission_id), allow_pickle=False) as kept:
                if str(kept["fingerprint"]) != opened.facts.fingerprint:
                    return None
                by_group = {}
                if "groups" in kept:
                    by_group = dict(zip(kept["group_measures"].tolist(), kept["group_values"], strict=True))
                return KeptScores(dict(zip(kept["measures"].tolist(), kept["values"], strict=True)), by_group)
        except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile):
            return None

    def reveal(self, opened: Opened, scores: Mapping[str, float]) -> None:
        """Write down the scores on the sealed half that all may know from now on, by submission."""
        path = self._revealed_path(opened.facts.task_id)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.part")
        text = json.dumps({"fingerprint": opened.facts.fingerprint, "scores": dict(scores)})
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(path)

    def revealed(self, opened: Opened) -> Mapping[str, float] | None:
        """Return the scores on the sealed half of this gold that were revealed; None while it is sealed."""
        try:
            known = json.loads(self._revealed_path(opened.facts.task_id).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return known["scores"] if known["fingerprint"] == opened.facts.fingerprint else None

    def _revealed_path(self, task_id: str) -> Path:
        return self._settings.vault_folder / "revealed" / f"{task_id}.json"

    def _scores_path(self, task_id: str, submission_id: str) -> Path:
        return self._settings.vault_folder / "scores" / task_id / f"{submission_id}.npz"

    def _has_package(self, task: Task) -> bool:
        folder = self._settings.gold_folder
        return folder is not None and has_gold(task, folder)

    def source_of(self, task: Task) -> GoldSource | None:
        """Return where the gold of a task is; None where there is none."""
        settings = self._settings
        if settings.gold_folder is None:
            cache = settings.vault_folder / "gold-hub"
            cache.mkdir(mode=0o700, exist_ok=True)
            return GoldSource(str(settings.gold_source), settings.gold_revision, settings.gold_token, cache)
        if self._has_package(task):
            return GoldSource(str(settings.gold_folder))
        is_generated = self.is_on_samples(task) and has_gold(task, self.sample_folder)
        return GoldSource(str(self.sample_folder)) if is_generated else None

    def _open(self, task: Task, source: GoldSource) -> Opened:
        gold = open_gold(task, source)
        listed = task.folder / "topics.txt"
        topic_ids = gold.qrels.topic_ids
        if listed.is_file() and not gold.is_sample:
            with listed.open("rb") as stream:
                topic_ids = read_topic_ids(stream)
        fingerprint = gold.fingerprint if gold.live_ids is None else self._commitment(task, gold)
        ranked_ids = None if gold.live_ids is None else frozenset(gold.live_ids)
        return Opened(gold, facts_of(task, gold, fingerprint, len(topic_ids)), topic_ids, ranked_ids)

    def _commitment(self, task: Task, gold: Gold) -> str:
        """Return a fingerprint that nobody without the salt can use to confirm a guess of the judgements."""
        message = f"{task.id}\n{gold.fingerprint}".encode()
        return f"sealed:{hmac.new(salt_of(self._settings), message, hashlib.sha256).hexdigest()}"


def salt_of(settings: Settings) -> bytes:
    """Return the secret of the commitments: the one that is set, the host's file beside the packages, or one made once.

    Workers on several machines, and a Space after each restart, need the same, or each would take the gold of the
    others for another one.
    """
    if settings.gold_salt:
        return settings.gold_salt.encode()
    folder = settings.gold_folder
    if folder is not None and (folder / SALT_FILE).is_file():
        return (folder / SALT_FILE).read_bytes().strip()
    path = settings.vault_folder / SALT_FILE
    if not path.exists():
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as unfinished:
            unfinished.write(secrets.token_hex(32).encode())
        try:
            os.link(unfinished.name, path)
        except FileExistsError:
            pass  # another worker was first, and all must use one
        finally:
            os.unlink(unfinished.name)
    return path.read_bytes()


def put_folder(target: Path, write: Callable[[Path], Path]) -> None:
    """Put the folder that `write` makes at `target`, whole or not at all; one that somebody put there first stays.

    `write` gets a folder beside `target` and returns the one that it made in it.
    """
    with tempfile.TemporaryDirectory(dir=target.parent) as unfinished:
        made = write(Path(unfinished))
        try:
            made.rename(target)
        except OSError:
            if not target.is_dir():
                raise


def facts_of(task: Task, gold: Gold, fingerprint: str, n_listed: int) -> GoldFacts:
    """Return what all may know of gold; slices are counted over the live half where there are two."""
    ranked = gold.topics if gold.live_ids is None else gold.topics.subset(gold.live_ids)
    return GoldFacts(
        task_id=task.id,
        version=gold.version,
        kind=task.gold,
        fingerprint=fingerprint,
        n_topics=gold.qrels.n_topics,
        n_live=None if gold.live_ids is None else len(gold.live_ids),
        n_groups=None if ranked.groups is None else len(frozenset(ranked.groups)),
        axes={
            axis.id: tuple((value, size.n_topics, size.n_groups) for value, size in slice_sizes(ranked, axis).items())
            for axis in task.axes
        },
        is_sample=gold.is_sample,
        example_topic_id=gold.qrels.topic_ids[0],
        n_listed=n_listed,
    )
