"""Files that a file names: looked for beside it, then in each folder above."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

LEVELS = 8
"""How many folders above are tried."""


def find(named: str, source: Path) -> Path | None:
    """The file that ``source`` calls ``named``, or ``None``.

    Absolute paths, paths that climb with ``..`` and Windows drives are never followed.
    """
    parts = PurePosixPath(named.replace("\\", "/"))
    if not named or parts.is_absolute() or ".." in parts.parts or ":" in parts.parts[0]:
        return None
    folder = source.resolve().parent
    for place in (folder, *folder.parents[:LEVELS]):
        candidate = place.joinpath(*parts.parts)
        try:
            found = candidate.is_file()
        except OSError:  # a name that is too long for any file
            return None
        if found:
            return candidate
    return None
