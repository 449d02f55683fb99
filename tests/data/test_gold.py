import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from data.gold import GoldSource, has_gold, open_gold
from data.task import Task
from evaluation import GoldError
from tests.data.makers import CARD, PLAIN_CARD, QRELS, ROWS, SEALED_CARD, a_package, a_task, shipped

HALVES = (
    {"topic_id": "t1", "half": "live"},
    {"topic_id": "t2", "half": "sealed"},
    {"topic_id": "t3", "half": "live"},
)


def a_source(folder: Path) -> GoldSource:
    return GoldSource(str(folder))


def test_package_of_a_folder_is_opened(tmp_path: Path) -> None:
    task = a_task(tmp_path)

    gold = open_gold(task, a_source(a_package(tmp_path, version='version = "2026.1"\n')))

    assert gold.qrels.topic_ids == ("t1", "t2", "t3")
    assert gold.topics.groups == ("g1", "g1", "g2")
    assert gold.topics.axes["kind"] == (("car",), ("car", "doll"), ("doll",))
    assert (gold.version, gold.is_sample, gold.live_ids, gold.sealed_ids) == ("2026.1", False, None, None)


def test_judgements_under_a_heading_are_the_same_gold(tmp_path: Path) -> None:
    task = a_task(tmp_path)
    rows = [line.split() for line in QRELS.splitlines()]
    headed = "query-id\tcorpus-id\tscore\n" + "".join(f"{topic}\t{doc}\t{grade}\n" for topic, _, doc, grade in rows)

    trec = open_gold(task, a_source(a_package(tmp_path / "one")))
    table = open_gold(task, a_source(a_package(tmp_path / "two", headed, qrels_name="qrels.tsv")))

    assert table.fingerprint == trec.fingerprint


def test_package_without_a_version_has_version_one(tmp_path: Path) -> None:
    assert open_gold(a_task(tmp_path), a_source(a_package(tmp_path))).version == "1"


def test_task_without_axes_needs_no_topic_table(tmp_path: Path) -> None:
    gold = open_gold(a_task(tmp_path, PLAIN_CARD), a_source(a_package(tmp_path, rows=None)))

    assert (gold.topics.topic_ids, gold.topics.groups, gold.topics.axes) == (("t1", "t2", "t3"), None, {})


def test_row_missing_where_nothing_uses_it_is_fine(tmp_path: Path) -> None:
    gold = open_gold(a_task(tmp_path, PLAIN_CARD), a_source(a_package(tmp_path, rows=[{"topic_id": "t1"}])))

    assert gold.topics.topic_ids == ("t1", "t2", "t3")


def test_rows_without_a_judgement_are_ignored_and_counted(tmp_path: Path) -> None:
    rows = [*ROWS, {"topic_id": "t4", "group": "g2", "kind": "car", "size": "small"}]

    gold = open_gold(a_task(tmp_path), a_source(a_package(tmp_path, rows=rows)))

    assert gold.topics.topic_ids == ("t1", "t2", "t3")
    assert [(notice.code, notice.count) for notice in gold.notices] == [("rows_without_judgement", 1)]


def test_attributes_that_the_card_does_not_name_stay_out_of_the_topics(tmp_path: Path) -> None:
    rows = [{**row, "colour": "red"} for row in ROWS]

    gold = open_gold(a_task(tmp_path), a_source(a_package(tmp_path, rows=rows)))

    assert set(gold.topics.axes) == {"kind", "size"}


def test_groups_that_the_card_does_not_name_stay_out_of_the_topics(tmp_path: Path) -> None:
    gold = open_gold(a_task(tmp_path, PLAIN_CARD), a_source(a_package(tmp_path)))

    assert gold.topics.groups is None


def test_sealed_gold_has_two_halves_in_gold_order(tmp_path: Path) -> None:
    gold = open_gold(a_task(tmp_path, SEALED_CARD), a_source(a_package(tmp_path, rows=HALVES)))

    assert (gold.live_ids, gold.sealed_ids) == (("t1", "t3"), ("t2",))


def test_host_is_told_of_topics_that_no_run_can_score_on(tmp_path: Path) -> None:
    gold = open_gold(a_task(tmp_path), a_source(a_package(tmp_path, "t1 0 d1 0\nt2 0 d1 -1\nt3 0 d9 1\n")))

    assert ("topics_without_relevant", 2) in [(notice.code, notice.count) for notice in gold.notices]


