"""Text files as people save them: UTF-8, with or without a mark, or UTF-16; the rest is named."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from labkit.archives import unpack
from labkit.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

PARQUET = b"PAR1"
"""How a Parquet file starts."""
_ARCHIVES = {
    b"\x1f\x8b": "a gzip archive",
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    PARQUET: "a Parquet file",
}
_WIDE = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
LINE_END = re.compile(r"\r\n|\r|\n")


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 by its mark, or by a zero in every second byte of the start."""
    for mark, name in _WIDE.items():
        if data.startswith(mark):
            return name
    head = data[:64]
    if len(head) >= 4 and len(head) % 2 == 0:  # noqa: PLR2004  # two characters show the pattern
        if not any(head[1::2]) and all(head[0::2]):
            return "utf-16-le"
        if not any(head[0::2]) and all(head[1::2]):
            return "utf-16-be"
    return None


_HEAD = 4096
_BINARY = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1a")
"""Bytes that no text of a single-byte encoding has; pictures, databases and programs do."""


def decode(data: bytes, source: str) -> str:
    r"""The text of a file; a byte order mark is dropped, line ends stay as they are.

    Raises:
        InputError: The bytes are neither UTF-8 nor UTF-16, or hold an archive or a zero byte.

    >>> decode(b"\xef\xbb\xbfid\r\n", "a.csv")
    'id\r\n'
    """
    for start, what in _ARCHIVES.items():
        if data.startswith(start):
            raise InputError.at(source, None, f"this is {what}; unpack it or save it as text.")
    wide = _wide_encoding(data)
    try:
        text = data.decode(wide or "utf-8")
    except UnicodeDecodeError as error:
        if wide:
            raise InputError.at(
                source, None, "the file ends inside a UTF-16 character; save it as UTF-8."
            ) from error
        if _BINARY.intersection(data[:_HEAD]):
            raise InputError.at(
                source, None, "this is not a text file; save it as text (UTF-8)."
            ) from error
        before = data[: error.start]
        line = len(LINE_END.findall(before.decode("utf-8"))) + 1
        raise InputError.at(
            source,
            line,
            f"byte 0x{data[error.start]:02X} is not UTF-8; the file looks like Latin-1 or "
            "Windows-1252: save it as UTF-8.",
        ) from error
    text = text.removeprefix("\ufeff")
    zero = text.find("\0")
    if zero >= 0:
        line = len(LINE_END.findall(text[:zero])) + 1
        raise InputError.at(source, line, "a zero byte: this is not a text file.")
    return text


def read_bytes(path: Path) -> bytes:
    """The bytes of a file; of a gzip or zip file, the bytes inside.

    Raises:
        InputError: There is no such file, it is a folder, it may not be read, or it is packed in
            a way that ``archives.unpack`` refuses.
    """
    try:
        return unpack(path.read_bytes(), str(path))
    except FileNotFoundError as error:
        raise InputError.at(str(path), None, "no such file; check the path.") from error
    except IsADirectoryError as error:
        raise InputError.at(str(path), None, "this is a folder; name a file in it.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError.at(str(path), None, f"cannot be read: {reason}.") from error


def read_text(path: Path) -> str:
    """The text of a file, with its line ends.

    Raises:
        InputError: The file cannot be read, or is not text in UTF-8 or UTF-16.
    """
    return decode(read_bytes(path), str(path))
