"""What pages share: a place on the site, and the reader's visit inside a Gradio event."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import gradio as gr

from leaderboard.accounts import person_of
from leaderboard.rates import SENDER
from leaderboard.texts import mark
from leaderboard.visit import Visit

# Reading a page is cheap and cached: it never waits in Gradio's queue, shows no spinner and is no API endpoint.
READ: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}


@contextmanager
def page(demo: gr.Blocks, path: str) -> Iterator[None]:
    """Open the page at `/<path>`; components made inside belong to it. The empty path is the home page."""
    with demo.route(path, f"/{path}", show_in_navbar=False) if path else demo:
        yield


def html(value: str = "", *, elem_id: str, js: str | None = None) -> gr.HTML:
    """Make one of our own HTML blocks: no Gradio styles, no click event, a stable id."""
    return gr.HTML(value, elem_id=elem_id, js_on_load=js, apply_default_css=False)


def visit_of(request: gr.Request | None, path: str) -> Visit:
    """Read the visit of an event's request; without one (a call from a script) an English visit with an empty query."""
    if request is None:
        return Visit.of(path, {})
    visit = Visit.of(path, dict(request.query_params), request.headers)
    scope = getattr(getattr(request, "request", None), "scope", {})
    return replace(visit, sender=scope.get(SENDER, ""), account=person_of(request))


def on_load(demo: gr.Blocks, path: str, draw: Callable[[Visit], Any], outputs: list[Any]) -> None:
    """Fill the page's blocks once it is open: `draw` takes the visit and returns one value an output."""

    def fill(request: gr.Request) -> Any:
        return draw(visit_of(request, path))

    demo.load(fill, None, outputs, **READ)


__all__ = ["READ", "html", "mark", "on_load", "page", "visit_of"]
