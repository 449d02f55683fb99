"""Boards drawn from any revision, without an app behind them: a page with our style, our scripts and one board."""

import json
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Page, expect

from leaderboard.parts import assets
from leaderboard.parts.table import Labels, Links, payload
from leaderboard.texts import texts
from tests.leaderboard.parts.boards import LABELS, a_board, a_row

ADDRESS = "http://127.0.0.1:9/toy"
ROWS = "#board tbody tr"
LINKS = Links(system="./system?id=SYSTEM", submit="./submit?task=toy", compare="./compare?task=toy&ids=IDS")


def sure_board(**fields: Any) -> dict[str, Any]:
    """Four systems on open gold with intervals: the second is not separable from the first, the last a baseline."""
    scores = (0.812345678, 0.8, 0.5, 0.25)
    facts: list[dict[str, Any]] = [
        {"name": "Alpha", "params_millions": 7100.0, "open_weights": True, "rank_interval": [1, 2]},
        {"name": "Beta", "params_millions": 568.0, "open_weights": False, "rank_interval": [1, 2]},
        {"name": "Gamma", "params_millions": None, "open_weights": None, "rank_interval": [3, 3]},
        {"name": "BM25", "params_millions": None, "is_baseline": True, "rank_interval": [4, 4]},
    ]
    rows = [
        a_row(
            place + 1,
            score=score,
            intervals=[[score - 0.01, score + 0.01], [score - 0.12, score - 0.08]],
            tied_with_first=place < 2,
            slice_intervals={"kind": [[score - 0.02, score + 0.02], None, None], "grade": [None, None]},
            slice_ranks={"kind": [[place + 1, 1, place + 2], None, None], "grade": [None, None]},
            **fact,
        )
        for place, (score, fact) in enumerate(zip(scores, facts, strict=True))
    ]
    told = {"unit": "topic", "n_units": 120, "resolution": 0.0123, "level": 0.95, "n_resamples": 10_000}
    return a_board(rows, uncertainty=told, **fields)


def large_board(n_rows: int, n_columns: int) -> dict[str, Any]:
    """A board of the greatest size that we promise to be quick with."""
    columns = [
        {"id": f"M{n}@10", "measure": f"M{n}@10", "label": None, "mean": "topics", "is_primary": n == 0}
        for n in range(n_columns)
    ]
    rows = []
    for place in range(n_rows):
        scores = [((place * 7919 + n * 104_729) % 9973) / 9973 for n in range(n_columns)]
        facts = {"params_millions": float(place % 97 + 1), "open_weights": place % 2 == 0}
        ends = [[score - 0.01, score + 0.01] for score in scores]
        rows.append(a_row(place + 1, f"System {place}", scores=scores, intervals=ends, **facts))
    return a_board(rows, columns=columns)


def draw(
    page: Page,
    board: Mapping[str, Any],
    address: str = ADDRESS,
    *,
    lang: str = "en",
    labels: Labels = LABELS,
    links: Links = LINKS,
) -> Page:
    """Open a page that shows the board; reloads show it again, with what the address says by then."""
    text = payload(json.dumps(board), labels, texts(lang), links)
    value = json.dumps(text).replace("</", "<\\/")
    body = (
        f'<!doctype html><html lang="{lang}"><head><title>Toy</title><style>{assets.stylesheet().body.decode()}</style>'
        '</head><body><div id="board"><div class="q-board"></div></div>'
        f"<script>{assets.script().body.decode()}</script><script>qrelboard.board.mount("
        f"document.getElementById('board'), {{ value: {value} }}, () => {{}});</script></body></html>"
    )
    page.route("http://127.0.0.1:9/**", lambda route: route.fulfill(body=body, content_type="text/html; charset=utf-8"))
    page.goto(address)
    expect(page.locator("#board table, #board .q-empty").first).to_be_visible()
    return page
