"""Places in the quota of a task: taken in the transaction that inserts a submission, given back where a job fails.

A place belongs to a submission and stays taken whatever its owner does with it later. Nothing here opens a database or
reads a clock. Of a network address only a hash is kept, and the salt of a month is forgotten with the month after it.
"""

import hashlib
import hmac
import secrets
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from leaderboard.books_rows import insert_once
from leaderboard.quota import Claim, Limit, Period, QuotaExceeded, Scope, Use, tightest
from leaderboard.schema import address_salts, places, tasks


def take(connection: sa.Connection, submission_id: str, task_id: str, claim: Claim, now: datetime) -> None:
    """Take a place for a submission whose row this transaction inserts. Raises QuotaExceeded, and then takes none."""
    # who counts here waits for whoever counted before and has not committed; SQLite has one writer at a time anyway
    own_row = sa.select(tasks.c.task_id).where(tasks.c.task_id == task_id)
    connection.execute(own_row.with_for_update(key_share=True))
    met = tightest(uses(connection, task_id, claim, now))
    if not met.n_left:
        raise QuotaExceeded(met)
    values = {
        "submission_id": submission_id,
        "task_id": task_id,
        "account": claim.account,
        "address": _hashed(connection, claim.address, now, is_new_salt_allowed=True),
        "taken_at": now,
    }
    connection.execute(sa.insert(places).values(**values))


def give_back(connection: sa.Connection, submission_id: str) -> None:
    """Free the place of a submission, if it has one."""
    connection.execute(sa.delete(places).where(places.c.submission_id == submission_id))


def uses(connection: sa.Connection, task_id: str, claim: Claim, now: datetime) -> list[Use]:
    """Return how much of each limit is used; those by address only where the claim names one."""
    address = _hashed(connection, claim.address, now)
    return [
        Use(limit, _count(connection, task_id, claim, address, limit, now), now)
        for limit in claim.limits
        if limit.scope is not Scope.ADDRESS or claim.address
    ]


def _count(
    connection: sa.Connection, task_id: str, claim: Claim, address: str | None, limit: Limit, now: datetime
) -> int:
    query = sa.select(sa.func.count()).select_from(places).where(places.c.task_id == task_id)
    if limit.scope is Scope.ACCOUNT:
        query = query.where(places.c.account == claim.account)
    elif limit.scope is Scope.ADDRESS:
        query = query.where(places.c.address == address)
    start = limit.period.start(now)
    if start is not None:
        query = query.where(places.c.taken_at >= start)
    return connection.scalar(query) or 0


def _hashed(connection: sa.Connection, address: str, now: datetime, *, is_new_salt_allowed: bool = False) -> str | None:
    """Return what is kept of an address this month; None for none, or where nobody's was kept this month."""
    if not address:
        return None
    month = Period.MONTH.start(now)
    known = sa.select(address_salts.c.salt).where(address_salts.c.month == month)
    salt: Any = connection.scalar(known)
    if salt is None and is_new_salt_allowed:
        connection.execute(sa.delete(address_salts).where(address_salts.c.month < month))
        insert_once(connection, address_salts, {"month": month, "salt": secrets.token_hex(32)})
        salt = connection.scalar(known)
    return hmac.digest(bytes.fromhex(salt), address.encode(), hashlib.sha256).hex() if salt else None
