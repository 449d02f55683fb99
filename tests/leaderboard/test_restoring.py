"""The way back: an empty disk and a full archive give the same books, and a bad entry costs nothing but itself."""

import gzip
import json
import threading
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
import sqlalchemy as sa

from leaderboard import archive as archiving
from leaderboard.archive_records import Entry, lines_of
from leaderboard.keys import AccountKey, key_hash
from leaderboard.quota import Claim, Limit, Period, Scope
from leaderboard.restoring import Finder, fetch_run, restore
from leaderboard.schema import places
from leaderboard.submissions import Actor, Visibility, system_id
from tests.builders import NOON, a_sheet, a_submission, at
from tests.leaderboard.archives import Site, sha256_of

SNAPSHOT = "snapshot/00000001.jsonl.gz"


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
def empty(tmp_path: Path, place: Path, database_url: str) -> Iterator[Site]:
    """A machine with the same archive and empty books, on SQLite and on PostgreSQL."""
    site = Site(tmp_path / "empty", place.as_uri(), database_url)
    yield site
    site.close()


def snapshot_of(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the site write what is new, then a snapshot."""
    site.write(3)
    monkeypatch.setattr(archiving, "EVENTS_A_SNAPSHOT", 1)
    site.write(1)


def break_a_line(place: Path, key: str) -> None:
    """Spoil one line of the snapshot, that of a submission."""
    file = place / SNAPSHOT
    lines = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    spoilt = [line[: len(line) // 2] + b"\n" if f'"key":"{key}"'.encode() in line else line for line in lines]
    assert spoilt != lines
    file.write_bytes(gzip.compress(b"".join(spoilt)))


@pytest.mark.parametrize("has_snapshot", [False, True], ids=["events", "snapshot"])
def test_empty_books_get_back_all_that_was_archived(
    site: Site, empty: Site, has_snapshot: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, private, waiting = site.publish("Shown", 0.7), site.submit("Private", run=b"p"), site.submit("W", run=b"w")
    site.store.record_scores(private.id, a_sheet(0.4), at(1))
    gone = site.publish("Gone")
    site.store.move_visibility(gone.id, Visibility.DELETED, Actor.OWNER, at(3))
    site.store.mark(shown.id, Actor.OWNER, at(4))
    snapshot_of(site, monkeypatch) if has_snapshot else site.write()

    empty.archive.step()

    for one in (shown, private, waiting):
        assert empty.store.submission(one.id) == site.store.submission(one.id)
        assert empty.store.sheet(one.id) == site.store.sheet(one.id)
        assert empty.store.audit_trail(one.id) == site.store.audit_trail(one.id)
    deleted = empty.store.submission(gone.id)
    assert deleted is not None
    assert deleted.visibility is Visibility.DELETED
    assert empty.store.runs_to_forget() == []
    assert [one.id for one in empty.store.waiting()] == [waiting.id]
    assert empty.store.name_holder("Shown") == site.store.name_holder("Shown")


@pytest.mark.parametrize("has_snapshot", [False, True], ids=["events", "snapshot"])
def test_used_quota_comes_back_without_the_address(
    site: Site, empty: Site, place: Path, has_snapshot: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a site whose disk is lost at each start would tell of sealed gold without end."""
    claim = Claim("ann", "192.0.2.7", (Limit(Scope.ACCOUNT, Period.TOTAL, 2),))
    site.runs.put(BytesIO(b"a run"))
    for name in ("First", "Second"):
        site.store.add_submission(a_submission(name), NOON, claim=claim)
    site.store.fail(a_submission("Second").id, "crashed", {}, at(1))
    snapshot_of(site, monkeypatch) if has_snapshot else site.write()

    empty.archive.step()

    (use,) = empty.store.quota_uses("toy", claim, at(2))
    assert use.n_left == 1
    with site.store._reading() as connection:
        (kept,) = connection.scalars(sa.select(places.c.address))
    files = [file.read_bytes() for file in place.rglob("*") if file.is_file()]
    told = b"".join(gzip.decompress(file) if file[:2] == b"\x1f\x8b" else file for file in files)
    assert b"ann" in told
    assert kept.encode() not in told


def test_board_is_readable_at_once_and_ordered_anew(site: Site, empty: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.publish("Shown")
    board = site.store.add_revision("toy", site.store.boards_wanted()[0][1], '{"rows":[1]}', "etag", at(5))
    snapshot_of(site, monkeypatch)

    empty.archive.step()

    assert empty.store.revision("toy") == board
    assert [task_id for task_id, _ in empty.store.boards_wanted()] == ["toy"]
    assert empty.store.gold_facts("toy") == site.store.gold_facts("toy")
    assert empty.store.topic_ids("toy") == ("t1", "t2")


@pytest.mark.parametrize("has_snapshot", [False, True], ids=["events", "snapshot"])
def test_boards_as_they_were_come_back_and_numbers_go_on(
    site: Site, empty: Site, has_snapshot: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards = []
    for number in (1, 2, 3):
        site.store.want_board("toy")
        wanted = site.store.boards_wanted()[0][1]
        boards.append(site.store.add_revision("toy", wanted, f'{{"rows":[{number}]}}', f"etag{number}", at(number)))
    snapshot_of(site, monkeypatch) if has_snapshot else site.write()

    empty.archive.step()
    n_found = Finder(empty.open_place, empty.store, empty.runs).find_boards(threading.Event())
    again = Finder(empty.open_place, empty.store, empty.runs).find_boards(threading.Event())
    empty.store.want_board("toy")
    follows = empty.store.add_revision("toy", empty.store.boards_wanted()[0][1], "{}", "new", at(9))

    back = [empty.store.archive.board("toy", number) for number in (1, 2, 3)]
    assert back == [site.store.archive.board("toy", number) for number in (1, 2, 3)]
    assert (n_found, again, follows.number) == (2, 0, 4)


def test_what_changes_after_a_restore_is_later_than_what_came_back(site: Site, empty: Site, tmp_path: Path) -> None:
    shown = site.publish("Shown")
    site.write()
    empty.open_task()
    empty.archive.step()
    empty.store.move_visibility(shown.id, Visibility.PRIVATE, Actor.OWNER, at(9))
    empty.write()

    third = Site(tmp_path / "third", site.open_place)
    third.archive.step()

    found = third.store.submission(shown.id)
    actions = [entry.action for entry in third.store.audit_trail(shown.id)]
    third.close()
    assert found is not None
    assert found.visibility is Visibility.PRIVATE
    assert actions == ["received", "scored", "public", "private"]


def test_system_whose_mark_moved_has_one_mark(site: Site, empty: Site) -> None:
    first = site.publish("One", run=b"1")
    site.store.mark(first.id, Actor.OWNER, at(3))
    site.write()
    second = site.publish("One", run=b"2")
    site.store.mark(second.id, Actor.OWNER, at(4))
    site.write()

    empty.archive.step()

    marks = [(one.id, found.is_marked) for one in (first, second) if (found := empty.store.submission(one.id))]
    assert marks == [(first.id, False), (second.id, True)]


def test_bad_entry_is_left_out_named_and_stops_nothing(
    site: Site, empty: Site, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = site.publish("Bad"), site.publish("Good")
    snapshot_of(site, monkeypatch)
    break_a_line(place, bad.id)

    back = restore(empty.open_place(), empty.store, NOON)

    assert back.n_submissions == 1
    assert [skipped.place for skipped in back.skipped] == [f"{SNAPSHOT} line 2"]
    assert (empty.store.submission(bad.id), empty.store.submission(good.id) is not None) == (None, True)


def test_entry_that_the_books_refuse_is_left_out_too(site: Site, empty: Site, place: Path) -> None:
    good = site.publish("Good")
    site.write()
    (event,) = (place / "events").iterdir()
    line = next(line for line in event.read_bytes().splitlines() if b'"kind":"submission"' in line)
    wrong = json.loads(line)
    wrong["key"] = wrong["row"]["id"] = "f" * 24
    wrong["row"]["progress"] = "no such state"
    wrong["scores"] = []
    (place / "events" / "20990101T000000-x.jsonl").write_bytes(json.dumps(wrong).encode())

    back = restore(empty.open_place(), empty.store, NOON)

    assert [skipped.place for skipped in back.skipped] == [f"submission {'f' * 24}"]
    assert empty.store.submission(good.id) is not None


def test_restoring_again_adds_nothing(site: Site, empty: Site) -> None:
    site.publish("Shown")
    site.write()
    first = restore(empty.open_place(), empty.store, NOON)

    again = restore(empty.open_place(), empty.store, NOON)

    assert (first.n_submissions, again.n_submissions) == (1, 0)


@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "packed"])
def test_run_file_comes_back_byte_for_byte_when_it_is_asked_for(site: Site, empty: Site, is_packed: bool) -> None:
    run = gzip.compress(b"a run of ours\n", mtime=3) if is_packed else b"a run of ours\n"
    site.submit(run=run)
    site.write()
    empty.archive.step()
    finder = Finder(empty.open_place, empty.store, empty.runs)

    n_found = finder.find_all(threading.Event())

    with empty.runs.open(sha256_of(run)) as stream:
        assert stream.read() == run
    assert n_found == 1


def test_run_file_that_is_not_the_one_handed_in_is_refused(site: Site, empty: Site, place: Path) -> None:
    new = site.submit(run=b"a run of ours\n")
    site.write()
    empty.archive.step()
    (place / f"submissions/{new.id}/run.gz").write_bytes(gzip.compress(b"another run\n"))

    found = fetch_run(empty.open_place(), empty.store, empty.runs, new.run_sha256)

    assert found is False
    assert not empty.runs.exists(sha256_of(b"another run\n"))


def test_ten_thousand_submissions_are_back_within_ten_seconds(tmp_path: Path, place: Path) -> None:
    source = Site(tmp_path / "source", place.as_uri())
    new = source.publish("Shown")
    (entry,) = (one for one in source.store.archive.entries(source.store.archive.changes(9)) if one.key == new.id)
    evaluation = dict(entry.body["scores"][0]["evaluation"])
    evaluation["slices"] = {"kind": {f"value {n}": {"topics": 30, "nDCG@10": 0.5, "R@10": 0.25} for n in range(40)}}

    def one(number: int) -> Entry:
        row = {**entry.body["row"], "id": f"{number:024x}", "system_id": f"s{number:023x}"}
        name = f"System {number}"
        system = {**entry.body["system"], "id": row["system_id"], "name": name, "skeleton": name}
        sheet = {**entry.body["scores"][0], "submission_id": row["id"], "evaluation": evaluation}
        return Entry("submission", row["id"], number, {"row": row, "system": system, "scores": [sheet]})

    (place / "snapshot").mkdir(parents=True)
    with gzip.open(place / SNAPSHOT, "wb", compresslevel=1) as packed:
        for line in lines_of(map(one, range(10_000))):
            packed.write(line)
    target = Site(tmp_path / "target", place.as_uri())

    started = time.process_time()  # other work on this machine is not counted
    back = restore(target.open_place(), target.store, NOON)
    took_s = time.process_time() - started

    source.close()
    target.close()
    assert back.n_submissions == 10_000
    assert took_s < 10


@pytest.mark.parametrize("has_snapshot", [False, True], ids=["events", "snapshot"])
def test_what_an_account_took_over_comes_back_as_its_own_with_the_name(
    site: Site, empty: Site, has_snapshot: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, stays = site.publish("BM25"), site.submit("BM25", run=b"stays")
    site.write(3)
    account = key_hash(AccountKey("64f0"))
    site.store.accounts.claim(shown.id, account, at(3), is_whole=False)
    if has_snapshot:
        snapshot_of(site, monkeypatch)
    else:
        site.write(3)

    restore(empty.open_place(), empty.store, NOON)

    found, left = empty.store.submission(shown.id), empty.store.submission(stays.id)
    assert found is not None
    assert left is not None
    assert (found.owner_hash, found.system_id) == (account, system_id(account, "BM25"))
    assert left.owner_hash == stays.owner_hash
    assert empty.store.name_holder("BM25") == system_id(account, "BM25")
