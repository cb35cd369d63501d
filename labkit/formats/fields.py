"""A mapping read field by field: a wrong, missing or unknown field is one sentence."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from typing import Any, TypeVar

from labkit.errors import InputError

T = TypeVar("T")
Check = Callable[[Any, str], T]
"""Takes a raw value and the place it came from; returns the value or raises ``InputError``."""

_SHOWN = 60
_HUGE = 10**_SHOWN


class _Required:
    """Marks a field that has no default."""


REQUIRED = _Required()


def shown(value: object) -> str:
    """A value as an error sentence shows it: short, on one line, null and true as JSON has them.

    >>> shown(None), shown(True), shown([1, None])
    ('null', 'true', '[1, null]')
    """
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, int) and abs(value) >= _HUGE:
        return "a huge number"
    text = " ".join(_written(value).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _written(value: object) -> str:
    """Lists and objects as JSON writes them; anything that JSON does not know as Python does."""
    if isinstance(value, dict | list):
        with suppress(TypeError, ValueError):
            return json.dumps(value, ensure_ascii=False)
    return repr(value)


def refuse(place: str, message: str) -> InputError:
    """The error for a place inside a file."""
    return InputError(f"{place}: {message}")


class Fields:
    """One mapping of a file, read once, each field with its check.

    Args:
        value: The raw value, which must be a mapping.
        place: What stands in front of every sentence, such as ``"c.yaml: decision"``.
    """

    def __init__(self, value: object, place: str) -> None:
        """Refuse anything that is not a mapping with text keys."""
        if not isinstance(value, Mapping):
            raise refuse(place, f"expected named fields, got {shown(value)}.")
        self._data: Mapping[Any, Any] = value
        self._known: list[str] = []
        self.place = place

    def __contains__(self, name: str) -> bool:
        """Whether the field is there, whatever its value."""
        return name in self._data

    def take(self, name: str, check: Check[T], default: Any = REQUIRED) -> T:
        """The field's checked value, or the default where the field is absent."""
        self._known.append(name)
        if name not in self._data:
            if default is REQUIRED:
                raise refuse(self.place, f"required field {name!r} is missing.")
            fallback: T = default
            return fallback
        return check(self._data[name], f"{self.place}: {name}")

    def close(self) -> None:
        """Refuse every field that was never taken, with the nearest known one."""
        for name in self._data:
            if name not in self._known:
                near = get_close_matches(str(name), self._known, 1)
                hint = f"; did you mean {near[0]!r}?" if near else "."
                raise refuse(self.place, f"unknown field {name!r}{hint}")


def anything(value: Any, place: str) -> Any:  # noqa: ARG001  # the shape of a check
    """Any JSON value."""
    return value


def text(value: Any, place: str) -> str:
    """Text, possibly empty."""
    if not isinstance(value, str):
        raise refuse(place, f"expected text, got {shown(value)}.")
    return value


def some_text(value: Any, place: str) -> str:
    """Text of at least one character."""
    if not text(value, place):
        raise refuse(place, "must not be empty.")
    return str(value)


def flag(value: Any, place: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise refuse(place, f"expected true or false, got {shown(value)}.")
    return value


def mapping(value: Any, place: str) -> dict[str, Any]:
    """An object with text keys."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise refuse(place, f"expected an object, got {shown(value)}.")
    return dict(value)


def optional(check: Check[T]) -> Check[T | None]:
    """The check, with null allowed."""

    def nullable(value: Any, place: str) -> T | None:
        return None if value is None else check(value, place)

    return nullable


def number(low: float = -math.inf, high: float = math.inf) -> Check[float]:
    """A finite number within bounds (both included); true and false are no numbers."""

    def bounded(value: Any, place: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise refuse(place, f"expected a number, got {shown(value)}.")
        if abs(value) > sys.float_info.max or math.isnan(value):
            raise refuse(place, f"expected a finite number, got {shown(value)}.")
        if not low <= value <= high:
            raise refuse(place, f"must lie between {low:g} and {high:g}, got {shown(value)}.")
        return float(value)

    return bounded


def whole(low: int = 0, high: int | None = None) -> Check[int]:
    """A whole number within bounds (both included)."""

    def bounded(value: Any, place: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise refuse(place, f"expected a whole number, got {shown(value)}.")
        if value < low or (high is not None and value > high):
            until = f"between {low} and {high}" if high is not None else f"at least {low}"
            raise refuse(place, f"must be {until}, got {shown(value)}.")
        return value

    return bounded


def one_of(*names: str) -> Check[str]:
    """One of a few words."""

    def chosen(value: Any, place: str) -> str:
        if not isinstance(value, str) or value not in names:
            raise refuse(place, f"expected one of {', '.join(names)}, got {shown(value)}.")
        return value

    return chosen


def listed(check: Check[T]) -> Check[tuple[T, ...]]:
    """A list whose every entry passes the check."""

    def each(value: Any, place: str) -> tuple[T, ...]:
        if not isinstance(value, list | tuple):
            raise refuse(place, f"expected a list, got {shown(value)}.")
        return tuple(check(entry, f"{place}[{i}]") for i, entry in enumerate(value))

    return each
