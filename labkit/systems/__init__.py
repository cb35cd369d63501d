"""The systems whose files labkit scores: one module each, looked up by name.

``labkit.systems.NAME`` has ``score(call)`` and, where two runs can be compared,
``compare(call)``; both take a ``Call`` and return a ``Report``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAMES = ("methodatlas", "planwerk", "decguard", "aacr", "godaudits", "labkit")


@dataclass(frozen=True, slots=True)
class Call:
    """What ``labkit score`` or ``labkit compare`` was asked.

    ``options`` holds the command's options by their Python names (``min_f1``, ``line_distance``,
    ``by`` ...); an option that was not given is absent, so that a system can refuse one that it
    does not know.
    """

    gold: Path | None
    predictions: tuple[Path, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
