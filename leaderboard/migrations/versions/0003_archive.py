"""What the archive has of the books, and how the archive is.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("audit", sa.Column("is_archived", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index(
        "ix_audit_not_archived",
        "audit",
        ["number"],
        unique=False,
        sqlite_where=sa.text("NOT is_archived"),
        postgresql_where=sa.text("NOT is_archived"),
    )
    op.create_table(
        "archive",
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("setting", sa.Text(), nullable=True),
        sa.Column("restored_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('open', 'away', 'refused')", name=op.f("ck_archive_state")),
        sa.CheckConstraint("(state = 'refused') = (setting IS NOT NULL)", name=op.f("ck_archive_refusal_names_setting")),
        sa.PrimaryKeyConstraint("place", name=op.f("pk_archive")),
    )
