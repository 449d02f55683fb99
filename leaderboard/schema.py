"""The tables of the books, in one place; `migrations/` brings a database to this shape.

No query lives here. Nothing of the gold but public facts, and no score of a single topic, has a column.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from leaderboard.comparisons import ComparisonState
from leaderboard.submissions import Progress, Visibility

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
    }
)


class UtcTime(sa.types.TypeDecorator[datetime]):
    """A moment in UTC: refused without a zone, handed back with one, stored naive where the database has no zones."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Turn a moment into UTC. Raises ValueError for one without a zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"found the moment {value} without a zone, expected UTC")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> datetime | None:
        """Give a stored moment its zone."""
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _one_of(column: str, values: type[StrEnum]) -> str:
    return f"{column} IN ({', '.join(repr(str(value)) for value in values)})"


def _text(name: str, *, is_optional: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Text, nullable=is_optional)


def _times(names: Iterable[str]) -> list[sa.Column[Any]]:
    return [sa.Column(name, UtcTime) for name in names]


tasks = sa.Table(
    "tasks",
    metadata,
    sa.Column("task_id", sa.Text, primary_key=True),
    sa.Column("facts", sa.JSON(none_as_null=True)),
    sa.Column("topic_ids", sa.Text),
    sa.Column("fingerprint", sa.Text),
    sa.Column("gold_stamp", sa.Integer, nullable=False, server_default="0"),
    sa.Column("wanted", sa.Integer, nullable=False, server_default="0"),
    sa.Column("done", sa.Integer, nullable=False, server_default="0"),
    sa.Column("revision_number", sa.Integer, nullable=False, server_default="0"),
)

