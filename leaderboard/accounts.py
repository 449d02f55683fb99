"""Who somebody is: an account by its subject id, its role, what its token may do; and how a request proves it.

A session is a signed cookie, a token stands in the header `Authorization: Bearer`. Nothing that a body, an address or
another header says about an account is believed.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.requests import cookie_parser

from leaderboard.books_accounts import AccountBooks
from leaderboard.keys import AccountKey, key_hash
from leaderboard.tokens import Token, token_hash

# under this name a request holds the account that the door recognised
ACCOUNT = "qrelboard.account"
SESSION_S = 8 * 3600
LOGIN_S = 600  # from the first click to the way back
TOKEN_START = "qrel_"
TOKEN_DAYS = (30, 90, 365)
MAX_LABEL = 80


class Role(StrEnum):
    """What somebody is here."""

    ANONYMOUS = "anonymous"
    PARTICIPANT = "participant"
    HOST = "host"


class Scope(StrEnum):
    """What a token may be used for; whoever is logged in may use all that their role has."""

    SUBMIT = "submit"
    READ = "read"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody whom the door recognised. `subject` is who it is; `name` is shown, may change and proves nothing.

    `key` opens what belongs to the account. `is_token` tells a script's token from a person who is logged in.
    """

    subject: str
    name: str
    role: Role
    key: AccountKey = field(repr=False)
    scopes: frozenset[Scope] = frozenset(Scope)
    is_token: bool = False

    def may(self, scope: Scope) -> bool:
        """Say whether what proved the account is good for this."""
        return scope in self.scopes


class TokenRefused(Exception):
    """A request has a token of ours that does not work: unknown, expired or revoked."""


def account_of(request: Any) -> Account | None:
    """Return the account behind a request of Starlette or Gradio, or behind an ASGI scope; None for anybody else."""
    inner = getattr(request, "request", request)
    scope = inner if isinstance(inner, Mapping) else getattr(inner, "scope", {})
    found = scope.get(ACCOUNT)
    return found if isinstance(found, Account) else None


def person_of(request: Any) -> Account | None:
    """Return the account of a person who is logged in. A token is none: it has the named calls and the plain routes."""
    account = account_of(request)
    return None if account is None or account.is_token else account


def key_of(request: Any, scope: Scope) -> AccountKey | None:
    """Return what opens the submissions of whoever sent a request, where their account is good for this."""
    account = account_of(request)
    return account.key if account is not None and account.may(scope) else None


def role_of(request: Any) -> Role:
    """Return the role of whoever sent a request. A host's token has the host's role only with the scope for it."""
    account = account_of(request)
    return Role.ANONYMOUS if account is None else account.role


class Accounts:
    """Recognises accounts, and makes what they are recognised by.

    Args:
        books: where accounts and hashes of tokens are kept.
        secret: what cookies are signed with; who knows it can be anybody.
        host_subjects: the subject ids of hosts.
        is_secure: cookies for https that work inside a frame of another site; without it those of one's own machine.
        clock: the present moment in UTC.
    """

    def __init__(
        self,
        books: AccountBooks,
        secret: str,
        host_subjects: Collection[str],
        clock: Callable[[], datetime],
        *,
        is_secure: bool,
    ) -> None:
        self.books = books
        self.clock = clock
        self._secret = secret.encode()
        self._hosts = frozenset(host_subjects)
        self._is_secure = is_secure
        # a prefix that browsers hold to: only this very host, over https, can have set the cookie
        self._cookies = {kind: f"{'__Host-' if is_secure else ''}qrelboard-{kind}" for kind in ("session", "login")}
        self._signed = {
            kind: URLSafeTimedSerializer(
                secret, salt=f"qrelboard {kind}", signer_kwargs={"digest_method": hashlib.sha256}
            )
            for kind in self._cookies
        }

    def log_in(self, subject: str, name: str) -> str:
        """Remember an account and return the cookie of its session."""
        self.books.remember(subject, key_hash(AccountKey(subject)), name, self.clock())
        return self.cookie("session", {"subject": subject, "name": name})

    def by_cookie(self, header: str) -> Account | None:
        """Return the account of a session; None for a cookie that is missing, forged or old."""
        told = self.read_cookie("session", header)
        return None if told is None else self._account(told["subject"], told["name"])

    def by_token(self, header: str) -> Account | None:
        """Return the account of an `Authorization` header; None where it has no token of ours. Raises TokenRefused."""
        kind, _, text = header.partition(" ")
        text = text.strip()
        if kind.lower() != "bearer" or not text.startswith(TOKEN_START):
            return None
        token = self.books.token(token_hash(text))
        if token is None or not token.works(self.clock()):
            raise TokenRefused
        scopes = frozenset(Scope(name) for name in token.scopes)
        return self._account(token.subject, self.books.name(token.subject) or "", scopes)

    def new_token(self, account: Account, label: str, scopes: Collection[Scope], days: int) -> str | None:
        """Make a token and return it, this once; None where there are too many. Raises ValueError for a wrong one."""
        allowed = frozenset(Scope) if account.role is Role.HOST else frozenset((Scope.SUBMIT, Scope.READ))
        if account.is_token or not scopes or not allowed.issuperset(scopes) or days not in TOKEN_DAYS:
            raise ValueError("not a token that this account can make")
        text, now = TOKEN_START + secrets.token_urlsafe(32), self.clock()
        names = tuple(sorted(str(scope) for scope in scopes))
        token = Token(secrets.token_hex(8), account.subject, label, names, now, now + timedelta(days=days), None)
        # books that came back from an archive meet the account of a running session for the first time
        self.books.remember(account.subject, key_hash(account.key), account.name, now)
        return text if self.books.add_token(token, token_hash(text)) else None

    def cookie(self, kind: str, told: dict[str, str]) -> str:
        """Return a `Set-Cookie` header with something signed in it."""
        text = self._signed[kind].dumps(told)
        return self._cookie(kind, text if isinstance(text, str) else text.decode(), self._age(kind))

    def no_cookie(self, kind: str) -> str:
        """Return the `Set-Cookie` header that takes a cookie back."""
        return self._cookie(kind, "", 0)

    def read_cookie(self, kind: str, header: str) -> dict[str, str] | None:
        """Return what a cookie of ours says; None where it is missing, forged or too old."""
        found = cookie_parser(header).get(self._cookies[kind])
        try:
            told = None if found is None else self._signed[kind].loads(found, max_age=self._age(kind))
        except BadData:
            return None
        return told if isinstance(told, dict) else None

    def _account(self, subject: str, name: str, scopes: frozenset[Scope] | None = None) -> Account:
        is_host = subject in self._hosts and (scopes is None or Scope.HOST in scopes)
        secret = hmac.new(self._secret, b"links " + subject.encode(), hashlib.sha256).hexdigest()
        return Account(
            subject,
            name,
            Role.HOST if is_host else Role.PARTICIPANT,
            AccountKey(subject, secret),
            frozenset(Scope) if scopes is None else scopes,
            is_token=scopes is not None,
        )

    def _cookie(self, kind: str, text: str, age_s: int) -> str:
        where = "Secure; SameSite=None; Partitioned" if self._is_secure else "SameSite=Lax"
        return f"{self._cookies[kind]}={text}; Path=/; Max-Age={age_s}; HttpOnly; {where}"

    def _age(self, kind: str) -> int:
        return SESSION_S if kind == "session" else LOGIN_S
