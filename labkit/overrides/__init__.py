"""MethodAtlas override files: read, resolved as labels, applied to a scan."""

from __future__ import annotations

from labkit.overrides.parse import Entry, Overrides, parse, read
from labkit.overrides.resolve import Label, apply, effective, label_of, resolve

__all__ = [
    "Entry",
    "Label",
    "Overrides",
    "apply",
    "effective",
    "label_of",
    "parse",
    "read",
    "resolve",
]
