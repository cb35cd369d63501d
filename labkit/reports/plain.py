"""Values as plain JSON data: dataclasses become objects, tuples become lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

_SCALARS = frozenset({str, int, float, bool, type(None)})


@cache
def _names(kind: type) -> tuple[str, ...] | None:
    """The fields of a dataclass in the order they are declared; ``None`` for other types."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


def plain(value: Any) -> Any:
    """The JSON form of a value, with fields in the order they are declared.

    >>> plain({"a": (1, 2)})
    {'a': [1, 2]}
    """
    kind = type(value)
    if kind in _SCALARS:
        return value
    names = _names(kind)  # type: ignore[arg-type]  # a type is hashable
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value
