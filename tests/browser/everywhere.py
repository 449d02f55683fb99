"""Every page of the running app, each with what says that it is drawn, and every state that a submission can be in."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from playwright.sync_api import Page, expect

from leaderboard.keys import key_hash
from leaderboard.store import Store
from leaderboard.submissions import Actor, Hold, Visibility
from tests.builders import a_form, a_submission
from tests.running import RunningApp

KEY = "a-key-that-only-these-tests-know-of"
STATES = ("private", "withdrawn", "held", "deleted", "failed")

# address and what is drawn last; {…} are filled in by `Places`
PAGES: dict[str, tuple[str, str]] = {
    "home": ("", "#how li"),
    "irsc": ("irsc", "#legend li"),
    "irsc by language": ("irsc?by=language", "th.is-slice"),
    "irsc query types": ("irsc?tab=query_type", "#panel-query_type .q-drawing text"),
    "irsc charts": ("irsc?tab=charts", "#charts .q-block"),
    "irsc about": ("irsc?tab=about", "#about h2"),
    "instructir": ("instructir", "#legend li"),
    "instructir group sizes": ("instructir?tab=group_size", "#panel-group_size .q-drawing text"),
    "instructir charts": ("instructir?tab=charts", "#charts .q-drawing text"),
    "instructir about": ("instructir?tab=about", "#about h2"),
    "alloprof": ("alloprof-both?by=grade", "th.is-slice"),
    "alloprof grades": ("alloprof-both?tab=grade", "#panel-grade .q-drawing text"),
    "alloprof subjects": ("alloprof-both?tab=subject", "#panel-subject .q-drawing text"),
    "alloprof about": ("alloprof-both?tab=about", "#about h2"),
    "alloprof pages": ("alloprof-pages", "#legend li"),
    "alloprof questions": ("alloprof-questions", "#legend li"),
    "alloprof elsewhere": ("alloprof-mteb", "#elsewhere-block table"),
    "sealed": ("sample-sealed?by=kind", "th.is-slice"),
    "sealed about": ("sample-sealed?tab=about", "#about h2"),
    "submit": ("submit?task=irsc", "#submit-guide .q-columns"),
    "submit sealed": ("submit?task=sample-sealed", "#submit-guide .q-columns"),
    "submission": ("submission?id={row}", "#submission-outcome section"),
    "submission unknown": ("submission?id=nothing", "#submission-status *"),
    **{f"submission {state}": (f"submission?id={{{state}}}&key={KEY}", "#submission-status *") for state in STATES},
    "system": ("system?id={system}", "#system table"),
    "system unknown": ("system?id=nothing", "#system *"),
    "compare": ("compare?task=irsc&ids={rows}", "#compare-figures .q-drawing text"),
    "compare nothing": ("compare?task=irsc", "#compare-systems form"),
    "about": ("about", "#api"),
    "reliability": ("reliability", "#reliability h2"),
    "hosting": ("hosting", "#hosting h2"),
    "embed": ("irsc?embed=1&top=5", "tbody tr"),
    "not found": ("no-such-page", "h1"),
}


@dataclass(frozen=True)
class Places:
    """Opens pages of a site by their names in `PAGES`."""

    site: RunningApp
    ids: dict[str, str]

    def path(self, name: str, lang: str = "en") -> str:
        """Return the address of a page in a language."""
        address = PAGES[name][0].format_map(self.ids)
        return f"{address}{'&' if '?' in address else '?'}lang={lang}"

    def open(self, page: Page, name: str, lang: str = "en") -> None:
        """Open a page in a language and wait until it is drawn."""
        page.goto(f"{self.site.url}/{self.path(name, lang)}")
        expect(page.locator(PAGES[name][1]).first).to_be_attached()
        page.wait_for_function("!document.querySelector('gradio-app') || !document.querySelector('.q-skeleton')")


def places_of(site: RunningApp) -> Places:
    """Put a submission of every state into the books and name what the addresses need."""
    rows = site.board("irsc")["rows"]
    ids = {"row": rows[0]["id"], "system": rows[0]["system"], "rows": f"{rows[1]['id']},{rows[0]['id']}"}
    store = Store.open(f"sqlite:///{site.data / 'books.sqlite'}")
    try:
        for state in STATES:
            ids[state] = _put(store, state, rows[0]["id"])
    finally:
        store.close()
    return Places(site, ids)


def _put(store: Store, state: str, scored_id: str) -> str:
    """Add a submission in a state, with the scores of another one; returns its id."""
    now = datetime.now(UTC)
    form = a_form(f"State {state}", note="", licence="CC0")
    new = a_submission(task_id="irsc", run=state.encode(), owner=state, form=form)
    store.add_submission(replace(new, link_hash=key_hash(KEY)), now)
    if state == "failed":
        store.fail(new.id, "time-limit", {}, now)
        return new.id
    sheet = store.sheet(scored_id)
    assert sheet is not None
    store.record_scores(new.id, sheet, now, hold=Hold("impossible-number", {}) if state == "held" else None)
    if state == "withdrawn":
        store.move_visibility(new.id, Visibility.PUBLIC, Actor.OWNER, now)
        store.move_visibility(new.id, Visibility.WITHDRAWN, Actor.OWNER, now)
    if state == "deleted":
        store.move_visibility(new.id, Visibility.DELETED, Actor.OWNER, now)
    return new.id
