"""The tables of the decision store, the same for SQLite and PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from labkit.model import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS: tuple[str, ...] = get_args(Kind)
STATES = ("open", "leased", "done", "skipped")
HEAD = "0001"
"""The newest migration; a store at this revision opens without Alembic."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
# SQLite numbers rows by itself only where the key is exactly INTEGER
_KEY = BigInteger().with_variant(Integer, "sqlite")


def _words(column: str, allowed: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(repr(word) for word in allowed)})"


studies = Table(
    "studies",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("config", JSON, nullable=False),
    Column("created_at", String(32), nullable=False),
)

items = Table(
    "items",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("study_id", _KEY, ForeignKey("studies.id"), nullable=False),
    Column("item_key", Text, nullable=False),
    Column("position", Integer, nullable=True),
    Column("batch", Integer, nullable=False, server_default="0"),
    Column("draw_order", Integer, nullable=True),
    Column("stratum", Text, nullable=True),
    Column("incl_prob", Float, nullable=True),
    Column("arm", String(20), nullable=True),
    Column("prediction", JSON, nullable=True),
    Column("content_sha256", String(64), nullable=True),
    UniqueConstraint("study_id", "item_key"),
    Index("ix_items_study_id_position", "study_id", "position"),
)
"""The sampled items in show order (position NULL: found by search, not drawn)."""

assignments = Table(
    "assignments",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("study_id", _KEY, ForeignKey("studies.id"), nullable=False),
    Column("item_id", _KEY, ForeignKey("items.id"), nullable=False),
    Column("slot", Integer, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("state", String(10), nullable=False, server_default="open"),
    Column("reviewer", String(200), nullable=True),
    Column("lease_token", String(64), nullable=True),
    Column("lease_until", String(32), nullable=True),
    UniqueConstraint("item_id", "slot"),
    UniqueConstraint("item_id", "reviewer"),
    CheckConstraint(_words("state", STATES), name="state"),
    Index("ix_assignments_queue", "study_id", "state", "priority", "id"),
)

decisions = Table(
    "decisions",
    metadata,
    Column("seq", _KEY, primary_key=True),
    Column("event_uuid", String(64), nullable=False, unique=True),
    Column("study_id", _KEY, ForeignKey("studies.id"), nullable=False),
    Column("item_id", _KEY, ForeignKey("items.id"), nullable=False),
    Column("assignment_id", _KEY, ForeignKey("assignments.id"), nullable=True),
    Column("reviewer", String(200), nullable=False),
    Column("kind", String(12), nullable=False),
    Column("payload", JSON, nullable=True),
    Column("suggestion_shown", Boolean, nullable=False),
    Column("guideline_version", String(64), nullable=True),
    Column("shown_at", String(32), nullable=True),
    Column("revealed_at", String(32), nullable=True),
    Column("decided_at", String(32), nullable=False),
    Column("duration_ms", Integer, nullable=True),
    Column("note", Text, nullable=False, server_default=""),
    Column("target", String(64), nullable=True),
    Column("created_at", String(32), nullable=False),
    CheckConstraint(_words("kind", KINDS), name="kind"),
    Index("ix_decisions_study_id_seq", "study_id", "seq"),
    sqlite_autoincrement=True,
)
"""The log. ``payload`` is the answer by question; for ``reveal`` what the AI had said."""

exports = Table(
    "exports",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("study_id", _KEY, ForeignKey("studies.id"), nullable=False),
    Column("upto_seq", _KEY, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("target", Text, nullable=False),
    Column("created_by", String(200), nullable=False),
    Column("created_at", String(32), nullable=False),
)

TRIGGERS = ("decisions_no_update", "decisions_no_delete")
_WHY = "decisions are append-only"
_SQLITE = tuple(
    f"CREATE TRIGGER IF NOT EXISTS decisions_no_{verb} BEFORE {verb.upper()} ON decisions "
    f"BEGIN SELECT RAISE(ABORT, '{_WHY}'); END"
    for verb in ("update", "delete")
)
_POSTGRESQL = (
    (
        "CREATE OR REPLACE FUNCTION labkit_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_WHY}'; END $$"
    ),
    *(
        f"CREATE OR REPLACE TRIGGER decisions_no_{verb} BEFORE {verb.upper()} ON decisions "
        f"FOR EACH {unit} EXECUTE FUNCTION labkit_append_only()"
        for verb, unit in (("update", "ROW"), ("delete", "ROW"), ("truncate", "STATEMENT"))
    ),
)


def create_triggers(connection: Connection) -> None:
    """Make the log append-only; harmless where it already is."""
    statements = _SQLITE if connection.dialect.name == "sqlite" else _POSTGRESQL
    for statement in statements:
        connection.exec_driver_sql(statement)


def missing_triggers(connection: Connection) -> tuple[str, ...]:
    """The triggers that should guard the log and are not there."""
    if connection.dialect.name == "sqlite":
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'decisions'"
    else:
        query = (
            "SELECT tgname FROM pg_trigger WHERE tgrelid = 'decisions'::regclass "
            "AND NOT tgisinternal AND tgenabled <> 'D'"
        )
    there = set(connection.scalars(text(query)))
    return tuple(name for name in TRIGGERS if name not in there)


def create(connection: Connection) -> None:
    """Make every table and trigger of an empty database, at the newest revision."""
    metadata.create_all(connection)
    create_triggers(connection)
    connection.exec_driver_sql(
        "CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) NOT NULL, "
        "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    )
    if revision(connection) is None:
        connection.execute(
            text("INSERT INTO alembic_version (version_num) VALUES (:head)"), {"head": HEAD}
        )


def revision(connection: Connection) -> str | None:
    """The revision that the database says it has, or ``None`` where it holds no store."""
    from sqlalchemy import inspect  # noqa: PLC0415  # only asked for once a process

    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found
