"""decguard's metrics of a golden test, in dataset order with exact sums.

Sums are ``math.fsum``, so the same records give the same floats bit for bit. An empty mean is
``None``; precision, recall and F1 of a single label are 0.0 where they are undefined.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.evaluate.decguard import measures
from labkit.evaluate.decguard.measures import LabelScore, mean
from labkit.metrics import calibration, selective

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.evaluate.decguard.records import Decision, Evaluation, Record, Result
    from labkit.metrics.calibration import Bin


@dataclass(frozen=True, slots=True)
class Counts:
    """How many cases there are and what became of them."""

    total: int
    succeeded: int
    errored: int
    labeled: int
    errors_by_kind: Mapping[str, int]
    error_rate: float


@dataclass(frozen=True, slots=True)
class Classification:
    """Right or wrong, over labelled answers."""

    n: int
    accuracy: float | None
    macro_f1: float | None
    per_label: Mapping[str, LabelScore]
    ordinal_mae: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """How far confidence can be believed, over labelled answers."""

    n: int
    ece: float | None
    brier: float | None
    nll: float | None
    bins: int
    reliability: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class Selective:
    """What a confidence threshold would automate, over all answers."""

    threshold: float
    n: int
    coverage: float | None
    abstention_rate: float | None
    selective_accuracy: float | None
    n_covered_labeled: int


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds a backend call took, over the answers that say so."""

    n: int
    mean_ms: float | None
    p50_ms: float | None
    p90_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    max_ms: float | None


@dataclass(frozen=True, slots=True)
class Metrics:
    """Everything decguard measures on one run."""

    counts: Counts
    classification: Classification
    calibration: Calibration
    selective: Selective | None
    latency: Latency

    def values(self) -> dict[str, float | None]:
        """The metrics that gates read, by name."""
        kept = self.selective
        return {
            "accuracy": self.classification.accuracy,
            "macro_f1": self.classification.macro_f1,
            "ordinal_mae": self.classification.ordinal_mae,
            "nll": self.calibration.nll,
            "brier": self.calibration.brier,
            "ece": self.calibration.ece,
            "coverage": kept.coverage if kept else None,
            "abstention_rate": kept.abstention_rate if kept else None,
            "selective_accuracy": kept.selective_accuracy if kept else None,
            "error_rate": self.counts.error_rate,
            "latency_p95_ms": self.latency.p95_ms,
        }


@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer whose case has a label."""

    expected: str
    result: Result

    @property
    def right(self) -> bool:
        """Whether the selected label is the expected one."""
        return self.expected == self.result.selected


def labelled(records: Sequence[Record]) -> list[Labelled]:
    """The answers that can be judged, in dataset order."""
    return [
        Labelled(record.expected, record.result)
        for record in records
        if record.result is not None and record.expected is not None
    ]


def _counts(records: Sequence[Record], judged: int) -> Counts:
    kinds = Counter(record.error.kind for record in records if record.error is not None)
    errored = sum(kinds.values())
    total = len(records)
    return Counts(
        total,
        total - errored,
        errored,
        judged,
        dict(sorted(kinds.items())),
        errored / total if total else 0.0,
    )


def _classification(judged: Sequence[Labelled], decision: Decision) -> Classification:
    expected = [entry.expected for entry in judged]
    predicted = [entry.result.selected for entry in judged]
    per_label = measures.per_label(expected, predicted, decision.labels) if judged else {}
    ordinal = decision.type == "score"
    return Classification(
        len(judged),
        measures.accuracy(expected, predicted),
        measures.macro_f1(per_label, expected, predicted),
        per_label,
        measures.ordinal_mae(expected, predicted, decision.labels) if ordinal else None,
    )


def _calibration(judged: Sequence[Labelled], evaluation: Evaluation) -> Calibration:
    rows = [(e.result.probabilities, e.result.selected, e.expected) for e in judged]
    found = calibration.multiclass(
        rows, bins=evaluation.calibration_bins, slack=evaluation.probability_tolerance
    )
    return Calibration(found.n, found.ece, found.brier, found.nll, found.bins, found.reliability)


def _selective(
    results: Sequence[Result], judged: Sequence[Labelled], threshold: float
) -> Selective:
    coverage = selective.coverage([r.confidence for r in results], threshold).value
    kept = selective.selective_accuracy(
        [(entry.result.confidence, entry.right) for entry in judged], threshold
    )
    return Selective(
        threshold,
        len(results),
        coverage,
        None if coverage is None else 1.0 - coverage,
        kept.value,
        kept.denominator,
    )


def _latency(results: Sequence[Result]) -> Latency:
    times = [result.latency_ms for result in results if result.latency_ms is not None]
    p50, p90, p95, p99 = (measures.percentile(times, q) for q in (50, 90, 95, 99))
    return Latency(len(times), mean(times), p50, p90, p95, p99, max(times, default=None))


def summarise(records: Sequence[Record], decision: Decision, evaluation: Evaluation) -> Metrics:
    """Every metric of a run.

    Args:
        records: Cases in dataset order, each with its answer or its error.
        decision: What was decided; its labels give the order.
        evaluation: Threshold and number of bins.
    """
    results = [record.result for record in records if record.result is not None]
    judged = labelled(records)
    threshold = evaluation.confidence_threshold
    return Metrics(
        _counts(records, len(judged)),
        _classification(judged, decision),
        _calibration(judged, evaluation),
        None if threshold is None else _selective(results, judged, threshold),
        _latency(results),
    )
