"""Any system's files, scored and held against the gates of a call."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from labkit import gates
from labkit.errors import InputError
from labkit.gates import Measured, Values
from labkit.metrics.counts import Ratio
from labkit.reports import Document, blocks
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.reports import Report
    from labkit.systems import Call

OPTIONS = frozenset({*gates.LIMITS, "confidence_threshold", "gates", "gate_on"})
"""The options of a call that concern gates."""

READS: Mapping[str, Mapping[str, str]] = {
    "planwerk": {
        "min_f1": "aggregate.f1",
        "min_precision": "aggregate.precision",
        "min_recall": "aggregate.recall",
        "min_accuracy": "aggregate.severity_accuracy",
    },
    "aacr": {
        "min_f1": "overall.f1",
        "min_precision": "overall.positive_match_rate",
        "min_recall": "overall.positive_recall_rate",
        "max_error_rate": "overall.unmatched_rate",
    },
    # location alone matches no meaning, so its gates read the line matches
    "aacr location": {
        "min_f1": "overall.line_f1",
        "min_precision": "overall.positive_line_match_rate",
        "min_recall": "overall.positive_line_recall_rate",
    },
}
"""By system: the value in its report that each gate reads; a gate that is not here reads none."""


def asked(call: Call) -> gates.Asked:
    """The gates of a call.

    Raises:
        InputError: A threshold is outside its range, or the file of gates cannot be read.
    """
    path: Path | None = call.options.get("gates")
    file = None if path is None else gates.parse(read_text(path), str(path))
    return gates.asked(call.options, file)


_F1: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "aggregate.f1": (("tp", "tp"), ("tp", "tp", "fp", "fn")),
    "overall.f1": (("positive_matches",) * 2, ("total_generated", "positive_expected")),
    "overall.line_f1": (("positive_line_matches",) * 2, ("total_generated", "positive_expected")),
}
"""F1 from counts, where a system's own report has none."""


def _counted(data: Mapping[str, Any], path: str) -> float | None:
    block = data.get(path.split(".", maxsplit=1)[0])
    over, under = _F1[path]
    if not isinstance(block, dict) or not all(isinstance(block.get(key), int) for key in under):
        return None
    return Ratio(sum(block[key] for key in over), sum(block[key] for key in under)).value


def _at(data: Any, path: str) -> float | None:
    if path in _F1:
        return _counted(data, path)
    for part in path.split("."):
        data = data.get(part) if isinstance(data, dict) else None
    return float(data) if isinstance(data, (int, float)) and not isinstance(data, bool) else None


def _held(report: Report, call: Call, system: str, wanted: gates.Asked) -> Report:
    """The report with a ``gates`` key, a table of them, and their exit code."""
    by_location = system == "aacr" and call.options.get("matcher", "location") == "location"
    paths = READS.get("aacr location" if by_location else system, {})
    values = Values(
        {gate: (Measured(path, _at(report.data, path)),) for gate, path in paths.items()}
    )
    checks = gates.check(wanted, values)
    data = {**report.data, "gates": [check.as_dict() for check in checks]}
    document = Document((*report.document.blocks, *blocks.gates(checks)))
    failed = any(check.failed for check in checks)
    return replace(report, data=data, document=document, exit_code=report.exit_code or int(failed))


def _load(name: str) -> Any:
    module = f"labkit.systems.{name}"
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise InputError(f"{name} files are recognised, but cannot be scored yet.") from error


def score(system: str, call: Call) -> Report:
    """Score files by their system; gates that it does not know itself are checked here.

    Raises:
        InputError: A file cannot be read or trusted, or an option is unknown or out of range.
    """
    module = _load(system)
    if getattr(module, "CHECKS_GATES", False):
        own: Report = module.score(call)
        return own
    wanted = asked(call)
    taken: frozenset[str] = getattr(module, "OPTIONS", frozenset())
    rest = {k: v for k, v in call.options.items() if k not in OPTIONS or k in taken}
    report: Report = module.score(replace(call, options=rest))
    return _held(report, call, system, wanted) if wanted.gates else report
