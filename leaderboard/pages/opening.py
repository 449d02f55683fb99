"""Give a task that comes while the site is open its page, at its address, without a restart.

Gradio fixes its routes when it is launched, so the page is built into the running app, and the route is added by hand.
Open pages keep theirs: components and events only get new numbers, no old one changes.
"""

import logging
import time
from collections.abc import Callable

import gradio as gr
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from data.task import Task
from leaderboard.hall import Hall
from leaderboard.pages.task import TaskPage
from leaderboard.visit import HeadOf

LOOK_S = 1.0

_log = logging.getLogger(__name__)


class Opening:
    """Middleware: looks for new tasks before a request is answered, at most once a second.

    It works in the event loop, between requests, so that none sees half a page and no thread reads what grows.

    Args:
        app: the application inside.
        look: returns the tasks that have come since it was called last.
        open_page: makes the page of one.
        monotonic: seconds that never go back.
    """

    def __init__(
        self,
        app: ASGIApp,
        look: Callable[[], list[Task]],
        open_page: Callable[[Task], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app = app
        self.look = look
        self.open_page = open_page
        self.monotonic = monotonic
        self.looked_at = monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and self.monotonic() - self.looked_at >= LOOK_S:
            self.looked_at = self.monotonic()
            try:
                for task in self.look():
                    self.open_page(task)
            except Exception:
                _log.exception("a new task has no page")
        await self.app(scope, receive, send)


def open_page(hall: Hall, demo: gr.Blocks, heads: dict[str, HeadOf], task: Task) -> None:
    """Build the page of a task into the running app and serve it."""
    served = demo.app
    try:
        heads[task.id] = TaskPage(hall, task).build(demo)
    finally:
        # leaving a page makes an app of its own, which nobody serves
        demo.app = served
    page_of = next(route.endpoint for route in served.routes if getattr(route, "path", "") == "/")

    def page(request: Request) -> Response:
        answer: Response = page_of(request, None, task.id, "")
        return answer

    def to_page() -> Response:
        return RedirectResponse(f"/{task.id}", 301)

    served.add_api_route(f"/{task.id}", page, response_class=HTMLResponse)
    served.add_api_route(f"/{task.id}/", to_page, response_class=HTMLResponse)
