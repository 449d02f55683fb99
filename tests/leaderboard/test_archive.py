"""What reaches the archive, once and whole, whatever goes wrong on the way; on a folder and on a Hub that fails."""

import gzip
import json
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from leaderboard import archive as archiving
from leaderboard.archive_places import HubPlace, open_place
from leaderboard.submissions import Actor, Visibility
from tests.builders import NOON, a_submission, at
from tests.hub import READ, WRITE, Hub, a_hub
from tests.leaderboard.archives import Site


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def site(tmp_path: Path, place: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site", place.as_uri())
    site.open_task()
    yield site
    site.close()


@pytest.fixture
def hub() -> Iterator[Hub]:
    with a_hub() as hub:
        hub.dataset("org/archive")
        yield hub


def on_hub(tmp_path: Path, hub: Hub, token: str = WRITE) -> Site:
    return Site(tmp_path / "site", partial(open_place, "hf://datasets/org/archive", token, hub.endpoint))


def events(files: dict[str, bytes]) -> list[dict[str, object]]:
    """All entries of all events, in the order of their names."""
    named = sorted(path for path in files if path.startswith("events/"))
    return [json.loads(line) for path in named for line in files[path].splitlines()]


def files_of(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def told(hub: Hub, kind: str) -> list[object]:
    found = events(hub.dataset("org/archive").files)
    return [entry["key"] for entry in found if entry["kind"] == kind]


def test_submission_reaches_the_archive_with_its_file_and_is_archived_then(site: Site, place: Path) -> None:
    new = site.submit(run=b"t1 Q0 d1 1 1 x\n")
    before = site.store.archive.is_archived(new.id)

    site.write()

    files = files_of(place)
    meta = json.loads(files[f"submissions/{new.id}/meta.json"])
    assert gzip.decompress(files[f"submissions/{new.id}/run.gz"]) == b"t1 Q0 d1 1 1 x\n"
    assert (meta["row"]["name"], meta["was_packed"]) == ("BM25 tuned", False)
    assert (before, site.store.archive.is_archived(new.id)) == (False, True)
    assert site.store.archive.lag() == (0, None)


def test_file_that_came_packed_is_kept_byte_for_byte(site: Site, place: Path) -> None:
    packed = gzip.compress(b"t1 Q0 d1 1 1 x\n", mtime=1)
    new = site.submit(run=packed)

    site.write()

    assert files_of(place)[f"submissions/{new.id}/run.gz"] == packed


def test_one_write_holds_all_that_is_new_and_the_next_one_waits_a_minute(site: Site, place: Path) -> None:
    site.archive.step()
    for number in range(5):
        site.submit(f"System {number}", run=b"%d" % number)
    site.seconds += 61

    first = site.archive.step()
    site.submit("Late", run=b"late")
    at_once = site.archive.step()
    site.seconds += 61
    later = site.archive.step()

    assert (first, at_once, later) == (True, False, True)
    assert len([path for path in files_of(place) if path.startswith("events/")]) == 3


def test_nothing_new_is_no_write(site: Site) -> None:
    site.write()
    site.seconds += 1000

    assert site.archive.step() is False


def test_sample_rows_are_left_out(site: Site, place: Path) -> None:
    sample = a_submission("Sample", is_sample=True)
    site.store.add_submission(sample, NOON)

    site.write()

    assert [path for path in files_of(place) if sample.id in path] == []
    assert site.store.archive.lag() == (0, None)


def test_deleted_run_leaves_the_archive(site: Site, place: Path) -> None:
    new = site.submit()
    site.write()
    site.store.move_visibility(new.id, Visibility.DELETED, Actor.OWNER, at(3))

    site.write()

    assert f"submissions/{new.id}/run.gz" not in files_of(place)
    assert f"submissions/{new.id}/meta.json" in files_of(place)


def test_snapshot_replaces_the_events_before_it(site: Site, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archiving, "EVENTS_A_SNAPSHOT", 3)
    for number in range(4):
        site.submit(f"System {number}", run=b"%d" % number)
        site.write(1)

    site.write(3)

    files = files_of(place)
    (snapshot,) = (path for path in files if path.startswith("snapshot/"))
    lines = [json.loads(line) for line in gzip.decompress(files[snapshot]).splitlines()]
    assert len([line for line in lines if line["kind"] == "submission"]) >= 3
    assert len([path for path in files if path.startswith("events/")]) <= 1


def test_hub_gets_one_commit_a_batch(tmp_path: Path, hub: Hub) -> None:
    site = on_hub(tmp_path, hub)
    site.write(1)
    n_commits = len(hub.dataset("org/archive").commits)
    for number in range(5):
        site.submit(f"System {number}", run=b"%d" % number)

    site.write(1)

    assert len(hub.dataset("org/archive").commits) == n_commits + 1
    assert len(told(hub, "submission")) == 5
    site.close()


@pytest.mark.parametrize("fault", [409, 412, 429, 500, 503, "after", "hang up"])
def test_failed_commit_is_tried_again_and_lands_once(tmp_path: Path, hub: Hub, fault: int | str) -> None:
    site = on_hub(tmp_path, hub)
    site.write(1)
    new = site.submit()
    answers = iter([fault, 0])
    hub.faults = lambda: next(answers, 0)
    n_commits = len(hub.dataset("org/archive").commits)

    site.write(1)
    state = site.store.archive.state()
    is_archived = site.store.archive.is_archived(new.id)
    site.write(1)

    assert state is not None
    assert (state.state, is_archived) == ("away", False)
    assert site.store.archive.is_archived(new.id)
    assert told(hub, "submission") == [new.id]
    assert len(hub.dataset("org/archive").commits) == n_commits + 1
    site.close()


def test_answer_that_asks_to_wait_is_waited_for(tmp_path: Path, hub: Hub) -> None:
    site = on_hub(tmp_path, hub)
    site.archive._pause_s = 1
    site.write(1)
    site.submit()
    hub.faults = lambda: 429
    site.write(1)
    hub.faults = lambda: 0

    site.seconds += 6
    early = site.archive.step()
    site.seconds += 2
    later = site.archive.step()

    assert (early, later) == (False, True)
    site.close()


def test_waits_grow_while_the_archive_is_away(tmp_path: Path, hub: Hub) -> None:
    site = on_hub(tmp_path, hub)
    site.submit()
    hub.faults = lambda: 503
    waits = []

    for _ in range(6):
        started = site.seconds
        site.archive.step()
        site.seconds = site.archive._not_before
        waits.append(site.seconds - started)

    assert waits == [60, 120, 240, 480, 600, 600]
    site.close()


def test_read_only_token_is_named_and_mended_by_itself_when_it_may_write(tmp_path: Path, hub: Hub) -> None:
    site = on_hub(tmp_path, hub, READ)
    site.submit()

    site.write(1)
    refused = site.store.archive.refused_setting()
    site.open_place = partial(open_place, "hf://datasets/org/archive", WRITE, hub.endpoint)
    site.new_archive()
    site.write(1)

    assert (refused, site.store.archive.refused_setting()) == ("ARCHIVE_TOKEN", None)
    site.close()


@pytest.mark.parametrize(
    ("url", "setting"),
    [("hf://datasets/org/archive", "ARCHIVE_TOKEN"), ("nonsense://x", "ARCHIVE_URL")],
)
def test_setting_that_cannot_be_right_is_named(tmp_path: Path, url: str, setting: str) -> None:
    site = Site(tmp_path / "site", url)

    site.write(1)

    assert site.store.archive.refused_setting() == setting
    site.close()


def test_archive_of_a_newer_version_is_not_written_to(site: Site, place: Path) -> None:
    place.mkdir()
    (place / "archive.json").write_text('{"format": 2}', encoding="utf-8")

    site.write(1)

    assert site.store.archive.refused_setting() == "ARCHIVE_URL"
    assert sorted(files_of(place)) == ["archive.json"]


def test_two_hundred_writes_with_faults_lose_and_double_nothing(tmp_path: Path, hub: Hub) -> None:
    chance = random.Random(7)
    site = on_hub(tmp_path, hub)
    hub.faults = lambda: chance.choice([409, 412, 429, 500, 503, "after", "hang up"]) if chance.random() < 0.3 else 0
    handed_in = []

    for number in range(70):
        handed_in.append(site.submit(f"System {number}", run=b"%d" % number).id)
        site.write(chance.randint(1, 4))
    hub.faults = lambda: 0
    site.write(5)

    found = site.archive.place()
    assert isinstance(found, HubPlace)
    assert sorted(told(hub, "submission")) == sorted(handed_in)
    assert len(set(map(str, told(hub, "audit")))) == len(told(hub, "audit")) == 70
    site.close()
