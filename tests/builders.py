"""Small makers of the things that tests talk about; every argument has a plain default."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

from data.task import Axis, Limits, MeasureColumn, Source, Task
from leaderboard.submissions import GoldFacts, NewSubmission, ScoreSheet, SystemForm, submission_id

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def at(minutes: float) -> datetime:
    """A moment some minutes after noon."""
    return NOON + timedelta(minutes=minutes)


def a_form(name: str = "BM25 tuned", **fields: Any) -> SystemForm:
    return SystemForm(name=name, **fields)


def a_run(topics: Sequence[str] = ("t1", "t2"), *, n_documents: int = 3, tag: str = "tuned", header: str = "") -> bytes:
    """A tidy run file; `header` is text that becomes `#` lines before it."""
    lines = [f"# {line}" for line in header.splitlines()]
    for topic in topics:
        lines += [f"{topic} Q0 d{rank} {rank} {10 - rank} {tag}" for rank in range(1, n_documents + 1)]
    return ("\n".join(lines) + "\n").encode()


def a_stream(content: bytes | None = None) -> BytesIO:
    return BytesIO(a_run() if content is None else content)


def a_submission(
    name: str = "BM25 tuned",
    *,
    task_id: str = "toy",
    run: bytes = b"a run",
    owner: str = "owner",
    form: SystemForm | None = None,
    **fields: Any,
) -> NewSubmission:
    form = form or a_form(name)
    sha256 = hashlib.sha256(run).hexdigest()
    owner_hash = hashlib.sha256(owner.encode()).hexdigest()
    return NewSubmission(
        id=submission_id(task_id, sha256, owner_hash, form),
        task_id=task_id,
        run_sha256=sha256,
        run_size_bytes=len(run),
        owner_hash=owner_hash,
        link_hash=hashlib.sha256(b"link" + owner_hash.encode()).hexdigest(),
        form=form,
        n_lines=6,
        n_topics=2,
        **fields,
    )


def a_sheet(value: float = 0.5, *, gold_version: str = "2026.1", **fields: Any) -> ScoreSheet:
    evaluation: Mapping[str, Any] = {
        "topics": 2,
        "answered": 2,
        "depth": 10,
        "means": {"nDCG@10": value, "R@10": value / 2},
        "macro": {},
        "slices": {"kind": {"easy": {"topics": 1, "nDCG@10": value, "R@10": value / 2}}},
    }
    sheet = {"gold_version": gold_version, "n_topics": 2, "n_answered": 2, "evaluation": evaluation}
    return ScoreSheet(**sheet | fields)


def some_facts(task_id: str = "toy", *, version: str = "2026.1", **fields: Any) -> GoldFacts:
    facts: dict[str, Any] = {
        "task_id": task_id,
        "version": version,
        "kind": "open",
        "fingerprint": f"sha256:{task_id}-{version}",
        "n_topics": 2,
        "n_live": None,
        "n_groups": None,
        "axes": {"kind": (("easy", 1, None), ("hard", 1, None))},
        "is_sample": False,
        "example_topic_id": "t1",
    }
    return GoldFacts(**facts | fields)


def a_task(task_id: str = "toy", *, folder: Path = Path("nowhere"), **fields: Any) -> Task:
    card: dict[str, Any] = {
        "id": task_id,
        "benchmark": "Toy",
        "version": "2026.1",
        "gold": "open",
        "depth": 10,
        "mean": "topics",
        "relevant_from": 1,
        "remove_identical": False,
        "has_groups": False,
        "name": {"en": "Toy task", "fr": "Tâche jouet", "zh": "玩具任务"},
        "summary": {"en": "Find toys.", "fr": "Trouver des jouets.", "zh": "找玩具。"},
        "description": {"en": ""},
        "languages": ("en",),
        "pitfalls": {"en": ("Few topics.",)},
        "measures": (
            MeasureColumn("nDCG@10", None, True, False, {"en": "Gain", "fr": "Gain", "zh": "增益"}),
            MeasureColumn("R@10", "r@10", False, False, {"en": "Recall", "fr": "Rappel", "zh": "召回"}),
        ),
        "axes": (
            Axis(
                "kind",
                {"en": "Kind", "fr": "Genre", "zh": "种类"},
                False,
                ("easy", "hard"),
                {"easy": {"en": "Easy", "fr": "Facile", "zh": "容易"}},
                "dots",
            ),
        ),
        "limits": Limits(3, 30, 200, 1),
        "source": Source("", "", "", "", "", "", ""),
        "family": None,
        "position": 1,
        "folder": folder,
    }
    return Task(**card | fields)
