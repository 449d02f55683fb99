"""The way in and out: log in at Hugging Face, or as the one account of development; log out again.

The code flow of OpenID Connect with PKCE. What is kept of it is a subject id and a name; the provider's token is not.
"""

import hmac
import logging
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
from authlib.integrations.httpx_client import OAuth2Client
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from leaderboard.accounts import Accounts
from leaderboard.settings import Login
from leaderboard.visit import Visit

LOGIN_PATH, CALLBACK_PATH, LOGOUT_PATH = "/login/huggingface", "/login/callback", "/account/logout"
ACCOUNT_PATH = "/account"
MAX_NEXT = 600
_TIMEOUT_S = 10.0
_SUBJECT = re.compile(r"[A-Za-z0-9._-]{1,128}")
# a page of ours: one slash, no second one and no backslash behind it, nothing that a header could not hold
_PLACE = re.compile(r"/(?![/\\])[\x21-\x7e]*")
_log = logging.getLogger(__name__)


class LoginFailed(Exception):
    """The provider did not say who it is; the text is for the log."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who logged in, as the provider says."""

    subject: str
    name: str


class Provider:
    """The site where people log in. Its addresses are asked for once, when somebody first logs in."""

    def __init__(self, login: Login) -> None:
        self._login = login
        self._addresses: Mapping[str, str] = {}

    def way_out(self, redirect_uri: str, verifier: str) -> tuple[str, str]:
        """Return the provider's address to send a visitor to, and the state that comes back. Raises LoginFailed."""
        with self._client(redirect_uri) as client:
            address, state = client.create_authorization_url(
                self._address(client, "authorization_endpoint"), code_verifier=verifier
            )
        return address, state

    def person(self, redirect_uri: str, verifier: str, code: str) -> Person:
        """Return who came back with a code. Raises LoginFailed."""
        try:
            with self._client(redirect_uri) as client:
                client.fetch_token(self._address(client, "token_endpoint"), code=code, code_verifier=verifier)
                answer = client.get(self._address(client, "userinfo_endpoint"))
                answer.raise_for_status()
                told = answer.json()
        except LoginFailed:
            raise
        except Exception as error:  # the client raises whatever it stumbles over in what the provider says
            raise LoginFailed(type(error).__name__) from error
        return _person(told)

    def _client(self, redirect_uri: str) -> Any:
        return OAuth2Client(
            self._login.client_id,
            self._login.client_secret,
            scope=self._login.scopes,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            timeout=_TIMEOUT_S,
        )

    def _address(self, client: Any, name: str) -> str:
        if not isinstance(self._addresses.get(name), str):
            try:
                found = httpx2.get(f"{self._login.provider_url}/.well-known/openid-configuration", timeout=_TIMEOUT_S)
                found.raise_for_status()
                self._addresses = dict(found.json())
            except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, TypeError) as error:
                raise LoginFailed(type(error).__name__) from error
        if not isinstance(self._addresses.get(name), str):
            raise LoginFailed(f"the provider names no {name}")
        return self._addresses[name]


def login_routes(accounts: Accounts, login: Login | None, dev_account: str | None, site: str = "") -> list[Route]:
    """Return the routes to log in and out.

    Args:
        accounts: makes the cookies.
        login: where people log in; None for development.
        dev_account: the name that everybody gets who logs in without a provider.
        site: our address as the provider knows it; without it the one that the visitor used.
    """
    provider = None if login is None else Provider(login)

    def begin(request: Request) -> Response:
        wanted = place(request.query_params.get("next", ""))
        if provider is None:
            return _redirect(wanted, accounts.log_in(f"dev-{dev_account}", str(dev_account)))
        verifier = secrets.token_urlsafe(48)
        try:
            address, state = provider.way_out(_back(request, site), verifier)
        except LoginFailed as failure:
            return _failed("provider", failure)
        return _redirect(address, accounts.cookie("login", {"state": state, "verifier": verifier, "next": wanted}))

    def back(request: Request) -> Response:
        begun, said = accounts.read_cookie("login", request.headers.get("cookie", "")), request.query_params
        if provider is None or begun is None or not _same(said.get("state", ""), begun["state"]):
            return _failed("state")
        if not said.get("code"):
            return _failed("refused", None, accounts.no_cookie("login"))
        try:
            person = provider.person(_back(request, site), begun["verifier"], said["code"])
        except LoginFailed as failure:
            return _failed("provider", failure, accounts.no_cookie("login"))
        return _redirect(begun["next"], accounts.log_in(person.subject, person.name), accounts.no_cookie("login"))

    def leave(request: Request) -> Response:
        asked = Visit.from_page(request.scope).asked
        return _redirect(f"/?lang={asked}" if asked else "/", accounts.no_cookie("session"))

    return [
        Route(LOGIN_PATH, begin, methods=["GET"]),
        Route(CALLBACK_PATH, back, methods=["GET"]),
        Route(LOGOUT_PATH, leave, methods=["POST"]),
    ]


def place(wanted: str) -> str:
    """Return where to go after the login: a page of ours, else the account's."""
    return wanted if len(wanted) <= MAX_NEXT and _PLACE.fullmatch(wanted) else ACCOUNT_PATH


def _person(told: Any) -> Person:
    subject = told.get("sub") if isinstance(told, dict) else None
    if not isinstance(subject, str) or not _SUBJECT.fullmatch(subject):
        raise LoginFailed("the provider names no subject")
    name = told.get("preferred_username") or told.get("name") or subject
    shown = "".join(letter for letter in str(name) if letter.isprintable()).strip()[:80]
    return Person(subject, shown or subject)


def _back(request: Request, site: str) -> str:
    return f"{site or Visit.from_scope(request.scope).site}{CALLBACK_PATH}"


def _same(said: str, kept: str) -> bool:
    return hmac.compare_digest(said.encode("utf-8", "replace"), kept.encode())


def _failed(code: str, failure: LoginFailed | None = None, *cookies: str) -> Response:
    if failure is not None:
        _log.warning("login failed: %s", failure)
    return _redirect(f"{ACCOUNT_PATH}?problem={code}", *cookies)


def _redirect(address: str, *cookies: str) -> Response:
    answer = RedirectResponse(address, status_code=303, headers={"cache-control": "no-store"})
    for cookie in cookies:
        answer.headers.append("set-cookie", cookie)
    return answer
