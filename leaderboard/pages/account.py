"""The account page: log in, see what one handed in, make and end tokens for scripts. Only where there is a login."""

import asyncio
from functools import partial
from typing import Any
from urllib.parse import urlencode

import gradio as gr
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from leaderboard.accounts import MAX_LABEL, TOKEN_DAYS, Role, Scope, person_of
from leaderboard.hall import Hall
from leaderboard.keys import key_hash
from leaderboard.login import ACCOUNT_PATH
from leaderboard.pages.frame import READ, html, mark, page, visit_of
from leaderboard.parts import account_view, blocks
from leaderboard.visit import Heads, PageHead, Visit

PATH = "account"
REVOKE_PATH = "/account/revoke"
PROBLEMS = ("state", "refused", "provider")
MOST_RUNS = 100
MAX_ID = 100


def build(hall: Hall, demo: gr.Blocks) -> Heads:
    """Lay the page out and say what its served HTML holds; no page where nobody can log in."""
    if hall.accounts is None:
        return {}
    with page(demo, PATH):
        runs, tokens = html(elem_id="account-runs"), html(elem_id="account-tokens")
        made = html(elem_id="account-made")
        with gr.Column(visible=False, elem_id="account-new") as new:
            html(f'<h2 class="q-stage">{mark("account.new_title")}</h2>', elem_id="account-new-title")
            label = gr.Textbox(
                label=mark("account.label_label"),
                info=mark("account.label_info"),
                max_length=2 * MAX_LABEL,
                elem_id="account-label",
            )
            scopes = gr.CheckboxGroup(_scopes(), label=mark("account.scopes_label"), elem_id="account-scopes")
            days = gr.Radio(
                [(mark(f"account.days_{n}"), n) for n in TOKEN_DAYS],
                value=TOKEN_DAYS[0],
                label=mark("account.days_label"),
                elem_id="account-days",
            )
            button = gr.Button(mark("account.make"), variant="primary", elem_id="account-make")
        _wire(hall, demo, [runs, tokens, new, scopes], [label, scopes, days], (button, made))
    return {PATH: partial(head, hall)}


def _wire(hall: Hall, demo: gr.Blocks, drawn: list[Any], form: list[Any], making: tuple[gr.Button, gr.HTML]) -> None:
    """Fill the page when it opens, and make a token when its button is pressed. Each asks who is logged in."""

    def load(request: gr.Request) -> list[Any]:
        return draw(hall, visit_of(request, PATH))

    def make(label: Any, scopes: Any, days: Any, request: gr.Request) -> list[Any]:
        visit = visit_of(request, PATH)
        return [new_token(hall, visit, label, scopes, days), *draw(hall, visit)[:2]]

    button, made = making
    demo.load(load, None, drawn, **READ)
    done = button.click(make, form, [made, *drawn[:2]], trigger_mode="once", **READ)
    done.then(None, None, None, js="() => qrelboard.focusOn('#account-made .q-notice')")


def head(hall: Hall, visit: Visit) -> PageHead:
    """Say who is logged in, or offer the login; and what became of the last try."""
    words, account = visit.words, visit.account
    title, problem = words.get("account.title"), visit.query.get("problem", "")
    said = blocks.notice(words.get(f"account.problem_{problem}"), kind="error") if problem in PROBLEMS else ""
    if visit.query.get("done") == "revoked":
        said = blocks.notice(words.get("account.done_revoked"), kind="success")
    if account is None:
        action = blocks.login_button(words, Visit(PATH, {}, visit.lang, visit.asked).login_link())
        top = blocks.intro(title, words.get("account.lead_out"), actions=action, above=said)
    else:
        told = account_view.facts(account, words, is_development=hall.settings.login is None)
        lead = words.get("account.lead_in", name=account.name)
        top = blocks.intro(title, lead, actions=account_view.log_out(words), facts=told, above=said)
    return PageHead(title, words.get("account.description"), top, is_private=True)


def draw(hall: Hall, visit: Visit) -> list[Any]:
    """Fill the page for the account that is logged in: submissions, tokens, and the form for a new token."""
    account = visit.account
    if hall.accounts is None or account is None:
        return ["", "", gr.update(visible=False), gr.skip()]
    books = hall.accounts.books
    runs = account_view.runs(books.runs(key_hash(account.key), MOST_RUNS), dict(hall.board.catalogue), visit)
    tokens = account_view.tokens(books.tokens(account.subject, hall.clock()), visit.words)
    allowed = [
        (visit.words.get(f"account.scope_{scope}"), str(scope))
        for scope in Scope
        if scope is not Scope.HOST or account.role is Role.HOST
    ]
    return [runs, tokens, gr.update(visible=True), gr.update(choices=allowed)]


def new_token(hall: Hall, visit: Visit, label: Any, scopes: Any, days: Any) -> str:
    """Make a token for the account that is logged in and show it, or say what is to mend."""
    words, account = visit.words, visit.account
    if hall.accounts is None or account is None:
        return blocks.notice(words.get("account.needs_login"), kind="error", is_announced=True)
    try:
        token = hall.accounts.new_token(account, _label(label), [Scope(one) for one in scopes], int(days))
    except (ValueError, TypeError):
        return blocks.notice(words.get("account.wrong_form"), kind="error", is_announced=True)
    if token is None:
        return blocks.notice(words.get("account.too_many"), kind="error", is_announced=True)
    return account_view.made(token, words)


def routes(hall: Hall) -> list[Route]:
    """Return the plain route that ends a token."""

    async def revoke(request: Request) -> Response:
        account = person_of(request)
        form = await request.form(max_files=0, max_fields=5)
        token_id = form.get("token")
        asked = Visit.from_page(request.scope).asked
        query = {"lang": asked} if asked else {}
        if hall.accounts is not None and account is not None and isinstance(token_id, str):
            revoking = partial(hall.accounts.books.revoke, account.subject, token_id[:MAX_ID], hall.clock())
            if await asyncio.to_thread(revoking):
                query["done"] = "revoked"
        return RedirectResponse(f"{ACCOUNT_PATH}?{urlencode(query)}", status_code=303)

    return [Route(REVOKE_PATH, revoke, methods=["POST"])]


def _scopes() -> list[tuple[str, str]]:
    return [(mark(f"account.scope_{scope}"), str(scope)) for scope in Scope]


def _label(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError("not a text")
    shown = "".join(letter for letter in text if letter.isprintable()).strip()
    if not 0 < len(shown) <= MAX_LABEL:
        raise ValueError("no name, or too long a one")
    return shown
