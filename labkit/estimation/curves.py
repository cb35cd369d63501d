"""The numbers behind the charts: reliability, risk against coverage, width against labels."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.estimation.binned import BINS
from labkit.estimation.calibration import consistency_bar
from labkit.estimation.designs import Design, Stratum, collapse, place
from labkit.estimation.estimates import estimate
from labkit.estimation.intervals import LEVEL, effective_size, wilson
from labkit.estimation.population import Population, decision_confidence
from labkit.estimation.routes import Allocation, route_of
from labkit.estimation.score_interval import Cell, score_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from labkit.estimation.units import Labelled


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """One bin of a reliability diagram; shares are of the labelled items in it."""

    lower: float
    upper: float
    count: int
    mean_confidence: float | None
    accuracy: float | None
    low: float | None
    """Wilson's interval of the share that is positive."""
    high: float | None
    consistent_low: float | None
    """Where a calibrated model's share lies with 95 %, exact."""
    consistent_high: float | None


@dataclass(frozen=True, slots=True)
class CoveragePoint:
    """What remains when answers below a confidence are set aside."""

    threshold: float
    coverage: float
    """Known exactly."""
    accuracy: float | None
    low: float | None
    high: float | None
    labelled: int


@dataclass(frozen=True, slots=True)
class WidthPoint:
    """How wide the interval will be."""

    labels: int
    half_width: float


def reliability_curve(
    pairs: Iterable[tuple[float, bool]], *, bins: int = BINS, level: float = LEVEL
) -> tuple[ReliabilityBin, ...]:
    """Every bin, empty ones included, from P(positive) and truth of the labelled items.

    >>> [b.count for b in reliability_curve([(0.05, False), (0.95, True)], bins=2)]
    [1, 1]
    """
    edges = [k / bins for k in range(1, bins)]
    by: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for p, truth in pairs:
        by[bisect_left(edges, p)].append((p, truth))
    found = []
    for k, own in enumerate(by):
        n, x = len(own), sum(truth for _, truth in own)
        if not n:
            found.append(ReliabilityBin(k / bins, (k + 1) / bins, 0, *(None,) * 6))
            continue
        low, high = wilson(x, n, level=level)
        least, most = consistency_bar((p for p, _ in own), level=level)
        mean = math.fsum(p for p, _ in own) / n
        found.append(
            ReliabilityBin(k / bins, (k + 1) / bins, n, mean, x / n, low, high, least / n, most / n)
        )
    return tuple(found)


def risk_coverage(
    population: Population,
    labels: Iterable[Labelled],
    *,
    points: int = 40,
    level: float = LEVEL,
) -> tuple[CoveragePoint, ...]:
    """Accuracy of the answers that are kept, against the share that is kept.

    Args:
        population: All predictions.
        labels: First answers.
        points: How many thresholds at most, at about equal steps of coverage.
        level: Nominal coverage of the intervals.

    Returns:
        From everything kept to almost nothing kept; empty without confidences.
    """
    sure = {u.item: c for u in population.predicted if (c := decision_confidence(u)) is not None}
    whole = len(population.frame.strata)
    if not sure or not whole:
        return ()
    placed, _ = place(population.frame, labels)
    home: dict[str, tuple[str, bool]] = dict(population.frame.strata)
    for one in placed:
        home[one.label.item] = (one.stratum, one.flagged)
    kept: defaultdict[tuple[str, bool], list[float]] = defaultdict(list)
    for item, confidence in sure.items():
        kept[home[item]].append(confidence)
    for values in kept.values():
        values.sort()
    judged: defaultdict[tuple[str, bool], list[tuple[float, bool]]] = defaultdict(list)
    for one in placed:
        if one.label.positive is not None and one.label.item in sure:
            judged[one.stratum, one.flagged].append((sure[one.label.item], one.label.positive))
    every = sorted(sure.values())
    step = max(1, len(every) // points)
    found = []
    for threshold in sorted({every[k] for k in range(0, len(every), step)}):
        strata = []
        for key in sorted(kept):
            size = len(kept[key]) - bisect_left(kept[key], threshold)
            own = [positive for c, positive in judged[key] if c >= threshold]
            if size:
                strata.append(Stratum(key[0], key[1], size, len(own), sum(own)))
        design = collapse(Design("domain", tuple(strata)))
        row = estimate("accuracy", design, level=level)
        found.append(
            CoveragePoint(
                threshold,
                (len(every) - bisect_left(every, threshold)) / whole,
                row.value,
                row.low,
                row.high,
                row.n,
            )
        )
    return tuple(found)


def width_curve(  # noqa: PLR0913  # the options of one curve
    design: Design,
    *,
    metric: str = "f1",
    allocation: Allocation = "optimal",
    most: int | None = None,
    points: int = 20,
    level: float = LEVEL,
) -> tuple[WidthPoint, ...]:
    """The half-width that the interval will have with more labels, if the shares stay as they are.

    Args:
        design: The strata with what is labelled so far.
        metric: Any metric of the score interval.
        allocation: Where further labels go; see the planner.
        most: Up to so many labels in all; four times what there is when left out.
        points: How many steps.
        level: Nominal coverage.
    """
    now = design.labelled
    last = min(design.population, most if most is not None else max(4 * now, 400))
    route = route_of(metric, design.strata, allocation)
    totals = sorted({now + round((last - now) * k / points) for k in range(points + 1)})
    found = []
    for total in totals:
        by_stratum = route.at(route.scale_of(total)) if total > now else _labelled(design.strata)
        cells = [
            Cell(
                s.flagged,
                s.population,
                s.share if s.share is not None else share,
                effective_size(n, s.population),
            )
            for s, n, share in zip(design.strata, by_stratum, route.shares, strict=True)
        ]
        found.append(WidthPoint(total, score_interval(metric, cells, level=level).half_width))
    return tuple(found)


def _labelled(strata: Sequence[Stratum]) -> list[float]:
    return [float(s.labelled) for s in strata]
