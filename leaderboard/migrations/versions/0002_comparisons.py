"""Comparisons that readers asked for.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "comparisons",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("ids", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('asked', 'answered', 'refused')", name=op.f("ck_comparisons_state")),
        sa.CheckConstraint("(state = 'answered') = (body IS NOT NULL)", name=op.f("ck_comparisons_answer_has_body")),
        sa.CheckConstraint("(state = 'refused') = (code IS NOT NULL)", name=op.f("ck_comparisons_refusal_has_code")),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.task_id"], name=op.f("fk_comparisons_task_id")),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_comparisons")),
    )
    op.create_index(op.f("ix_comparisons_state_changed_at"), "comparisons", ["state", "changed_at"], unique=False)
