"""Writing a file so that it is always whole: the old one or the new one, never half of either."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from typing import TYPE_CHECKING

from labkit.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

NEW_FILE_MODE = 0o666


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a file's content, or make the file; through a symbolic link, keeping its mode.

    A hard link is split: the other name keeps the old content.

    Raises:
        InputError: It cannot be written; the old content is as it was, no other file is left.
    """
    # the real file, or replacing would turn the link into a file
    real = path.resolve()
    temporary = real.with_name(f".{real.name[:100]}.{secrets.token_hex(4)}.tmp")
    try:
        try:
            _write(temporary, data, _mode(real))
            os.replace(temporary, real)  # noqa: PTH105  # says what it does
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        _sync_folder(real.parent)
    except OSError as error:
        raise InputError(f"{path}: not written, the file is as before: {_why(error)}") from error


def write_text(path: Path, text: str) -> None:
    """The same for text, as UTF-8, line ends as they are."""
    write_bytes(path, text.encode())


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _write(path: Path, data: bytes, mode: int | None) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, NEW_FILE_MODE)
    with os.fdopen(handle, "wb") as file:
        if mode is not None:
            path.chmod(mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    # some file systems cannot open or sync a folder; the file itself is on disk by now
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _why(error: OSError) -> str:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return "no space left on the disk, or a quota or size limit is reached; free some."
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return "no permission; allow writing in the folder, or choose another place."
        case errno.ENOENT:
            return "the folder does not exist; make it first."
        case errno.ENAMETOOLONG:
            return "the name is too long; choose a shorter one."
    return f"{(error.strerror or str(error)).rstrip('.')}."
