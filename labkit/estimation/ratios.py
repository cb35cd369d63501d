"""Ratios of totals over items: linearised variance, effective size, Wilson.

For what an item contributes to numerator and denominator at once, such as its true tags over all
its tags: the item is the unit, never the tag.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.estimation.intervals import LEVEL, Interval, wilson_at, z_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Part:
    """What one labelled unit adds to a ratio."""

    stratum: str
    numerator: float
    denominator: float


@dataclass(frozen=True, slots=True)
class RatioEstimate:
    """A ratio of totals, with the sample size that would have given its variance."""

    value: float
    variance: float
    size: float
    """Effective number of units; infinite for a census."""

    def interval(self, *, level: float = LEVEL) -> Interval:
        """Wilson at the effective size; the point for a census."""
        if math.isinf(self.size):
            return Interval(self.value, self.value)
        return wilson_at(self.value, self.size, z_of(level))


def estimate_ratio(parts: Iterable[Part], populations: Mapping[str, float]) -> RatioEstimate | None:
    """Estimate ``sum w numerator / sum w denominator`` with ``w = N_h / n_h``.

    Variance by Taylor's linearisation, ``sum N^2 (1 - n/N) s^2_z / n`` with
    ``z = (numerator - R denominator) / D``; effective size ``R (1 - R) / V``. Where the labelled
    units show no variance (R is 0 or 1) the size is Kish's ``(sum w)^2 / sum w^2`` over units with
    a denominator. A stratum with one unit borrows the spread of all units.

    Args:
        parts: One for each labelled unit, including those with denominator 0.
        populations: Size of every stratum that has a labelled unit.

    Returns:
        ``None`` where the denominator is 0.

    Source: Cochran 1977, 6.13; Korn and Graubard 1998 for the effective size.
    """
    by: defaultdict[str, list[Part]] = defaultdict(list)
    for part in parts:
        by[part.stratum].append(part)
    weight = {name: populations[name] / len(units) for name, units in by.items()}
    bottom = _total(by, weight, lambda part: part.denominator)
    if bottom <= 0:
        return None
    value = min(1.0, max(0.0, _total(by, weight, lambda part: part.numerator) / bottom))
    if all(len(units) >= populations[name] for name, units in by.items()):
        return RatioEstimate(value, 0.0, math.inf)
    everywhere = _spread([_rest(p, value) for units in by.values() for p in units])
    terms = []
    for name in sorted(by):
        units, size = by[name], populations[name]
        spread = _spread([_rest(p, value) for p in units]) if len(units) > 1 else everywhere
        terms.append(size * max(0.0, size - len(units)) * spread / len(units))
    variance = math.fsum(terms) / bottom**2
    if 0 < value < 1 and variance > 0:
        return RatioEstimate(value, variance, value * (1 - value) / variance)
    counted = [weight[name] for name, units in by.items() for p in units if p.denominator > 0]
    return RatioEstimate(
        value, variance, math.fsum(counted) ** 2 / math.fsum(w * w for w in counted)
    )


def _total(
    by: Mapping[str, Sequence[Part]], weight: Mapping[str, float], of: Callable[[Part], float]
) -> float:
    return math.fsum(weight[name] * of(part) for name in sorted(by) for part in by[name])


def _rest(part: Part, value: float) -> float:
    return part.numerator - value * part.denominator


def _spread(values: Sequence[float]) -> float:
    """Sample variance; 0 for fewer than two values."""
    if len(values) < 2:  # noqa: PLR2004  # a variance needs two
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)
