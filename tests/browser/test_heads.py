"""What link previews and search engines read of each page: title, description, language; also of a hostile name."""

from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from playwright.sync_api import Page, expect

from leaderboard.keys import key_hash
from leaderboard.store import Store
from leaderboard.submissions import Actor, Visibility
from leaderboard.texts import LANGUAGES
from tests.browser.everywhere import KEY, PAGES, STATES, Places
from tests.builders import a_form, a_submission

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)>"
# what a crawler should not list: what only an owner can open, and one of very many comparisons
UNLISTED = {*(f"submission {state}" for state in STATES), "submission unknown", "compare"}


class Head(HTMLParser):
    """Collects title, metas and the number of first headings."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.title, self.metas, self.n_headings, self.lang, self._is_title = "", {}, 0, "", False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self._is_title = tag == "title" and not self.title
        self.n_headings += tag == "h1"
        if tag == "html":
            self.lang = found.get("lang") or ""
        if tag == "meta" and (name := found.get("name") or found.get("property")):
            assert name not in self.metas
            self.metas[name] = found.get("content") or ""

    def handle_data(self, data: str) -> None:
        if self._is_title:
            self.title += data

    def handle_endtag(self, tag: str) -> None:
        self._is_title = False


def head_of(places: Places, path: str) -> Head:
    return Head(places.site.get(f"/{path}", Accept="text/html")[1].decode())


@pytest.mark.parametrize("name", PAGES)
def test_head_of_a_page_is_complete_in_every_language(places: Places, name: str) -> None:
    heads = {lang: head_of(places, places.path(name, lang)) for lang in LANGUAGES}

    for lang, head in heads.items():
        assert head.lang == lang
        assert head.title.endswith("Qrelboard")
        assert head.metas["og:title"] == head.title
        assert head.metas["og:description"] == head.metas["description"]
        assert head.metas["og:locale"] == lang
        assert (head.metas.get("robots") == "noindex") == (name in UNLISTED)
        assert head.n_headings == (0 if name == "embed" else 1)
    if name not in ("not found", "system unknown"):
        descriptions = {head.metas["description"] for head in heads.values()}
        assert len(descriptions) == len(LANGUAGES)
        assert all(10 <= len(text) <= 320 for text in descriptions)


def test_every_kind_of_page_has_a_title_of_its_own(places: Places) -> None:
    kinds = [
        "home",
        "irsc",
        "instructir",
        "submit",
        "system",
        "compare",
        "about",
        "reliability",
        "hosting",
        "not found",
    ]

    titles = [head_of(places, places.path(name)).title for name in kinds]

    assert len(set(titles)) == len(titles)


def test_hostile_name_is_text_in_titles_and_pages(page: Page, places: Places) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    store, now = Store.open(f"sqlite:///{places.site.data / 'books.sqlite'}"), datetime.now(UTC)
    new = replace(a_submission(task_id="irsc", run=b"x", form=a_form(HOSTILE)), link_hash=key_hash(KEY))
    sheet = store.sheet(places.ids["row"])
    assert sheet is not None
    store.add_submission(new, now)
    store.record_scores(new.id, sheet, now)
    public = store.move_visibility(new.id, Visibility.PUBLIC, Actor.OWNER, now)
    try:
        places.site.until(lambda: new.id in [row["id"] for row in places.site.board("irsc")["rows"]])

        for path in (f"system?id={public.system_id}", f"submission?id={new.id}"):
            page.goto(f"{places.site.url}/{path}")
            expect(page.locator("h1")).to_contain_text(HOSTILE)
            assert HOSTILE in page.title()
            assert head_of(places, path).metas["og:title"] == page.title()
        page.goto(f"{places.site.url}/compare?task=irsc&ids={new.id},{places.ids['row']}")
        expect(page.locator("#compare-systems")).to_contain_text(HOSTILE)
        assert HOSTILE in page.title()
        page.goto(f"{places.site.url}/irsc?tab=query_type")
        expect(page.locator("#panel-query_type .q-drawing text").first).to_be_visible()
        assert page.locator("img[src=x]").count() == 0
        assert dialogs == []
    finally:
        store.move_visibility(new.id, Visibility.WITHDRAWN, Actor.OWNER, now)
        store.close()
        places.site.until(lambda: new.id not in [row["id"] for row in places.site.board("irsc")["rows"]])
