"""decguard's production check: what an application recorded about its own decisions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labkit.evaluate.decguard.gates import (
    DRIFT_METRICS,
    PRODUCTION,
    SEGMENT,
    Check,
    Judge,
    Status,
    status_of,
)
from labkit.evaluate.decguard.live import LiveMetrics, ProductionRecord, summarise
from labkit.evaluate.decguard.segments import grouped, scalar, scalar_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.evaluate.decguard.contract import Contract

MISSING = "<missing>"
_NO_BASELINE = "no baseline was provided or the metric is unavailable"


@dataclass(frozen=True, slots=True)
class Drift:
    """How far production moved from a baseline; ``None`` without one."""

    confidence_mean_delta: float | None = None
    confidence_tv_distance: float | None = None
    accuracy_drop: float | None = None
    ece_increase: float | None = None


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """The records that share a metadata value, with their own gates."""

    key: str
    value: Any
    metrics: LiveMetrics
    checks: tuple[Check, ...]
    status: Status


@dataclass(frozen=True, slots=True)
class ProductionCheck:
    """What a production check found."""

    metrics: LiveMetrics
    drift: Drift
    segments: tuple[LiveSegment, ...]
    checks: tuple[Check, ...]

    @property
    def status(self) -> Status:
        """The worst of the checks; ``pass`` where no gate is set."""
        return status_of(self.checks)


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def drift(current: LiveMetrics, baseline: LiveMetrics) -> Drift:
    """Current against baseline; the distance is total variation of the confidence histograms."""
    here, there = current.confidence, baseline.confidence
    distance = None
    if here.n and there.n:
        pairs = zip(here.histogram, there.histogram, strict=True)
        distance = 0.5 * math.fsum(abs(a / here.n - b / there.n) for a, b in pairs)
    return Drift(
        _minus(here.mean, there.mean),
        distance,
        _minus(baseline.outcomes.accuracy, current.outcomes.accuracy),
        _minus(current.calibration.ece, baseline.calibration.ece),
    )


def _segments(records: Sequence[ProductionRecord], contract: Contract) -> tuple[LiveSegment, ...]:
    rules = contract.production
    found: list[LiveSegment] = []
    for key in rules.segments:
        places = [scalar(r.metadata, key, f"record {r.id!r}") for r in records]
        groups = grouped(
            (scalar_order(value), (value, record))
            for value, record in zip(places, records, strict=True)
        )
        for order in sorted(groups):
            value = groups[order][0][0]
            metrics = summarise([record for _, record in groups[order]], contract.evaluation)
            name = MISSING if value is None else value
            judge = Judge("no eligible records", f"segment[{key}={name}].")
            checks = judge.all(
                SEGMENT, rules.segment_requirements, rules.segment_warnings, metrics.values()
            )
            found.append(LiveSegment(key, value, metrics, checks, status_of(checks)))
    return tuple(found)


def check(
    records: Sequence[ProductionRecord], contract: Contract, baseline: LiveMetrics | None = None
) -> ProductionCheck:
    """Metrics, drift, segments and gates; no gate is implicit here.

    Args:
        records: At least one record, in file order.
        contract: Its ``production`` section has the gates and the segments' keys.
        baseline: Metrics of an earlier set with the same number of bins.
    """
    rules = contract.production
    metrics = summarise(records, contract.evaluation)
    moved = Drift() if baseline is None else drift(metrics, baseline)
    values = {
        **metrics.values(),
        "confidence_tv_distance": moved.confidence_tv_distance,
        "accuracy_drop": moved.accuracy_drop,
        "ece_increase": moved.ece_increase,
    }
    judge = Judge("no eligible records", reasons=dict.fromkeys(DRIFT_METRICS, _NO_BASELINE))
    checks = judge.all(PRODUCTION, rules.requirements, rules.warnings, values)
    segments = _segments(records, contract)
    inner = tuple(entry for segment in segments for entry in segment.checks)
    return ProductionCheck(metrics, moved, segments, checks + inner)
