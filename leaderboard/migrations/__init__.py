"""Bring the tables of the books to the present shape, one numbered step after the other; no step is ever changed."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

# any number; all processes that migrate one database must use the same
_LOCK = 7_201_964


def upgrade(connection: sa.Connection, *, to: str = "head") -> None:
    """Run the missing steps inside the caller's transaction; who comes second waits and finds all done."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, to)
