"""The middleware that recognises accounts: behind it a request has one or none; a token that does not work ends."""

import asyncio
from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.accounts import ACCOUNT, Account, Accounts, TokenRefused
from leaderboard.rates import Rates, kind_of
from leaderboard.visit import Visit


class Doorman:
    """Middleware: puts the account behind a request where `account_of` finds it.

    What is drawn for an account is nobody else's: its answers are not kept by caches on the way. With `rates` an
    account has a bounded share of work, from however many addresses it comes.
    """

    def __init__(
        self, app: ASGIApp, accounts: Accounts, own_hosts: Collection[str] = (), *, rates: Rates | None = None
    ) -> None:
        self.app = app
        self.accounts = accounts
        self.own_hosts = frozenset(own_hosts)
        self.rates = rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            account = await self._account(scope)
        except TokenRefused:
            told = Visit.from_page(scope).words.get("gate.token")
            await _refuse(send, 401, told, (b"www-authenticate", b'Bearer error="invalid_token"'))
            return
        if account is None:
            await self.app(scope, receive, send)
            return
        if wait_s := self._wait_s(scope, account):
            told = Visit.from_page(scope).words.count("gate.account_often", wait_s)
            await _refuse(send, 429, told, (b"retry-after", str(wait_s).encode()))
            return
        scope[ACCOUNT] = account

        async def private(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message["headers"] if pair[0].lower() != b"cache-control"]
                is_page = any(pair[0].lower() == b"content-type" and b"html" in pair[1] for pair in kept)
                if is_page:
                    message = {**message, "headers": [*kept, (b"cache-control", b"private, no-store")]}
            await send(message)

        await self.app(scope, receive, private)

    async def _account(self, scope: Scope) -> Account | None:
        """Return the account of a token, else that of a session; a session counts for pages of this site alone."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if bearer := headers.get(b"authorization"):
            account = await asyncio.to_thread(self.accounts.by_token, bearer)
            if account is not None:
                return account
        return None if self._is_foreign(headers) else self.accounts.by_cookie(headers.get(b"cookie", ""))

    def _wait_s(self, scope: Scope, account: Account) -> int:
        """Take one from the account's share; return 0, or after how many seconds there is one again."""
        kind = kind_of(scope["method"], scope["path"])
        return 0 if kind is None or self.rates is None else self.rates.wait_s(kind, f"account {account.subject}")

    def _is_foreign(self, headers: dict[bytes, str]) -> bool:
        """Tell whether a script of another site asks: its browser would send our cookie and let it read the answer."""
        if headers.get(b"sec-fetch-site") == "cross-site" and headers.get(b"sec-fetch-mode") != "navigate":
            return True
        host = headers.get(b"origin", "").partition("://")[2]
        return b"origin" in headers and host != headers.get(b"host") and host not in self.own_hosts


async def _refuse(send: Send, status: int, told: str, header: tuple[bytes, bytes]) -> None:
    body = told.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        header,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
