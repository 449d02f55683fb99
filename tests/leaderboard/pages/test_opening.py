"""A page that is built into the running Gradio app: served at its address, with the old pages as they were."""

import gc
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from gradio.routes import App
from starlette.middleware import Middleware

from data.task import Task
from leaderboard.arrivals import Arrivals
from leaderboard.pages.opening import Opening, open_page
from leaderboard.settings import Settings
from leaderboard.store import Store
from leaderboard.web import build_site, launch_options, open_hall
from tests.data.makers import CARD, a_card
from tests.leaderboard.asgi import Answer, ask

# Gradio leaves the loops and sockets of its own start open, which no test here can close
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@dataclass
class Site:
    """The whole web application without a server, and the folder that its tasks come to."""

    app: Any
    tasks: Path

    def page(self, path: str, lang: str = "en") -> Answer:
        return ask(self.app, path, headers={"accept": "text/html", "accept-language": lang})

    def config(self, path: str) -> dict[str, Any]:
        found = re.search(r"window.gradio_config = (\{.*?\});</script>", self.page(path).text, re.DOTALL)
        assert found is not None
        config: dict[str, Any] = json.loads(found.group(1))
        return config


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "data" / "tmp"))
    settings = Settings.from_env({"QRELBOARD_DATA": str(tmp_path / "data")}, "web")
    settings.make_folders()
    books = Store.open(settings.database_url)
    books.migrate()
    # a clock that runs ahead, so that a folder is at rest as soon as it is there
    arrivals = Arrivals(settings.task_folders, print, clock=lambda: 1e12)
    hall = open_hall(settings, arrivals.catalogue)
    demo, heads = build_site(hall)

    def open_one(task: Task) -> None:
        open_page(hall, demo, heads, task)

    seconds = itertools.count(0, 10)
    newcomers = Middleware(Opening, look=arrivals.look, open_page=open_one, monotonic=lambda: float(next(seconds)))
    options = launch_options(hall, heads, newcomers)
    demo.theme = options["theme"]
    demo.config = demo.get_config_file()
    demo.app = App.create_app(demo, app_kwargs=options["app_kwargs"])
    yield Site(demo.app, settings.data_folder / "tasks")
    books.close()
    gc.collect()


def test_new_page_is_served_with_its_own_components_and_words(site: Site) -> None:
    assert site.page("/toy").status == 404

    a_card(site.tasks, CARD)

    answer = site.page("/toy")
    assert answer.status == 200
    assert "<h1" in answer.text
    assert "Find the toy." in answer.text
    config = site.config("/toy")
    assert config["current_page"] == "toy"
    names = {one["props"].get("elem_id") for one in config["components"]}
    assert {"board", "chart-kind", "chart-size"} <= names
    labels = {one["props"].get("label") for one in config["components"] if one["type"] == "tabitem"}
    assert {"Kind", "Size"} <= labels
    assert "Tâche jouet" in site.page("/toy", "fr").text


def test_old_pages_keep_their_numbers(site: Site) -> None:
    before = {path: site.config(path) for path in ("/", "/irsc", "/submit")}

    a_card(site.tasks, CARD)
    site.page("/toy")

    for path, config in before.items():
        after = site.config(path)
        assert after["components"] == config["components"], path
        assert after["dependencies"] == config["dependencies"], path


def test_address_with_a_slash_leads_to_the_page(site: Site) -> None:
    a_card(site.tasks, CARD)
    site.page("/")

    answer = site.page("/toy/")

    assert (answer.status, answer.headers["location"]) == (301, "/toy")


def test_home_page_shows_the_task_at_once(site: Site) -> None:
    assert "Find the toy." not in site.page("/").text

    a_card(site.tasks, CARD)

    assert "Find the toy." in site.page("/").text


def test_page_that_cannot_be_built_does_not_take_the_others_along(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.pages.task.TaskPage.build", lambda *_: 1 / 0)
    a_card(site.tasks, CARD)

    assert site.page("/").status == 200
    assert site.page("/irsc").status == 200
