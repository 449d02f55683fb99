"""A board inside a page of another origin, at phone and desktop width: all there, nothing else, nothing cut off."""

import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.running import RunningApp

pytestmark = pytest.mark.browser

Blog = Callable[[str], str]


@pytest.fixture
def blog() -> Iterator[Blog]:
    """Another site, at localhost where the app is at 127.0.0.1: give it a snippet, get the page's address."""
    held: dict[str, str] = {}

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"<!doctype html><html lang=en><title>Blog</title><body style='margin:0'>{held['snippet']}".encode()
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def publish(snippet: str) -> str:
        held["snippet"] = snippet
        return f"http://localhost:{server.server_port}/"

    yield publish
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_framed_board_shows_rows_source_and_link_and_nothing_else(
    open_page: OpenPage, site: RunningApp, blog: Blog, width: int, theme: str
) -> None:
    page = open_page(viewport={"width": width, "height": 800})
    address = f"{site.url}/irsc?embed=1&top=4&theme={theme}&lang=fr"
    page.goto(blog(f'<iframe src="{address}" title="IRSC" style="width:100%;height:600px"></iframe>'))
    frame = page.frame_locator("iframe")

    expect(frame.locator("tbody tr")).to_have_count(4)
    expect(frame.locator("caption")).to_contain_text("IRSC")
    expect(frame.locator("header, footer, h1, nav, gradio-app")).to_have_count(0)
    expect(frame.get_by_role("link", name="Le tableau complet")).to_have_attribute("href", "./irsc?lang=fr")
    inside = page.frames[1]
    assert inside.evaluate("document.documentElement.dataset.theme") == theme
    assert inside.evaluate("document.documentElement.lang") == "fr"
    assert inside.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert inside.evaluate("document.querySelector('.q-scroll').scrollWidth <= innerWidth")
    first = site.board("irsc")["rows"][0]
    expect(frame.locator("tbody tr").first).to_contain_text(f"{first['scores'][0]:.3f}".replace(".", ","))


def test_link_back_opens_the_whole_board_in_a_tab_of_its_own(page: Page, site: RunningApp, blog: Blog) -> None:
    address = f"{site.url}/irsc?embed=1&lang=en"
    page.goto(blog(f'<iframe src="{address}" title="IRSC" style="width:100%;height:600px"></iframe>'))

    with page.expect_popup() as opened:
        page.frame_locator("iframe").get_by_role("link", name="The whole board").click()

    expect(opened.value.locator("#board tbody tr").first).to_be_visible()


def test_snippet_of_the_page_is_one_that_works(page: Page, site: RunningApp, blog: Blog) -> None:
    page.goto(f"{site.url}/irsc")
    page.get_by_text("Embed this board").click()
    snippet = page.locator("#embed-offer pre").inner_text()
    assert re.match(rf'<iframe src="{site.url}/irsc\?embed=1', snippet)

    page.goto(blog(snippet))

    expect(page.frame_locator("iframe").locator("tbody tr").first).to_be_visible()
