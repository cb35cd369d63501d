"""JSON as strict readers want it: UTF-8, no key twice, no NaN, and errors that name the line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.textfile import read_text

if TYPE_CHECKING:
    from pathlib import Path


_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class _TwiceError(ValueError):
    """A key stands twice in one object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _TwiceError(f"duplicate key {key!r}")
        found[key] = value
    return found


def _no_constant(name: str) -> float:
    raise _TwiceError(f"{name} is not a JSON number")


def parse(text: str, source: str, line: int | None = None, *, constants: bool = False) -> Any:
    """One JSON value.

    Args:
        text: The JSON text.
        source: The file's name, for the error sentence.
        line: The line of the file this text is, in a file of one object a line.
        constants: Let ``NaN`` and ``Infinity`` through, for readers that judge them later.

    Raises:
        InputError: Not JSON, nested too deeply, or a key twice in one object.
    """
    if not text.strip():
        raise InputError.at(source, line, "the file is empty; expected JSON.")
    options: dict[str, Any] = {} if constants else {"parse_constant": _no_constant}
    try:
        value = json.loads(text, object_pairs_hook=_once, **options)
        if _HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        where = line if line is not None else error.lineno
        fault = f"invalid JSON: {error.msg} (column {error.colno})."
        raise InputError.at(source, where, fault) from error
    except UnicodeEncodeError as error:
        fault = "invalid JSON: half a surrogate pair, a character is cut in two."
        raise InputError.at(source, line, fault) from error
    except (_TwiceError, ValueError) as error:
        raise InputError.at(source, line, f"invalid JSON: {error}.") from error
    except RecursionError as error:
        raise InputError.at(source, line, "invalid JSON: nested too deeply.") from error
    return value


def read(path: Path) -> Any:
    """The JSON value of a whole file.

    Raises:
        InputError: The file cannot be read, or is not strict JSON.
    """
    return parse(read_text(path), str(path))
