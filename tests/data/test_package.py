from pathlib import Path

import pytest

from data.gold import GoldSource, has_gold, open_gold
from data.package import write_package
from tests.data.makers import ROWS, a_task

JUDGEMENTS = {"t1": {"d1": 1, "d2": 0}, "t2": {"d1": 2}, "t3": {"dé": 1}}


def test_written_package_is_opened_as_it_was_given(tmp_path: Path) -> None:
    write_package(tmp_path / "toy", JUDGEMENTS, ROWS, version="2026.1")

    gold = open_gold(a_task(tmp_path), GoldSource(str(tmp_path)))

    assert gold.version == "2026.1"
    assert gold.qrels.judged(2) == {"dé".encode(): 1}
    assert gold.topics.axes["kind"] == (("car",), ("car", "doll"), ("doll",))


def test_folder_of_a_package_is_closed_to_others(tmp_path: Path) -> None:
    write_package(tmp_path / "toy", JUDGEMENTS, ROWS, version="1")

    assert (tmp_path / "toy").stat().st_mode & 0o777 == 0o700


def test_package_cut_short_counts_as_not_there(tmp_path: Path) -> None:
    with pytest.raises(AttributeError):
        write_package(tmp_path / "toy", {"t1": None}, ROWS, version="1")  # type: ignore[dict-item]

    assert not has_gold(a_task(tmp_path), tmp_path)


def test_no_unfinished_file_stays(tmp_path: Path) -> None:
    write_package(tmp_path / "toy", JUDGEMENTS, ROWS, version="1")

    assert sorted(path.name for path in (tmp_path / "toy").iterdir()) == ["gold.toml", "qrels.trec", "topics.jsonl"]
