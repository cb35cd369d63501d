"""Bringing an older store up to date; the only module that loads Alembic."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from labkit.store import schema
from labkit.store.problems import StoreError

if TYPE_CHECKING:
    from sqlalchemy import Engine

FOLDER = Path(__file__).parent / "migrations"


def config() -> Config:
    """Alembic's configuration, without a file."""
    found = Config()
    found.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    return found


def newest() -> str | None:
    """The newest revision among the migrations."""
    return ScriptDirectory.from_config(config()).get_current_head()


def upgrade(engine: Engine, place: str, found: str | None) -> None:
    """Run every migration that the store lacks, then guard the log again.

    Migrations that rebuild a table lose its triggers, so they are made anew in the same
    transaction, and checked.

    Raises:
        StoreError: A newer labkit wrote the store.
    """
    settings = config()
    with engine.connect().execution_options(labkit_write=True) as connection, connection.begin():
        settings.attributes["connection"] = connection
        try:
            command.upgrade(settings, "head")
        except CommandError as error:
            raise StoreError(
                f"{place}: a newer labkit wrote this store (revision {found}); update labkit."
            ) from error
        schema.create_triggers(connection)
