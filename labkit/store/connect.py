"""How a database is opened so that an acknowledged decision is on disk."""

from __future__ import annotations

import random
import sqlite3
import time
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import URL, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, OperationalError
from sqlalchemy.pool import QueuePool

from labkit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy import Engine

T = TypeVar("T")
BUSY_SECONDS = 30.0
ATTEMPTS = 6
_FIXED_WAL = (3, 51, 3)
"""SQLite before this can damage a file in WAL mode when two connections checkpoint at once."""


def journal_mode(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> tuple[str, str]:
    """Journal mode and synchronous level that are durable and safe with this SQLite.

    >>> journal_mode((3, 40, 1)), journal_mode((3, 51, 3))
    (('DELETE', 'EXTRA'), ('WAL', 'FULL'))
    """
    return ("WAL", "FULL") if version >= _FIXED_WAL else ("DELETE", "EXTRA")


def file_url(path: Path) -> URL:
    """The address of a SQLite file, whatever characters its name has."""
    return URL.create("sqlite", database=str(path))


def parse_url(text: str | URL) -> URL:
    """The address of a database: ``sqlite:///FILE`` or ``postgresql://...``.

    Raises:
        InputError: No such address, or a database that labkit does not use.
    """
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise InputError(
            f"store {text!r} is no address; use sqlite:///FILE or postgresql://USER@HOST/NAME."
        ) from error
    if url.get_backend_name() not in {"sqlite", "postgresql"}:
        raise InputError(
            f"store {url.render_as_string()!r}: labkit keeps decisions in sqlite or postgresql."
        )
    if url.drivername in {"postgresql", "postgres"}:
        url = url.set(drivername="postgresql+psycopg")
    return url


def connect(url: URL) -> Engine:
    """An engine with labkit's durability settings; nothing is opened yet."""
    return _sqlite(url) if url.get_backend_name() == "sqlite" else _postgresql(url)


def _sqlite(url: URL) -> Engine:
    engine = create_engine(
        url,
        # autocommit for the driver: the transactions are ours, see begin
        connect_args={
            "timeout": BUSY_SECONDS,
            "isolation_level": None,
            "check_same_thread": False,
        },
        poolclass=QueuePool,
        pool_size=2,
    )

    @event.listens_for(engine, "connect")
    def _set_up(connection: sqlite3.Connection, _record: Any) -> None:
        mode, level = journal_mode()
        cursor = connection.cursor()
        now = cursor.execute("PRAGMA journal_mode").fetchone()[0].upper()
        if now != mode:
            try:
                cursor.execute(f"PRAGMA journal_mode={mode}")
            except sqlite3.OperationalError:
                # in use or not writable: the mode it has stays, the level below fits both
                level = "EXTRA"
        cursor.execute(f"PRAGMA synchronous={level}")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        immediate = connection.get_execution_options().get("labkit_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine


def _postgresql(url: URL) -> Engine:
    try:
        import psycopg  # noqa: F401, PLC0415  # its absence is one sentence
    except ModuleNotFoundError as error:
        raise InputError(
            "a PostgreSQL store needs psycopg: pip install 'labkit[postgres]'."
        ) from error
    return create_engine(url, poolclass=QueuePool, pool_size=2, pool_pre_ping=True)


def retried(work: Callable[[], T], *, pause: Callable[[float], None] = time.sleep) -> T:
    """Do a whole transaction again when the database says that it was busy."""
    for attempt in range(ATTEMPTS):
        try:
            return work()
        except OperationalError as error:
            if attempt == ATTEMPTS - 1 or not _busy(error):
                raise
            # jitter, or two writers meet again and again
            pause(random.uniform(0.01, 0.05) * 2**attempt)  # noqa: S311  # no secret
    raise AssertionError  # the last attempt returns or raises


def _busy(error: OperationalError) -> bool:
    code = getattr(error.orig, "sqlite_errorname", "") or getattr(error.orig, "sqlstate", "") or ""
    return code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or code in {"40001", "40P01"}