def test_relevance_threshold_of_the_card_decides_which_topics_are_barren(tmp_path: Path) -> None:
    task = a_task(tmp_path, CARD.replace("depth = 100", "depth = 100\nrelevant_from = 2"))

    gold = open_gold(task, a_source(a_package(tmp_path)))

    assert ("topics_without_relevant", 2) in [(notice.code, notice.count) for notice in gold.notices]


def test_host_is_told_of_slices_that_show_no_number(tmp_path: Path) -> None:
    task = a_task(tmp_path, CARD.replace("min_slice_topics = 1", "min_slice_topics = 2"))

    gold = open_gold(task, a_source(a_package(tmp_path)))

    assert [notice.message for notice in gold.notices] == [
        "Slices of axis size under 2 topics, shown without a number: large (1)."
    ]


def test_small_slices_of_sealed_gold_are_counted_on_the_live_half(tmp_path: Path) -> None:
    axis = '\n[[axis]]\nid = "kind"\nname = { en = "Kind" }\n'
    rows = [{**row, "kind": "car"} for row in HALVES]

    gold = open_gold(a_task(tmp_path, SEALED_CARD + axis), a_source(a_package(tmp_path, rows=rows)))

    assert "car (2)" in gold.notices[0].message


def test_host_is_told_of_values_that_the_card_does_not_name_and_of_absent_ones(tmp_path: Path) -> None:
    rows = [{**row, "size": "huge"} for row in ROWS]

    gold = open_gold(a_task(tmp_path), a_source(a_package(tmp_path, rows=rows)))

    assert [(notice.code, notice.count) for notice in gold.notices] == [("unnamed_values", 1), ("absent_values", 2)]


def test_package_counts_as_there_once_it_has_judgements(tmp_path: Path) -> None:
    task = a_task(tmp_path)
    without = a_package(tmp_path / "without", qrels=None)

    assert (has_gold(task, without), has_gold(task, a_package(tmp_path / "with"))) == (False, True)


def test_page_of_published_numbers_has_no_gold_to_open(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match="nothing to open"):
        open_gold(shipped("alloprof-mteb"), a_source(tmp_path))


def test_token_is_in_no_text_about_the_source() -> None:
    assert "secret" not in repr(GoldSource("hf://datasets/org/gold", token="secret"))


@dataclass(frozen=True)
class Refusal:
    """A package that cannot be used, and what its refusal must say."""

    says: str
    code: str
    qrels: str | None = QRELS
    rows: tuple[dict[str, object], ...] | str | None = ROWS
    version: str | None = None
    card: str = CARD
    qrels_name: str = "qrels.trec"


def without(key: str) -> tuple[dict[str, object], ...]:
    return tuple({name: value for name, value in row.items() if name != key} for row in ROWS)


