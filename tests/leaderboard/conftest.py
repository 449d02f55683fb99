"""Fixtures that several files of this folder share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.store import Store
from tests.leaderboard.hall import Hall
from tests.postgres import postgres as postgres


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database: a file, and a schema of a private server where one can be started."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'books.sqlite'}"
    url: str = request.getfixturevalue("postgres").new_schema()
    return url


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """Open migrated books, on SQLite and on PostgreSQL."""
    books = Store.open(database_url)
    books.migrate()
    yield books
    books.close()


@pytest.fixture
def books(tmp_path: Path) -> Iterator[Store]:
    """Open migrated books on SQLite alone, for what lies above the store."""
    books = Store.open(f"sqlite:///{tmp_path / 'books.sqlite'}")
    books.migrate()
    yield books
    books.close()


@pytest.fixture
def hall(books: Store, tmp_path: Path) -> Hall:
    """Intake, desk and board over books that know two tasks with gold."""
    return Hall(books, tmp_path)
