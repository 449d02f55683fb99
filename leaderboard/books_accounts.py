"""What the books know of accounts and of the tokens of their scripts. Of a token only a hash is kept."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

import sqlalchemy as sa

from evaluation import QrelboardError
from leaderboard.books_boards import want_board
from leaderboard.books_rows import Row, get, insert_once, note, submission_of
from leaderboard.keys import is_account_hash
from leaderboard.names import name_skeleton
from leaderboard.schema import accounts, places, submissions, systems, tokens
from leaderboard.submissions import Actor, Submission, Visibility, system_id
from leaderboard.tokens import Token

MOST_TOKENS = 20  # that work, of one account

Connecting = Callable[[], AbstractContextManager[sa.Connection]]


class ClaimRefused(QrelboardError):
    """A submission cannot be taken over; codes: `claimed-already`, `name-shared` where others of its system stay."""

    def __init__(self, code: str) -> None:
        super().__init__(code, {}, f"The submission cannot be taken over: {code}.")


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

    def runs(self, owner_hash: str, n: int) -> list[Submission]:
        """Return the n latest submissions of an account that were not deleted."""
        own = (submissions.c.owner_hash == owner_hash, submissions.c.visibility != Visibility.DELETED)
        query = sa.select(submissions).where(*own).order_by(submissions.c.submitted_at.desc(), submissions.c.id)
        with self._reading() as connection:
            return [submission_of(row) for row in connection.execute(query.limit(n))]

    def claim(self, submission_id: str, owner_hash: str, now: datetime, *, is_whole: bool) -> Submission:
        """Move a submission from a browser's key to an account; its link stays. Raises ClaimRefused, UnknownSubmission.

        With `is_whole` all of its system go with it, and so does a name that the system has.
        """
        with self._writing() as connection:
            return _claim(connection, submission_id, owner_hash, now, is_whole=is_whole)


def _claim(
    connection: sa.Connection, submission_id: str, owner_hash: str, now: datetime, *, is_whole: bool
) -> Submission:
    old = get(connection, submission_id, for_change=True)
    if old.owner_hash == owner_hash:
        return old
    if is_account_hash(old.owner_hash):
        raise ClaimRefused("claimed-already")
    of_system = sa.select(submissions).where(submissions.c.system_id == old.system_id).order_by(submissions.c.id)
    rows = connection.execute(of_system.with_for_update()).all()
    moved = [row for row in rows if is_whole or row.id == old.id]
    left = [row for row in rows if row not in moved]
    has_name = connection.scalar(sa.select(systems.c.has_name).where(systems.c.id == old.system_id))
    if has_name and any(row.visibility == Visibility.PUBLIC for row in left):
        raise ClaimRefused("name-shared")
    new = system_id(owner_hash, old.form.name)
    of_account = {"name": old.form.name, "skeleton": name_skeleton(old.form.name), "created_at": now}
    insert_once(connection, systems, {"id": new, "owner_hash": owner_hash, "has_name": False, **of_account})
    if has_name:
        connection.execute(sa.update(systems).where(systems.c.id == old.system_id).values(has_name=False))
        connection.execute(sa.update(systems).where(systems.c.id == new).values(has_name=True))
    ids = [row.id for row in moved]
    owned = {"owner_hash": owner_hash, "system_id": new}
    connection.execute(sa.update(submissions).where(submissions.c.id.in_(ids)).values(**owned))
    # the address stays counted, or claiming would make room for more from it
    connection.execute(sa.update(places).where(places.c.submission_id.in_(ids)).values(account=owner_hash))
    for row in moved:
        note(connection, now, Actor.OWNER, "claimed", submission_id=row.id, task_id=row.task_id)
        if row.visibility == Visibility.PUBLIC:
            want_board(connection, row.task_id)
    for row in left if has_name else ():  # the archive keeps a system's name with each of its submissions
        note(connection, now, Actor.OWNER, "name-moved", submission_id=row.id, task_id=row.task_id)
    return get(connection, submission_id)


def _token(row: Row) -> Token:
    return Token(row.id, row.subject, row.label, tuple(row.scopes), row.made_at, row.expires_at, row.revoked_at)