REFUSALS = {
    "no judgements": Refusal("Gold of toy: no judgements; expected one of qrels.trec", "gold_missing", qrels=None),
    "empty judgements": Refusal("toy/qrels.trec: empty file.", "gold_file", qrels=""),
    "a grade with a fraction": Refusal(
        "toy/qrels.trec, line 2, column grade: grade not integer", "gold_file", "t1 0 d1 1\nt1 0 d2 0.5\n"
    ),
    "one pair with two grades": Refusal(
        "toy/qrels.trec, line 3, column document: grade conflict (first on line 1)",
        "gold_file",
        "t1 0 d1 1\nt2 0 d1 1\nt1 0 d1 2\n",
    ),
    "five columns": Refusal("toy/qrels.trec, line 1: qrels fields", "gold_file", "t1 0 d1 1 x\n"),
    "three columns without a heading": Refusal(
        "toy/qrels.tsv, line 1: qrels no heading", "gold_file", "t1\td1\t1\n", qrels_name="qrels.tsv"
    ),
    "many faults": Refusal("and 7 more", "gold_file", "t1 0 d1 x\n" * 10),
    "no topic table": Refusal("Gold of toy: no topic table", "gold_topics_missing", rows=None),
    "a row that is no object": Refusal(
        "toy/topics.jsonl, line 2: topics not object", "gold_file", rows='{"topic_id": "t1"}\n[1]\n'
    ),
    "a topic with two rows": Refusal(
        "toy/topics.jsonl, line 4, column topic_id: topics repeated (first on line 1)",
        "gold_file",
        rows=(*ROWS, ROWS[0]),
    ),
    "a judged topic without a row": Refusal(
        "no row for 1 judged topics, first t3", "gold_topic_without_row", rows=ROWS[:2]
    ),
    "an axis in no row": Refusal('no row has the attribute "size"', "gold_axis_missing", rows=without("size")),
    "no groups": Refusal("3 judged topics have no group", "gold_topic_without_group", rows=without("group")),
    "one topic without a group": Refusal(
        "1 judged topics have no group", "gold_topic_without_group", rows=(*ROWS[:2], without("group")[2])
    ),
    "no halves": Refusal('3 judged topics lack the attribute "half"', "gold_half", card=SEALED_CARD),
    "a half of another name": Refusal(
        '1 judged topics lack the attribute "half"',
        "gold_half",
        card=SEALED_CARD,
        rows=(*HALVES[:2], {"topic_id": "t3", "half": "public"}),
    ),
    "an empty half": Refusal(
        'no judged topic is in the half "sealed"',
        "gold_half",
        card=SEALED_CARD,
        rows=tuple({**row, "half": "live"} for row in HALVES),
    ),
    "a group in both halves": Refusal(
        "a group lies in both halves",
        "gold_half",
        card=SEALED_CARD,
        rows=tuple({**row, "group": "g"} for row in HALVES),
    ),
    "a version as a number": Refusal(
        "toy/gold.toml: expected one key, a version", "gold_version", version="version = 2026.1\n"
    ),
    "a version with blanks": Refusal(
        "toy/gold.toml: expected one key, a version", "gold_version", version='version = "a b"\n'
    ),
    "a version file that is no TOML": Refusal("toy/gold.toml: is not TOML", "gold_version", version="2026\n"),
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS.keys())
def test_package_that_cannot_be_used_is_refused_with_file_and_line(tmp_path: Path, refusal: Refusal) -> None:
    task = a_task(tmp_path, refusal.card)
    folder = a_package(tmp_path, refusal.qrels, refusal.rows, qrels_name=refusal.qrels_name, version=refusal.version)

    with pytest.raises(GoldError) as raised:
        open_gold(task, a_source(folder))

    assert raised.value.code == refusal.code
    assert refusal.says in str(raised.value)


def test_two_files_of_judgements_are_refused(tmp_path: Path) -> None:
    task = a_task(tmp_path)
    a_package(tmp_path, qrels_name="qrels.trec")
    a_package(tmp_path, qrels_name="qrels.tsv")

    with pytest.raises(GoldError, match=r"qrels.trec and qrels.tsv stand side by side"):
        open_gold(task, a_source(tmp_path))


CANARY = "canary7f3a"
SPOILED: dict[str, Callable[[str], str]] = {
    "grade": lambda text: text.replace(f"{CANARY}-2 1", f"{CANARY}-2 {CANARY}"),
    "conflict": lambda text: text + f"t1 0 {CANARY}-1 2\n",
    "fields": lambda text: text + f"t1 0 {CANARY}-3 1 extra\n",
    "long": lambda text: text + f"t1 0 {CANARY * 40} 1\n",
    "control byte": lambda text: text + f"t1 0 {CANARY}\x01 1\n",
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED.keys())
def test_refusal_of_judgements_repeats_nothing_of_them(tmp_path: Path, spoil: Callable[[str], str]) -> None:
    text = spoil(f"t1 0 {CANARY}-1 1\nt2 0 {CANARY}-2 1\n")
    task = a_task(tmp_path, PLAIN_CARD)
    folder = a_package(tmp_path, text, rows=None)

    with pytest.raises(GoldError) as raised:
        open_gold(task, a_source(folder))

    said = "".join(traceback.format_exception(raised.value)) + repr(raised.value.facts)
    assert "toy/qrels.trec, line 2" in said or "toy/qrels.trec, line 3" in said
    assert CANARY not in said


def test_refusal_of_a_topic_table_repeats_nothing_of_it(tmp_path: Path) -> None:
    task: Task = a_task(tmp_path, PLAIN_CARD)
    folder = a_package(tmp_path, rows=f'{{"topic_id": "t1", "kind": {{"{CANARY}": 1}}}}\n{CANARY}\n')

    with pytest.raises(GoldError) as raised:
        open_gold(task, a_source(folder))

    said = "".join(traceback.format_exception(raised.value)) + repr(raised.value.facts)
    assert CANARY not in said
