"""Opening a store: made where there is none, brought up to date, and the log guarded."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from labkit.store import schema
from labkit.store.connect import connect, parse_url
from labkit.store.problems import StoreError, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL, Connection


class Database:
    """A database that may hold studies: opened, checked, brought up to date, guarded."""

    def __init__(self, url: URL) -> None:
        """Use ``create`` or ``open``."""
        self._engine = connect(url)
        self._sqlite = url.get_backend_name() == "sqlite"
        self.place = str(Path(url.database or "")) if self._sqlite else url.render_as_string()
        """Where it is, fit for a message: without the password."""

    @classmethod
    def create(cls, url: str | URL) -> Self:
        """Make an empty store, or open the one that is there.

        Raises:
            StoreError: The place cannot be written.
        """
        store = cls(parse_url(url))
        store._create()
        store._make_ready()
        return store

    @classmethod
    def open(cls, url: str | URL) -> Self:
        """Open an existing store; an older one is brought up to date first.

        Raises:
            StoreError: There is none, it cannot be read, or a newer labkit wrote it.
        """
        address = parse_url(url)
        if address.get_backend_name() == "sqlite" and not Path(address.database or "").is_file():
            raise StoreError(
                f"{address.database}: no decision store; restore it from a backup, or init again."
            )
        store = cls(address)
        store._make_ready()
        return store

    def _create(self) -> None:
        try:
            with told(self.place), self.writing() as connection:
                if schema.revision(connection) is None:
                    schema.create(connection)
        except StoreError:
            self.close()
            raise

    def _make_ready(self) -> None:
        """Check what is there, bring it up to date and see that the log is guarded."""
        try:
            with told(self.place):
                self._check()
        except StoreError:
            self.close()
            raise

    def _check(self) -> None:
        with self._engine.connect() as connection:
            found = schema.revision(connection)
            gone = schema.missing_triggers(connection) if found == schema.HEAD else ()
        if found is None:
            raise StoreError(f"{self.place}: this database holds no labkit store.")
        if found != schema.HEAD:
            from labkit.store.migrate import upgrade  # noqa: PLC0415  # loads Alembic

            upgrade(self._engine, self.place, found)
        if gone:
            with self.writing() as connection:
                schema.create_triggers(connection)

    def close(self) -> None:
        """Give every connection back."""
        self._engine.dispose()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction that holds the write lock from its start (SQLite)."""
        writing = self._engine.connect().execution_options(labkit_write=True)
        with writing as connection, connection.begin():
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read from."""
        with told(self.place), self._engine.connect() as connection:
            yield connection
