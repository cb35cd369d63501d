"""Joins the browser's modules into the one plain module that a notebook page can load."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(?P<name>[a-z]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:class|const|function) )", re.MULTILINE)


def joined(entry: Path) -> str:
    """The module at ``entry`` with everything that it imports from beside it, each once.

    Every module imports by name from ``"./other.js"``, so the parts are the program: nothing
    is renamed, shortened or generated.
    """
    parts: dict[Path, str] = {}
    _gather(entry, parts)
    *others, last = parts.values()
    return "".join(_EXPORT.sub("", text) for text in others) + last


def _gather(path: Path, parts: dict[Path, str]) -> None:
    if path in parts:
        return
    text = path.read_text(encoding="utf-8")
    for found in _IMPORT.finditer(text):
        _gather(path.parent / found["name"], parts)
    parts[path] = _IMPORT.sub("", text)
