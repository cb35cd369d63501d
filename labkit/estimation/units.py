"""What estimation reads: every predicted unit, and every labelled one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

WHOLE = "all"
"""The stratum of units that were not stratified."""


class Use(StrEnum):
    """How a label may stand for units that were not labelled."""

    SAMPLED = "sampled"
    """Drawn at random: stands for its stratum."""
    CERTAINTY = "certainty"
    """Chosen on purpose, and the choice was finished before the draw: stands for itself."""
    TARGETED = "targeted"
    """Chosen on purpose after the draw, or nobody knows when: weight 0, shown and exported."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """One unit of the population, as the AI judged it."""

    item: str
    flagged: bool | None
    """The AI's decision; ``None`` where it gave none: such a unit is outside the frame."""
    stratum: str = WHOLE
    """The sampling stratum; it need not be crossed with the decision."""
    confidence: float | None = None
    """The AI's P(positive), 0 to 1."""
    tags: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Labelled:
    """One unit's first answer."""

    item: str
    positive: bool | None
    """``None`` for unsure: an answer without a label."""
    tags: frozenset[str] | None = None
    severity_right: bool | None = None
    """Whether the AI's severity is the reviewer's; ``None`` where it was not asked."""
    basis: str = "blind"
    use: Use = Use.SAMPLED
    inclusion_probability: float | None = None
    """The chance of being drawn where it is not the stratum's own share (unequal chances)."""
    duration_ms: int | None = None


def complement(p: float) -> float:
    """1 - p, without the last digits that would carry it over an edge.

    >>> 1 - 0.7, complement(0.7)
    (0.30000000000000004, 0.3)
    """
    return round(1 - p, 15)
