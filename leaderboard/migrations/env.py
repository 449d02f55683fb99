"""Run by Alembic: migrate on the connection that `upgrade` hands over, in the transaction that is open on it."""

from alembic import context

from leaderboard.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