revisions = sa.Table(
    "revisions",
    metadata,
    sa.Column("task_id", sa.Text, sa.ForeignKey("tasks.task_id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("made_at", UtcTime, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("etag", sa.Text, nullable=False),
)

systems = sa.Table(
    "systems",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("owner_hash", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("skeleton", sa.Text, nullable=False),
    sa.Column("has_name", sa.Boolean, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
)
# A name belongs to the first owner who publishes under it; private submissions can neither block nor betray one.
sa.Index(
    "ix_systems_one_owner_a_name",
    systems.c.skeleton,
    unique=True,
    sqlite_where=systems.c.has_name,
    postgresql_where=systems.c.has_name,
)

submissions = sa.Table(
    "submissions",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("task_id", sa.Text, sa.ForeignKey("tasks.task_id"), nullable=False),
    sa.Column("system_id", sa.Text, sa.ForeignKey("systems.id"), nullable=False),
    sa.Column("run_sha256", sa.Text, nullable=False),
    sa.Column("run_size_bytes", sa.BigInteger, nullable=False),
    sa.Column("is_run_kept", sa.Boolean, nullable=False),
    sa.Column("owner_hash", sa.Text, nullable=False),
    sa.Column("link_hash", sa.Text, nullable=False),
    _text("name"),
    _text("version"),
    _text("link"),
    sa.Column("params_millions", sa.Double),
    sa.Column("open_weights", sa.Boolean),
    _text("run_type"),
    _text("training"),
    _text("training_note"),
    _text("licence"),
    sa.Column("run_is_public", sa.Boolean, nullable=False),
    _text("note"),
    sa.Column("n_lines", sa.BigInteger, nullable=False),
    sa.Column("n_topics", sa.Integer, nullable=False),
    sa.Column("notices", sa.JSON, nullable=False),
    sa.Column("is_baseline", sa.Boolean, nullable=False),
    sa.Column("is_sample", sa.Boolean, nullable=False),
    sa.Column("progress", sa.Text, nullable=False),
    sa.Column("visibility", sa.Text, nullable=False),
    sa.Column("is_marked", sa.Boolean, nullable=False),
    sa.Column("n_attempts", sa.Integer, nullable=False),
    _text("executor", is_optional=True),
    _text("failure_code", is_optional=True),
    sa.Column("failure_facts", sa.JSON, nullable=False),
    sa.Column("submitted_at", UtcTime, nullable=False),
    *_times(("started_at", "finished_at", "published_at")),
    sa.CheckConstraint(_one_of("progress", Progress), name="progress"),
    sa.CheckConstraint(_one_of("visibility", Visibility), name="visibility"),
    sa.CheckConstraint("(progress = 'failed') = (failure_code IS NOT NULL)", name="failure_has_code"),
    sa.CheckConstraint("visibility <> 'public' OR progress = 'scored'", name="public_is_scored"),
    sa.CheckConstraint("visibility <> 'public' OR published_at IS NOT NULL", name="public_has_date"),
    sa.CheckConstraint("NOT is_marked OR visibility = 'public'", name="marked_is_public"),
    sa.CheckConstraint("is_run_kept OR visibility = 'deleted'", name="only_deleted_lose_run"),
    sa.CheckConstraint("n_attempts >= 0", name="attempts"),
    sa.Index(None, "progress", "submitted_at", "id"),
    sa.Index(None, "task_id", "visibility", "system_id"),
    sa.Index(None, "system_id"),
    sa.Index(None, "visibility", "published_at"),
    sa.Index(None, "run_sha256"),
)
sa.Index(
    "ix_submissions_one_mark",
    submissions.c.system_id,
    submissions.c.task_id,
    unique=True,
    sqlite_where=submissions.c.is_marked,
    postgresql_where=submissions.c.is_marked,
)

scores = sa.Table(
    "scores",
    metadata,
    sa.Column("submission_id", sa.Text, sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("fingerprint", sa.Text, primary_key=True),
    sa.Column("gold_version", sa.Text, nullable=False),
    sa.Column("n_topics", sa.Integer, nullable=False),
    sa.Column("n_answered", sa.Integer, nullable=False),
    sa.Column("evaluation", sa.JSON, nullable=False),
    sa.Column("scored_at", UtcTime, nullable=False),
)

# What counts against the quota of a task: one row a submission, gone where its job failed.
places = sa.Table(
    "places",
    metadata,
    sa.Column("submission_id", sa.Text, sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("task_id", sa.Text, nullable=False),
    sa.Column("account", sa.Text, nullable=False),
    _text("address", is_optional=True),
    sa.Column("taken_at", UtcTime, nullable=False),
    sa.Index(None, "task_id", "account", "taken_at"),
    sa.Index(None, "task_id", "address", "taken_at"),
    sa.Index(None, "task_id", "taken_at"),
)

address_salts = sa.Table(
    "address_salts",
    metadata,
    sa.Column("month", UtcTime, primary_key=True),
    sa.Column("salt", sa.Text, nullable=False),
)

comparisons = sa.Table(
    "comparisons",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("task_id", sa.Text, sa.ForeignKey("tasks.task_id"), nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),
    sa.Column("ids", sa.JSON, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("body", sa.JSON(none_as_null=True)),
    _text("code", is_optional=True),
    sa.Column("changed_at", UtcTime, nullable=False),
    sa.CheckConstraint(_one_of("state", ComparisonState), name="state"),
    sa.CheckConstraint("(state = 'answered') = (body IS NOT NULL)", name="answer_has_body"),
    sa.CheckConstraint("(state = 'refused') = (code IS NOT NULL)", name="refusal_has_code"),
    sa.Index(None, "state", "changed_at"),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("submission_id", sa.Text),
    sa.Column("task_id", sa.Text),
    sa.Column("facts", sa.JSON, nullable=False),
    sa.Column("is_archived", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Index(None, "submission_id"),
)
sa.Index(
    "ix_audit_not_archived",
    audit.c.number,
    sqlite_where=~audit.c.is_archived,
    postgresql_where=~audit.c.is_archived,
)

# How the places elsewhere are that a site relies on: `archive`, and `gold` where its setting is wrong.
archive = sa.Table(
    "archive",
    metadata,
    sa.Column("place", sa.Text, primary_key=True),
    sa.Column("state", sa.Text, nullable=False),
    _text("setting", is_optional=True),
    *_times(("restored_at",)),
    sa.Column("changed_at", UtcTime, nullable=False),
    sa.CheckConstraint("state IN ('open', 'away', 'refused')", name="state"),
    sa.CheckConstraint("(state = 'refused') = (setting IS NOT NULL)", name="refusal_names_setting"),
)

workers = sa.Table(
    "workers",
    metadata,
    sa.Column("executor", sa.Text, primary_key=True),
    sa.Column("seen_at", UtcTime, nullable=False),
)

# Who logged in. What belongs to an account is found by a hash of its subject; names change and are shown alone.
accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("subject", sa.Text, primary_key=True),
    sa.Column("owner_hash", sa.Text, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("first_seen_at", UtcTime, nullable=False),
    sa.Column("last_seen_at", UtcTime, nullable=False),
)

tokens = sa.Table(
    "tokens",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("subject", sa.Text, sa.ForeignKey("accounts.subject"), nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("token_hash", sa.Text, nullable=False, unique=True),
    sa.Column("scopes", sa.JSON, nullable=False),
    sa.Column("made_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime, nullable=False),
    *_times(("revoked_at",)),
    sa.Index(None, "subject", "made_at"),
)
