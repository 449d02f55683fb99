"""What the books know of accounts and of the tokens of their scripts. Of a token only a hash is kept."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from leaderboard.books_rows import Row, insert_once, note
from leaderboard.schema import accounts, tokens
from leaderboard.submissions import Actor

MOST_TOKENS = 20  # that work, of one account

Connecting = Callable[[], AbstractContextManager[sa.Connection]]


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token once it was shown: never the token."""

    id: str
    subject: str
    label: str
    scopes: tuple[str, ...]
    made_at: datetime
    expires_at: datetime
    revoked_at: datetime | None

    def works(self, now: datetime) -> bool:
        """Say whether it is neither revoked nor expired."""
        return self.revoked_at is None and now < self.expires_at


class AccountBooks:
    """Questions about accounts, each in a transaction of its own that the store opens."""

    def __init__(self, reading: Connecting, writing: Connecting) -> None:
        self._reading = reading
        self._writing = writing

    def remember(self, subject: str, owner_hash: str, name: str, now: datetime) -> None:
        """Write down that somebody logged in, and the name that they have now."""
        row = {"subject": subject, "owner_hash": owner_hash, "name": name, "first_seen_at": now, "last_seen_at": now}
        with self._writing() as connection:
            if not insert_once(connection, accounts, row):
                seen = sa.update(accounts).where(accounts.c.subject == subject)
                connection.execute(seen.values(name=name, last_seen_at=now))

    def names(self, owner_hashes: list[str]) -> dict[str, tuple[str, str]]:
        """Return subject and name of the accounts among these owners."""
        query = sa.select(accounts).where(accounts.c.owner_hash.in_(owner_hashes))
        with self._reading() as connection:
            return {row.owner_hash: (row.subject, row.name) for row in connection.execute(query)}

    def name(self, subject: str) -> str | None:
        """Return the name that an account had when it was last seen."""
        with self._reading() as connection:
            found: str | None = connection.scalar(sa.select(accounts.c.name).where(accounts.c.subject == subject))
            return found

    def add_token(self, token: Token, token_hash: str) -> bool:
        """Keep a new token; False where the account has as many that work as it may have."""
        subject, now = token.subject, token.made_at
        works = (tokens.c.subject == subject, tokens.c.revoked_at.is_(None), tokens.c.expires_at > now)
        with self._writing() as connection:
            # who adds one at the same time waits here
            connection.execute(sa.select(accounts.c.subject).where(accounts.c.subject == subject).with_for_update())
            n_working = connection.scalar(sa.select(sa.func.count()).select_from(tokens).where(*works)) or 0
            if n_working >= MOST_TOKENS:
                return False
            values = {
                "id": token.id,
                "subject": subject,
                "label": token.label,
                "token_hash": token_hash,
                "scopes": list(token.scopes),
                "made_at": now,
                "expires_at": token.expires_at,
            }
            connection.execute(sa.insert(tokens).values(**values))
            facts = {"token": token.id, "scopes": list(token.scopes)}
            note(connection, now, Actor.OWNER, "token-made", task_id=None, facts=facts)
        return True

    def token(self, token_hash: str) -> Token | None:
        """Return a token by its hash, whether it works or not."""
        with self._reading() as connection:
            row = connection.execute(sa.select(tokens).where(tokens.c.token_hash == token_hash)).one_or_none()
        return None if row is None else _token(row)

    def tokens(self, subject: str, now: datetime) -> list[Token]:
        """Return the tokens of an account that work, latest first."""
        query = sa.select(tokens).where(tokens.c.subject == subject, tokens.c.revoked_at.is_(None))
        query = query.where(tokens.c.expires_at > now).order_by(tokens.c.made_at.desc(), tokens.c.id)
        with self._reading() as connection:
            return [_token(row) for row in connection.execute(query)]

    def revoke(self, subject: str, token_id: str, now: datetime) -> bool:
        """End a token of an account; False where it has none of this id that works."""
        own = (tokens.c.id == token_id, tokens.c.subject == subject, tokens.c.revoked_at.is_(None))
        with self._writing() as connection:
            done = connection.execute(sa.update(tokens).where(*own).values(revoked_at=now))
            if done.rowcount:
                note(connection, now, Actor.OWNER, "token-revoked", task_id=None, facts={"token": token_id})
            return bool(done.rowcount)


def _token(row: Row) -> Token:
    return Token(row.id, row.subject, row.label, tuple(row.scopes), row.made_at, row.expires_at, row.revoked_at)
