"""Who sends an event, as the door sees them; what they say about themselves counts for nothing."""

import gradio as gr

from leaderboard.accounts import Scope, key_of
from leaderboard.hall import Hall
from leaderboard.quota import NOBODY, Caller


def caller_of(hall: Hall, request: gr.Request | None) -> Caller:
    """Return the account behind a request, else its network address where addresses are limited."""
    account = key_of(request, Scope.SUBMIT)
    if account is not None:
        return Caller(account=account)
    if hall.rates is None or request is None:
        return NOBODY
    peer = request.client.host if request.client else ""
    return Caller(hall.rates.address(peer, request.headers.get("x-forwarded-for", "")))
