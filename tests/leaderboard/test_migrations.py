from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from leaderboard.engine import open_engine
from leaderboard.migrations import upgrade
from leaderboard.schema import metadata
from leaderboard.store import Store
from tests.builders import NOON, a_sheet, a_submission, some_facts


def migrate(url: str) -> None:
    books = Store.open(url)
    books.migrate()
    books.close()


def test_migrated_database_has_the_shape_of_the_schema(database_url: str) -> None:
    engine = open_engine(database_url)

    with engine.execution_options(is_write=True).begin() as connection:
        upgrade(connection)
        differences = compare_metadata(MigrationContext.configure(connection), metadata)

    engine.dispose()
    assert differences == []


def test_migrating_again_keeps_what_is_there(database_url: str) -> None:
    migrate(database_url)
    books = Store.open(database_url)
    books.publish_gold(some_facts(), ["t1"], NOON)
    submission, _ = books.add_submission(a_submission(), NOON)
    books.record_scores(submission.id, a_sheet(), NOON)

    books.migrate()

    assert books.sheet(submission.id) == a_sheet()
    books.close()


def test_processes_that_start_at_once_migrate_once(database_url: str) -> None:
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as processes:
        list(processes.map(migrate, [database_url] * 3))

    engine = open_engine(database_url)
    with engine.begin() as connection:
        tables = set(sa.inspect(connection).get_table_names())
    engine.dispose()
    assert tables == {*metadata.tables, "alembic_version"}


def test_failed_migration_leaves_nothing_behind(database_url: str) -> None:
    engine = open_engine(database_url)

    with engine.execution_options(is_write=True).connect() as connection:
        upgrade(connection)
        connection.rollback()

    with engine.begin() as connection:
        assert sa.inspect(connection).get_table_names() == []
    engine.dispose()


def test_sqlite_is_durable_and_checks_references(tmp_path: object) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/books.sqlite")
    pragmas = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")

    with engine.begin() as connection:
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in pragmas]

    engine.dispose()
    assert found == ["wal", 2, 1, 15_000]
