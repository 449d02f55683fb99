"""What the vault tells about gold, and what it keeps to itself."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.vault import SALT_FILE, Vault, put_folder
from tests.leaderboard.rooms import Room, a_room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_room(tmp_path) as room:
        yield room


def vault_of(room: Room) -> Vault:
    return Vault(room.settings, room.worker.tasks)


def test_open_gold_publishes_its_fingerprint(room: Room) -> None:
    opened = vault_of(room).open("toy")

    assert opened is not None
    assert opened.facts.fingerprint == opened.gold.fingerprint
    assert opened.ranked_ids is None


def test_sealed_gold_publishes_a_salted_commitment_and_counts_its_live_half(room: Room) -> None:
    opened = vault_of(room).open("shut")

    assert opened is not None
    assert opened.facts.fingerprint.startswith("sealed:")
    assert opened.gold.fingerprint.removeprefix("sha256:") not in opened.facts.fingerprint
    assert (opened.facts.n_topics, opened.facts.n_live) == (400, 200)
    assert opened.facts.axes == {"kind": (("easy", 150, None), ("hard", 50, None))}


def test_commitment_is_the_same_at_every_start(room: Room) -> None:
    first, second = vault_of(room).open("shut"), vault_of(room).open("shut")

    assert first is not None
    assert second is not None
    assert first.facts.fingerprint == second.facts.fingerprint
    assert (room.settings.vault_folder / SALT_FILE).stat().st_mode & 0o777 == 0o600


def test_salt_of_the_host_is_used_so_that_several_machines_agree(room: Room) -> None:
    own = vault_of(room).open("shut")
    (room.gold / SALT_FILE).write_text("a secret of the host\n", encoding="utf-8")

    shared = vault_of(room).open("shut")

    assert own is not None
    assert shared is not None
    assert own.facts.fingerprint != shared.facts.fingerprint


def test_salt_that_is_set_gives_the_same_commitment_on_every_machine(room: Room) -> None:
    first = Vault(replace(room.settings, gold_salt="set"), room.worker.tasks).open("shut")
    (room.settings.vault_folder / SALT_FILE).unlink(missing_ok=True)
    (room.gold / SALT_FILE).write_text("another\n", encoding="utf-8")

    second = Vault(replace(room.settings, gold_salt="set"), room.worker.tasks).open("shut")

    assert first is not None
    assert second is not None
    assert first.facts.fingerprint == second.facts.fingerprint


def test_public_topic_list_of_the_host_is_published_as_it_is(room: Room) -> None:
    listed = room.folder / "tasks" / "toy" / "topics.txt"
    listed.write_text("t3\nt2\nt1\nnot-judged\n", encoding="utf-8")

    opened = vault_of(room).open("toy")

    assert opened is not None
    assert opened.topic_ids == ("t3", "t2", "t1", "not-judged")


def test_task_without_a_package_has_nothing_to_open(room: Room) -> None:
    assert vault_of(room).open("irsc") is None
    assert vault_of(room).open("never-heard-of") is None


def test_folder_is_put_in_place_whole_or_not_at_all_and_the_first_one_stays(tmp_path: Path) -> None:
    target = tmp_path / "target"

    def write(folder: Path, text: str) -> Path:
        made = folder / "made"
        made.mkdir()
        (made / "file").write_text(text, encoding="utf-8")
        if text == "half":
            raise OSError("disk full")
        return made

    with pytest.raises(OSError, match="disk full"):
        put_folder(target, lambda folder: write(folder, "half"))
    before = list(tmp_path.iterdir())
    put_folder(target, lambda folder: write(folder, "first"))
    put_folder(target, lambda folder: write(folder, "second"))

    assert before == []
    assert [path.name for path in tmp_path.iterdir()] == ["target"]
    assert (target / "file").read_text("utf-8") == "first"
