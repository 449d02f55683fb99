"""Connections to the database of the books, with the settings that they need; nothing here knows a table."""

import json
from functools import partial
from typing import Any

import sqlalchemy as sa

BUSY_TIMEOUT_MS = 15_000


def open_engine(url: str) -> sa.Engine:
    """Return an engine with the settings that the books need; on SQLite a write transaction locks at its begin."""
    scheme, _, rest = url.partition("://")
    if scheme in ("postgres", "postgresql"):
        url = f"postgresql+psycopg://{rest}"
    to_json = partial(json.dumps, allow_nan=False, ensure_ascii=False)
    if not url.startswith("sqlite"):
        return sa.create_engine(url, json_serializer=to_json, pool_pre_ping=True, pool_size=5, max_overflow=35)
    engine = sa.create_engine(url, json_serializer=to_json, pool_size=5, max_overflow=60)
    sa.event.listen(engine, "connect", _set_up_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver opens no transactions of its own; `_begin_sqlite` does
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    # a transaction that reads first and writes later can fail at once, whatever the timeout; so writers say it
    is_write = connection.get_execution_options().get("is_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_write else "BEGIN")
