"""How many more labels a goal needs, in which strata, and how long they take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from labkit.estimation.estimates import estimate
from labkit.estimation.intervals import LEVEL, z_of
from labkit.estimation.routes import Allocation, Route, apportion, route_of
from labkit.estimation.score_batch import effective_sizes, score_intervals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.estimation.designs import Design, Stratum

ASSURANCE = 0.8
_FUTURES = 300
_SEARCH = 7
_HALVINGS = 12


@dataclass(frozen=True, slots=True)
class Plan:
    """What is still needed until a metric's interval is as narrow as wished."""

    metric: str
    goal_half_width: float
    half_width: float
    more_labels: int
    """Plug-in number: even odds that the goal is met with so many more."""
    more_labels_assured: int | None
    """So many more meet the goal with 80 % probability, and never fewer than the plug-in number;
    ``None`` where it was not computed, or a stratum has no label yet."""
    minutes: float | None
    """At the reviewer's own median pace; ``None`` while no pace is known."""
    next_stratum: str | None
    """Where one more label narrows the interval most."""
    by_stratum: tuple[tuple[str, int], ...]

    def as_dict(self) -> dict[str, object]:
        """The report's ``plan``."""
        return {
            "metric": self.metric,
            "goalHalfWidth": self.goal_half_width,
            "halfWidth": self.half_width,
            "moreLabels": self.more_labels,
            "moreLabelsAssured": self.more_labels_assured,
            "minutes": self.minutes,
            "nextStratum": self.next_stratum,
            "byStratum": [{"stratum": name, "more": more} for name, more in self.by_stratum],
        }


def plan(  # noqa: PLR0913  # the options of one question
    design: Design,
    *,
    metric: str = "f1",
    half_width: float = 0.05,
    allocation: Allocation = "optimal",
    median_seconds: float | None = None,
    assured: bool = True,
    seed: int = 1,
    level: float = LEVEL,
) -> Plan:
    """Labels still needed until ``metric`` is known to ``half_width``.

    Plug-in: the linearised variance with ``(x + 0.5) / (n + 1)`` for each share, so that a stratum
    without a hit still asks for labels. Assured: the smallest number whose posterior predictive
    chance of meeting the goal is 80 %.

    Args:
        design: The strata with what is labelled so far.
        metric: Any metric of the score interval.
        half_width: The goal.
        allocation: ``optimal`` puts labels where they help most (stratified designs);
            ``proportional`` is a simple random extension.
        median_seconds: The reviewer's median time for one item.
        assured: Whether to compute the assured number too (about half a second).
        seed: Seed of the posterior predictive draws.
        level: Nominal coverage.
    """
    now = estimate(metric, design, level=level)
    current = 0.5 if now.half_width is None else now.half_width
    route = route_of(metric, design.strata, allocation)
    more: dict[str, float] = {}
    if current > half_width:
        totals = route.totals((half_width / z_of(level)) ** 2)
        more = {s.name: t - s.labelled for s, t in zip(design.strata, totals, strict=True)}
        if sum(more.values()) <= 0:
            more = _one_more(route, design.strata)
    split = apportion(more, math.ceil(sum(more.values()) - 1e-9))
    needed = sum(split.values())
    return Plan(
        metric=metric,
        goal_half_width=half_width,
        half_width=current,
        more_labels=needed,
        more_labels_assured=(
            _assured(route, design, metric, half_width, needed, seed, level) if assured else None
        ),
        minutes=None if median_seconds is None else needed * median_seconds / 60,
        next_stratum=route.next_best(),
        by_stratum=tuple((name, k) for name, k in sorted(split.items()) if k > 0),
    )


def _one_more(route: Route, strata: Sequence[Stratum]) -> dict[str, float]:
    """One label more, where the linearised plan sees the goal met but the interval does not."""
    best = route.next_best() or next((s.name for s in strata if not s.census), None)
    return {} if best is None else {best: 1.0}


def _assured(  # noqa: PLR0913, PLR0917  # one question with all its circumstances
    route: Route,
    design: Design,
    metric: str,
    goal: float,
    plug_in: int,
    seed: int,
    level: float,
) -> int | None:
    """The smallest number of further labels that meets the goal with 80 % probability."""
    if plug_in == 0:
        return 0
    if metric == "specificity" or any(s.labelled == 0 for s in design.strata):
        return None
    left = sum(s.population - s.labelled for s in design.strata)
    low, high = 0, min(left, 2 * plug_in + 20)
    while high < left and _chance(route, design, metric, goal, high, seed, level) < ASSURANCE:
        low, high = high, min(left, 2 * high)
    for _ in range(_SEARCH):
        middle = (low + high) // 2
        if middle == low:
            break
        if _chance(route, design, metric, goal, middle, seed, level) < ASSURANCE:
            low = middle
        else:
            high = middle
    return max(high, plug_in)


def _chance(  # noqa: PLR0913, PLR0917  # as above
    route: Route,
    design: Design,
    metric: str,
    goal: float,
    more: int,
    seed: int,
    level: float,
) -> float:
    """Posterior predictive probability that ``more`` labels meet the goal (Jeffreys prior)."""
    rng = np.random.default_rng(seed)
    strata = design.strata
    totals = np.round(route.at(route.scale_of(design.labelled + more)))
    n = np.array([s.labelled for s in strata], dtype=float)
    x = np.array([s.positives for s in strata], dtype=float)
    population = np.array([s.population for s in strata], dtype=float)
    shares = rng.beta(x + 0.5, n - x + 0.5, size=(_FUTURES, len(strata)))
    hits = x + rng.binomial(np.maximum(totals - n, 0).astype(int), shares)
    sizes = np.broadcast_to(effective_sizes(totals, population), hits.shape)
    ends = score_intervals(
        metric,
        np.array([s.flagged for s in strata], dtype=bool),
        population,
        hits / np.maximum(totals, 1),
        sizes,
        level=level,
        halvings=_HALVINGS,
    )
    return float(np.mean((ends[:, 1] - ends[:, 0]) / 2 <= goal))
