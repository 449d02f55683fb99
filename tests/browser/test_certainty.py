"""How sure a board is, as a reader sees it: intervals, possible ranks, and the difference that the topics decide."""

import pytest
from playwright.sync_api import Page, expect

from tests.running import RunningApp

pytestmark = pytest.mark.browser


def test_board_shows_the_intervals_and_ranks_of_its_json(page: Page, site: RunningApp) -> None:
    site.until(lambda: all(row.get("rank_interval") for row in site.board("irsc")["rows"]))
    board = site.board("irsc")

    page.goto(f"{site.url}/irsc")

    for row in board["rows"]:
        line = page.locator(f"tr[data-id='{row['id']}']")
        low, high = row["intervals"][0]
        expect(line.locator("td.is-primary .q-range")).to_have_text(f"[{low:.3f}, {high:.3f}]")
        best, worst = row["rank_interval"]
        expect(line.locator("td.is-rank .q-range")).to_have_count(1 if best < worst else 0)
        expect(line.locator("td.is-primary .q-glyph.has-interval")).to_have_count(1)
    resolution = board["uncertainty"]["resolution"]
    expect(page.locator("caption").first).to_contain_text(f"Differences under {resolution:.3f} are not decided")


def test_french_intervals_have_commas_inside_and_semicolons_between(page: Page, site: RunningApp) -> None:
    site.until(lambda: all(row.get("rank_interval") for row in site.board("irsc")["rows"]))
    low, high = site.board("irsc")["rows"][0]["intervals"][0]

    page.goto(f"{site.url}/irsc?lang=fr")

    told = f"[{low:.3f} ; {high:.3f}]".replace(".", ",")
    expect(page.locator("tbody td.is-primary .q-range").first).to_have_text(told)


def test_sealed_board_shows_no_interval(page: Page, site: RunningApp) -> None:
    page.goto(f"{site.url}/sample-sealed")

    expect(page.locator("tbody tr").first).to_be_visible()
    expect(page.locator("tbody .q-range")).to_have_count(0)


def test_first_screen_holds_title_measure_topics_and_eight_rows_with_intervals(page: Page, site: RunningApp) -> None:
    """The sample boards have six rows: the room of two more is below them."""
    page.goto(f"{site.url}/irsc")
    rows = page.locator("#board tbody tr")
    expect(rows).to_have_count(6)
    expect(rows.locator("td.is-primary .q-range")).to_have_count(6)

    last = rows.last.bounding_box()

    assert last is not None
    assert last["y"] + 3 * last["height"] <= 800
    expect(page.locator("h1")).to_be_in_viewport()
    expect(page.locator(".q-facts")).to_contain_text("420 topics")
    expect(page.locator("#board thead th.is-primary")).to_be_in_viewport()
