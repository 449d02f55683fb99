"""The method page: its example is computed from the board that is shown, its queue is the one of the books."""

import copy
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from leaderboard.board import Board
from leaderboard.hall import Hall
from leaderboard.pages.about import draw
from leaderboard.parts.method_example import worked_example
from leaderboard.parts.table import Labels
from leaderboard.texts import LANGUAGES, texts
from leaderboard.visit import Visit
from tests.builders import NOON
from tests.leaderboard.rooms import Room
from tests.leaderboard.surveyed import a_surveyed_room, publish

WORDS = texts("en")
LABELS = Labels("Toy", axes={"kind": "Kind"})


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A board that ranks by the mean over the kinds of topics, with three systems."""
    with a_surveyed_room(tmp_path) as room:
        card = room.folder / "tasks" / "toy" / "card.toml"
        card.write_text('mean = "macro:kind"\n' + card.read_text("utf-8"), encoding="utf-8")
        room.restart()
        room.prepare()
        for name, finds in (("Fair", 60), ("Good", 110), ("Poor", 20)):
            publish(room, name, finds=finds)
        room.worker.sweep(0.0)
        room.store.heartbeat("w0", NOON)
        yield room


def a_hall(room: Room) -> Hall:
    board = Board(room.store, room.worker.tasks, lambda: NOON)
    return cast("Hall", SimpleNamespace(board=board, settings=room.settings))


def the_board(room: Room) -> dict[str, Any]:
    board = a_hall(room).board.body("toy")
    assert board is not None
    return copy.deepcopy(dict(board))


def test_example_adds_up_the_slices_of_the_board(room: Room) -> None:
    board = the_board(room)
    row = board["rows"][0]
    easy, hard = (cell[0] for cell in row["slices"]["kind"])

    told = worked_example(board, LABELS, WORDS)

    assert f"({easy:.4f} + {hard:.4f}) / 2 = {row['scores'][0]:.4f}" in told
    assert f"the {board['uncertainty']['n_units']} groups of topics were drawn 10,000 times" in told
    assert f"0 of 3 systems have a higher score, so its rank is {row['rank']}" in told
    low, high = row["intervals"][0]
    assert f"2.5% of the results lie under {low:.4f} and 2.5% over {high:.4f}" in told


def test_example_follows_the_numbers_that_it_is_given(room: Room) -> None:
    board = the_board(room)
    row = board["rows"][0]
    row["slices"]["kind"][0][0] = 0.25
    row["slices"]["kind"][1][0] = 0.5
    row["scores"][0] = 0.375

    assert "(0.2500 + 0.5000) / 2 = 0.3750" in worked_example(board, LABELS, WORDS)


def test_example_never_shows_a_sum_that_is_not_the_boards(room: Room) -> None:
    board = the_board(room)
    for row in board["rows"]:
        row["scores"][0] += 0.01

    assert worked_example(board, LABELS, WORDS) == ""


def test_board_ranked_by_topics_or_without_intervals_has_no_example(room: Room) -> None:
    by_topics = the_board(room)
    by_topics["columns"][0]["mean"] = "topics"
    bare = {key: value for key, value in the_board(room).items() if key != "uncertainty"}

    assert worked_example(by_topics, LABELS, WORDS) == worked_example(bare, LABELS, WORDS) == ""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_page_has_every_section_once_and_no_open_mark(room: Room, lang: str) -> None:
    told = draw(a_hall(room), Visit.of("about", {"lang": lang}, {"host": "example.org"}))

    sections = re.findall(r'<section id="([a-z]+)">', told)
    assert sections == [
        *("score", "rank", "sure", "example", "compare", "alarms", "hidden", "yours"),
        *("limits", "host", "api", "changes", "cite", "health"),
    ]
    assert "⟦" not in told
    assert not re.search(r"\{[a-z_]+\}", re.sub(r"<pre.*?</pre>", "", told, flags=re.DOTALL))


def test_queue_is_the_one_of_the_books(room: Room) -> None:
    visit = Visit.of("about", {})
    before = draw(a_hall(room), visit)
    room.submit(b"t000 Q0 x 1 1.0 tag\n", name="Waits")
    after = draw(a_hall(room), visit)
    room.store.heartbeat("w0", NOON - timedelta(minutes=5))
    silent = draw(a_hall(room), visit)

    assert "Waiting to be scored: 0. A scoring process answered last at" in before
    assert "Waiting to be scored: 1. The oldest has waited since 2026" in after
    assert WORDS.get("method.health_paused") in silent
