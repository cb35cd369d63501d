"""How totals by stratum grow towards a goal, and what variance they leave."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from labkit.estimation.designs import GUESSED_F1, Stratum

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Allocation = Literal["optimal", "proportional"]


def slopes(metric: str, strata: Sequence[Stratum], shares: Sequence[float]) -> list[float]:
    """How much the metric moves with each stratum's share of positives."""
    tp = math.fsum(s.population * p for s, p in zip(strata, shares, strict=True) if s.flagged)
    fn = math.fsum(s.population * p for s, p in zip(strata, shares, strict=True) if not s.flagged)
    n1 = math.fsum(s.population for s in strata if s.flagged)
    n0 = math.fsum(s.population for s in strata if not s.flagged)
    on, off = {
        "precision": lambda: (1 / n1, 0.0),
        "recall": lambda: (fn / (tp + fn) ** 2, -tp / (tp + fn) ** 2),
        "specificity": lambda: (
            (n0 - fn) / (n1 + n0 - tp - fn) ** 2,
            -(n1 - tp) / (n1 + n0 - tp - fn) ** 2,
        ),
        "f1": lambda: (2 * (n1 + fn) / (n1 + tp + fn) ** 2, -2 * tp / (n1 + tp + fn) ** 2),
        "accuracy": lambda: (1 / (n1 + n0), -1 / (n1 + n0)),
        "prevalence": lambda: (1 / (n1 + n0), 1 / (n1 + n0)),
    }[metric]()
    return [s.population * (on if s.flagged else off) for s in strata]


def guessed_share(stratum: Stratum, strata: Sequence[Stratum]) -> float:
    """A share before any label: precision and recall as for an F1 of 0.8."""
    if stratum.flagged:
        return GUESSED_F1
    n1 = sum(s.population for s in strata if s.flagged)
    n0 = sum(s.population for s in strata if not s.flagged)
    return min(0.5, max(1 / (n0 + 1), (1 - GUESSED_F1) * n1 / n0))


def route_of(metric: str, strata: Sequence[Stratum], allocation: Allocation) -> Route:
    """The route from what is labelled to everything, for one metric."""
    shares = tuple(planned_share(s, strata) for s in strata)
    try:
        slope = slopes(metric, strata, shares)
    except ZeroDivisionError:
        slope = [0.0 for _ in strata]
    spread = tuple(abs(d) * math.sqrt(p * (1 - p)) for d, p in zip(slope, shares, strict=True))
    pace = spread if allocation == "optimal" else tuple(float(s.population) for s in strata)
    return Route(tuple(strata), shares, spread, pace)


def planned_share(stratum: Stratum, strata: Sequence[Stratum]) -> float:
    """``(x + 0.5) / (n + 1)``, the exact share of a census, a guess before the first label."""
    if not stratum.labelled:
        return guessed_share(stratum, strata)
    if stratum.census:
        return stratum.positives / stratum.labelled
    return (stratum.positives + 0.5) / (stratum.labelled + 1)


@dataclass(frozen=True, slots=True)
class Route:
    """How totals by stratum grow, and what variance they leave."""

    strata: tuple[Stratum, ...]
    shares: tuple[float, ...]
    """The share of positives that is planned with, by stratum."""
    spread: tuple[float, ...]
    """Slope times standard deviation of one label, by stratum."""
    pace: tuple[float, ...]
    """Relative speed at which a stratum's total grows."""

    def at(self, scale: float) -> list[float]:
        """Totals by stratum: at least what is labelled, at most all."""
        return [
            min(float(s.population), max(float(s.labelled), scale * p))
            for s, p in zip(self.strata, self.pace, strict=True)
        ]

    def variance(self, totals: Sequence[float]) -> float:
        """``sum S^2 (1/n - 1/N)``; a stratum that adds none needs no label."""
        return math.fsum(
            s * s * (1 / n - 1 / stratum.population) if n > 0 else math.inf
            for s, n, stratum in zip(self.spread, totals, self.strata, strict=True)
            if s > 0
        )

    def totals(self, variance: float) -> list[float]:
        """The smallest totals on the route that leave at most ``variance``."""
        reach = max(
            (s.population / p for s, p in zip(self.strata, self.pace, strict=True) if p > 0),
            default=0.0,
        )
        low, high = 0.0, reach
        if self.variance(self.at(low)) <= variance:
            return self.at(low)
        for _ in range(200):
            middle = (low + high) / 2
            if middle in {low, high}:
                break
            if self.variance(self.at(middle)) > variance:
                low = middle
            else:
                high = middle
        return self.at(high)

    def scale_of(self, total: float) -> float:
        """Where on the route ``total`` labels lie."""
        low, high = (
            0.0,
            max(
                (s.population / p for s, p in zip(self.strata, self.pace, strict=True) if p > 0),
                default=0.0,
            ),
        )
        for _ in range(60):
            middle = (low + high) / 2
            if math.fsum(self.at(middle)) < total:
                low = middle
            else:
                high = middle
        return high

    def next_best(self) -> str | None:
        """The stratum in which one more label takes most variance away."""
        gains = [
            (s * s * (1 / n - 1 / (n + 1)) if n else math.inf, stratum.name)
            for s, stratum in zip(self.spread, self.strata, strict=True)
            if s > 0 and (n := stratum.labelled) < stratum.population
        ]
        if not gains:
            return None
        best = max(gain for gain, _ in gains)
        return min(name for gain, name in gains if gain == best)


def apportion(wanted: Mapping[str, float], total: int) -> dict[str, int]:
    """Whole numbers in proportion to ``wanted`` that sum to ``total`` (largest remainder).

    >>> apportion({"flagged": 183.16, "not-flagged": 147.37}, 331)
    {'flagged': 183, 'not-flagged': 148}
    """
    mass = math.fsum(wanted.values())
    if total <= 0 or mass <= 0:
        return dict.fromkeys(wanted, 0)
    exact = {name: total * value / mass for name, value in wanted.items()}
    whole = {name: math.floor(value) for name, value in exact.items()}
    rest = total - sum(whole.values())
    for name in sorted(exact, key=lambda k: (whole[k] - exact[k], k))[:rest]:
        whole[name] += 1
    return whole
