"""Accounts in the books, on both databases, and how a request proves that it has one."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from itsdangerous import URLSafeTimedSerializer

from leaderboard.accounts import Account, Accounts, Role, Scope, TokenRefused, account_of, role_of
from leaderboard.books_accounts import MOST_TOKENS
from leaderboard.doorman import Doorman
from leaderboard.keys import AccountKey, is_account_hash, key_hash, opens
from leaderboard.rates import Rate, Rates
from leaderboard.store import Store
from leaderboard.tokens import token_hash
from tests.builders import NOON
from tests.leaderboard.asgi import Answer, ask

SECRET = "a-secret-of-the-tests-0123456789"
ADA, HOST = "64f0c0ffee", "64f0h057"


class Clock:
    now = NOON

    def __call__(self) -> datetime:
        return self.now


def accounts_of(store: Store, *, is_secure: bool = False, secret: str = SECRET, clock: Any = None) -> Accounts:
    return Accounts(store.accounts, secret, [HOST], clock or Clock(), is_secure=is_secure)


def sent_back(set_cookie: str) -> str:
    """The `Cookie` header of a browser that got this."""
    return set_cookie.partition(";")[0]


def logged_in(accounts: Accounts, subject: str = ADA, name: str = "ada") -> Account:
    account = accounts.by_cookie(sent_back(accounts.log_in(subject, name)))
    assert account is not None
    return account


class TestSessions:
    def test_account_is_its_subject_and_a_new_name_changes_nothing_else(self, store: Store) -> None:
        accounts = accounts_of(store)

        before, after = logged_in(accounts), logged_in(accounts, name="ada-lovelace")

        assert (before.name, after.name) == ("ada", "ada-lovelace")
        assert (before.subject, before.key, before.role) == (after.subject, after.key, Role.PARTICIPANT)
        assert store.accounts.names([key_hash(before.key)]) == {key_hash(before.key): (ADA, "ada-lovelace")}

    def test_somebody_with_the_old_name_of_another_gets_nothing_of_theirs(self, store: Store) -> None:
        accounts = accounts_of(store)

        first, other = logged_in(accounts), logged_in(accounts, subject="another", name="ada")

        assert not opens(other.key, key_hash(first.key))

    def test_host_is_who_has_the_subject_of_one_and_not_the_name(self, store: Store) -> None:
        accounts = accounts_of(store)

        assert logged_in(accounts, HOST, "whoever").role is Role.HOST
        assert logged_in(accounts, ADA, HOST).role is Role.PARTICIPANT

    def test_cookie_of_a_space_works_in_a_frame_and_for_no_script_or_other_host(self, store: Store) -> None:
        cookie = accounts_of(store, is_secure=True).log_in(ADA, "ada")

        assert cookie.startswith("__Host-qrelboard-session=")
        parts = cookie.split("; ")[1:]
        assert parts == ["Path=/", "Max-Age=28800", "HttpOnly", "Secure", "SameSite=None", "Partitioned"]

    @pytest.mark.parametrize("key", ["", "a-guess", SECRET + "x"])
    def test_forged_cookie_is_nobody(self, store: Store, key: str) -> None:
        forged = URLSafeTimedSerializer(key or "-v4", salt="qrelboard session").dumps({"subject": HOST, "name": "x"})

        assert accounts_of(store).by_cookie(f"qrelboard-session={forged}") is None

    @pytest.mark.parametrize("change", ["", "x", "={}", "\x00", ";;;=", 'a="'])
    def test_cookie_that_was_touched_is_nobody(self, store: Store, change: str) -> None:
        accounts = accounts_of(store)
        kind, _, text = sent_back(accounts.log_in(ADA, "ada")).partition("=")

        assert accounts.by_cookie(f"{kind}={change}{text[5:]}") is None

    def test_cookie_of_another_kind_is_no_session(self, store: Store) -> None:
        accounts = accounts_of(store)
        text = sent_back(accounts.cookie("login", {"subject": HOST, "name": "x"})).partition("=")[2]

        assert accounts.by_cookie(f"qrelboard-session={text}") is None

    def test_old_session_is_over(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        accounts = accounts_of(store)
        cookie = sent_back(accounts.log_in(ADA, "ada"))
        monkeypatch.setattr("leaderboard.accounts.SESSION_S", -1)

        assert accounts.by_cookie(cookie) is None

    @pytest.mark.parametrize("other", ['a={"b": 1, "c": [2]}', "a=é", "a", "=", "a=1; a=2"])
    def test_cookies_of_others_beside_it_do_no_harm(self, store: Store, other: str) -> None:
        accounts = accounts_of(store)
        cookie = sent_back(accounts.log_in(ADA, "ada"))

        assert accounts.by_cookie(f"{other}; {cookie}") is not None

    def test_session_that_outlives_its_books_makes_tokens(self, store: Store) -> None:
        clock = Clock()
        account = Account(ADA, "ada", Role.PARTICIPANT, AccountKey(ADA))

        assert accounts_of(store, clock=clock).new_token(account, "CI", [Scope.READ], 30) is not None


class TestKeys:
    def test_no_text_opens_what_belongs_to_an_account(self) -> None:
        of_account = key_hash(AccountKey(ADA))

        assert is_account_hash(of_account)
        assert opens(AccountKey(ADA, "any secret"), of_account)
        assert not any(opens(text, of_account) for text in (ADA, f"account {ADA}", of_account, f"account:{ADA}"))

    def test_account_is_the_same_after_the_secret_of_the_site_changed(self, store: Store) -> None:
        first, second = logged_in(accounts_of(store)), logged_in(accounts_of(store, secret=SECRET * 2))

        assert key_hash(first.key) == key_hash(second.key)


class TestTokens:
    def make(self, accounts: Accounts, *scopes: Scope, subject: str = ADA) -> str:
        text = accounts.new_token(logged_in(accounts, subject), "CI", scopes or (Scope.SUBMIT,), 30)
        assert text is not None
        return text

    def test_token_is_its_account_with_its_scopes_alone(self, store: Store) -> None:
        accounts = accounts_of(store)

        account = accounts.by_token(f"Bearer {self.make(accounts)}")

        assert account is not None
        assert (account.subject, account.name, account.is_token) == (ADA, "ada", True)
        assert [account.may(scope) for scope in Scope] == [True, False, False]

    def test_books_hold_no_token(self, store: Store) -> None:
        accounts = accounts_of(store)
        text = self.make(accounts)

        kept = store.accounts.tokens(ADA, NOON)

        assert [token.label for token in kept] == ["CI"]
        assert text not in repr(kept)

    def test_hosts_token_has_the_hosts_role_only_with_its_scope(self, store: Store) -> None:
        accounts = accounts_of(store)

        texts = [self.make(accounts, scope, subject=HOST) for scope in (Scope.READ, Scope.HOST)]
        roles = [found.role for text in texts if (found := accounts.by_token(f"bearer {text}"))]

        assert roles == [Role.PARTICIPANT, Role.HOST]

    def test_expired_revoked_and_unknown_tokens_are_refused(self, store: Store) -> None:
        clock = Clock()
        accounts = accounts_of(store, clock=clock)
        revoked, expired = self.make(accounts), self.make(accounts)
        gone = store.accounts.token(token_hash(revoked))
        assert gone is not None
        assert store.accounts.revoke(ADA, gone.id, NOON)

        for text in (revoked, "qrel_nothing", "qrel_é"):
            with pytest.raises(TokenRefused):
                accounts.by_token(f"Bearer {text}")
        assert accounts.by_token(f"Bearer {expired}") is not None
        clock.now = NOON + timedelta(days=30)
        with pytest.raises(TokenRefused):
            accounts.by_token(f"Bearer {expired}")

    def test_nobody_revokes_a_token_of_somebody_else(self, store: Store) -> None:
        accounts = accounts_of(store)
        text = self.make(accounts)
        (token,) = store.accounts.tokens(ADA, NOON)

        assert not store.accounts.revoke(HOST, token.id, NOON)
        assert accounts.by_token(f"Bearer {text}") is not None
        assert store.accounts.revoke(ADA, token.id, NOON)
        assert not store.accounts.revoke(ADA, token.id, NOON)

    def test_other_headers_are_nobodys(self, store: Store) -> None:
        accounts = accounts_of(store)
        text = self.make(accounts)

        for header in ("", "Bearer", "Bearer hf_something", f"Basic {text}", text):
            assert accounts.by_token(header) is None

    def test_what_an_account_may_not_have_is_not_made(self, store: Store) -> None:
        accounts = accounts_of(store)
        person = logged_in(accounts)
        script = accounts.by_token(f"Bearer {self.make(accounts)}")
        assert script is not None

        for who, scopes, days in ((person, [Scope.HOST], 30), (person, [], 30), (person, [Scope.READ], 9_999)):
            with pytest.raises(ValueError, match="not a token"):
                accounts.new_token(who, "CI", scopes, days)
        with pytest.raises(ValueError, match="not a token"):
            accounts.new_token(script, "CI", [Scope.READ], 30)

    def test_account_has_so_many_tokens_and_no_more(self, store: Store) -> None:
        accounts = accounts_of(store)
        person = logged_in(accounts)

        made = [accounts.new_token(person, str(n), [Scope.READ], 30) for n in range(MOST_TOKENS + 1)]

        assert [text is None for text in made] == [False] * MOST_TOKENS + [True]


class TestDoorman:
    @pytest.fixture
    def accounts(self, books: Store) -> Accounts:
        return accounts_of(books)

    def who(self, accounts: Accounts, **headers: str) -> Answer:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            account = account_of(scope)
            body = f"{account.subject if account else '-'} {role_of(scope)}".encode()
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
            await send({"type": "http.response.body", "body": body})

        return ask(Doorman(app, accounts, ["board.example"]), "/", headers=headers)

    def test_session_and_token_are_recognised_and_their_pages_are_kept_by_nobody(self, accounts: Accounts) -> None:
        cookie = sent_back(accounts.log_in(HOST, "host"))
        text = accounts.new_token(logged_in(accounts), "CI", [Scope.READ], 30)

        assert self.who(accounts, cookie=cookie).text == f"{HOST} host"
        assert self.who(accounts, authorization=f"Bearer {text}").text == f"{ADA} participant"
        assert self.who(accounts).text == "- anonymous"
        assert self.who(accounts, cookie=cookie).headers["cache-control"] == "private, no-store"

    def test_token_that_does_not_work_is_told_so(self, accounts: Accounts) -> None:
        answer = self.who(accounts, authorization="Bearer qrel_unknown", cookie=sent_back(accounts.log_in(ADA, "ada")))

        assert (answer.status, answer.headers["www-authenticate"]) == (401, 'Bearer error="invalid_token"')

    def test_account_has_one_share_of_work_from_however_many_addresses(self, accounts: Accounts) -> None:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

        rates = Rates(rates={"run": Rate(2, 0.1), "event": Rate(9, 1)}, clock=lambda: 0.0)
        door = Doorman(app, accounts, rates=rates)

        def check(subject: str) -> Answer:
            cookie = sent_back(accounts.log_in(subject, "ada"))
            return ask(door, "/gradio_api/run/check", method="POST", headers={"cookie": cookie})

        assert [check(ADA).status for _ in range(3)] == [200, 200, 429]
        assert (check(ADA).headers["retry-after"], check(ADA).text) == (
            "10",
            "Too many requests from your account. Try again in 10 seconds.",
        )
        assert check("another").status == 200

    @pytest.mark.parametrize(
        ("headers", "is_known"),
        [
            ({"origin": "https://evil.example"}, False),
            ({"origin": "null"}, False),
            ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, False),
            ({"origin": "http://example.org"}, True),
            ({"origin": "https://board.example"}, True),
            ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, True),  # a frame of another site opens us
        ],
    )
    def test_session_counts_for_our_own_pages_alone(
        self, accounts: Accounts, headers: dict[str, str], is_known: bool
    ) -> None:
        cookie = sent_back(accounts.log_in(ADA, "ada"))

        assert (self.who(accounts, cookie=cookie, **headers).text != "- anonymous") == is_known
