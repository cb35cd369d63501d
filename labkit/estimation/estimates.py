"""Estimates of the binary metrics from strata, each with the interval that fits the design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.estimation.intervals import LEVEL, NOTHING_KNOWN, Interval, wilson, wilson_f1
from labkit.estimation.score_interval import METRICS, Cell, point, score_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.estimation.designs import Design, Stratum


@dataclass(frozen=True, slots=True)
class Estimate:
    """One number with its interval, and all that is needed to defend it."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    """How the interval was made: ``score``, ``wilson``, ``census`` ..."""
    n: int
    """Labels the number rests on."""
    basis: str
    design: str
    reason: str | None = None
    """Why the value is undefined, or what must be known to read it."""

    def as_dict(self) -> dict[str, object]:
        """The row of the report's ``metrics``."""
        return {
            "name": self.name,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "method": self.method,
            "n": self.n,
            "basis": self.basis,
            "design": self.design,
            "reason": self.reason,
        }

    @property
    def half_width(self) -> float | None:
        """Half the interval's width, or ``None`` where no interval is claimed."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


def estimate_binary(
    design: Design, *, basis: str = "blind", level: float = LEVEL
) -> tuple[Estimate, ...]:
    """Precision, recall, specificity, F1, accuracy and prevalence of the population."""
    return tuple(estimate(metric, design, basis=basis, level=level) for metric in METRICS)


def estimate(
    metric: str,
    design: Design,
    *,
    basis: str = "blind",
    level: float = LEVEL,
    name: str | None = None,
) -> Estimate:
    """One binary metric.

    Where everything the metric depends on is labelled, the interval is the point and the method
    ``census``. Precision within one stratum has Wilson's interval with its finite population;
    all else has the stratified score interval.

    Args:
        metric: ``precision``, ``recall``, ``specificity``, ``f1``, ``accuracy``, ``prevalence``.
        design: The strata.
        basis: How independent of the AI the labels are.
        level: Nominal coverage.
        name: The name shown, where it is not the metric's own.
    """
    used = [s for s in design.strata if s.flagged or metric != "precision"]
    n = sum(s.labelled for s in used)
    shown = name or metric
    value = point(metric, design.cells())
    if value is None:
        reason = f"{shown}: {_why(metric, used)}"
        low, high = NOTHING_KNOWN
        return Estimate(shown, None, low, high, level, "none", n, basis, design.name, reason)
    method, (low, high) = _interval(metric, used, level)
    return Estimate(shown, value, low, high, level, method, n, basis, design.name)


def _interval(metric: str, used: Sequence[Stratum], level: float) -> tuple[str, Interval]:
    if all(s.census for s in used):
        return "census", score_interval(metric, [s.cell() for s in used], level=level)
    if metric == "precision" and len(used) == 1:
        one = used[0]
        return "wilson", wilson(one.positives, one.labelled, population=one.population, level=level)
    return "score", score_interval(metric, [s.cell() for s in used], level=level)


def _why(metric: str, used: Sequence[Stratum]) -> str:
    """Why a metric is undefined, as the end of a sentence."""
    sides = {
        "that the AI flagged": [s for s in used if s.flagged],
        "that the AI did not flag": [s for s in used if not s.flagged],
    }
    if used and not any(s.labelled for s in used) and metric != "precision":
        return "no item has been labelled"
    for words, side in sides.items():
        if side and not any(s.labelled for s in side):
            return f"no item {words} has been sampled"
    empty = next((s for s in used if not s.labelled), None)
    if empty is not None:
        return f"no item of stratum {empty.name} ({empty.population} items) has been sampled"
    return _ZERO_OVER_ZERO[metric]


_ZERO_OVER_ZERO = {
    "precision": "the AI flagged no item",
    "recall": "no positive item has been found",
    "specificity": "every labelled item is positive",
    "f1": "nothing was flagged and no positive item has been found",
    "accuracy": "there is no item",
    "prevalence": "there is no item",
}


def from_cells(  # noqa: PLR0913, PLR0917  # a row of the report
    metric: str,
    cells: Sequence[Cell],
    n: int,
    basis: str,
    design: str,
    level: float,
    name: str | None = None,
) -> Estimate:
    """A row from cells with effective counts (unequal chances)."""
    shown = name or metric
    value = point(metric, cells)
    if value is None:
        low, high = NOTHING_KNOWN
        reason = f"{shown}: no labelled item decides it"
        return Estimate(shown, None, low, high, level, "none", n, basis, design, reason)
    low, high = score_interval(metric, cells, level=level)
    method = "census" if low == high else "score, effective counts"
    return Estimate(shown, value, low, high, level, method, n, basis, design)


def estimate_counts(  # noqa: PLR0913  # the four counts are one table
    tp: int, fp: int, fn: int, tn: int, *, basis: str = "blind", level: float = LEVEL
) -> tuple[Estimate, ...]:
    """The metrics of a simple random sample whose population is not known.

    Wilson for the proportions; Wilson on J = TP/(TP+FP+FN), carried over, for F1.
    """
    n = tp + fp + fn + tn
    design = "simple, population not known"
    shares = {
        "precision": (tp, tp + fp, "the AI flagged no labelled item"),
        "recall": (tp, tp + fn, "no positive item has been found"),
        "specificity": (tn, tn + fp, "every labelled item is positive"),
        "f1": (2 * tp, 2 * tp + fp + fn, "nothing was flagged and no positive has been found"),
        "accuracy": (tp + tn, n, "no item has been labelled"),
        "prevalence": (tp + fn, n, "no item has been labelled"),
    }
    rows = []
    for metric, (over, under, why) in shares.items():
        jaccard = metric == "f1"
        size = tp + fp + fn if jaccard else under
        if not under:
            low, high = NOTHING_KNOWN
            reason = f"{metric}: {why}"
            rows.append(
                Estimate(metric, None, low, high, level, "none", size, basis, design, reason)
            )
            continue
        low, high = (
            wilson_f1(tp, fp + fn, level=level) if jaccard else wilson(over, under, level=level)
        )
        method = "wilson-j" if jaccard else "wilson"
        rows.append(Estimate(metric, over / under, low, high, level, method, size, basis, design))
    return tuple(rows)
