"""The code around a line of a file: from the source folder, never from outside it."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from labkit.presets.material import Excerpt

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.model import Item

CONTEXT = 12
MAX_LINES = 400
MAX_COLUMNS = 1_000
MAX_BYTES = 5_000_000
_DRIVE = re.compile(r"^[A-Za-z]:/")


class FileCode:
    """Finds the excerpt of an item by its file and line."""

    def __init__(self, folder: Path | None, snippets: Mapping[str, Excerpt] | None = None) -> None:
        """Name the source folder, and excerpts that the report itself holds, by item."""
        self._root = folder.resolve() if folder is not None else None
        self._snippets = snippets or {}

    def excerpt(self, item: Item, context: int = CONTEXT) -> Excerpt | None:
        """The lines around the item's line, else what the report holds, else nothing."""
        lines = self._lines(item.file) if item.file and item.line else None
        if lines is None or item.line is None or item.line > len(lines):
            return self._snippets.get(item.id)
        last = min(len(lines), item.line + (item.lines or 1) - 1)
        first = max(1, item.line - context)
        end = min(len(lines), last + context, first + MAX_LINES - 1)
        shown = tuple(line[:MAX_COLUMNS] for line in lines[first - 1 : end])
        return Excerpt(item.file, first, shown, (item.line, min(last, end)))

    @lru_cache(maxsize=64)  # noqa: B019  # one a study, it lives as long
    def _lines(self, file: str) -> tuple[str, ...] | None:
        path = self._inside(file)
        try:
            if path is None or path.stat().st_size > MAX_BYTES:
                return None
            text = path.read_bytes().decode("utf-8", errors="replace")
        except OSError:
            return None
        return tuple(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))

    def _inside(self, file: str) -> Path | None:
        """The file in the source folder: as named, else by its last parts; links are followed.

        A scan from another machine names ``/home/ci/repo/src/a.py``; ``src/a.py`` is here.
        """
        if self._root is None:
            return None
        parts = [p for p in PurePosixPath(_DRIVE.sub("", file)).parts if p not in {"/", "."}]
        if ".." in parts:
            return None
        for start in range(len(parts)):
            try:
                path = self._root.joinpath(*parts[start:]).resolve()
                if path.is_relative_to(self._root) and path.is_file():
                    return path
            except (OSError, ValueError):
                continue
        return None
