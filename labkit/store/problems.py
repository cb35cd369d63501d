"""What can go wrong with a store, in one sentence each."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from labkit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


class StoreError(InputError):
    """The store could not be read or written; what was acknowledged before is still there."""


_SQLITE = (
    ("database is locked", "another program keeps the file locked; close it and try again."),
    ("database or disk is full", "no space left on the disk, or the quota is used up; free some."),
    ("disk i/o error", "the disk could not be written (full, or gone?); nothing was acknowledged."),
    (
        "attempt to write a readonly database",
        "the file or its folder is read-only; allow writing, or copy the study elsewhere.",
    ),
    (
        "unable to open database file",
        "it cannot be opened; the folder must exist and be writable, also for SQLite's journal.",
    ),
    ("file is not a database", "this is no SQLite file; restore it from a backup."),
    ("disk image is malformed", "the SQLite file is damaged; restore it from a backup."),
    ("append-only", "decisions are append-only and cannot be changed."),
)


def sentence(error: BaseException, place: str) -> StoreError:
    """What happened, where, and the way out."""
    cause = getattr(error, "orig", None) or error
    said = str(cause).strip()
    if getattr(cause, "errno", None) in {errno.ENOSPC, errno.EDQUOT}:
        said = "database or disk is full"
    for sign, why in _SQLITE:
        if sign in said.lower():
            return StoreError(f"{place}: {why}")
    first = said.splitlines()[0] if said else type(cause).__name__
    return StoreError(f"{place}: the store could not be used: {first.rstrip('.')}.")


@contextmanager
def told(place: str) -> Iterator[None]:
    """Turn what a database or a disk throws into one sentence."""
    try:
        yield
    except (DBAPIError, SQLAlchemyError, OSError) as error:
        raise sentence(error, place) from error
