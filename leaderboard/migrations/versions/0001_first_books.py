"""The first books: tasks, boards, systems, submissions, scores, workers and the audit.

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("submission_id", sa.Text(), nullable=True),
        sa.Column("task_id", sa.Text(), nullable=True),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_submission_id"), "audit", ["submission_id"], unique=False)
    op.create_table(
        "systems",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner_hash", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("skeleton", sa.Text(), nullable=False),
        sa.Column("has_name", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_systems")),
    )
    op.create_index(
        "ix_systems_one_owner_a_name",
        "systems",
        ["skeleton"],
        unique=True,
        sqlite_where=sa.text("has_name"),
        postgresql_where=sa.text("has_name"),
    )
    op.create_table(
        "tasks",
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("topic_ids", sa.Text(), nullable=True),
        sa.Column("fingerprint", sa.Text(), nullable=True),
        sa.Column("gold_stamp", sa.Integer(), server_default="0", nullable=False),
        sa.Column("wanted", sa.Integer(), server_default="0", nullable=False),
        sa.Column("done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("revision_number", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("task_id", name=op.f("pk_tasks")),
    )
    op.create_table(
        "workers",
        sa.Column("executor", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("executor", name=op.f("pk_workers")),
    )
    op.create_table(
        "revisions",
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.task_id"], name=op.f("fk_revisions_task_id")),
        sa.PrimaryKeyConstraint("task_id", "number", name=op.f("pk_revisions")),
    )
    op.create_table(
        "submissions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("system_id", sa.Text(), nullable=False),
        sa.Column("run_sha256", sa.Text(), nullable=False),
        sa.Column("run_size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("is_run_kept", sa.Boolean(), nullable=False),
        sa.Column("owner_hash", sa.Text(), nullable=False),
        sa.Column("link_hash", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("params_millions", sa.Double(), nullable=True),
        sa.Column("open_weights", sa.Boolean(), nullable=True),
        sa.Column("run_type", sa.Text(), nullable=False),
        sa.Column("training", sa.Text(), nullable=False),
        sa.Column("training_note", sa.Text(), nullable=False),
        sa.Column("licence", sa.Text(), nullable=False),
        sa.Column("run_is_public", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("n_lines", sa.BigInteger(), nullable=False),
        sa.Column("n_topics", sa.Integer(), nullable=False),
        sa.Column("notices", sa.JSON(), nullable=False),
        sa.Column("is_baseline", sa.Boolean(), nullable=False),
        sa.Column("is_sample", sa.Boolean(), nullable=False),
        sa.Column("progress", sa.Text(), nullable=False),
        sa.Column("visibility", sa.Text(), nullable=False),
        sa.Column("is_marked", sa.Boolean(), nullable=False),
        sa.Column("n_attempts", sa.Integer(), nullable=False),
        sa.Column("executor", sa.Text(), nullable=True),
        sa.Column("failure_code", sa.Text(), nullable=True),
        sa.Column("failure_facts", sa.JSON(), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(progress = 'failed') = (failure_code IS NOT NULL)", name=op.f("ck_submissions_failure_has_code")
        ),
        sa.CheckConstraint("NOT is_marked OR visibility = 'public'", name=op.f("ck_submissions_marked_is_public")),
        sa.CheckConstraint("is_run_kept OR visibility = 'deleted'", name=op.f("ck_submissions_only_deleted_lose_run")),
        sa.CheckConstraint("progress IN ('waiting', 'scored', 'failed')", name=op.f("ck_submissions_progress")),
        sa.CheckConstraint(
            "visibility <> 'public' OR progress = 'scored'", name=op.f("ck_submissions_public_is_scored")
        ),
        sa.CheckConstraint(
            "visibility <> 'public' OR published_at IS NOT NULL", name=op.f("ck_submissions_public_has_date")
        ),
        sa.CheckConstraint(
            "visibility IN ('private', 'public', 'held', 'withdrawn', 'deleted')",
            name=op.f("ck_submissions_visibility"),
        ),
        sa.CheckConstraint("n_attempts >= 0", name=op.f("ck_submissions_attempts")),
        sa.ForeignKeyConstraint(["system_id"], ["systems.id"], name=op.f("fk_submissions_system_id")),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.task_id"], name=op.f("fk_submissions_task_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
    )
    op.create_index(
        "ix_submissions_one_mark",
        "submissions",
        ["system_id", "task_id"],
        unique=True,
        sqlite_where=sa.text("is_marked"),
        postgresql_where=sa.text("is_marked"),
    )
    op.create_index(
        op.f("ix_submissions_progress_submitted_at_id"), "submissions", ["progress", "submitted_at", "id"], unique=False
    )
    op.create_index(op.f("ix_submissions_run_sha256"), "submissions", ["run_sha256"], unique=False)
    op.create_index(op.f("ix_submissions_system_id"), "submissions", ["system_id"], unique=False)
    op.create_index(
        op.f("ix_submissions_task_id_visibility_system_id"),
        "submissions",
        ["task_id", "visibility", "system_id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_submissions_visibility_published_at"), "submissions", ["visibility", "published_at"], unique=False
    )
    op.create_table(
        "scores",
        sa.Column("submission_id", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("gold_version", sa.Text(), nullable=False),
        sa.Column("n_topics", sa.Integer(), nullable=False),
        sa.Column("n_answered", sa.Integer(), nullable=False),
        sa.Column("evaluation", sa.JSON(), nullable=False),
        sa.Column("scored_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_scores_submission_id")),
        sa.PrimaryKeyConstraint("submission_id", "fingerprint", name=op.f("pk_scores")),
    )
