"""The metrics in a report's data, each with the counts that it is made of."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from labkit.comparison import Measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from labkit.estimation.paired import Share

_BINARY = {
    "precision": (("tp",), ("tp", "fp")),
    "recall": (("tp",), ("tp", "fn")),
    "f1": (("tp", "tp"), ("tp", "tp", "fp", "fn")),
    "accuracy": (("tp", "tn"), ("tp", "tn", "fp", "fn")),
}
_PLANWERK = {
    "recall": _BINARY["recall"],
    "precision": _BINARY["precision"],
    "severity_accuracy": (("severity_matches",), ("tp",)),
}
_AACR = {
    "positive_match_rate": (("positive_matches",), ("total_generated",)),
    "positive_recall_rate": (("positive_matches",), ("positive_expected",)),
    "positive_line_match_rate": (("positive_line_matches",), ("total_generated",)),
    "positive_line_recall_rate": (("positive_line_matches",), ("positive_expected",)),
    "unmatched_rate": (("unmatched",), ("total_generated",)),
}
Recipe = "Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]"
_BLOCKS: Mapping[str, Mapping[str, Any]] = {
    "methodatlas": {"relevance": _BINARY, "tagsMicro": _BINARY},
    "planwerk": {"aggregate": _PLANWERK},
    "aacr": {"overall": _AACR},
}
"""By system and block of its report: each ratio with its numerator's and denominator's counts."""
_VALUES: Mapping[str, tuple[str, ...]] = {
    "methodatlas": ("tagsMacroF1", "calibration.ece", "calibration.brier", "calibration.nll"),
    "decguard": (
        "metrics.classification.accuracy",
        "metrics.classification.macro_f1",
        "metrics.classification.ordinal_mae",
        "metrics.calibration.ece",
        "metrics.calibration.brier",
        "metrics.calibration.nll",
        "metrics.selective.coverage",
        "metrics.selective.selective_accuracy",
        "metrics.counts.error_rate",
        "metrics.latency.p95_ms",
    ),
    "godaudits": (
        "recall",
        "precision",
        "severity_accuracy",
        "citation_validity",
        "remediation_closure",
        "clean_control_rate",
    ),
}
"""By system: metrics that are known by their value alone, as dotted paths."""


def _at(data: Any, path: str) -> Any:
    for part in path.split("."):
        data = data.get(part) if isinstance(data, dict) else None
    return data


def _number(value: object) -> float | None:
    """A finite number; anything else is not known."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= sys.float_info.max else None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= sys.maxsize


def _share(block: Mapping[str, Any], top: tuple[str, ...], bottom: tuple[str, ...]) -> Share | None:
    if not all(_is_count(block.get(name)) for name in {*top, *bottom}):
        return None
    return sum(block[name] for name in top), sum(block[name] for name in bottom)


def _ratios(name: str, block: Mapping[str, Any], recipes: Mapping[str, Any]) -> Iterator[Measure]:
    for metric, (top, bottom) in recipes.items():
        if metric in block:
            yield Measure(f"{name}.{metric}", _number(block[metric]), _share(block, top, bottom))


def _counts(data: Mapping[str, Any], metric: str) -> Share | None:
    """Numerator and denominator of a ratio, where the report lists them beside the values."""
    counts = _at(data.get("counts"), metric)
    if not isinstance(counts, dict):
        return None
    return _share(counts, ("numerator",), ("denominator",))


def measures(data: Mapping[str, Any]) -> tuple[Measure, ...]:
    """The metrics of one report of ``labkit score``, in the order in which it lists them.

    Args:
        data: The report's JSON; ``system`` decides which keys are metrics.
    """
    system = str(data.get("system"))
    found: list[Measure] = []
    for name, recipes in _BLOCKS.get(system, {}).items():
        block = data.get(name)
        if isinstance(block, dict):
            found += _ratios(name, block, recipes)
    for path in _VALUES.get(system, ()):
        value = _at(data, path)
        if value is not None:
            found.append(Measure(path, _number(value), _counts(data, path)))
    metrics = data.get("metrics")
    if isinstance(metrics, list):
        found += [
            Measure(str(m["name"]), _number(m.get("value")))
            for m in metrics
            if isinstance(m, dict) and "name" in m
        ]
    return tuple(found)
