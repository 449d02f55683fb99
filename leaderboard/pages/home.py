"""The home page: which benchmarks there are, who leads, what came last, and how it works."""

from functools import partial

import gradio as gr

from leaderboard.hall import Hall
from leaderboard.pages.frame import html, on_load, page
from leaderboard.parts import blocks, home_view
from leaderboard.visit import Heads, PageHead, Visit

PATH = ""
N_LATEST = 5


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds."""
    with page(demo, PATH):
        outputs = [html(elem_id="cards"), html(elem_id="latest"), html(elem_id="how")]
        on_load(demo, PATH, partial(draw, hall), outputs)
    return {PATH: partial(head, hall)}


def head(hall: Hall, visit: Visit) -> PageHead:
    """Say what the served HTML of this page holds; without scripts the cards stand there too."""
    words = visit.words
    actions = blocks.button(words.get("home.submit"), visit.link("submit"), is_primary=True)
    actions += blocks.button(words.get("home.about"), visit.link("about"))
    return PageHead(
        title=words.get("common.name"),
        description=words.get("home.lead"),
        intro=blocks.intro(words.get("common.motto"), words.get("home.lead"), actions=actions),
        fallback=f'<div class="q-wrap">{"".join(draw(hall, visit))}</div>',
    )


def draw(hall: Hall, visit: Visit) -> list[str]:
    """Return cards, latest submissions, and the three steps."""
    board, words = hall.board, visit.words
    found = board.home()
    links = {card.task.id: visit.link(card.task.id) for card in found}
    n_elsewhere = {
        card.task.id: len({(row.system, row.setting) for row in board.published_elsewhere(card.task.id)})
        for card in found
        if not card.task.has_gold
    }
    entries = board.latest(N_LATEST)
    shown = {one.submission.id: visit.link("submission", id=one.submission.id) for one in entries}
    digits = {card.task.id: card.digits for card in found}
    return [
        home_view.cards(found, links, n_elsewhere, words),
        home_view.latest(entries, shown, digits, words),
        home_view.how_it_works(words),
    ]
