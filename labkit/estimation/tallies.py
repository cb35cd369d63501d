"""What has been labelled in one stratum, as sums that a label changes at a fixed price."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field

from labkit.estimation.binned import NLL_FLOOR

BINS = 10
EDGES = tuple(k / BINS for k in range(1, BINS))


@dataclass(slots=True)
class Tally:
    """What has been labelled in one crossed stratum."""

    name: str
    flagged: bool
    population: int
    n: int = 0
    x: int = 0
    unsure: int = 0
    judged: int = 0
    """Labels with a confidence."""
    known: int = 0
    """Units of the population with a confidence."""
    gain: float = 0.0
    """Sum of ``y (1 - 2p)``."""
    loss: float = 0.0
    """Sum of log losses."""
    bin_n: list[int] = field(default_factory=lambda: [0] * BINS)
    bin_x: list[int] = field(default_factory=lambda: [0] * BINS)
    bins: list[int] = field(default_factory=list)
    """The bins that have had a label."""
    tagged: int = 0
    hits: int = 0
    either: int = 0
    """Tags on either side of the labelled items."""

    @property
    def weight(self) -> float:
        """Units of the population that a judged label stands for."""
        return self.known / self.judged if self.judged else 0.0


def bin_of(p: float) -> int:
    """Bin ``(i/10, (i+1)/10]``, the first including 0."""
    return bisect_left(EDGES, p)


def terms_of(p: float, *, positive: bool) -> tuple[float, float]:
    """What one label adds to the Brier score and to the log loss."""
    right = p if positive else 1 - p
    return (1 - 2 * p if positive else 0.0), -math.log(max(right, NLL_FLOOR))


def quotient(over: float, under: float) -> float | None:
    """A share between 0 and 1, or ``None`` where it is 0/0."""
    return min(1.0, max(0.0, over / under)) if under > 0 else None
