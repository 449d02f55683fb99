"""A real Chromium, and one running app on sample gold that the tests of this folder share."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

from tests.browser.everywhere import Places, places_of
from tests.running import RunningApp, running_app

FLAGS = ["--no-sandbox", "--disable-background-networking"]
TASKS = ("irsc", "instructir", "alloprof-pages", "alloprof-questions", "alloprof-both", "sample-sealed")
N_SAMPLES = 6

OpenPage = Callable[..., Page]
Example = Callable[[str], Path]
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium where there is one, else Playwright's own."""
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        except Error as error:
            pytest.skip(f"no Chromium here: {str(error).splitlines()[0]}")
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """The app as `make serve` starts it, with all sample boards complete. Tests leave the sample rows as they are."""
    with running_app(tmp_path_factory.mktemp("site")) as app:
        app.until(lambda: all(len(app.board(task)["rows"]) == N_SAMPLES for task in TASKS))
        yield app


@pytest.fixture(scope="session")
def places(site: RunningApp) -> Places:
    """Every page of the site by name, with a submission in every state."""
    return places_of(site)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Make pages with a context's options; at the end no script may have failed and nobody foreign been asked."""
    failures: list[str] = []
    contexts = []

    def heard(url: str) -> None:
        if not url.startswith(("http://127.0.0.1:", "http://localhost:", "data:", "blob:")):
            failures.append(f"foreign request {url}")

    def make(**options: object) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", **options})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: failures.append(f"script failed: {error}"))
        page.on("request", lambda request: heard(request.url))
        return page

    yield make
    for context in contexts:
        context.close()
    assert failures == []


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """An English desktop page in a context of its own."""
    return open_page()


@pytest.fixture
def example(site: RunningApp, tmp_path: Path) -> Example:
    """The example run of a task, as a visitor downloads it, with a tag of its own so that each is another file."""

    def fetch(tag: str) -> Path:
        status, body = site.get("/examples/irsc.run")
        assert status == 200
        path = tmp_path / f"{tag}.run"
        path.write_bytes(re.sub(rb"\S+$", tag.encode(), body, flags=re.MULTILINE))
        return path

    return fetch
