"""A house on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outages.house import House, a_house
from tests.postgres import Cluster
from tests.postgres import postgres as postgres


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A house on SQLite."""
    with a_house(tmp_path) as house:
        yield house


@pytest.fixture(params=["sqlite", "postgresql"])
def any_house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """A house on SQLite and one on PostgreSQL."""
    url: str | None = None
    if request.param == "postgresql":
        cluster: Cluster = request.getfixturevalue("postgres")
        url = cluster.new_database()
    with a_house(tmp_path, url) as house:
        yield house


@pytest.fixture
def postgres_house(postgres: Cluster, tmp_path: Path) -> Iterator[House]:
    """A house on PostgreSQL."""
    with a_house(tmp_path, postgres.new_database()) as house:
        yield house
