"""Who sends an event, as the door sees them; what they say about themselves counts for nothing."""

import gradio as gr

from leaderboard.hall import Hall
from leaderboard.quota import NOBODY, Caller


def caller_of(hall: Hall, request: gr.Request | None) -> Caller:
    """Return the network address behind a request, where addresses are limited."""
    if hall.rates is None or request is None:
        return NOBODY
    peer = request.client.host if request.client else ""
    return Caller(hall.rates.address(peer, request.headers.get("x-forwarded-for", "")))
