"""JSON as Go's decoder takes it: keys in any case, null as "not said", no number for a text.

Source: the documented behaviour of Go's ``encoding/json``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NoReturn

from labkit.errors import InputError
from labkit.formats import jsontext

Reader = Callable[[Any, str], Any]
"""Takes a value and its place (``file: findings[2].line``); returns what it stands for."""

LARGEST = sys.float_info.max
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}


def kind(value: object) -> str:
    """What a JSON value is, in words.

    >>> kind([]), kind(1.5), kind(None)
    ('a list', 'a number', 'null')
    """
    return "null" if value is None else _KINDS.get(type(value), "a number")


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number")


def parse(text: str, source: str, *, trailing: bool = False) -> Any:
    """The first JSON value of a text.

    Args:
        text: The file's text.
        source: Its name, for messages.
        trailing: Whether something may follow the value, as Go's stream decoder allows.

    Raises:
        InputError: No JSON; the sentence has the line and column.
    """
    body = text.removeprefix("\ufeff")
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    start = len(body) - len(body.lstrip(" \t\r\n"))
    try:
        _, end = decoder.raw_decode(body, start)
    except json.JSONDecodeError as error:
        if not body.strip():
            raise InputError.at(source, None, "the file is empty; it must hold JSON.") from None
        raise _not_json(error, source) from None
    except RecursionError:
        raise InputError.at(source, None, "nested too deeply to be read.") from None
    except ValueError as error:
        raise InputError.at(source, None, f"not JSON: {error}.") from None
    if not trailing and body[end:].strip(" \t\r\n"):
        rest = json.JSONDecodeError("something follows the first value", body, end)
        raise _not_json(rest, source)
    return jsontext.parse(body[:end], source).value


def _not_json(error: json.JSONDecodeError, source: str) -> InputError:
    fault = error.msg[0].lower() + error.msg[1:]
    cut = " (the file is cut short)" if error.pos >= len(error.doc.rstrip()) else ""
    return InputError.at(source, error.lineno, f"not JSON: {fault}{cut}.", column=error.colno)


def _wrong(value: object, place: str, wanted: str) -> InputError:
    return InputError(f"{place}: {kind(value)} where {wanted} belongs.")


def string(value: object, place: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise _wrong(value, place, "a text")
    return value


def integer(value: object, place: str) -> int:
    """A whole number; Go refuses ``12.0`` as well as ``"12"``."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(value, place, "a whole number")
    return value


def number(value: object, place: str) -> float:
    """Any number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(value, place, "a number")
    if not abs(value) < LARGEST:
        raise InputError(f"{place}: the number is too large.")
    return float(value)


def boolean(value: object, place: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise _wrong(value, place, "true or false")
    return value


def listed(each: Reader) -> Reader:
    """A list of one kind; ``null`` is the empty list."""

    def read(value: object, place: str) -> tuple[Any, ...]:
        if value is None:
            return ()
        if not isinstance(value, list):
            raise _wrong(value, place, "a list")
        return tuple(each(entry, f"{place}[{i}]") for i, entry in enumerate(value))

    return read


def mapped(each: Reader) -> Reader:
    """An object with free keys; ``null`` is the empty one."""

    def read(value: object, place: str) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise _wrong(value, place, "an object")
        return {key: each(entry, f"{place}.{key}") for key, entry in value.items()}

    return read


def fields(
    value: object, place: str, readers: Mapping[str, Reader], *, strict: bool = False
) -> dict[str, Any]:
    """The members of an object by the names in ``readers``; absent and null ones are left out.

    Args:
        value: What was decoded; ``null`` is an object without members.
        place: Its place, for messages.
        readers: A reader for each known name; a key is also known in another case.
        strict: Whether an unknown key is refused.

    Raises:
        InputError: A wrong type, or an unknown key where that is refused.

    >>> fields({"LINE": 3, "x": 1}, "a.json", {"line": integer})
    {'line': 3}
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(value, place, "an object")
    folded = {name.casefold(): name for name in readers}
    found: dict[str, Any] = {}
    for key, member in value.items():
        name = key if key in readers else folded.get(key.casefold())
        if name is None:
            if strict:
                near = get_close_matches(key, readers, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(readers)}."
                raise InputError(f'{place}: unknown field "{key}"; {hint}')
        elif member is not None:
            found[name] = readers[name](member, f"{place}: {name}")
    return found
