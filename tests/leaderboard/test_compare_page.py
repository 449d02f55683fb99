"""The compare page as readers meet it: what it asks, waits for, finds, and says when nothing can be compared."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from leaderboard.board import Board
from leaderboard.hall import Hall
from leaderboard.pages.compare import MOST_POLLS, Look, asked_ids, look, look_again
from leaderboard.submissions import Actor, Visibility
from leaderboard.texts import LANGUAGES, texts
from leaderboard.visit import Visit
from tests.builders import NOON
from tests.leaderboard.rooms import Room
from tests.leaderboard.surveyed import a_surveyed_room, publish

HOSTILE = "Good <b>x</b>"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with a_surveyed_room(tmp_path) as room:
        yield room


@pytest.fixture
def ids(room: Room) -> list[str]:
    """The rows of a board: a fair system, a good one and a poor one."""
    found = [publish(room, name, finds=finds) for name, finds in (("Fair", 60), ("Good", 110), ("Poor", 20))]
    room.worker.sweep(0.0)
    room.store.heartbeat("w0", NOON)
    return found


def a_hall(room: Room) -> Hall:
    """What the page asks: a board that reads anew each time."""
    ticks = iter(range(10_000))
    board = Board(room.store, room.worker.tasks, lambda: NOON, monotonic=lambda: 2.0 * next(ticks))
    return cast("Hall", SimpleNamespace(board=board, may_ask=lambda _: True))


def a_visit(ids: list[str], lang: str = "en", task: str = "toy", **more: str) -> Visit:
    return Visit.of("compare", {"task": task, "ids": ",".join(ids), "lang": lang, **more}, {"host": "example.org"})


def seen(room: Room, ids: list[str], lang: str = "en", **more: str) -> Look:
    return look(a_hall(room), a_visit(ids, lang, **more))


def answered(room: Room, ids: list[str], lang: str = "en") -> Look:
    assert seen(room, ids, lang).is_awaited
    room.worker.sweep(0.0)
    return seen(room, ids, lang)


def test_page_waits_and_then_says_in_words_what_was_found(room: Room, ids: list[str]) -> None:
    first = seen(room, ids[:2])
    room.worker.sweep(0.0)
    second = seen(room, ids[:2])

    assert first.is_awaited
    assert "are being worked out" in first.verdicts
    assert not second.is_awaited
    assert "Good is better than Fair by 0.417 [" in second.verdicts
    assert second.title == "Fair against Good on Toy"


def test_difference_below_zero_is_told_from_the_better_ones_side(room: Room, ids: list[str]) -> None:
    found = answered(room, [ids[0], ids[2]])

    assert "Fair is better than Poor by 0.333 [" in found.verdicts


def test_verdicts_and_lines_stand_in_the_order_of_the_address(room: Room, ids: list[str]) -> None:
    for others in ([ids[1], ids[2]], [ids[2], ids[1]]):
        found = answered(room, [ids[0], *others]) if others[0] == ids[1] else seen(room, [ids[0], *others])
        places = [found.verdicts.index(name) for name in ("Good is better", "better than Poor")]
        assert (places == sorted(places)) == (others[0] == ids[1])


def test_equal_systems_are_not_told_apart(room: Room, ids: list[str]) -> None:
    twin = publish(room, "Twin", finds=60)
    room.worker.sweep(0.0)

    found = answered(room, [ids[0], twin])

    assert "Twin and Fair cannot be told apart on these topics: difference 0.000 [0.000, 0.000]" in found.verdicts


@pytest.mark.parametrize("lang", LANGUAGES)
def test_figure_has_both_drawings_a_table_and_downloads(room: Room, ids: list[str], lang: str) -> None:
    found = answered(room, ids, lang)

    for wanted in ('class="q-drawing is-wide"', 'class="q-drawing is-narrow"', 'download="toy-comparison.csv"'):
        assert found.figures.count(wanted) == 1
    assert texts(lang).get("compare.forest_title") in found.figures
    assert "⟦" not in found.figures


def test_best_of_each_line_is_bold(room: Room, ids: list[str]) -> None:
    found = answered(room, ids)

    assert '<td class="is-number"><b>0.917</b></td>' in found.figures


def test_name_of_a_system_stays_text(room: Room, ids: list[str]) -> None:
    hall = a_hall(room)
    answered(room, ids)
    board = hall.board.body("toy")
    assert board is not None
    for row in board["rows"]:
        row["name"] = HOSTILE

    found = look(hall, a_visit(ids))

    whole = found.chooser + found.verdicts + found.figures
    assert "Good &lt;b&gt;" in whole
    assert "<b>x</b>" not in whole


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("task", "wanted", "code"),
    [
        ("shut", ["one", "two"], "sealed-gold"),
        ("never-heard-of", ["one", "two"], "no-board"),
        ("toy", ["one", "two"], "not-on-board"),
        ("toy", ["a", "b", "c", "d", "e"], "wrong-number"),
        ("toy", ["a", "a"], "same-system"),
    ],
)
def test_every_refusal_is_said_in_words(
    room: Room, ids: list[str], lang: str, task: str, wanted: list[str], code: str
) -> None:
    found = seen(room, wanted, lang, task=task)

    assert texts(lang).get(f"compare.no_{code}") in found.verdicts
    assert not found.is_awaited
    assert found.figures == ""


@pytest.mark.parametrize("code", ["busy", "scores-missing", "gold-changed", "unexpected"])
def test_refusals_that_pass_have_words_in_every_language(code: str) -> None:
    assert all(texts(lang).has(f"compare.no_{code}") for lang in LANGUAGES)


def test_refused_question_offers_to_ask_again(room: Room, ids: list[str]) -> None:
    (room.settings.vault_folder / "scores" / "toy" / f"{ids[1]}.npz").unlink()

    found = answered(room, ids)

    assert texts("en").get("compare.no_scores-missing") in found.verdicts
    assert f'href="./compare?task=toy&amp;ids={",".join(ids)}&amp;lang=en"' in found.verdicts


def test_row_that_left_the_board_leaves_the_others_to_compare(room: Room, ids: list[str]) -> None:
    room.store.move_visibility(ids[1], Visibility.WITHDRAWN, Actor.OWNER, NOON)
    room.worker.sweep(0.0)

    found = seen(room, ids)

    assert texts("en").get("compare.no_not-on-board") in found.verdicts
    assert f'ids={ids[0]},{ids[2]}&amp;lang=en">Compare the others' in found.verdicts


def test_page_says_when_nobody_works(room: Room, ids: list[str]) -> None:
    room.store.heartbeat("w0", NOON - timedelta(minutes=5))

    assert texts("en").get("compare.paused") in seen(room, ids).verdicts


def test_page_stops_looking_after_a_minute(room: Room, ids: list[str]) -> None:
    hall, visit = a_hall(room), a_visit(ids)
    look(hall, visit)

    early: list[Any] = look_again(hall, visit, 0)
    late: list[Any] = look_again(hall, visit, MOST_POLLS - 1)

    assert (early[2].get("__type__"), early[3]) == ("update", 1)
    assert late[2].active is False
    assert texts("en").get("compare.too_long") in late[0]


def test_one_system_is_offered_its_neighbours(room: Room, ids: list[str]) -> None:
    found = seen(room, ids[:1])

    assert texts("en").get("compare.choose_second") in found.verdicts
    for other in ids[1:]:
        assert f"ids={ids[0]},{other}&amp;lang=en" in found.chooser


def test_without_a_task_the_boards_to_choose_from_are_listed(room: Room, ids: list[str]) -> None:
    found = look(a_hall(room), Visit.of("compare", {}))

    assert 'href="./compare?task=toy"' in found.chooser
    assert "shut" not in found.chooser
    assert found.verdicts == ""


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({"ids": "a,b"}, ["a", "b"]),
        ({"ids": "a,,b,"}, ["a", "b"]),
        ({"ids": "a", "add": "b"}, ["a", "b"]),
        ({"ids": "a,b", "add": "c", "for": "a"}, ["c", "b"]),
        ({"add": "c", "for": ""}, ["c"]),
        ({"ids": "a,b,c,d,e,f"}, ["a", "b", "c", "d", "e"]),
        ({}, []),
    ],
)
def test_form_without_scripts_adds_or_replaces(query: dict[str, str], wanted: list[str]) -> None:
    assert asked_ids(Visit.of("compare", query)) == wanted


def test_page_of_an_address_that_asked_too_much_says_so_and_shows_what_is_known(room: Room, ids: list[str]) -> None:
    known = answered(room, ids[:2])
    hall = a_hall(room)
    hall.may_ask = lambda sender: sender != "192.0.2.1"  # type: ignore[method-assign]

    refused, shown, other = (
        look(hall, replace(a_visit(wanted), sender=sender))
        for wanted, sender in ((ids, "192.0.2.1"), (ids[:2], "192.0.2.1"), (ids, "192.0.2.2"))
    )

    assert "Too many comparisons wait" in refused.verdicts
    assert shown.verdicts == known.verdicts
    assert other.is_awaited
