"""The importer of Alloprof on small files in its layout, with each of its traps."""

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from data.gold import Gold, GoldSource, open_gold
from data.importers.alloprof import import_alloprof, main, read_upstream
from evaluation import GoldError
from tests.data.makers import shipped

PAGE, ENGLISH_PAGE = "0a1b2c3d-0000-4000-8000-000000000001-fr", "0a1b2c3d-0000-4000-8000-000000000001-en"
GONE = "ffffffff-0000-4000-8000-00000000ffff-fr"
COLUMNS = (
    *("id", "url", "text", "language", "user", "images", "relevant", "is_query", "subject", "grade", "possible"),
    "answer",
)
SECRET = "answer-with-the-links"


def a_question(topic_id: str, relevant: str, **more: str) -> dict[str, Any]:
    plain = {"language": "fr", "images": "", "is_query": "True", "subject": "8", "grade": "7", "user": "minor-name"}
    return {
        **plain,
        "id": topic_id,
        "relevant": relevant,
        "text": "Bonjour,\nj’ai une question",
        "answer": SECRET,
        **more,
    }


ROWS = [
    {"id": PAGE, "language": "fr", "is_query": "False"},
    {"id": ENGLISH_PAGE, "language": "en", "is_query": "False"},
    {"id": "99", "is_query": "False"},
    # two grades, two subjects of one name in two languages, an image
    a_question("1", f"{PAGE};99", grade="1;7", subject="Mathématiques;Mathematics", images="https://x.org/a.PNG?w=1"),
    # itself, a pseudo id, a page that is gone; a teacher; a link that is no image
    a_question("2", f"2;http:;{GONE};{ENGLISH_PAGE}", grade="14", subject="11", images="https://x.org/a.pdf"),
    # a further accepted explanation of the first question
    a_question("1", f"{ENGLISH_PAGE};{PAGE}", grade="1;7"),
    # nothing of it can be found
    a_question("3", f"{GONE};https://youtu.be/x"),
    # past questions only
    a_question("4", "99;1", grade="12", subject="Astrologie"),
]


def a_source(folder: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    path = folder / "data" / "alloprof.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return folder


def imported(tmp_path: Path, target: str) -> tuple[Gold, dict[str, int]]:
    upstream = read_upstream(a_source(tmp_path) / "data" / "alloprof.csv")
    report = import_alloprof(upstream, tmp_path / "gold" / f"alloprof-{target}", target)
    gold = open_gold(shipped(f"alloprof-{target}"), GoldSource(str(tmp_path / "gold")))
    return gold, {what: count for what, count in report.dropped.items() if count}


def judged(gold: Gold) -> dict[str, set[str]]:
    return {
        topic_id: {one.decode() for one in gold.qrels.judged(place)}
        for place, topic_id in enumerate(gold.qrels.topic_ids)
    }


def test_pages_are_judged_by_links_to_pages_alone(tmp_path: Path) -> None:
    gold, _ = imported(tmp_path, "pages")

    assert judged(gold) == {"1": {PAGE, ENGLISH_PAGE}, "2": {ENGLISH_PAGE}}


def test_questions_are_judged_by_links_to_past_questions_alone(tmp_path: Path) -> None:
    gold, _ = imported(tmp_path, "questions")

    assert judged(gold) == {"1": {"99"}, "4": {"99", "1"}}


def test_both_is_the_union(tmp_path: Path) -> None:
    gold, _ = imported(tmp_path, "both")

    assert judged(gold) == {"1": {PAGE, ENGLISH_PAGE, "99"}, "2": {ENGLISH_PAGE}, "4": {"99", "1"}}


def test_everything_dropped_is_counted_with_its_reason(tmp_path: Path) -> None:
    _, dropped = imported(tmp_path, "pages")

    assert dropped == {
        "further rows of a question: their links were added to its first row": 1,
        "links in the column images that are no image: not counted as one": 1,
        "subjects of another name: kept as unspecified": 1,
        "links that are no id (such as http:): dropped": 2,
        "links of a question to itself: dropped": 1,
        "links to documents that the corpus does not have: dropped": 2,
        "links to past questions: not of this target": 3,
        "questions without a document of this target: left out, they cannot be scored": 2,
    }


def test_attributes_fit_the_shipped_card(tmp_path: Path) -> None:
    gold, _ = imported(tmp_path, "both")

    axes = gold.topics.axes
    assert axes["grade"] == (("primary-1", "secondary-1"), ("unspecified",), ("post-secondary",))
    assert axes["level"] == (("primary", "secondary"), ("unspecified",), ("post-secondary",))
    assert axes["subject"] == (("mathematics",), ("science",), ("unspecified",))
    assert axes["has_image"] == (("yes",), ("no",), ("no",))
    assert "unnamed_values" not in {notice.code for notice in gold.notices}


def test_neither_answers_nor_names_of_minors_are_kept(tmp_path: Path) -> None:
    imported(tmp_path, "both")

    written = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "gold").rglob("*") if path.is_file())
    assert SECRET not in written
    assert "minor-name" not in written
    assert "Bonjour" not in written


def test_command_writes_three_packages(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "data.importers.alloprof", str(a_source(tmp_path)), str(tmp_path / "gold")],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[3],
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "alloprof-both: 3 topics, 6 judgements" in done.stdout
    assert sorted(path.name for path in (tmp_path / "gold").iterdir()) == [
        *("alloprof-both", "alloprof-pages", "alloprof-questions")
    ]


BROKEN = {
    "a page id in words": ([{**a_question("1", PAGE), "id": "abc"}], "alloprof.csv, line 3: the id is neither"),
    "no question": (ROWS[:3], "no row has is_query = True"),
}


@pytest.mark.parametrize(("rows", "says"), BROKEN.values(), ids=BROKEN.keys())
def test_file_of_another_kind_is_refused_with_its_line(tmp_path: Path, rows: list[dict[str, Any]], says: str) -> None:
    source = a_source(tmp_path, rows)

    with pytest.raises(GoldError, match=says):
        read_upstream(source / "data" / "alloprof.csv")


def test_pointer_of_git_lfs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "alloprof.csv").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", encoding="utf-8"
    )

    assert main([str(tmp_path), str(tmp_path / "gold")]) == 1
    assert "git lfs pull" in capsys.readouterr().err


def test_missing_column_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "alloprof.csv").write_text("id,relevant\n1,2\n", encoding="utf-8")

    assert main([str(tmp_path), str(tmp_path / "gold")]) == 1
    assert "alloprof.csv, line 1: has no column language" in capsys.readouterr().err
