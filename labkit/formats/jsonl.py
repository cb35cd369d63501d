"""JSON and JSON Lines: objects with their lines, and a problem for each that cannot be trusted."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.formats.tables import listed
from labkit.parsed import Parsed, Problem
from labkit.textfile import read_text

if TYPE_CHECKING:
    from pathlib import Path

_SPACE = re.compile(r"[ \t\r\n]*")
_LONGEST_INTEGER = 1000
_SURROGATE = re.compile(r"\\u[dD][89abAB]")
WRAPPERS = ("predictions", "labels", "items", "results", "data", "records", "answers", "cases")
"""Names under which an object may hold the list that is meant."""


@dataclass(frozen=True, slots=True)
class JsonItem:
    """One object and the line on which it starts."""

    line: int
    value: dict[str, Any]


class _UntrustedError(ValueError):
    """A value that JSON allows and labkit does not."""


@dataclass(slots=True)
class _Hooks:
    """What was odd in the value just read."""

    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def constant(self, word: str) -> None:
        if word == "NaN":
            self.notes.append("NaN is read as no value.")
        else:
            self.faults.append(f"{word} is not a number; it is read as no value.")

    def real(self, digits: str) -> float | None:
        value = float(digits)
        if math.isfinite(value):
            return value
        self.faults.append(f"{digits[:40]} is too large a number; it is read as no value.")
        return None

    @staticmethod
    def integer(digits: str) -> int:
        if len(digits) > _LONGEST_INTEGER:
            raise _UntrustedError(f"an integer of {len(digits)} digits")
        return int(digits)

    @staticmethod
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(found)
        if len(value) < len(found):
            names = [name for name, _ in found]
            twice = next(name for name in names if names.count(name) > 1)
            raise _UntrustedError(f"key {twice!r} stands twice")
        return value

    def decoder(self) -> json.JSONDecoder:
        return json.JSONDecoder(
            object_pairs_hook=self.pairs,
            parse_constant=self.constant,
            parse_float=self.real,
            parse_int=self.integer,
        )

    def problems(self, source: str, line: int) -> list[Problem]:
        notes = [Problem(source, line, text, "note") for text in self.notes]
        return notes + [Problem(source, line, text) for text in self.faults]


def _decode(text: str, start: int, hooks: _Hooks) -> tuple[Any, int]:
    """One value from a place in the text, and where it ends."""
    try:
        value, end = hooks.decoder().raw_decode(text, start)
    except RecursionError as error:
        raise _UntrustedError("it is nested too deep") from error
    if _SURROGATE.search(text, start, end):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise _UntrustedError("half a surrogate pair: a character is cut in two") from error
    return value, end


def _object(value: object, rest: str = "") -> dict[str, Any]:
    if rest.strip(" \t\r"):
        raise _UntrustedError("more than one value on the line")
    if not isinstance(value, dict):
        raise _UntrustedError("not an object in braces")
    return value


def _ended(text: str, end: int) -> None:
    at = _skip(text, end)
    if at < len(text):
        raise json.JSONDecodeError("Extra data", text, at)


def _skip(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start


def _not_json(source: str, error: json.JSONDecodeError) -> InputError:
    return InputError.at(source, error.lineno, f"not JSON: {error.msg}.", column=error.colno)


def parse_lines(text: str, source: str = "<text>") -> Parsed[JsonItem]:
    r"""Read JSON Lines: one object a line, lines end at ``\n`` only.

    A line that is no whole object is left out as a ``Problem``; a torn last line is one of them.

    Raises:
        InputError: Not one line is an object.

    >>> found = parse_lines('{"id": 1}\n{"id": 2}\n{"id', "a.jsonl")
    >>> [item.value["id"] for item in found.values], found.problems[0].line
    ([1, 2], 3)
    """
    items: list[JsonItem] = []
    problems: list[Problem] = []
    lines = text.removeprefix("\ufeff").split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip(" \t\r"):
            continue
        torn = number == len(lines)
        hooks = _Hooks()
        try:
            found, end = _decode(line, _skip(line, 0), hooks)
            value = _object(found, line[end:])
        except json.JSONDecodeError as error:
            why = "a torn last line" if torn else f"not JSON: {error.msg}"
            problems.append(
                Problem(source, number, f"{why}; the line is left out.", column=error.colno)
            )
            continue
        except _UntrustedError as error:
            problems.append(Problem(source, number, f"{error}; the line is left out."))
            continue
        problems += hooks.problems(source, number)
        items.append(JsonItem(number, value))
    if problems and not items:
        first = problems[0]
        raise InputError.at(source, first.line, f"no line is a JSON object; here: {first.message}")
    return Parsed(tuple(items), tuple(problems))


def _array(text: str, start: int, source: str) -> Parsed[JsonItem]:
    """The objects of an array that opens at ``start``, each with its own line."""
    items: list[JsonItem] = []
    problems: list[Problem] = []
    at = _skip(text, start + 1)
    counted, line = 0, 1
    if text[at : at + 1] == "]":
        at += 1
    else:
        while True:
            hooks = _Hooks()
            line += text.count("\n", counted, at)
            counted = at
            try:
                found, at = _decode(text, at, hooks)
                value = _object(found)
            except _UntrustedError as error:
                raise InputError.at(source, line, f"{error}; mend this item.") from error
            problems += hooks.problems(source, line)
            items.append(JsonItem(line, value))
            at = _skip(text, at)
            mark = text[at : at + 1]
            if mark == "]":
                at += 1
                break
            if mark != ",":
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
            at = _skip(text, at + 1)
    _ended(text, at)
    return Parsed(tuple(items), tuple(problems))


def _unwrapped(value: dict[str, Any], source: str) -> tuple[JsonItem, ...]:
    """The items of an object that holds them under one of the usual names."""
    for name in WRAPPERS:
        inner = value.get(name)
        if isinstance(inner, list) and all(isinstance(item, dict) for item in inner):
            return tuple(JsonItem(1, item) for item in inner)
        if isinstance(inner, dict) and all(isinstance(item, dict) for item in inner.values()):
            return tuple(JsonItem(1, {"id": key, **item}) for key, item in inner.items())
    what = f"an object with {listed(value)}" if value else "an object with nothing in it"
    raise InputError.at(
        source,
        1,
        f"{what}; labkit reads a list of objects, one object a line, or "
        f"either of them under {listed(WRAPPERS)}.",
    )


def parse(text: str, source: str = "<text>", *, key: str = "id") -> Parsed[JsonItem]:
    """Read objects from JSON Lines, a JSON array, or an object that holds either.

    Args:
        text: The file's text.
        source: Its name in messages.
        key: The key that says that an object is an item and not a wrapper.

    Raises:
        InputError: None of the shapes; the message says which are read.
    """
    text = text.removeprefix("\ufeff")
    start = _skip(text, 0)
    if start == len(text):
        raise InputError.at(source, None, "the file is empty; nothing to read.")
    if text[start] == "[":
        try:
            return _array(text, start, source)
        except json.JSONDecodeError as error:
            raise _not_json(source, error) from error
    hooks = _Hooks()
    try:
        value, end = _decode(text, start, hooks)
        whole = _skip(text, end) == len(text)
    except (json.JSONDecodeError, _UntrustedError):
        return parse_lines(text, source)
    if not whole:
        return parse_lines(text, source)
    if not isinstance(value, dict):
        raise InputError.at(source, 1, "one bare value; a list of objects is needed.")
    problems = tuple(hooks.problems(source, 1))
    items = (JsonItem(1, value),) if key in value else _unwrapped(value, source)
    return Parsed(items, problems)


def read(path: Path, *, key: str = "id") -> Parsed[JsonItem]:
    """Read objects from a file; see ``parse``.

    Raises:
        InputError: The file cannot be read, or holds none of the shapes.
    """
    return parse(read_text(path), str(path), key=key)
