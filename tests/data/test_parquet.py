from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset

from data.gold import GoldSource, open_gold
from evaluation import GoldError
from tests.data.makers import PLAIN_CARD, QRELS, ROWS, a_package, a_task


def a_parquet(path: Path, columns: dict[str, list[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Dataset.from_dict(columns).to_parquet(str(path))


def judgements(*names: str) -> dict[str, list[Any]]:
    rows = [line.split() for line in QRELS.splitlines()]
    return dict(zip(names, ([r[0] for r in rows], [r[2] for r in rows], [int(r[3]) for r in rows]), strict=True))


@pytest.mark.parametrize("names", [("query-id", "corpus-id", "score"), ("topic_id", "doc_id", "grade")])
def test_parquet_package_is_the_same_gold_as_text(tmp_path: Path, names: tuple[str, ...]) -> None:
    task = a_task(tmp_path)
    text = open_gold(task, GoldSource(str(a_package(tmp_path / "text"))))
    package = tmp_path / "parquet" / "toy"
    a_parquet(package / "qrels.parquet", judgements(*names))
    kinds = [[row["kind"]] if isinstance(row["kind"], str) else row["kind"] for row in ROWS]
    others = {key: [row[key] for row in ROWS] for key in ("topic_id", "group", "size")}
    a_parquet(package / "topics.parquet", {**others, "kind": kinds})

    columns = open_gold(task, GoldSource(str(package.parent)))

    assert columns.fingerprint == text.fingerprint


def test_missing_column_is_refused_by_name(tmp_path: Path) -> None:
    a_parquet(tmp_path / "toy" / "qrels.parquet", {"topic_id": ["t1"], "doc_id": ["d1"]})

    with pytest.raises(GoldError, match=r"toy/qrels.parquet: no column named grade or score or relevance"):
        open_gold(a_task(tmp_path, PLAIN_CARD), GoldSource(str(tmp_path)))


def test_grade_with_a_fraction_is_refused_with_its_row(tmp_path: Path) -> None:
    a_parquet(tmp_path / "toy" / "qrels.parquet", {"topic_id": ["t1"], "doc_id": ["d1"], "grade": [0.5]})

    with pytest.raises(GoldError, match=r"toy/qrels.parquet, line 2, column grade: grade not integer"):
        open_gold(a_task(tmp_path, PLAIN_CARD), GoldSource(str(tmp_path)))


def test_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    a_package(tmp_path, qrels_name="qrels.parquet")

    with pytest.raises(GoldError, match=r"toy/qrels.parquet: is not a Parquet file"):
        open_gold(a_task(tmp_path, PLAIN_CARD), GoldSource(str(tmp_path)))
