"""Tasks that come while a process runs: taken whole, once, and without harm to the others."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from gradio.routes import INTERNAL_ROUTES

from data.cards import load_card
from evaluation import CardError
from leaderboard.arrivals import Arrivals, changed_at, is_quiet
from leaderboard.routes import plain_routes
from leaderboard.web import PAGES
from tests.data.makers import PLAIN_CARD, a_card

BROKEN = PLAIN_CARD.replace('version = "1"', "version = 1")


class Host:
    """A folder of tasks with a clock that is `later` than the file system's by so many seconds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.later = 10.0
        self.said: list[str] = []

    def clock(self) -> float:
        return max(changed_at(path) for path in (self.folder, *self.folder.iterdir())) + self.later

    def arrivals(self) -> Arrivals:
        self.folder.mkdir(exist_ok=True)
        return Arrivals([self.folder], self.said.append, clock=self.clock)

    def put(self, task_id: str, text: str = PLAIN_CARD) -> Path:
        return a_card(self.folder, text.replace('id = "toy"', f'id = "{task_id}"'), task_id)


# what the site serves itself, by the first part of the address
OWN = {
    *(str(getattr(page, "PATH", "")) for page in PAGES),
    *(name for name in INTERNAL_ROUTES if re.fullmatch("[a-z]+", name)),
    *re.findall(r'Route\("/([a-z]+)', Path(plain_routes.__code__.co_filename).read_text(encoding="utf-8")),
}


@pytest.mark.parametrize("name", sorted(OWN - {""}))
def test_no_task_can_take_the_address_of_a_page_or_a_route(tmp_path: Path, name: str) -> None:
    with pytest.raises(CardError, match="address of a page"):
        load_card(a_card(tmp_path, PLAIN_CARD.replace('id = "toy"', f'id = "{name}"'), name))


def ids(arrivals: Arrivals) -> Callable[[], list[str]]:
    return lambda: [task.id for task in arrivals.look()]


def test_folder_that_comes_is_a_task_once(tmp_path: Path) -> None:
    host = Host(tmp_path / "tasks")
    arrivals = host.arrivals()
    shared = arrivals.catalogue

    host.put("toy")

    assert ids(arrivals)() == ["toy"]
    assert ids(arrivals)() == []
    assert "toy" in shared


def test_folder_that_is_still_being_copied_waits(tmp_path: Path) -> None:
    host = Host(tmp_path / "tasks")
    arrivals = host.arrivals()
    host.put("toy")

    host.later = 0.5

    assert ids(arrivals)() == []
    host.later = 2.5
    assert ids(arrivals)() == ["toy"]


def test_wrong_card_keeps_its_own_task_out_and_is_named_once(tmp_path: Path) -> None:
    host = Host(tmp_path / "tasks")
    host.folder.mkdir()
    host.put("bad", BROKEN)
    host.put("good")

    arrivals = host.arrivals()
    arrivals.look()
    arrivals.look()

    assert list(arrivals.catalogue) == ["good"]
    assert len(host.said) == 1
    assert 'bad/card.toml: key "version"' in host.said[0]


def test_wrong_card_is_taken_when_it_is_mended(tmp_path: Path) -> None:
    host = Host(tmp_path / "tasks")
    host.folder.mkdir()
    host.put("bad", BROKEN)
    arrivals = host.arrivals()
    before = changed_at(host.folder / "bad")

    while changed_at(host.folder / "bad") == before:
        host.put("bad")

    assert ids(arrivals)() == ["bad"]


def test_second_folder_of_one_id_is_left_out_by_name(tmp_path: Path) -> None:
    first, second = Host(tmp_path / "one"), Host(tmp_path / "two")
    first.folder.mkdir()
    second.folder.mkdir()
    first.put("toy")
    arrivals = Arrivals([first.folder, second.folder], first.said.append, clock=lambda: 1e12)

    second.put("toy")

    assert arrivals.look() == []
    assert len(first.said) == 1
    assert str(second.folder / "toy") in first.said[0]


def test_old_dates_of_a_copy_do_not_make_it_look_whole(tmp_path: Path) -> None:
    folder = a_card(tmp_path, PLAIN_CARD)
    os.utime(folder / "card.toml", (1, 1))

    assert not is_quiet(folder, changed_at(folder) + 1)
    assert changed_at(folder) > 1_000_000
