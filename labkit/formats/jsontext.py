"""One JSON document read with care: clear refusals, no surprises, and places found again later."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]  # not in the stubs
from typing import Any

from labkit.errors import InputError

MAX_DIGITS = 400
"""Whole numbers with more digits than this are infinite for every reader."""
_BLANK = re.compile(r"[ \t\n\r]*")
_LONE = re.compile(r"[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON value and the text it was read from."""

    value: Any
    text: str
    repeated: tuple[str, ...] = ()
    """Keys that stood twice in one object; the last one counted."""


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


def parse(text: str, source: str = "<text>") -> Document:
    r"""Read one JSON document.

    Halves of characters (``\ud800`` alone) become U+FFFD, so that every text can be written again.

    Raises:
        InputError: The text is not JSON, is empty, or is nested too deep.

    >>> parse('{"a": 1, "a": 2}').repeated
    ('a',)
    >>> parse('{"a": 1,\n}', "r.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    labkit.errors.InputError: r.json:2:1: not JSON: expecting property name enclosed in double...
    """
    repeated: dict[str, None] = {}

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) < len(items):
            seen: set[str] = set()
            for key, _ in items:
                if key in seen:
                    repeated[key] = None
                seen.add(key)
        return made

    if not text.strip():
        raise InputError.at(source, None, "the file is empty; expected JSON.")
    try:
        value = json.loads(text, parse_int=_whole, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        fault = error.msg[:1].lower() + error.msg[1:]
        raise InputError.at(
            source, error.lineno, f"not JSON: {fault}.", column=error.colno
        ) from error
    except RecursionError as error:
        raise InputError.at(source, None, "nested too deep; flatten the file.") from error
    if _ESCAPED_SURROGATE.search(text):
        value = _whole_characters(value)
    return Document(value, text, tuple(repeated))


def _whole_characters(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole_characters(part) for part in value]
    if isinstance(value, dict):
        return {_LONE.sub("\ufffd", key): _whole_characters(part) for key, part in value.items()}
    return value


def spans(text: str, *path: str | int) -> list[tuple[int, int]]:
    """Where each element of an array in a JSON text starts and ends.

    Args:
        text: Valid JSON.
        path: Keys and indexes that lead to the array.

    >>> text = '{"runs": [{"results": [1, [2]]}]}'
    >>> [text[a:b] for a, b in spans(text, "runs", 0, "results")]
    ['1', '[2]']
    """
    at = _BLANK.match(text).end()  # type: ignore[union-attr]  # matches everywhere
    for step in path:
        inside = _members(text, at) if isinstance(step, str) else _elements(text, at)
        found = [span for name, span in inside if name == step]
        if not found:
            return []
        at = found[-1][0]
    return [span for _, span in _elements(text, at)] if text[at] == "[" else []


_DECODER = json.JSONDecoder(parse_int=_whole)


def _skip(text: str, at: int) -> int:
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]  # matches everywhere


def _members(text: str, at: int) -> list[tuple[str, tuple[int, int]]]:
    """Names and value spans of the object that starts at ``at``."""
    found: list[tuple[str, tuple[int, int]]] = []
    if text[at] != "{":
        return found
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, at = scanstring(text, at + 1)
        start = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, start)
        found.append((name, (start, end)))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _elements(text: str, at: int) -> list[tuple[int, tuple[int, int]]]:
    """Indexes and spans of the elements of the array that starts at ``at``."""
    found: list[tuple[int, tuple[int, int]]] = []
    if text[at] != "[":
        return found
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        found.append((len(found), (at, end)))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found
