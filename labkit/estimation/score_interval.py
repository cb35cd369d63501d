"""The stratified score interval: a constrained maximum-likelihood score test, inverted.

Strata h have a population N, a share p of positives and an (effective) number m of labelled units;
the AI flags all of a stratum or none. Every metric theta solves ``sum c(theta) p = t(theta)``. For
a trial theta the shares that fit best under that constraint give a variance; the interval is
every theta whose standardised distance is at most z. For one stratum this is Wilson's interval;
for two and recall it is the risk-ratio score interval of Koopman and of Miettinen and Nurminen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.estimation.intervals import LEVEL, NOTHING_KNOWN, Interval, z_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

METRICS = ("precision", "recall", "specificity", "f1", "accuracy", "prevalence")
_FAR = 1e6
_STEPS = 80


@dataclass(frozen=True, slots=True)
class Cell:
    """A stratum as the interval sees it."""

    flagged: bool
    """Whether the AI said yes to every unit of it."""
    population: float
    share: float
    """Estimated share of positives, 0 to 1."""
    size: float
    """Effective number of labelled units; infinite where everything is labelled."""


@dataclass(frozen=True, slots=True)
class _Line:
    """``c = c0 + c1 theta`` of one cell, with its share and size."""

    c0: float
    c1: float
    share: float
    size: float


def score_interval(metric: str, cells: Sequence[Cell], *, level: float = LEVEL) -> Interval:
    """The score interval of a metric.

    Args:
        metric: One of ``METRICS``.
        cells: The strata, crossed with the AI's decision.
        level: Nominal coverage.

    Returns:
        Ends in [0, 1]; (0, 1) where the point is undefined or a needed cell has no label.
    """
    flagged, others = _relevant(metric, cells)
    value = point(metric, cells)
    if value is None:
        return NOTHING_KNOWN
    equation = _Equation(metric, flagged, others)
    if not equation.free:
        return Interval(value, value)
    z = z_of(level)
    low = 0.0 if value <= 0 else _end(lambda theta: equation.distance(theta) - z, value, -z)
    high = (
        1.0
        if value >= 1
        else 1.0 - _end(lambda s: -equation.distance(1.0 - s) - z, 1.0 - value, -z)
    )
    return Interval(min(low, value), max(high, value))


def point(metric: str, cells: Sequence[Cell]) -> float | None:
    """The estimate itself, or ``None`` where it is 0/0 or a needed cell has no label.

    >>> cells = (Cell(True, 600, 0.75, 100), Cell(False, 9400, 0.005, 400))
    >>> round(point("f1", cells), 6)
    0.820419
    """
    flagged, others = _relevant(metric, cells)
    if any(c.size <= 0 and c.population > 0 for c in (*flagged, *others)):
        return None
    tp = math.fsum(c.population * c.share for c in flagged)
    fn = math.fsum(c.population * c.share for c in others)
    n1 = math.fsum(c.population for c in flagged)
    n0 = math.fsum(c.population for c in others)
    over, under = {
        "precision": (tp, n1),
        "recall": (tp, tp + fn),
        "specificity": (tp, tp + fn),
        "f1": (2 * tp, n1 + tp + fn),
        "accuracy": (tp + n0 - fn, n1 + n0),
        "prevalence": (tp + fn, n1 + n0),
    }[metric]
    return None if under <= 0 else min(1.0, max(0.0, over / under))


def _relevant(metric: str, cells: Sequence[Cell]) -> tuple[list[Cell], list[Cell]]:
    """The cells the metric depends on; specificity is recall of the negatives."""
    used = [c for c in cells if c.population > 0]
    if metric == "specificity":
        used = [Cell(not c.flagged, c.population, 1 - c.share, c.size) for c in used]
    flagged = [c for c in used if c.flagged]
    return flagged, [] if metric == "precision" else [c for c in used if not c.flagged]


class _Equation:
    """``sum c(theta) p = t(theta)`` of one metric over some cells."""

    def __init__(self, metric: str, flagged: Sequence[Cell], others: Sequence[Cell]) -> None:
        n1 = math.fsum(c.population for c in flagged)
        n0 = math.fsum(c.population for c in others)
        whole = n1 + n0
        (f0, f1), (u0, u1), (t0, t1) = {
            "precision": ((1, 0), (0, 0), (0, n1)),
            "recall": ((1, -1), (0, -1), (0, 0)),
            "specificity": ((1, -1), (0, -1), (0, 0)),
            "f1": ((2, -1), (0, -1), (0, n1)),
            "accuracy": ((1, 0), (-1, 0), (-n0, whole)),
            "prevalence": ((1, 0), (1, 0), (0, whole)),
        }[metric]
        lines = [
            _Line(a * c.population / whole, b * c.population / whole, c.share, c.size)
            for group, a, b in ((flagged, f0, f1), (others, u0, u1))
            for c in group
        ]
        known = [line for line in lines if math.isinf(line.size)]
        self.free = [line for line in lines if not math.isinf(line.size)]
        self.t0 = t0 / whole - math.fsum(line.c0 * line.share for line in known)
        self.t1 = t1 / whole - math.fsum(line.c1 * line.share for line in known)
        self.start = 0.0

    def distance(self, theta: float) -> float:
        """How many standard errors the estimate lies above ``theta``; falls as theta grows."""
        target = self.t0 + self.t1 * theta
        free = [(line.c0 + line.c1 * theta, line.share, line.size) for line in self.free]
        gap = math.fsum(c * share for c, share, _ in free) - target
        if gap == 0:
            return 0.0
        fitted = self._fit(free, target, gap)
        if fitted is None:
            return math.copysign(_FAR, gap)
        variance = math.fsum(
            c * c * p * (1 - p) / size for (c, _, size), p in zip(free, fitted, strict=True)
        )
        return (
            math.copysign(_FAR, gap)
            if variance <= 0
            else max(-_FAR, min(_FAR, gap / math.sqrt(variance)))
        )

    def _fit(
        self, free: Sequence[tuple[float, float, float]], target: float, gap: float
    ) -> list[float] | None:
        """The most likely shares under the constraint, or ``None`` where there are none.

        Solves ``g(lam) = sum c p(lam c) - t = 0``, which falls in lam, by Newton's steps, and by
        halving where they leave the bracket or stop shrinking (the shares have kinks at 0 and 1).
        The bracket: for lam > 0 ``g(lam) <= sum_{c<0} c + sum m / lam - t``, and likewise below.
        """
        least = math.fsum(c for c, _, _ in free if c < 0)
        most = math.fsum(c for c, _, _ in free if c > 0)
        if not least < target < most:
            return None
        labels = math.fsum(size for _, _, size in free)
        below, above = (
            (0.0, labels / (target - least)) if gap > 0 else (-labels / (most - target), 0.0)
        )
        lam = self.start if below < self.start < above else 0.0
        close = 1e-14 * (most - least)
        last = above - below
        fitted: list[float] = []
        for _ in range(_STEPS):
            value = -target
            slope = 0.0
            fitted = []
            for c, share, size in free:
                p, root = _share(lam * c, share * size, size)
                fitted.append(p)
                value += c * p
                if root > 0:
                    slope -= c * c * p * (1 - p) / root
            if abs(value) <= close:
                break
            if value > 0:
                below = lam
            else:
                above = lam
            step = -value / slope if slope < 0 else math.inf
            if not below < lam + step < above or 2 * abs(step) > last:
                step = (below + above) / 2 - lam
            if lam + step == lam:
                break
            last = abs(step)
            lam += step
        self.start = lam
        return fitted


def _share(u: float, x: float, m: float) -> tuple[float, float]:
    """The root in [0, 1] of ``u p^2 - (u + m) p + x = 0``, and the root of its discriminant."""
    total = u + m
    square = (u - m) ** 2 + 4 * u * (m - x) if u > 0 else total * total - 4 * u * x
    root = math.sqrt(max(0.0, square))
    if total < 0:
        p = (total - root) / (2 * u)
    elif total + root == 0:
        p = 0.0
    else:
        p = 2 * x / (total + root)
    return min(1.0, max(0.0, p)), root


def _end(excess: Callable[[float], float], inner: float, at_inner: float) -> float:
    """Where ``excess`` changes sign between 0 and ``inner``; 0 where it does not.

    Chandrupatla's method (1997): inverse quadratic steps where they are safe, else halving.
    """
    b, fb = 0.0, excess(0.0)
    if fb <= 0:
        return 0.0
    a, fa = inner, at_inner
    c, fc = a, fa
    t = 0.5
    for _ in range(_STEPS):
        x = a + t * (b - a)
        fx = excess(x)
        if (fx > 0) == (fa > 0):
            c, fc = a, fa
        else:
            c, b, fc, fb = b, a, fb, fa
        a, fa = x, fx
        best, least = (a, fa) if abs(fa) < abs(fb) else (b, fb)
        tolerance = 1e-13 * abs(best) + 1e-15
        width = tolerance / abs(b - a) if b != a else 1.0
        if 2 * width > 1 or least == 0:
            return best
        xi = (a - b) / (c - b)
        phi = (fa - fb) / (fc - fb) if fc != fb else math.nan
        if phi * phi < xi and (1 - phi) ** 2 < 1 - xi and fc != fa:
            t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (
                fc - fb
            )
        else:
            t = 0.5
        t = min(1 - width, max(width, t))
    return a
