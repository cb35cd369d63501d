"""Unequal chances of being drawn: Hajek shares inside each AI class, effective counts.

The sizes of the AI's classes are known, so the estimate is post-stratified by its decision; the
shares and effective counts then go through the same score interval as any design.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.estimation.score_interval import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Weighed:
    """A labelled unit with its own chance of being drawn."""

    flagged: bool
    positive: bool
    inclusion_probability: float
    """In (0, 1]."""


def hajek_cells(units: Sequence[Weighed], flagged: float, others: float) -> tuple[Cell, ...]:
    """Two cells, one for each AI class, as the score interval reads them.

    Args:
        units: The labelled units.
        flagged: How many units of the population the AI flagged.
        others: How many it did not.

    Variance by Hajek and Berger, ``n/(n-1) sum (1 - pi) (z - zbar)^2``; effective count
    ``p (1 - p) / v``, or Kish's where the class has no variance. Both are what R's ``mase`` and
    ``samplingVarEst`` do.
    """
    return tuple(
        _cell(units, size, flagged=side)
        for side, size in ((True, flagged), (False, others))
        if size > 0
    )


def _cell(units: Sequence[Weighed], size: float, *, flagged: bool) -> Cell:
    weights = [1 / u.inclusion_probability if u.flagged is flagged else 0.0 for u in units]
    whole = math.fsum(weights)
    if whole <= 0:
        return Cell(flagged, size, 0.0, 0.0)
    share = math.fsum(w for w, u in zip(weights, units, strict=True) if u.positive) / whole
    share = min(1.0, max(0.0, share))
    kish = whole**2 / math.fsum(w * w for w in weights)
    open_chance = [1 - u.inclusion_probability for u in units]
    free = math.fsum(c for c, w in zip(open_chance, weights, strict=True) if w > 0)
    if free <= 0:
        return Cell(flagged, size, share, math.inf)
    z = [w * (u.positive - share) / whole for w, u in zip(weights, units, strict=True)]
    mean = math.fsum(c * v for c, v in zip(open_chance, z, strict=True)) / math.fsum(open_chance)
    n = len(units)
    variance = (
        n
        / max(1, n - 1)
        * math.fsum(c * (v - mean) ** 2 for c, v in zip(open_chance, z, strict=True))
    )
    plain = 0 < share < 1 and variance > 0
    return Cell(flagged, size, share, share * (1 - share) / variance if plain else kish)
