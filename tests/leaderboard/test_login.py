"""Logging in at a provider and out again, as a browser's requests see it; and what refuses it."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from starlette.applications import Starlette

from leaderboard.accounts import Accounts, Role
from leaderboard.login import CALLBACK_PATH, LOGIN_PATH, LOGOUT_PATH, login_routes, place
from leaderboard.settings import Login
from leaderboard.store import Store
from tests.builders import NOON
from tests.leaderboard.asgi import Answer, ask
from tests.provider import CLIENT, PERSON, SECRET, Provider, a_provider


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    with a_provider() as provider:
        yield provider


@pytest.fixture
def provider(server: Provider) -> Provider:
    server.person, server.status, server.refuses, server.nonsense = dict(PERSON), 0, False, b""
    return server


@pytest.fixture
def accounts(books: Store) -> Accounts:
    return Accounts(books.accounts, SECRET, [PERSON["sub"]], lambda: NOON, is_secure=False)


@pytest.fixture
def app(accounts: Accounts, provider: Provider) -> Any:
    login = Login(CLIENT, SECRET, "openid profile", provider.url)
    return Starlette(routes=login_routes(accounts, login, None, "http://example.org"))


def begin(app: Any, query: str = "") -> tuple[str, str]:
    """Start a login: the provider's address, and the cookie that the browser keeps meanwhile."""
    answer = ask(app, LOGIN_PATH, query=query)
    assert answer.status == 303
    return answer.headers["location"], answer.headers["set-cookie"].partition(";")[0]


def come_back(app: Any, address: str, cookie: str) -> Answer:
    """Follow the provider's answer with a cookie."""
    location = httpx2.get(address).headers["location"]
    assert location.startswith(f"http://example.org{CALLBACK_PATH}?")
    return ask(app, CALLBACK_PATH, query=urlsplit(location).query, headers={"cookie": cookie})


def test_who_logs_in_comes_back_to_their_page_with_a_session(app: Any, accounts: Accounts) -> None:
    answer = come_back(app, *begin(app, "next=/submit%3Ftask%3Dirsc"))

    assert (answer.status, answer.headers["location"]) == (303, "/submit?task=irsc")
    assert answer.headers["cache-control"] == "no-store"
    assert accounts.books.name(PERSON["sub"]) == "ada"


def test_session_of_the_login_is_the_account(app: Any, accounts: Accounts) -> None:
    address, cookie = begin(app)
    location = httpx2.get(address).headers["location"]

    cookies = raw_cookies(app, urlsplit(location).query, cookie)
    account = next(found for one in cookies if (found := accounts.by_cookie(one.partition(";")[0])))

    assert (account.subject, account.name, account.role) == (PERSON["sub"], "ada", Role.HOST)


def raw_cookies(app: Any, query: str, cookie: str) -> list[str]:
    """Every `Set-Cookie` of the way back."""
    cookies: list[str] = []

    async def listening(scope: Any, receive: Any, send: Any) -> None:
        async def heard(message: Any) -> None:
            cookies.extend(v.decode() for k, v in message.get("headers", []) if k == b"set-cookie")
            await send(message)

        await app(scope, receive, heard)

    ask(listening, CALLBACK_PATH, query=query, headers={"cookie": cookie})
    return cookies


def test_provider_is_asked_with_a_challenge_and_for_our_address(app: Any) -> None:
    asked = parse_qs(urlsplit(begin(app)[0]).query)

    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == [f"http://example.org{CALLBACK_PATH}"]
    assert asked["scope"] == ["openid profile"]


@pytest.mark.parametrize("case", ["no cookie", "another login", "forged state", "no state"])
def test_way_back_that_this_browser_did_not_begin_is_refused(app: Any, provider: Provider, case: str) -> None:
    address, cookie = begin(app)
    query = urlsplit(httpx2.get(address).headers["location"]).query
    n_calls = len(provider.calls)
    given = {
        "no cookie": (query, ""),
        "another login": (query, begin(app)[1]),
        "forged state": (query.replace("state=", "state=é"), cookie),
        "no state": (query.partition("&state=")[0], cookie),
    }[case]

    answer = ask(app, CALLBACK_PATH, query=given[0], headers={"cookie": given[1]})

    assert answer.headers["location"] == "/account?problem=state"
    assert "session" not in answer.headers.get("set-cookie", "")
    assert provider.calls[n_calls:] == []


def test_code_works_once(app: Any) -> None:
    address, cookie = begin(app)
    query = urlsplit(httpx2.get(address).headers["location"]).query

    first, second = (ask(app, CALLBACK_PATH, query=query, headers={"cookie": cookie}) for _ in range(2))

    assert (first.headers["location"], second.headers["location"]) == ("/account", "/account?problem=provider")


def test_who_refuses_at_the_provider_is_told_so(app: Any, provider: Provider) -> None:
    provider.refuses = True

    assert come_back(app, *begin(app)).headers["location"] == "/account?problem=refused"


@pytest.mark.parametrize("sub", ["", "a b", "x" * 200, "../..", "dev:me"])
def test_person_without_a_proper_subject_is_nobody(app: Any, provider: Provider, sub: str) -> None:
    provider.person = {**PERSON, "sub": sub}

    assert come_back(app, *begin(app)).headers["location"] == "/account?problem=provider"


def test_provider_that_fails_logs_nobody_in(app: Any, provider: Provider) -> None:
    provider.status = 500

    assert come_back(app, *begin(app)).headers["location"] == "/account?problem=provider"


@pytest.mark.parametrize("said", [b"[]", b"7", b"null", b"{}", b"<html>", b'{"access_token": 5}', b"\xff"])
def test_provider_that_talks_nonsense_logs_nobody_in(app: Any, provider: Provider, said: bytes) -> None:
    provider.nonsense = said

    assert come_back(app, *begin(app)).headers["location"] == "/account?problem=provider"


def test_provider_that_is_away_is_told(accounts: Accounts) -> None:
    routes = login_routes(accounts, Login(CLIENT, SECRET, "openid", "http://127.0.0.1:9"), None)

    assert ask(Starlette(routes=routes), LOGIN_PATH).headers["location"] == "/account?problem=provider"


def test_logging_out_takes_the_session_back_and_needs_a_post(app: Any) -> None:
    answer = ask(app, LOGOUT_PATH, method="POST")

    assert answer.headers["set-cookie"].startswith("qrelboard-session=; Path=/; Max-Age=0;")
    assert ask(app, LOGOUT_PATH).status == 405


def test_account_of_development_needs_no_provider(accounts: Accounts) -> None:
    app = Starlette(routes=login_routes(accounts, None, "me"))

    answer = ask(app, LOGIN_PATH)
    account = accounts.by_cookie(answer.headers["set-cookie"].partition(";")[0])

    assert account is not None
    assert (account.subject, account.role) == ("dev-me", Role.PARTICIPANT)
    assert ask(app, CALLBACK_PATH).headers["location"] == "/account?problem=state"


@pytest.mark.parametrize(
    "wanted",
    [
        "",
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/a\r\nset-cookie: x",
        "/é",
        "a",
        "/" + "x" * 700,
    ],
)
def test_login_leads_to_no_other_site(wanted: str) -> None:
    assert place(wanted) == "/account"


def test_login_leads_back_to_a_page_with_its_query() -> None:
    assert place("/submission?id=1&key=2") == "/submission?id=1&key=2"
