"""Boards as they were: kept for good, found by number and day, unchanged but for names that are not public any more."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from leaderboard.changes import Change, Move
from leaderboard.hall import Hall as Doors
from leaderboard.history import day_asked
from leaderboard.pages import history as history_page
from leaderboard.pages.task import TaskPage
from leaderboard.parts import history_view
from leaderboard.texts import LANGUAGES, texts
from leaderboard.visit import PageHead, Visit
from tests.builders import some_facts
from tests.leaderboard.hall import TOPICS, Hall

EN = texts("en")
DAY_MIN = 24 * 60


def doors(hall: Hall) -> Doors:
    return Doors(hall.intake, hall.desk, hall.board, None, hall.clock, None)  # type: ignore[arg-type]


def board_at(hall: Hall, **query: str) -> dict[str, Any]:
    found = hall.board.history.asked("toy", query)
    assert found is not None
    board: dict[str, Any] = json.loads(found.body)
    return board


def page_head(hall: Hall, **query: str) -> PageHead:
    visit = Visit.of("toy", query)
    page = TaskPage(doors(hall), hall.catalogue["toy"])
    seen = page.seen(visit)
    if visit.is_embed:
        return page.embed_for(visit.lang, visit.asked, 10, seen.body, seen.past)
    return page.head_for(visit.lang, visit.asked, visit.is_embed, seen.body, seen.past, ())


def by_name(change: Change) -> Mapping[str, Move]:
    seats = ((move.after or move.before, move) for move in change.moves)
    return {seat.name: move for seat, move in seats if seat is not None}


@pytest.fixture
def three(hall: Hall) -> Hall:
    """Three revisions on three days: one system, a better one above it, and the first one gone."""
    first = hall.publish(0.5, "First")
    hall.make_boards()
    hall.publish(0.9, "Better", minutes=DAY_MIN)
    hall.make_boards()
    hall.now = hall.clock().replace(day=hall.clock().day + 1)
    hall.desk.keep_private(first.submission_id, first.link_key)
    hall.make_boards()
    return hall


class TestKeeping:
    def test_every_revision_stays(self, hall: Hall) -> None:
        for number in range(30):
            hall.publish(number / 100, f"System {number}")
            hall.make_boards()

        assert [len(board_at(hall, rev=str(number))["rows"]) for number in range(1, 31)] == list(range(1, 31))

    def test_past_board_is_the_text_of_then(self, hall: Hall) -> None:
        hall.publish(0.5)
        hall.make_boards()
        then = hall.board.revision("toy")
        assert then is not None
        hall.publish(0.9, "Better")
        hall.make_boards()

        assert hall.board.history.asked("toy", {"rev": "1"}) == then

    def test_revision_that_comes_later_is_found_then(self, hall: Hall) -> None:
        hall.publish(0.5)
        assert hall.board.history.asked("toy", {"rev": "1"}) is None

        hall.make_boards()

        assert board_at(hall, rev="1")["revision"] == 1


class TestNames:
    @pytest.mark.parametrize("leave", ["delete", "withdraw", "keep_private"])
    def test_who_is_not_public_any_more_loses_the_name_and_nothing_else(self, hall: Hall, leave: str) -> None:
        gone = hall.publish(0.9, "Secret name")
        hall.publish(0.5, "Stays")
        hall.make_boards()
        before = board_at(hall, rev="1")

        getattr(hall.desk, leave)(gone.submission_id, gone.link_key)

        after = board_at(hall, rev="1")
        assert "Secret name" not in json.dumps(after)
        assert before["rows"][0]["system"] not in json.dumps(after)
        assert after["rows"][0]["is_gone"] is True
        for key in ("rank", "scores", "slices", "id"):
            assert [row[key] for row in before["rows"]] == [row[key] for row in after["rows"]]
        assert after["rows"][1] == before["rows"][1]

    def test_a_changed_text_has_another_etag(self, hall: Hall) -> None:
        gone = hall.publish(0.9)
        hall.make_boards()
        before = hall.board.history.asked("toy", {"rev": "1"})
        hall.desk.delete(gone.submission_id, gone.link_key)
        after = hall.board.history.asked("toy", {"rev": "1"})

        assert before is not None
        assert after is not None
        assert before.etag != after.etag

    def test_name_comes_back_when_it_is_published_again(self, hall: Hall) -> None:
        mine = hall.publish(0.9, "Mine")
        hall.make_boards()
        before = board_at(hall, rev="1")
        hall.desk.keep_private(mine.submission_id, mine.link_key)
        assert board_at(hall, rev="1") != before

        hall.desk.publish(mine.submission_id, mine.link_key)

        assert board_at(hall, rev="1") == before

    @pytest.mark.parametrize("lang", LANGUAGES)
    def test_no_page_of_the_past_says_the_name(self, hall: Hall, lang: str) -> None:
        gone = hall.publish(0.9, "Secret name")
        hall.make_boards()
        hall.desk.delete(gone.submission_id, gone.link_key)
        hall.make_boards()
        visit = Visit.of("history", {"task": "toy", "lang": lang})

        shown = page_head(hall, rev="1", lang=lang)
        listed = history_page.head(doors(hall), visit)

        for head in (shown, listed):
            assert "Secret name" not in head.intro + head.fallback + head.title + head.description
            assert texts(lang).get("table.gone") in head.fallback


class TestDays:
    @pytest.mark.parametrize("text", ["", "2026-13-01", "2026-12-01T00:00", "1.12.2026", "9999-12-31", "²026-12-01"])
    def test_what_is_no_day_is_none(self, text: str) -> None:
        assert day_asked(text) is None

    def test_day_shows_the_last_board_of_that_day(self, three: Hall) -> None:
        made = board_at(three, rev="2")["made_at"][:10]

        assert board_at(three, on=made)["revision"] == 2

    def test_number_counts_where_both_are_given(self, three: Hall) -> None:
        assert board_at(three, rev="1", on="2999-01-01")["revision"] == 1


class TestChanges:
    def test_rows_in_out_and_moved(self, three: Hall) -> None:
        changes, earlier = three.board.history.changes("toy")

        third, second, first = changes
        assert earlier is None
        assert first.is_first
        assert [move.after.rank for move in by_name(second).values() if move.after] == [1, 2]
        assert by_name(second)["Better"].before is None
        left = by_name(third)["First"]
        assert left.before is not None
        assert (left.before.rank, left.after) == (2, None)
        assert "Better" not in by_name(third)

    def test_another_gold_is_told_with_both_versions(self, three: Hall) -> None:
        facts = three.store.gold_facts("toy")
        assert facts is not None
        body = board_at(three, rev="3")
        other = {**body, "gold": {**body["gold"], "version": "2", "fingerprint": "sha256:other"}}
        three.store.want_board("toy")
        [(_, wanted)] = three.store.boards_wanted()
        three.store.add_revision("toy", wanted, json.dumps(other), "e", three.now)

        [change, *_], _ = three.board.history.changes("toy")

        assert change.gold == (body["gold"]["version"], "2")

    def test_earlier_changes_are_on_further_pages(self, hall: Hall) -> None:
        for number in range(60):
            hall.publish(number / 100, f"System {number}")
            hall.make_boards()

        latest, earlier = hall.board.history.changes("toy")
        rest, none = hall.board.history.changes("toy", earlier)

        assert [change.number for change in (*latest, *rest)] == list(range(60, 0, -1))
        assert none is None
        assert [change.is_first for change in (*latest, *rest)] == [False] * 59 + [True]
        assert all(len(by_name(change)) == change.number for change in latest)

    @pytest.mark.parametrize("lang", LANGUAGES)
    def test_each_kind_of_change_has_its_words(self, three: Hall, lang: str) -> None:
        changes, _ = three.board.history.changes("toy")
        public = three.board.history.public_among(changes)

        said = [history_view.told(change, public, texts(lang)) for change in changes]

        assert texts(lang).get("table.gone") in said[0]
        assert "Better" in said[1]
        assert "<details>" in said[1]
        assert "{" not in "".join(said)


class TestRescoring:
    def test_page_says_how_far_the_scores_on_the_coming_gold_are(self, hall: Hall) -> None:
        hall.publish(0.5)
        hall.publish(0.6, "Other")
        hall.make_boards()
        assert hall.board.rescoring("toy") is None

        hall.store.publish_gold(replace(some_facts(n_topics=3), version="2", fingerprint="sha256:2"), TOPICS, hall.now)
        hall.seconds += 1

        found = hall.board.rescoring("toy")
        assert found is not None
        assert (found.n_done, found.n_all, found.coming) == (0, 2, "2")
        for lang in LANGUAGES:
            said = history_view.rescoring(found, texts(lang))
            assert found.shown in said
            assert "{" not in said


class TestPage:
    def test_banner_says_which_board_and_leads_to_the_present_one(self, three: Hall) -> None:
        head = page_head(three, rev="2")

        assert "revision 2" in head.intro
        assert 'href="./toy"' in head.intro
        assert 'href="./history?task=toy"' in head.intro
        assert head.is_private
        assert head.status == 200

    def test_present_board_has_no_banner(self, three: Hall) -> None:
        assert "q-notice" not in page_head(three).intro

    def test_number_of_the_present_board_says_that_it_is(self, three: Hall) -> None:
        assert EN.get("history.past_present", number="3") in page_head(three, rev="3").intro

    @pytest.mark.parametrize("query", [{"rev": "99"}, {"rev": "<b>"}, {"on": "2001-01-01"}, {"on": "soon"}])
    def test_board_that_never_was_is_a_404_without_rows(self, three: Hall, query: Mapping[str, str]) -> None:
        head = page_head(three, **query)

        assert head.status == 404
        assert "Better" not in head.intro + head.fallback
        assert "<b>" not in head.title

    def test_embedded_board_stays_at_its_revision(self, three: Hall) -> None:
        head = page_head(three, rev="1", embed="1")

        assert "Better" not in head.alone
        assert "rev=1" in head.alone

    def test_list_has_a_link_to_every_revision(self, three: Hall) -> None:
        head = history_page.head(doors(three), Visit.of("history", {"task": "toy"}))

        for number in (1, 2, 3):
            assert f'href="./toy?rev={number}"' in head.fallback
            assert f'href="./boards/toy.json?rev={number}"' in head.fallback

    def test_unknown_task_is_a_404(self, three: Hall) -> None:
        assert history_page.head(doors(three), Visit.of("history", {"task": "nothing"})).status == 404
