import json
import traceback
from pathlib import Path

import pytest

from data.gold import GoldSource, open_gold
from data.hub import repository
from evaluation import GoldError
from tests.data.fake_hub import NAME, SHA, TOKEN, FakeHub, a_hub
from tests.data.makers import QRELS, ROWS, a_package, a_task

FILES = {
    "toy/qrels.trec": QRELS.encode(),
    "toy/topics.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
    "toy/gold.toml": b'version = "2026.1"\n',
    "other/qrels.trec": b"secret 0 of-another-task 1\n",
}


def a_source(hub: FakeHub, cache: Path | None, **fields: str | None) -> GoldSource:
    values = {"revision": SHA, "token": TOKEN, **fields}
    return GoldSource(f"hf://datasets/{NAME}", cache=cache, endpoint=hub.endpoint, **values)


def test_gold_of_the_hub_equals_the_same_package_in_a_folder(tmp_path: Path) -> None:
    task = a_task(tmp_path)
    local = open_gold(task, GoldSource(str(a_package(tmp_path, version='version = "2026.1"\n'))))

    with a_hub(FILES) as hub:
        fetched = open_gold(task, a_source(hub, tmp_path / "cache"))

    assert (fetched.fingerprint, fetched.version) == (local.fingerprint, "2026.1")


def test_only_the_files_of_the_task_are_fetched(tmp_path: Path) -> None:
    with a_hub(FILES) as hub:
        open_gold(a_task(tmp_path), a_source(hub, tmp_path / "cache"))

        assert not [call for call in hub.calls if "other/" in call]


def test_revision_is_confirmed_again_before_a_copy_is_used(tmp_path: Path) -> None:
    task = a_task(tmp_path)

    with a_hub(FILES) as hub:
        open_gold(task, a_source(hub, tmp_path / "cache"))
        hub.calls.clear()
        open_gold(task, a_source(hub, tmp_path / "cache"))

        assert hub.calls == [f"/api/datasets/{NAME}/revision/{SHA}"]


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_copy_from_before_is_not_used_once_the_hub_refuses(tmp_path: Path, status: int) -> None:
    task = a_task(tmp_path)

    with a_hub(FILES) as hub:
        open_gold(task, a_source(hub, tmp_path / "cache"))
        hub.status = status
        with pytest.raises(GoldError, match="could not be confirmed"):
            open_gold(task, a_source(hub, tmp_path / "cache"))


def test_copy_from_before_is_not_used_once_the_hub_is_away(tmp_path: Path) -> None:
    task = a_task(tmp_path)
    with a_hub(FILES) as hub:
        open_gold(task, a_source(hub, tmp_path / "cache"))

    with pytest.raises(GoldError, match="could not be confirmed"):
        open_gold(task, a_source(hub, tmp_path / "cache"))


@pytest.mark.parametrize("token", [None, "hf_another"])
def test_wrong_token_opens_nothing(tmp_path: Path, token: str | None) -> None:
    with a_hub(FILES) as hub, pytest.raises(GoldError, match="could not be confirmed"):
        open_gold(a_task(tmp_path), a_source(hub, tmp_path / "cache", token=token))


def test_refusal_names_the_repository_and_no_token_or_address(tmp_path: Path) -> None:
    task = a_task(tmp_path)

    with a_hub(FILES) as hub:
        hub.status = 500
        with pytest.raises(GoldError) as raised:
            open_gold(task, a_source(hub, tmp_path / "cache"))

    said = "".join(traceback.format_exception(raised.value)) + repr(raised.value.facts)
    assert NAME in said
    assert not [word for word in (TOKEN, hub.endpoint, "api/datasets") if word in said]


def test_other_revision_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    with a_hub(FILES) as hub:
        hub.sha = "b" * 40
        with pytest.raises(GoldError, match="another revision than the pinned one"):
            open_gold(a_task(tmp_path), a_source(hub, tmp_path / "cache"))


@pytest.mark.parametrize("revision", [None, "main", SHA[:12]])
def test_revision_that_can_move_is_refused_unasked(tmp_path: Path, revision: str | None) -> None:
    with a_hub(FILES) as hub, pytest.raises(GoldError, match="40 hexadecimal digits"):
        open_gold(a_task(tmp_path), a_source(hub, tmp_path / "cache", revision=revision))

    assert hub.calls == []


def test_hub_source_without_a_private_cache_is_refused(tmp_path: Path) -> None:
    with a_hub(FILES) as hub, pytest.raises(GoldError, match="private folder"):
        open_gold(a_task(tmp_path), a_source(hub, None))


def test_task_that_the_revision_does_not_have_is_refused(tmp_path: Path) -> None:
    files = {"other/qrels.trec": FILES["other/qrels.trec"]}

    with a_hub(files) as hub, pytest.raises(GoldError, match="Gold of toy: no judgements"):
        open_gold(a_task(tmp_path), a_source(hub, tmp_path / "cache"))


@pytest.mark.parametrize(
    "location", ["hf://datasets/gold", "hf://models/org/gold", "s3://bucket/gold", "hf://datasets/org/../gold"]
)
def test_address_of_another_kind_is_refused(location: str) -> None:
    with pytest.raises(GoldError, match="expected a folder"):
        repository(location)
