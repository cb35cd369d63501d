"""Packed files, unpacked within limits: gzip, and zip with one readable member."""

from __future__ import annotations

import gzip
import io
import lzma
import struct
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Protocol

from labkit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_UNPACKED = 256 * 2**20
"""Bytes. More than this is refused: read it from a database or split it."""
MAX_RATIO = 250
"""Times that a file may grow once it is larger than ``FREE``."""
FREE = 16 * 2**20
"""Bytes up to which any ratio is fine."""
MAX_MEMBERS = 10_000
_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OFFICE = {"[Content_Types].xml", "mimetype", "content.xml"}
_CHUNK = 2**20
_BROKEN = (
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
    NotImplementedError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
)


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def is_packed(data: bytes) -> bool:
    """Whether the bytes start like a gzip or zip file."""
    return data.startswith((_GZIP, *_ZIP))


def unpack(data: bytes, source: str) -> bytes:
    r"""The bytes inside a gzip or zip file; other bytes come back as they are.

    A zip must hold one file, not counting folders and hidden files.

    Raises:
        InputError: Damaged, encrypted, several files, a spreadsheet, an archive in an archive, or
            beyond the limits above.

    >>> unpack(gzip.compress(b"id\n1\n"), "p.csv.gz")
    b'id\n1\n'
    """
    if not is_packed(data):
        return data
    what = "gzip" if data.startswith(_GZIP) else "zip"
    try:
        inside = _gunzip(data, source) if what == "gzip" else _unzip(data, source)
    except _BROKEN as error:
        raise InputError.at(source, None, f"the {what} file is damaged: {error}.") from error
    if is_packed(inside):
        raise InputError.at(source, None, "an archive inside an archive; unpack the outer one.")
    return inside


def _gunzip(data: bytes, source: str) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        return _limited(stream, len(data), source)


def _unzip(data: bytes, source: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if len(members) > MAX_MEMBERS:
            raise InputError.at(source, None, f"a zip of {len(members)} files; unpack it.")
        if _OFFICE & {member.filename for member in members}:
            raise InputError.at(source, None, "this is a spreadsheet or document; save it as CSV.")
        names = [m for m in members if not m.is_dir() and not _hidden(m.filename)]
        if len(names) != 1:
            shown = _some(member.filename for member in names)
            raise InputError.at(
                source, None, f"a zip with {len(names)} files{shown}; unpack it and name one."
            )
        if names[0].flag_bits & 1:
            raise InputError.at(source, None, "the zip is encrypted; unpack it first.")
        with archive.open(names[0]) as stream:
            return _limited(stream, max(1, names[0].compress_size), source)


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _some(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - 3} more" if len(every) > 3 else ""  # noqa: PLR2004  # a sentence
    return f" ({', '.join(map(repr, every[:3]))}{more})" if every else ""


def _limited(stream: _Readable, packed: int, source: str) -> bytes:
    """Everything from a stream, unless it grows beyond the limits."""
    parts: list[bytes] = []
    size = 0
    while part := stream.read(_CHUNK):
        parts.append(part)
        size += len(part)
        if size > MAX_UNPACKED:
            raise InputError.at(
                source, None, f"more than {MAX_UNPACKED // 2**20} MB when unpacked; split the file."
            )
        if size > FREE and size > packed * MAX_RATIO:
            raise InputError.at(
                source,
                None,
                f"it grows more than {MAX_RATIO} times when unpacked, like a bomb; not read.",
            )
    return b"".join(parts)
