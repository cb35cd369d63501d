"""Closed-form intervals: Wilson for one proportion, with a finite population, and for F1."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

LEVEL = 0.95


class Interval(NamedTuple):
    """Both ends of an interval."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the distance between the ends."""
        return (self.high - self.low) / 2


NOTHING_KNOWN = Interval(0.0, 1.0)
"""The interval of a share of which nothing is known."""


@lru_cache(maxsize=32)
def z_of(level: float) -> float:
    """The normal quantile that leaves ``(1 - level) / 2`` on either side.

    >>> round(z_of(0.95), 12)
    1.95996398454
    """
    return NormalDist().inv_cdf(0.5 + level / 2)


def effective_size(n: float, population: float | None) -> float:
    """Sample size that counts: ``n (N - 1) / (N - n)``, infinite for a census.

    ``None`` is an unlimited population. Source: Korn and Graubard 1998 (effective sample size).

    >>> effective_size(100, 600)
    119.8
    """
    if population is None or n == 0:
        return n
    if n >= population:
        return math.inf
    return n * (population - 1) / (population - n)


def wilson(
    x: float, n: float, *, population: float | None = None, level: float = LEVEL
) -> Interval:
    """Wilson's score interval for ``x`` of ``n``.

    Args:
        x: Successes, 0 to ``n``; need not be whole (effective counts).
        n: Labelled units; with none, nothing is known: (0, 1).
        population: Units that could have been drawn; a census gives the point.
        level: Nominal coverage.

    Source: Wilson 1927; Brown, Cai and DasGupta 2001.

    >>> [round(end, 6) for end in wilson(75, 100)]
    [0.656955, 0.824548]
    >>> [round(end, 6) for end in wilson(75, 100, population=600)]
    [0.665513, 0.818952]
    """
    if n <= 0:
        return NOTHING_KNOWN
    share = x / n
    size = effective_size(n, population)
    if math.isinf(size):
        return Interval(share, share)
    return wilson_at(share, size, z_of(level))


def wilson_at(share: float, size: float, quantile: float) -> Interval:
    """Wilson's interval for a share with an effective sample size and any quantile.

    Args:
        share: The estimate, 0 to 1.
        size: Effective number of labelled units, above 0.
        quantile: Of the normal, or of t where the variance was estimated from few clusters.
    """
    z2 = quantile**2
    scale = 1 + z2 / size
    centre = (share + z2 / (2 * size)) / scale
    half = math.sqrt(z2 * (share * (1 - share) / size + z2 / (4 * size * size))) / scale
    low = 0.0 if share <= 0 else max(0.0, centre - half)
    high = 1.0 if share >= 1 else min(1.0, centre + half)
    return Interval(min(low, share), max(high, share))


@lru_cache(maxsize=128)
def t_of(level: float, freedom: int) -> float:
    """Student's t quantile that leaves ``(1 - level) / 2`` on either side.

    Source: Abramowitz and Stegun 26.7.3 and 26.7.4, inverted by halving.

    >>> round(t_of(0.95, 29), 9)
    2.045229642
    """
    low, high = 0.0, 1e4
    while low < (middle := (low + high) / 2) < high:
        if _t_within(middle, freedom) < level:
            low = middle
        else:
            high = middle
    return high


def _t_within(t: float, freedom: int) -> float:
    """Probability that Student's t lies within ``-t`` and ``t``."""
    angle = math.atan(t / math.sqrt(freedom))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= square * (k - 1) / k
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def f1_of_jaccard(jaccard: float) -> float:
    """F1 from J = TP/(TP+FP+FN): ``2J / (1 + J)``."""
    return 2 * jaccard / (1 + jaccard)


def wilson_f1(tp: float, errors: float, *, level: float = LEVEL) -> Interval:
    """Wilson's interval for J = TP/(TP+FP+FN), carried over to F1.

    Given the items that count for F1 at all, J is a plain proportion. Source: "Wilson indirect",
    Lam et al., arXiv 2309.14621. Use it only where the population is not known.
    """
    low, high = wilson(tp, tp + errors, level=level)
    return Interval(f1_of_jaccard(low), f1_of_jaccard(high))
