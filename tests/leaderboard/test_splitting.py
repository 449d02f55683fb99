"""Live and sealed halves: whole groups, even slices, the same from the same seed, and never split twice."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from data.package import write_package
from data.task import Axis, Task
from evaluation import TopicTable
from leaderboard.settings import Settings
from leaderboard.splitting import imbalances, main, split
from tests.builders import a_task

CARD = """
id = "toy"
benchmark = "Toy"
version = "1"
gold = "sealed"
has_groups = true
name = { en = "Toy" }
summary = { en = "Find the toy." }
[[measure]]
name = "nDCG@10"
primary = true
[[axis]]
id = "kind"
name = { en = "Kind" }
"""
KINDS = ("how-to", "place", "fact")


def a_row(number: int) -> dict[str, str]:
    return {"topic_id": f"t{number:03}", "group": f"g{number // 3}", "kind": KINDS[number % 7 % 3], "note": "é"}


def a_table(n_topics: int = 600) -> TopicTable:
    rows = [a_row(number) for number in range(n_topics)]
    kinds = tuple((row["kind"],) for row in rows)
    return TopicTable(tuple(r["topic_id"] for r in rows), tuple(r["group"] for r in rows), {"kind": kinds})


def a_sealed_task() -> Task:
    return replace(a_task(gold="sealed"), axes=(Axis("kind", {"en": "Kind"}, False, (), {}, "dots"),))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "tasks" / "toy").mkdir(parents=True)
    (tmp_path / "tasks" / "toy" / "card.toml").write_text(CARD, encoding="utf-8")
    rows = [a_row(number) for number in range(600)]
    write_package(tmp_path / "gold" / "toy", {row["topic_id"]: {"d": 1} for row in rows}, rows, version="1")
    env = {
        "QRELBOARD_DATA": str(tmp_path / "data"),
        "QRELBOARD_TASKS": str(tmp_path / "tasks"),
        "GOLD_SOURCE": str(tmp_path / "gold"),
    }
    return Settings.from_env(env, "worker", working_folder=Path(__file__).parent)


def written(settings: Settings) -> list[dict[str, str]]:
    assert settings.gold_folder is not None
    text = (settings.gold_folder / "toy" / "topics.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_no_group_is_torn_apart() -> None:
    live = set(split(a_sealed_task(), a_table(), 1))

    for start in range(0, 600, 3):
        assert len({f"t{number:03}" in live for number in range(start, start + 3)}) == 1


def test_halves_and_slices_are_even() -> None:
    task, table = a_sealed_task(), a_table()

    cells = imbalances(task, table, split(task, table, 1))

    assert [cell.name for cell in cells] == ["all topics", "kind how-to", "kind place", "kind fact"]
    assert abs(cells[0].n_live - 300) <= 6
    assert max(abs(cell.imbalance) for cell in cells) < 0.02
    assert sum(cell.n_live for cell in cells[1:]) == cells[0].n_live


def test_seed_decides_and_nothing_else() -> None:
    task, table = a_sealed_task(), a_table()

    assert split(task, table, 7) == split(task, table, 7)
    assert split(task, table, 7) != split(task, table, 8)


def test_topics_without_a_group_are_on_their_own() -> None:
    table = replace(a_table(), groups=None)

    assert abs(len(split(a_sealed_task(), table, 1)) - 300) <= 1


def test_imbalance_is_the_distance_of_the_live_share() -> None:
    table = TopicTable(("a", "b", "c", "d"), None, {"kind": (("x",), ("x",), ("y",), ("y",))})

    cells = imbalances(a_sealed_task(), table, ["a", "b"])

    assert [(cell.n_live, cell.n_sealed, cell.imbalance) for cell in cells] == [(2, 2, 0.0), (2, 0, 0.5), (0, 2, -0.5)]


def test_halves_are_written_beside_what_was_there_and_every_cell_is_printed(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    before = written(settings)

    assert main(settings, "toy", 3) == 0

    rows = written(settings)
    assert [{k: v for k, v in row.items() if k != "half"} for row in rows] == before
    assert {row["half"] for row in rows} == {"live", "sealed"}
    said = capsys.readouterr().out
    assert all(f"kind {kind}: " in said for kind in KINDS)
    assert "points" in said
    assert not any(row["topic_id"] in said for row in rows)
    assert settings.gold_folder is not None
    assert (settings.gold_folder / "toy" / "topics.jsonl").stat().st_mode & 0o077 == 0


def test_gold_is_never_split_twice(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    main(settings, "toy", 3)
    before = written(settings)

    assert main(settings, "toy", 4) == 1

    assert written(settings) == before
    assert "have halves already" in capsys.readouterr().out


def test_uneven_split_is_refused_and_nothing_written(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert settings.gold_folder is not None
    # one group holds a value almost alone
    rows = [{**a_row(n), "group": "big" if n < 60 else f"g{n}", "kind": "rare" if n < 60 else "x"} for n in range(600)]
    write_package(settings.gold_folder / "toy", {row["topic_id"]: {"d": 1} for row in rows}, rows, version="1")

    assert main(settings, "toy", 3) == 1

    assert "kind rare" in capsys.readouterr().out.splitlines()[-1]
    assert not any("half" in row for row in written(settings))


def test_unknown_task_is_named(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(settings, "toys", 1) == 1

    assert "'toys'" in capsys.readouterr().out
