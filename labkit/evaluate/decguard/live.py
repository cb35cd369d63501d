"""What decguard measures on production records: a pool of decisions an application kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labkit.evaluate.decguard.measures import mean, percentile, share
from labkit.metrics import calibration
from labkit.metrics.selective import coverage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.evaluate.decguard.records import Evaluation
    from labkit.metrics.calibration import Bin


@dataclass(frozen=True, slots=True)
class ProductionRecord:
    """One decision of an application; ``None`` is unknown and stays unknown."""

    id: str
    timestamp: str | None
    decision: str
    input: Any
    probabilities: Mapping[str, float]
    selected: str
    confidence: float
    backend: str | None
    model: str | None
    model_version: str | None
    outcome: str | None
    outcome_correct: bool | None
    latency_ms: float | None
    cost: float | None
    action: str | None
    fallback: bool | None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fell_back(self) -> bool | None:
        """Whether a fallback answered; ``None`` where neither field tells."""
        if self.fallback is None and self.action is None:
            return None
        return bool(self.fallback) or self.action == "fallback"


@dataclass(frozen=True, slots=True)
class Known:
    """How many records say what."""

    total: int
    with_outcome: int
    with_correctness: int
    with_action: int
    with_fallback: int
    with_latency: int
    with_cost: int


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Right and wrong, where that is known; here the rate of errors is 1 - accuracy."""

    n: int
    accuracy: float | None
    error_rate: float | None


@dataclass(frozen=True, slots=True)
class LiveCalibration:
    """Calibration over known correctness; Brier and log-likelihood over known outcomes."""

    n: int
    ece: float | None
    n_label_outcomes: int
    brier: float | None
    nll: float | None
    bins: int
    reliability: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class Confidence:
    """How confidence is spread over all records."""

    n: int
    mean: float | None
    p50: float | None
    p95: float | None
    histogram: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Threshold:
    """The share of records at or above the contract's threshold."""

    threshold: float | None
    n: int
    coverage: float | None


@dataclass(frozen=True, slots=True)
class Routes:
    """Where decisions went, each rate over the records that say so."""

    n_actions: int
    abstention_rate: float | None
    human_review_rate: float | None
    n_fallback: int
    fallback_rate: float | None


@dataclass(frozen=True, slots=True)
class Amount:
    """A measured quantity over the records that have it."""

    n: int
    mean: float | None
    p95: float | None
    total: float | None


@dataclass(frozen=True, slots=True)
class LiveMetrics:
    """Everything measured on a set of production records."""

    counts: Known
    outcomes: Outcomes
    calibration: LiveCalibration
    confidence: Confidence
    threshold: Threshold
    routing: Routes
    latency_ms: Amount
    cost: Amount

    def values(self) -> dict[str, float | None]:
        """The metrics that gates read, by name."""
        return {
            "accuracy": self.outcomes.accuracy,
            "error_rate": self.outcomes.error_rate,
            "ece": self.calibration.ece,
            "brier": self.calibration.brier,
            "nll": self.calibration.nll,
            "threshold_coverage": self.threshold.coverage,
            "abstention_rate": self.routing.abstention_rate,
            "fallback_rate": self.routing.fallback_rate,
        }


def _amount(values: Sequence[float], *, total: bool) -> Amount:
    summed = math.fsum(values) if total and values else None
    return Amount(len(values), mean(values), percentile(values, 95), summed)


def _calibration(records: Sequence[ProductionRecord], evaluation: Evaluation) -> LiveCalibration:
    bins, slack = evaluation.calibration_bins, evaluation.probability_tolerance
    judged = [(r.confidence, r.outcome_correct) for r in records if r.outcome_correct is not None]
    named = [(r.probabilities, r.selected, r.outcome) for r in records if r.outcome is not None]
    table = calibration.reliability(judged, bins, slack=slack)
    losses = calibration.multiclass(named, bins=bins, slack=slack)
    return LiveCalibration(
        len(judged),
        calibration.expected_error(table),
        len(named),
        losses.brier,
        losses.nll,
        bins,
        table,
    )


def _routes(records: Sequence[ProductionRecord]) -> Routes:
    actions = [r.action for r in records if r.action is not None]
    fallbacks = [r.fell_back for r in records if r.fell_back is not None]
    return Routes(
        len(actions),
        share([action == "abstain" for action in actions]),
        share([action == "human_review" for action in actions]),
        len(fallbacks),
        share(fallbacks),
    )


def summarise(records: Sequence[ProductionRecord], evaluation: Evaluation) -> LiveMetrics:
    """Every metric of a set of production records."""
    right = [bool(r.outcome_correct) for r in records if r.outcome_correct is not None]
    accuracy = share(right)
    calibrated = _calibration(records, evaluation)
    confidences = [r.confidence for r in records]
    spread = calibration.reliability(
        [(c, True) for c in confidences],
        evaluation.calibration_bins,
        slack=evaluation.probability_tolerance,
    )
    threshold = evaluation.confidence_threshold
    covered = None if threshold is None else coverage(confidences, threshold).value
    routes = _routes(records)
    latency = _amount([r.latency_ms for r in records if r.latency_ms is not None], total=False)
    cost = _amount([r.cost for r in records if r.cost is not None], total=True)
    return LiveMetrics(
        Known(
            len(records),
            calibrated.n_label_outcomes,
            len(right),
            routes.n_actions,
            routes.n_fallback,
            latency.n,
            cost.n,
        ),
        Outcomes(len(right), accuracy, None if accuracy is None else 1 - accuracy),
        calibrated,
        Confidence(
            len(records),
            mean(confidences),
            percentile(confidences, 50),
            percentile(confidences, 95),
            tuple(entry.count for entry in spread),
        ),
        Threshold(threshold, len(records), covered),
        routes,
        latency,
        cost,
    )
