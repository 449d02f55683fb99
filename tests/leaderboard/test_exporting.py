"""The public results as a dataset: what `datasets` reads back, and what is never in it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.exporting import main
from leaderboard.submissions import Actor, Visibility
from tests.builders import NOON
from tests.hub import WRITE, a_hub
from tests.leaderboard.rooms import Room, a_ranking, a_room, sealed_judgements

GOOD = a_ranking({"t1": ["d1"], "t2": ["d2"], "t3": ["d3"]})
FAIR = a_ranking({"t1": ["d1"], "t2": ["d2"], "t3": ["x"]})
SEALED = a_ranking({topic: [*grades] if int(topic[1:]) % 3 else ["x"] for topic, grades in sealed_judgements().items()})


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """Two public runs and a private one on open gold, a public one on sealed gold."""
    with a_room(tmp_path / "room") as room:
        room.prepare()
        for name, run, task_id in (("Good", GOOD, "toy"), ("Fair", FAIR, "toy"), ("Shut", SEALED, "shut")):
            new = room.submit(run, name=name, task_id=task_id)
            room.worker.examiner.evaluate(new.id)
            room.store.move_visibility(new.id, Visibility.PUBLIC, Actor.HOST, NOON)
        private = room.submit(GOOD, name="Secret")
        room.worker.examiner.evaluate(private.id)
        room.worker.sweep(0.0)
        yield room


def read(folder: Path, name: str, cache: Path) -> list[dict[str, Any]]:
    from datasets import load_dataset  # noqa: PLC0415

    found = load_dataset(str(folder), name, split="train", cache_dir=str(cache))
    return [dict(row) for row in found]


def test_datasets_reads_systems_scores_slices_history_and_open_topics(room: Room, tmp_path: Path) -> None:
    code = main(room.settings, str(tmp_path / "out"))

    tables = {name: read(tmp_path / "out", name, tmp_path / "cache") for name in ("systems", "scores", "slices")}
    history, topics = (read(tmp_path / "out", name, tmp_path / "cache") for name in ("history", "topics"))
    primary = {row["name"]: row["value"] for row in tables["scores"] if row["task"] == "toy" and row["is_primary"]}
    hard = {
        row["name"]: row["value"] for row in tables["slices"] if row["slice"] == "hard" and row["measure"] == "R@10"
    }
    assert code == 0
    assert sorted((row["name"], row["rank"]) for row in tables["systems"]) == [("Fair", 2), ("Good", 1), ("Shut", 1)]
    assert primary == pytest.approx({"Good": 1.0, "Fair": 2 / 3})
    assert hard == {"Good": 1.0, "Fair": 0.0}
    assert {(row["name"], row["measure"]) for row in history} >= {("Good", "R@10"), ("Shut", "R@10")}
    assert {row["topic"] for row in topics} == {"t1", "t2", "t3"}


def test_nothing_sealed_private_or_of_judgements_is_in_it(room: Room, tmp_path: Path) -> None:
    main(room.settings, str(tmp_path / "out"))

    tables = [read(tmp_path / "out", name, tmp_path / "cache") for name in ("systems", "scores", "slices", "history")]
    topics = read(tmp_path / "out", "topics", tmp_path / "cache")
    names = {row["name"] for rows in tables for row in rows}
    sealed = [row["value"] for rows in tables[1:] for row in rows if row["task"] == "shut"]
    assert names == {"Good", "Fair", "Shut"}
    assert {row["task"] for row in topics} == {"toy"}
    assert sealed
    assert [value for value in sealed if value is not None and round(value, 3) != value] == []


def test_without_real_results_there_is_a_card_and_no_table(tmp_path: Path) -> None:
    with a_room(tmp_path / "room") as room:
        code = main(room.settings, str(tmp_path / "out"))

    assert code == 0
    assert [path.name for path in (tmp_path / "out").rglob("*")] == ["README.md"]


def test_hub_gets_the_dataset_in_one_commit(room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_hub() as hub:
        results = hub.dataset("org/results")
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        monkeypatch.setenv("EXPORT_TOKEN", WRITE)

        code = main(room.settings, "hf://datasets/org/results")

    assert code == 0
    assert len(results.commits) == 2
    assert sorted(results.files) == [
        "README.md",
        *(f"{name}/all.parquet" for name in ("history", "scores", "slices", "systems", "topics")),
    ]


def test_hub_without_a_token_names_the_setting(room: Room, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(room.settings, "hf://datasets/org/results")

    assert code == 1
    assert "EXPORT_TOKEN" in capsys.readouterr().err
