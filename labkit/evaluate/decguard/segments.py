"""How decguard groups cases and records by a value of their metadata."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from labkit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

T = TypeVar("T")
ABSENT = "(missing)"


def value_text(metadata: Mapping[str, Any], key: str) -> str:
    """A metadata value as a segment's name: text as it is, other values as JSON.

    >>> value_text({"n": 3, "ok": True, "who": "x"}, "ok"), value_text({}, "n")
    ('true', '(missing)')
    """
    if key not in metadata:
        return ABSENT
    value = metadata[key]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def grouped(entries: Iterable[tuple[Hashable, T]]) -> dict[Any, list[T]]:
    """Entries by key, in the order in which the keys appear."""
    found: dict[Any, list[T]] = {}
    for key, entry in entries:
        found.setdefault(key, []).append(entry)
    return found


def scalar(metadata: Mapping[str, Any], key: str, place: str) -> Any:
    """A metadata value that may name a production segment; ``None`` where it is absent.

    Raises:
        InputError: The value is a list or an object.
    """
    value = metadata.get(key)
    if isinstance(value, list | dict):
        raise InputError(f"{place}: metadata {key!r} is a list or an object, so it has no segment.")
    return value


def scalar_order(value: object) -> tuple[str, str]:
    """Where a production segment stands: by type name, then by how Python writes it."""
    return type(value).__name__, repr(value)
