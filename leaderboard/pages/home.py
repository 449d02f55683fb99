"""The home page: which benchmarks there are, who leads, what came last, and how it works."""

from functools import partial

import gradio as gr

from leaderboard.hall import Hall
from leaderboard.pages.frame import html, on_load, page
from leaderboard.parts import blocks
from leaderboard.visit import Heads, PageHead, Visit

PATH = ""


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds."""
    with page(demo, PATH):
        content = html(elem_id="home")
        on_load(demo, PATH, partial(draw, hall), [content])
    return {PATH: partial(head, hall)}


def head(hall: Hall, visit: Visit) -> PageHead:
    """Say what the served HTML of this page holds."""
    words = visit.words
    lead = words.get("common.motto")
    return PageHead(words.get("common.name"), lead, blocks.intro(words.get("common.name"), lead))


def draw(hall: Hall, visit: Visit) -> str:
    """Return the cards of all benchmarks and what follows."""
    return blocks.block(f"<h2>{visit.words.get('common.nav_home')}</h2>")
