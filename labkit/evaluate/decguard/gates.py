"""decguard's gates: a threshold on a metric, held or not, as requirement or as warning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Level = Literal["requirement", "warning"]
Status = Literal["pass", "warn", "fail"]
Thresholds = Mapping[str, float | None]
"""Threshold by gate name; ``None`` or absent where the gate is not set."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A name, the metric it reads, and the direction in which it holds (bounds included)."""

    name: str
    metric: str
    comparison: Literal[">=", "<="]
    high: float | None = None
    """The largest threshold that makes sense; ``None`` for no bound. The smallest is 0."""


def _gates(*rows: tuple[str, float | None]) -> tuple[Gate, ...]:
    return tuple(
        Gate(name, name[4:], ">=" if name.startswith("min_") else "<=", high) for name, high in rows
    )


GOLDEN = _gates(
    ("min_accuracy", 1),
    ("min_macro_f1", 1),
    ("max_nll", None),
    ("max_brier", 2),
    ("max_ece", 1),
    ("min_coverage", 1),
    ("max_abstention_rate", 1),
    ("min_selective_accuracy", 1),
    ("max_error_rate", 1),
    ("max_latency_p95_ms", None),
    ("max_ordinal_mae", None),
)
"""Gates of a golden test, in the order in which they are checked."""
NEED_THRESHOLD = ("min_coverage", "max_abstention_rate", "min_selective_accuracy")

REGRESSION = _gates(
    ("max_answer_flip_rate", 1),
    ("max_accuracy_drop", 1),
    ("max_macro_f1_drop", 1),
    ("max_ece_increase", 1),
    ("max_brier_increase", 2),
    ("max_nll_increase", None),
    ("max_mean_tv_distance", 1),
    ("max_mean_confidence_shift", 1),
    ("max_error_rate_increase", 1),
    ("max_latency_p95_increase_ms", None),
    ("max_segment_accuracy_drop", 1),
)
"""Gates of a comparison of two runs."""

SEGMENT = _gates(
    ("min_accuracy", 1),
    ("max_error_rate", 1),
    ("max_ece", 1),
    ("max_brier", 2),
    ("max_nll", None),
    ("min_threshold_coverage", 1),
    ("max_abstention_rate", 1),
    ("max_fallback_rate", 1),
)
"""Gates of one segment of a production check."""
PRODUCTION = SEGMENT + _gates(
    ("max_confidence_tv_distance", 1), ("max_accuracy_drop", 1), ("max_ece_increase", 1)
)
"""Gates of a production check."""
DRIFT_METRICS = ("confidence_tv_distance", "accuracy_drop", "ece_increase")


@dataclass(frozen=True, slots=True)
class Check:
    """One gate judged on one value."""

    gate: str
    level: Level
    metric: str
    comparison: str
    threshold: float
    value: float | None
    status: Status
    message: str


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges values against thresholds and words the outcome.

    ``reason`` explains an undefined value, ``prefix`` goes in front of gate and metric names,
    and ``notes`` adds a remark to the message of a metric.
    """

    reason: str = "no eligible cases"
    prefix: str = ""
    reasons: Mapping[str, str] | None = None
    notes: Mapping[str, str] | None = None

    def check(self, gate: Gate, level: Level, threshold: float, value: float | None) -> Check:
        """The outcome of one gate: an undefined value never holds."""
        metric = self.prefix + gate.metric
        holds = value is not None and (
            value >= threshold if gate.comparison == ">=" else value <= threshold
        )
        failed: Status = "fail" if level == "requirement" else "warn"
        status: Status = "pass" if holds else failed
        if value is None:
            reason = (self.reasons or {}).get(gate.metric, self.reason)
            message = f"{metric} could not be computed ({reason})"
        else:
            verb = " " if holds else " violates "
            message = f"{metric} {value:.4g}{verb}{gate.comparison} {threshold:g}"
            message += (self.notes or {}).get(gate.metric, "")
        return Check(
            self.prefix + gate.name,
            level,
            metric,
            gate.comparison,
            threshold,
            value,
            status,
            message,
        )

    def all(
        self,
        gates: Iterable[Gate],
        requirements: Thresholds,
        warnings: Thresholds,
        values: Mapping[str, float | None],
        implicit: str | None = None,
    ) -> tuple[Check, ...]:
        """Requirements in order, the implicit one (at most 0) last of them, then warnings."""
        by_name = {gate.name: gate for gate in gates}
        found: list[Check] = []
        for level, thresholds in (("requirement", requirements), ("warning", warnings)):
            for gate in by_name.values():
                threshold = thresholds.get(gate.name)
                if threshold is not None:
                    found.append(
                        self.check(gate, _level(level), threshold, values.get(gate.metric))
                    )
            if level == "requirement" and implicit and requirements.get(implicit) is None:
                gate = by_name[implicit]
                found.append(self.check(gate, "requirement", 0.0, values.get(gate.metric)))
        return tuple(found)


def _level(name: str) -> Level:
    return "requirement" if name == "requirement" else "warning"


def status_of(checks: Iterable[Check]) -> Status:
    """``fail`` if any check failed, else ``warn`` if any warns, else ``pass``."""
    found = {check.status for check in checks}
    return "fail" if "fail" in found else "warn" if "warn" in found else "pass"


def exit_code(status: Status, *, fail_on_warn: bool = False) -> int:
    """What the process returns: 1 for ``fail``, and for ``warn`` where that was asked."""
    return int(status == "fail" or (fail_on_warn and status == "warn"))


def filled(gates: Iterable[Gate], thresholds: Thresholds) -> dict[str, float | None]:
    """Every gate's threshold in order, ``None`` where it is not set."""
    return {gate.name: thresholds.get(gate.name) for gate in gates}
