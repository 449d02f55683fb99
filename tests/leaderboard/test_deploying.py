"""Putting the software on a Space, against a Hub of the tests: every step, once and again, and what is never sent."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.__main__ import main
from leaderboard.deploying import files_to_send
from tests.hub import READ, WRITE, Hub, a_hub

COMMAND = ["deploy", "--space", "org/board", "--gold", "org/gold", "--archive", "org/archive"]


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with a_hub() as hub:
        hub.dataset("org/gold").files["irsc/qrels.trec"] = b"t1 0 d1 1\n"
        environment = {
            "HF_ENDPOINT": hub.endpoint,
            "HF_TOKEN": WRITE,
            "GOLD_TOKEN": READ,
            "ARCHIVE_TOKEN": WRITE,
            "QRELBOARD_DATA": str(tmp_path / "data"),
        }
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield hub


def a_task_of_the_host(data: Path) -> None:
    folder = data / "tasks" / "mine"
    folder.mkdir(parents=True)
    (folder / "card.toml").write_text('id = "mine"\n', encoding="utf-8")
    (folder / "qrels.trec").write_text("t1 0 d1 1\n", encoding="utf-8")
    (folder / "notes.txt").write_text("for me\n", encoding="utf-8")


def test_space_gets_files_variables_and_secrets(hub: Hub) -> None:
    code = main(COMMAND)

    space = hub.repositories["spaces/org/board"]
    assert code == 0
    assert hub.repositories["datasets/org/archive"].is_private
    assert space.settings == {
        "GOLD_SOURCE": "hf://datasets/org/gold",
        "GOLD_REVISION": hub.dataset("org/gold").sha,
        "ARCHIVE_URL": "hf://datasets/org/archive",
    }
    salt = space.secrets.pop("GOLD_SALT")
    assert len(salt) == 64
    assert space.secrets == {"GOLD_TOKEN": READ, "ARCHIVE_TOKEN": WRITE}
    assert {"app.py", "requirements.txt", "README.md", "leaderboard/web.py", "evaluation/trec.py"} <= space.files.keys()
    assert len(space.commits) == 2


def test_deploying_again_changes_what_changed_and_removes_what_is_gone(hub: Hub) -> None:
    main(COMMAND)
    salt = hub.repositories["spaces/org/board"].secrets["GOLD_SALT"]
    hub.repositories["spaces/org/board"].files["leaderboard/old.py"] = b"x"
    hub.repositories["spaces/org/board"].files["notes-of-the-space.txt"] = b"x"

    code = main(COMMAND)

    files = hub.repositories["spaces/org/board"].files
    assert code == 0
    assert "leaderboard/old.py" not in files
    assert "notes-of-the-space.txt" in files
    assert hub.repositories["spaces/org/board"].secrets["GOLD_SALT"] == salt


def test_dry_run_prints_each_step_and_changes_nothing(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    code = main([*COMMAND, "--dry-run"])

    told = capsys.readouterr().err
    assert code == 0
    assert hub.calls == []
    for words in ("org/archive", "org/board", "GOLD_SOURCE", "ARCHIVE_URL", "secret GOLD_TOKEN", "files in one commit"):
        assert words in told
    assert READ not in told
    assert WRITE not in told


def test_own_tasks_go_along_without_anything_but_their_public_files(hub: Hub, tmp_path: Path) -> None:
    a_task_of_the_host(tmp_path / "data")

    main(COMMAND)

    space = hub.repositories["spaces/org/board"]
    assert [path for path in space.files if path.startswith("tasks/")] == ["tasks/mine/card.toml"]
    assert space.settings["QRELBOARD_TASKS"] == "/home/user/app/tasks"


def test_no_judgement_and_no_cache_is_among_the_files(tmp_path: Path) -> None:
    files = files_to_send(tmp_path)

    assert [path for path in files if "qrels" in path or path.endswith((".pyc", ".nbi", ".sqlite", ".npz"))] == []


@pytest.mark.parametrize("name", ["GOLD_TOKEN", "ARCHIVE_TOKEN"])
def test_missing_token_is_named_before_anything_is_changed(
    hub: Hub, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(name)

    code = main(COMMAND)

    assert code == 1
    assert name in capsys.readouterr().err
    assert "spaces/org/board" not in hub.repositories


def test_public_gold_is_refused(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    hub.dataset("org/gold").is_private = False

    code = main(COMMAND)

    assert code == 1
    assert "private" in capsys.readouterr().err
    assert "spaces/org/board" not in hub.repositories


def test_token_that_may_not_write_is_told_what_to_check(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_TOKEN", READ)

    code = main(COMMAND)

    assert code == 1
    assert "HF_TOKEN" in capsys.readouterr().err
