from pathlib import Path

import pytest

from data.published import read_published
from evaluation import CardError
from tests.data.makers import SHIPPED

PUBLISHED = SHIPPED.parent / "published"
HEADING = "system,params_millions,measure,value,setting,source\n"


def a_file(folder: Path, rows: str, heading: str = HEADING) -> Path:
    (folder / "published").mkdir()
    (folder / "published" / "toy.csv").write_text(heading + rows, encoding="utf-8")
    return folder / "published"


@pytest.mark.parametrize(
    ("task_id", "n_rows"), [("irsc", 3), ("instructir", 34), ("alloprof-both", 9), ("alloprof-mteb", 689)]
)
def test_shipped_numbers_are_all_there_with_their_source(task_id: str, n_rows: int) -> None:
    rows = read_published(PUBLISHED, task_id)

    assert len(rows) == n_rows
    assert all(row.source for row in rows)


def test_every_shipped_file_belongs_to_a_task() -> None:
    tasks = {path.name for path in SHIPPED.iterdir()}

    assert {path.stem for path in PUBLISHED.glob("*.csv")} <= tasks


def test_one_system_reported_twice_keeps_both_values_and_sources() -> None:
    rows = [row for row in read_published(PUBLISHED, "instructir") if row.system.lower().startswith("repllama")]

    values = {(row.value, row.source.split(";")[0]) for row in rows if row.measure == "nDCG@10"}

    assert (0.8762, "arXiv:2402.14334 text") in values
    assert (0.857, "Promptriever paper (arXiv:2409.11136) Table 2") in values


def test_values_published_from_0_to_100_are_stored_from_0_to_1_and_say_so() -> None:
    rows = read_published(PUBLISHED, "instructir")

    assert {row.source.split("; ")[-1] for row in rows} == {"published on a 0-100 scale"}
    assert max(row.value for row in rows) <= 1


def test_row_is_read_as_written(tmp_path: Path) -> None:
    folder = a_file(tmp_path, '"Toy, large",335.5,nDCG@10,0.25,"half, cut",A paper\n')

    (row,) = read_published(folder, "toy")

    assert (row.system, row.params_millions, row.measure) == ("Toy, large", 335.5, "nDCG@10")
    assert (row.value, row.setting, row.source) == (0.25, "half, cut", "A paper")


def test_task_without_a_file_has_no_rows(tmp_path: Path) -> None:
    assert read_published(tmp_path, "toy") == ()


BROKEN = {
    "no system": (",,nDCG@10,0.5,,A paper\n", "line 2, column system: is empty"),
    "no source": ("Toy,,nDCG@10,0.5,,\n", "line 2, column source: is empty"),
    "unknown measure": ("Toy,,nDGC@10,0.5,,A paper\n", 'line 2, column measure: "nDGC@10" is not a measure'),
    "value of 0 to 100": ("Toy,,nDCG@10,50,,A paper\n", 'line 2, column value: is "50"; expected a number from 0 to 1'),
    "value that is no number": ("Toy,,nDCG@10,nan,,A paper\n", "line 2, column value"),
    "value with a comma": ('Toy,,nDCG@10,"0,5",,A paper\n', "line 2, column value"),
    "parameters below nothing": ("Toy,-1,nDCG@10,0.5,,A paper\n", "line 2, column params_millions"),
    "a column too few": ("Toy,,nDCG@10,0.5,A paper\n", "line 2: has 5 columns; expected 6"),
    "a row twice": ("Toy,,nDCG@10,0.5,,A\nToy,,nDCG@10,0.6,,A\n", "line 3, column system"),
    "an open quote": ('Toy,,nDCG@10,0.5,,"A paper\n', "line 2: is not CSV"),
}


@pytest.mark.parametrize(("rows", "says"), BROKEN.values(), ids=BROKEN.keys())
def test_row_that_cannot_be_shown_is_refused_with_file_line_and_column(tmp_path: Path, rows: str, says: str) -> None:
    with pytest.raises(CardError) as refusal:
        read_published(a_file(tmp_path, rows), "toy")

    assert f"published/toy.csv, {says}" in str(refusal.value)


def test_misspelt_heading_is_refused_with_the_right_one(tmp_path: Path) -> None:
    folder = a_file(tmp_path, "", HEADING.replace("source", "sourse"))

    with pytest.raises(CardError, match='did you mean "source"'):
        read_published(folder, "toy")


def test_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    folder = a_file(tmp_path, "")
    (folder / "toy.csv").write_bytes(HEADING.encode() + "é".encode("latin-1"))

    with pytest.raises(CardError, match="is not UTF-8"):
        read_published(folder, "toy")
