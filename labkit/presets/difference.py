"""What a change did to a file: the lines of both trees, removed ones in place."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from labkit.presets.filecode import MAX_BYTES, MAX_COLUMNS, MAX_LINES
from labkit.presets.material import Excerpt

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

STORED = ".txt"
"""What a corpus puts behind the name of a source file, so that no compiler takes it."""

Row = tuple[int | None, str]
"""The line's number in the new file, none for a removed line, and the text with its sign."""


def rows(before: Sequence[str], after: Sequence[str]) -> list[Row]:
    r"""The new file line by line, with ``+`` for new lines and ``-`` for the removed ones between.

    >>> rows(["a", "b"], ["a", "c"])
    [(1, '  a'), (None, '- b'), (2, '+ c')]
    """
    found: list[Row] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            found += [(number + 1, f"  {after[number]}") for number in range(c, d)]
            continue
        found += [(None, f"- {line}") for line in before[a:b]]
        found += [(number + 1, f"+ {after[number]}") for number in range(c, d)]
    return found


def excerpt(
    before: Sequence[str], after: Sequence[str], *, file: str, mark: tuple[int, int]
) -> Excerpt:
    """The difference around the lines under review, at most a page of it."""
    every = rows(before, after)
    at = next((i for i, (number, _) in enumerate(every) if number == mark[0]), 0)
    start = max(0, min(at - MAX_LINES // 2, len(every) - MAX_LINES))
    shown = every[start : start + MAX_LINES]
    first = next((number for number, _ in shown if number is not None), 1)
    lines = tuple(line[:MAX_COLUMNS] for _, line in shown)
    return Excerpt(file, first, lines, mark, tuple(number for number, _ in shown))


def stored_lines(tree: Path, file: str) -> tuple[str, ...] | None:
    """The lines of a file in a tree of a corpus, under its own name or its stored one.

    Nothing outside the tree is read; ``None`` where there is no such file.
    """
    root = tree.resolve()
    for name in (file, file + STORED):
        try:
            path = (root / name).resolve()
            if not path.is_relative_to(root) or not path.is_file():
                continue
            if path.stat().st_size > MAX_BYTES:
                return None
            text = path.read_bytes().decode("utf-8", errors="replace")
        except (OSError, ValueError):
            continue
        return tuple(text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n").split("\n"))
    return None
