"""A value from a file, taken as the shape that was expected, or as its empty form."""

from __future__ import annotations

from typing import Any


def record(value: Any) -> dict[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> list[Any]:
    """An array, or an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """A text, or the empty one; numbers as they are written.

    >>> text("a"), text(3), text(True), text(None)
    ('a', '3', '', '')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def whole(value: Any, least: int = 0) -> int | None:
    """A whole number that is not below ``least``, or ``None``.

    >>> whole(3), whole(3.0), whole(0, 1), whole("3"), whole(True), whole(1e999)
    (3, 3, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value) if least <= value < 2**53 else None


def number(value: Any) -> float | None:
    """A finite number, or ``None``.

    >>> number(0.5), number(float("nan")), number("0.5"), number(True)
    (0.5, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None  # noqa: PLR2004  # NaN fails too


def at(values: Any, index: Any) -> dict[str, Any]:
    """The object at an index of an array; empty where there is none."""
    place = whole(index)
    listed = rows(values)
    return record(listed[place]) if place is not None and place < len(listed) else {}
