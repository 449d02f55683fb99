"""Write a gold package: judgements, topic attributes and version, in the text layout that `data.gold` opens."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def write_package(
    folder: Path,
    judgements: Mapping[str, Mapping[str, int]],
    rows: Sequence[Mapping[str, Any]],
    *,
    version: str,
) -> None:
    """Write `gold.toml`, `topics.jsonl` and, last, `qrels.trec` into a folder that only its owner may enter.

    A package that was cut short thus has no judgements, and counts as not there. The same values give the same bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    _write(folder / "gold.toml", f"version = {json.dumps(version)}\n")
    _write(folder / "topics.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    lines = [
        f"{topic_id} 0 {document} {grade}\n"
        for topic_id, documents in judgements.items()
        for document, grade in documents.items()
    ]
    _write(folder / "qrels.trec", "".join(lines))


def _write(path: Path, text: str) -> None:
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_text(text, encoding="utf-8", newline="\n")
    unfinished.replace(path)
