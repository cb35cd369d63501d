"""What is to be changed in an override file: one entry's values."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labkit.overrides.notes import Provenance

Value = bool | str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """New values for the entry of one method, or of a class; ``None`` leaves a value as it is."""

    fqcn: str
    method: str | None = None
    """``None``: the entry of the class itself."""
    _: KW_ONLY
    security_relevant: bool | None = None
    tags: tuple[str, ...] | None = None
    """A set: only what comes or goes is touched. ``()`` says that no tag applies."""
    display_name: str | None = None
    reason: str | None = None
    note: str | Provenance | None = None
    """Text replaces the note; a provenance goes behind what people wrote."""

    @property
    def key(self) -> tuple[str, str | None]:
        """What an entry is found by."""
        return self.fqcn, self.method
