"""Places in the quota of a task, and the salts of address hashes.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "places",
        sa.Column("submission_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_places_submission_id")),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_places")),
    )
    for columns in (("task_id", "account", "taken_at"), ("task_id", "address", "taken_at"), ("task_id", "taken_at")):
        op.create_index(op.f(f"ix_places_{'_'.join(columns)}"), "places", list(columns), unique=False)
    op.create_table(
        "address_salts",
        sa.Column("month", sa.DateTime(timezone=True), nullable=False),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("month", name=op.f("pk_address_salts")),
    )
