"""The metrics in a report's data, each with the counts that it is made of."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from labkit.comparison import Measure, Unit

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
        "arms.control.recall",
        "arms.control.precision",
        "arms.skill.recall",
        "arms.skill.precision",
    ),
}
"""By system: metrics that are known by their value alone, as dotted paths."""


_AACR_ONE = {
    "positive_match_rate": (("positive_match_nums",), ("total_generated_nums",)),
    "positive_recall_rate": (("positive_match_nums",), ("positive_expected_nums",)),
    "positive_line_match_rate": (("positive_line_match_nums",), ("total_generated_nums",)),
    "positive_line_recall_rate": (("positive_line_match_nums",), ("positive_expected_nums",)),
    "unmatched_rate": (("unmatched_nums",), ("total_generated_nums",)),
}
_UNITS: Mapping[str, tuple[str, str, str, Mapping[str, Any]]] = {
    "planwerk": ("cases", "name", "aggregate", _PLANWERK),
    "aacr": ("pullRequests", "github_pr_url", "overall", _AACR_ONE),
}
"""By system: the list of its units, what names one, the block they add up to, their ratios."""


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


def units(data: Mapping[str, Any]) -> tuple[Unit, ...]:
    """The units that a report lists with their counts; none where it has only totals."""
    if data.get("system") == "decguard":
        return _decided(data.get("results"))
    listed, key, block, recipes = _UNITS.get(str(data.get("system")), ("", "", "", {}))
    rows = data.get(listed)
    found = []
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        shares = {name: _share(row, *recipe) for name, recipe in recipes.items()}
        known = {f"{block}.{name}": share for name, share in shares.items() if share is not None}
        found.append(Unit(str(row.get(key)), known))
    return tuple(found)


def _decided(results: object) -> tuple[Unit, ...]:
    """What each case of a decguard report adds to accuracy and to the error rate."""
    found = []
    for row in results if isinstance(results, list) else ():
        if not isinstance(row, dict):
            return ()
        result, expected = row.get("result"), row.get("expected")
        decided = isinstance(result, dict) and expected is not None
        right = isinstance(result, dict) and decided and result.get("selected") == expected
        shares = {
            "metrics.classification.accuracy": (int(right), int(decided)),
            "metrics.counts.error_rate": (int(result is None), 1),
        }
        found.append(Unit(str(row.get("case_id")), shares))
    return tuple(found)
