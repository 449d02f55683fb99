import hashlib
from pathlib import Path

from data.gold import GoldSource, open_gold
from tests.data.makers import PLAIN_CARD, QRELS, ROWS, SEALED_CARD, a_package, a_task


def fingerprint(folder: Path, qrels: str = QRELS, rows: object = ROWS) -> str:
    package = a_package(folder, qrels, rows)  # type: ignore[arg-type]
    return open_gold(a_task(folder), GoldSource(str(package))).fingerprint


def test_fingerprint_is_the_sha256_of_the_canonical_form(tmp_path: Path) -> None:
    canonical = (
        "qrelboard gold 1\n"
        '["t1","g1",{"kind":["car"],"size":["small"]},[["d1",1],["d2",0]]]\n'
        '["t2","g1",{"kind":["car","doll"],"size":["large"]},[["d1",2]]]\n'
        '["t3","g2",{"kind":["doll"],"size":["small"]},[["d9",1]]]\n'
    )

    assert fingerprint(tmp_path) == f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def test_order_of_lines_and_rows_does_not_change_it(tmp_path: Path) -> None:
    lines = "".join(f"{line}\n" for line in reversed(QRELS.splitlines()))

    assert fingerprint(tmp_path / "one") == fingerprint(tmp_path / "two", lines, ROWS[::-1])


def test_layout_of_a_file_does_not_change_it(tmp_path: Path) -> None:
    spaced = QRELS.replace(" ", "\t").replace("\n", "\r\n") + "\n# a remark\n" + QRELS.splitlines()[0]

    assert fingerprint(tmp_path / "one") == fingerprint(tmp_path / "two", spaced)


def test_order_of_values_and_rows_without_judgement_do_not_change_it(tmp_path: Path) -> None:
    rows = [*ROWS, {"topic_id": "t9", "group": "g9", "kind": "car", "size": "small"}]
    rows[1] = {**ROWS[1], "kind": ["doll", "car"]}

    assert fingerprint(tmp_path / "one") == fingerprint(tmp_path / "two", rows=rows)


def test_every_part_of_the_gold_changes_it(tmp_path: Path) -> None:
    changed = [
        fingerprint(tmp_path / "grade", QRELS.replace("d9 1", "d9 2")),
        fingerprint(tmp_path / "document", QRELS.replace("d9", "d8")),
        fingerprint(tmp_path / "judgement", QRELS + "t3 0 d7 0\n"),
        fingerprint(tmp_path / "value", rows=[{**ROWS[0], "kind": "doll"}, *ROWS[1:]]),
        fingerprint(tmp_path / "group", rows=[{**ROWS[0], "group": "g2"}, *ROWS[1:]]),
        fingerprint(tmp_path / "attribute", rows=[{**ROWS[0], "colour": "red"}, *ROWS[1:]]),
    ]

    assert len({fingerprint(tmp_path / "same"), *changed}) == 7


def test_half_of_a_topic_changes_it(tmp_path: Path) -> None:
    task = a_task(tmp_path, SEALED_CARD)
    halves = [("live", "sealed", "live"), ("sealed", "live", "live")]
    packages = [
        a_package(tmp_path / "".join(half), rows=[{"topic_id": f"t{n}", "half": h} for n, h in enumerate(half, 1)])
        for half in halves
    ]

    one, other = (open_gold(task, GoldSource(str(package))).fingerprint for package in packages)

    assert one != other


def test_card_does_not_change_it(tmp_path: Path) -> None:
    package = a_package(tmp_path)

    plain = open_gold(a_task(tmp_path / "plain", PLAIN_CARD), GoldSource(str(package))).fingerprint

    assert plain == open_gold(a_task(tmp_path), GoldSource(str(package))).fingerprint
