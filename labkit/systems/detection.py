"""Which system a call's files belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.formats import kinds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_LABELS = frozenset({"labels", "table"})


def system_of(files: Sequence[Path]) -> str:
    """The system of the first file that gives one away.

    Raises:
        InputError: No file is of a kind that labkit scores.
    """
    found = [(path, kinds.of_path(path)) for path in files]
    names = [kind.name for _, kind in found]
    if names[0] in _LABELS and set(names[1:]) == {"methodatlas-predictions"}:
        return "labkit"
    systems = [kind.system for _, kind in found if kind.system]
    # a table may be anybody's predictions: a file of a system's own kind says more
    telling = [name for name in systems if name != "labkit"] or systems
    if telling:
        return telling[0]
    path, kind = found[0]
    if kind.name == kinds.UNKNOWN:
        sentence = "this looks like nothing that labkit knows; name the system with --system."
    else:
        sentence = f"this is {kind.name}, which has no score of its own; try labkit check."
    raise InputError.at(str(path), None, sentence)


def expect(path: Path, wanted: Sequence[str], role: str) -> None:
    """Refuse a file that is clearly of another kind; an unknown one is left to its reader.

    Raises:
        InputError: The file is of a known kind, and not of a wanted one.
    """
    found = kinds.of_path(path).name
    if found not in {*wanted, kinds.UNKNOWN}:
        raise InputError.at(
            str(path), None, f"this is {found}, but {role} must be {' or '.join(wanted)}."
        )
