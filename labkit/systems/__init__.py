"""The systems whose files labkit scores: one module each, looked up by name.

``labkit.systems.NAME`` has ``score(call)`` and, where two runs can be compared,
``compare(call)``; both take a ``Call`` and return a ``Report``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
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

    def only(self, system: str, known: Collection[str]) -> None:
        """Refuse every option that the system does not know.

        Raises:
            InputError: An option was given that means nothing here.
        """
        strange = [name for name in self.options if name not in known]
        if strange:
            options = ", ".join(f"--{name.replace('_', '-')}" for name in strange)
            raise InputError(f"{options}: {system} has no such option; leave it out.")

    def pair(self, system: str, gold: str, predictions: str) -> tuple[Path, Path]:
        """The two files that a system needs.

        Raises:
            InputError: One of them is missing, or there are more.
        """
        if self.gold is None or len(self.predictions) != 1:
            given = len(self.predictions) + (self.gold is not None)
            raise InputError(f"{system} needs {gold} and {predictions}; {given} files were given.")
        return self.gold, self.predictions[0]
