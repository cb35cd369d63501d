"""Intervals for the difference between two runs over the same units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from labkit.estimation.intervals import LEVEL, Interval, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence


class Pairs(NamedTuple):
    """How the same items fared in two runs."""

    both: int
    """Right in both."""
    first: int
    """Right in the first only."""
    second: int
    """Right in the second only."""
    neither: int

    @property
    def n(self) -> int:
        """All items."""
        return sum(self)


def _correlation(pairs: Pairs) -> float:
    a, b, c, d = pairs
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if not margins:
        return 0.0
    product: float = a * d - b * c
    if product > 0:
        product = max(product - pairs.n / 2, 0)
    return product / math.sqrt(margins)


def newcombe(pairs: Pairs, *, level: float = LEVEL) -> Interval:
    """Interval for (share right in the second) - (share right in the first), paired.

    Two Wilson intervals are squared and added, less what the pairing makes them share.
    Source: Newcombe 1998, method 10 (differences between proportions of paired data).

    Raises:
        ValueError: No items.

    >>> [round(end, 4) for end in newcombe(Pairs(1, 7, 1, 12))]
    [-0.5069, -0.0256]
    """
    n = pairs.n
    if not n:
        raise ValueError("no items")
    x, y = pairs.both + pairs.first, pairs.both + pairs.second
    first, second = wilson(x, n, level=level), wilson(y, n, level=level)
    p, q = x / n, y / n
    share = 2 * _correlation(pairs)
    down, up = q - second.low, second.high - q
    back, ahead = p - first.low, first.high - p
    low = (q - p) - math.sqrt(max(0.0, down**2 - share * down * ahead + ahead**2))
    high = (q - p) + math.sqrt(max(0.0, up**2 - share * up * back + back**2))
    return Interval(max(-1.0, low), min(1.0, high))


def mcnemar_mid_p(pairs: Pairs) -> float:
    """Two-sided mid-p value of McNemar's test: are the two kinds of change equally likely?

    Source: Fagerland, Lydersen and Laake 2013.

    >>> round(mcnemar_mid_p(Pairs(1, 1, 7, 12)), 4)
    0.0391
    """
    changes = pairs.first + pairs.second
    fewer = min(pairs.first, pairs.second)
    if not changes:
        return 1.0
    weights = [math.comb(changes, k) for k in range(fewer + 1)]
    exact = 2 * sum(weights) / 2**changes
    return float(min(1.0, exact - weights[-1] / 2**changes)) if fewer * 2 < changes else 1.0


def t_of(level: float, freedom: int) -> float:
    """Student's quantile that leaves ``(1 - level) / 2`` on either side.

    The distribution function is the finite series of Abramowitz and Stegun 26.7.3-4.

    >>> round(t_of(0.95, 9), 6), round(t_of(0.95, 1), 4)
    (2.262157, 12.7062)
    """
    low, high = 0.0, 1.0
    while _t_inside(high, freedom) < level:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _t_inside(middle, freedom) < level else (low, middle)
    return high


def _t_inside(t: float, freedom: int) -> float:
    angle = math.atan(t / math.sqrt(freedom))
    cosine2 = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= cosine2 * (k - 1) / k
        total += term
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


Share = tuple[int, int]
"""What one unit adds to a ratio: (numerator, denominator)."""


def linearised(
    first: Sequence[Share], second: Sequence[Share], *, level: float = LEVEL
) -> Interval | None:
    """Interval for the difference of two ratios of sums over the same units.

    Each unit's share in the difference is linearised, and their spread gives the variance;
    t quantile with one degree of freedom less than there are units. The unit is the cluster
    (case, pull request), so what it holds may depend on each other.
    Source: Särndal, Swensson and Wretman 1992, 5.5-5.6 (Taylor linearisation of a ratio).

    Returns:
        The interval within -1 and 1, or ``None`` with fewer than two units, an undefined ratio,
        or no spread.
    """
    n = len(first)
    sums = [(sum(x for x, _ in side), sum(y for _, y in side)) for side in (first, second)]
    if n < 2 or not all(bottom for _, bottom in sums):  # noqa: PLR2004  # a spread needs two
        return None
    ratios = [top / bottom for top, bottom in sums]
    parts = [
        (y[0] - ratios[1] * y[1]) / sums[1][1] - (x[0] - ratios[0] * x[1]) / sums[0][1]
        for x, y in zip(first, second, strict=True)
    ]
    mean = math.fsum(parts) / n
    variance = n / (n - 1) * math.fsum((part - mean) ** 2 for part in parts)
    if variance <= 1e-30:  # noqa: PLR2004  # rounding noise of a difference that never varies
        return None
    half = t_of(level, n - 1) * math.sqrt(variance)
    difference = ratios[1] - ratios[0]
    return Interval(max(-1.0, difference - half), min(1.0, difference + half))
