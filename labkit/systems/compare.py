"""``labkit.compare``: finds the system of the runs and holds each candidate against the baseline.

A system may bring these beside ``score``: ``compare(call)``, its own rule for two report files;
``units(call)``, what each unit of one prediction adds to each metric; ``data_of(path)``, its own
report file as data; ``provenance(path)``, what a run was made with; ``demand(first, other)``, which
refuses two reports that compare no like with like; ``TOLERANCE``, how much each metric may lose.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from labkit.comparison import by_field, check_measures, pair, unpaired, with_intervals
from labkit.errors import ComparisonError, InputError
from labkit.reports.comparison import Comparison, Run, Versus, report
from labkit.systems import NAMES, Call, detection
from labkit.systems.measures import measures, units
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import ModuleType

    from labkit.comparison import Check, Measure, Paired
    from labkit.reports.document import Report

OWN = frozenset({"fail_on_regression"})
"""Options that are not handed to ``score``."""


def _data(path: Path, module: ModuleType | None = None) -> Mapping[str, Any] | None:
    """A report of ``labkit score`` as data, or ``None`` when the file is none."""
    if path.is_dir():
        return None
    try:
        value = json.loads(read_text(path))
    except ValueError:
        return None
    if isinstance(value, dict) and {"schemaVersion", "system"} <= value.keys():
        return value
    if module is not None and hasattr(module, "data_of"):
        own: Mapping[str, Any] = module.data_of(path)
        return own
    return None


def _system(call: Call, named: str | None) -> str:
    if named:
        return named
    found: dict[str, str] = {}
    for path in (*call.predictions, *([call.gold] if call.gold else [])):
        data = _data(path)
        if data is not None:
            found[str(data["system"])] = path.name
    if len(found) > 1:
        (one, first), (other, second), *_ = found.items()
        raise ComparisonError(
            f"{first} is of {one} and {second} of {other}; compare runs of one system."
        )
    name = next(iter(found), None)
    if name in NAMES:
        return name
    gold = (call.gold,) if call.gold else ()
    return detection.system_of((*gold, *call.predictions))


def _module(system: str) -> ModuleType:
    return importlib.import_module(f"labkit.systems.{system}")


def compare(call: Call, system: str | None = None) -> Report:
    """Compare a baseline with one or more candidates.

    Args:
        call: ``predictions`` holds the baseline first; with ``gold`` they are predictions and are
            paired by item, without it they are reports.
        system: The system, where it is known.

    Raises:
        InputError: A file that cannot be read, or an unknown system.
        ComparisonError: The runs cannot be compared.
    """
    if call.gold is None:
        for path in call.predictions:
            if path.is_dir():
                raise InputError(f"{path.name}: a folder of predictions; compare it with --gold.")
    name = _system(call, system)
    module = _module(name)
    two = len(call.predictions) == 2  # noqa: PLR2004  # a baseline and one candidate
    if call.gold is None and two and hasattr(module, "compare"):
        own: Report = module.compare(call)
        return own
    made = _with_gold(name, module, call) if call.gold else _of_reports(name, module, call)
    made = _tolerant(made, getattr(module, "TOLERANCE", {}))
    return report(made, fail_on_regression=bool(call.options.get("fail_on_regression")))


def _tolerant(made: Comparison, tolerance: Mapping[str, float]) -> Comparison:
    """The comparison under a system's own rule of how much a metric may lose."""
    if not tolerance:
        return made

    def judged(checks: tuple[Check, ...]) -> tuple[Check, ...]:
        return tuple(
            replace(check, tolerance=tolerance.get(check.metric.rsplit(".", 1)[-1]))
            for check in checks
        )

    groups = tuple((k, v, replace(p, checks=judged(p.checks))) for k, v, p in made.groups)
    versus = tuple(replace(one, checks=judged(one.checks)) for one in made.versus)
    return replace(made, versus=versus, groups=groups)


def _names(paths: tuple[Path, ...]) -> list[str]:
    """Base names, with the folder in front where two are the same."""
    bases = [path.name for path in paths]
    return [
        f"{path.parent.name}/{path.name}" if bases.count(path.name) > 1 else path.name
        for path in paths
    ]


def _provenance(module: ModuleType, path: Path) -> Mapping[str, str]:
    made_with: Mapping[str, str] = module.provenance(path) if hasattr(module, "provenance") else {}
    return made_with


def _of_reports(system: str, module: ModuleType, call: Call) -> Comparison:
    runs, parts = [], []
    for name, path in zip(_names(call.predictions), call.predictions, strict=True):
        data = _data(path, module)
        if data is None:
            raise InputError(
                f"{name}: no report of labkit score --format json; make one, or give --gold to "
                "compare predictions."
            )
        runs.append(Run(name, measures(data), _provenance(module, path)))
        parts.append(units(data))
    if hasattr(module, "demand"):
        for path in call.predictions[1:]:
            module.demand(call.predictions[0], path)
    first, *others = runs
    if "by" in call.options:
        raise InputError("--by needs the predictions and --gold; reports hold no items.")
    versus = tuple(
        Versus(
            run.name,
            with_intervals(check_measures(first.measures, run.measures), parts[0], own),
        )
        for run, own in zip(others, parts[1:], strict=True)
    )
    warnings = tuple(w for run in others for w in _other_gold(first, run))
    return Comparison(system, tuple(runs), versus, warnings=warnings)


def _other_gold(first: Run, other: Run) -> list[str]:
    """Whether a recall was measured on a different number of expected items."""

    def expected(measures: tuple[Measure, ...]) -> dict[str, int]:
        return {m.metric: m.counts[1] for m in measures if m.counts and "recall" in m.metric}

    one, two = expected(first.measures), expected(other.measures)
    changed = [metric for metric in one if metric in two and one[metric] != two[metric]]
    if not changed:
        return []
    metric = changed[0]
    sides = f"{first.name} expects {one[metric]} for {metric} and {other.name} {two[metric]}"
    return [f"{sides}: the two were not scored on the same items."]


def _with_gold(system: str, module: ModuleType, call: Call) -> Comparison:
    options = {k: v for k, v in call.options.items() if k not in OWN and k != "by"}
    calls = [Call(call.gold, (path,), options) for path in call.predictions]
    names = _names(call.predictions)
    runs = tuple(
        Run(name, measures(module.score(one).data), _provenance(module, one.predictions[0]))
        for name, one in zip(names, calls, strict=True)
    )
    gold = call.gold.name if call.gold else None
    if not hasattr(module, "units"):
        first, *others = runs
        versus = tuple(Versus(r.name, check_measures(first.measures, r.measures)) for r in others)
        return Comparison(system, runs, versus, gold)
    sides = [module.units(one) for one in calls]
    pairs = [pair(sides[0], side) for side in sides[1:]]
    versus = tuple(
        Versus(run.name, p.checks + unpaired(p, runs[0].measures, run.measures), p)
        for run, p in zip(runs[1:], pairs, strict=True)
    )
    by = call.options.get("by")
    groups: tuple[tuple[str, Paired], ...] = ()
    if by:
        grouped = [
            module.units(Call(one.gold, one.predictions, {**options, "by": by})) for one in calls
        ]
        among = {unit.key for unit in sides[0]} & {unit.key for unit in sides[-1]}
        groups = by_field(grouped[0], grouped[-1], by, among=among)
    return Comparison(
        system, runs, versus, gold, tuple((str(by), value, paired) for value, paired in groups)
    )
