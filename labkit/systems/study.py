"""A study: its labels as estimates for all predictions, held against gates."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from labkit import gates, numbers
from labkit.errors import InputError
from labkit.estimation.warnings import warn_of_looks
from labkit.gates import Measured, Values
from labkit.labels import IMPORTED
from labkit.looks import remember
from labkit.metrics import agreement, calibration
from labkit.model import Basis
from labkit.population import chance_of
from labkit.reports.study import Found, report
from labkit.study import Study
from labkit.systems import gating

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.estimation.estimates import Estimate
    from labkit.metrics.calibration import Calibration
    from labkit.model import Label
    from labkit.reports import Report
    from labkit.systems import Call

CHECKS_GATES = True
_GATES: Mapping[str, tuple[str, ...]] = {
    "min_f1": ("f1", "tags.micro.f1"),
    "min_precision": ("precision",),
    "min_recall": ("recall",),
    "min_accuracy": ("accuracy",),
    "min_macro_f1": ("tags.macro.f1",),
    "max_ece": ("ece",),
    "max_brier": ("brier",),
    "max_nll": ("nll",),
    "min_coverage": ("selective_coverage@",),
    "min_selective_accuracy": ("selective_accuracy@",),
}
"""The estimate that each gate reads; ``@`` stands for the confidence threshold."""


def score(call: Call) -> Report:
    """Estimate every metric of a study.

    Raises:
        InputError: No such study, a file beside it, or an option that means nothing here.
    """
    call.only("--study", gating.OPTIONS)
    if call.gold is None or call.predictions:
        raise InputError("--study takes no other files: the study names its predictions itself.")
    asked = gating.asked(call)
    with Study.open(call.gold) as study:
        return _scored(study, asked)


def _scored(study: Study, asked: gates.Asked) -> Report:
    threshold = asked.confidence_threshold
    thresholds = () if threshold is None else (threshold,)
    parts = study.estimated(thresholds=thresholds)
    rows = [row for part in parts for row in part.metrics]
    labels = study.labels(answer="any")
    checks = gates.check(asked, _values(parts[0].metrics, threshold))
    warnings = list(parts[0].warnings)
    if checks:
        looks = remember(study.folder, parts[0].counts.get("labelled", 0))
        warnings += warn_of_looks(looks)
    plan = study.plan() if study.predictions else None
    anchoring = numbers.anchored(study.frames, labels)
    counted = _calibration(study, labels)
    extra = parts[0].calibration
    data = {
        "schemaVersion": 1,
        "system": "labkit",
        "metrics": [row.as_dict() for row in rows],
        "counts": dict(parts[0].counts),
        "calibration": (
            None
            if counted is None
            else {**counted.as_dict(), **(extra.as_dict() if extra is not None else {})}
        ),
        "coverage": _coverage(study, labels),
        "agreement": agreement_of(labels, study.reviewers, study.task.questions[0].name),
        "anchoring": None if anchoring is None else anchoring.as_dict(),
        "warnings": [warning.as_dict() for warning in warnings],
        "plan": None if plan is None else plan.as_dict(),
        "problems": [problem.as_dict() for problem in study.problems],
        "gates": [check.as_dict() for check in checks],
    }
    return report(data, Found(rows, plan, checks, counted, anchoring, study.problems))


def _values(rows: Sequence[Estimate], threshold: float | None) -> Values:
    by_name = {row.name: row for row in rows}
    read: dict[str, tuple[Measured, ...]] = {}
    for gate, names in _GATES.items():
        found = []
        for name in names:
            full = f"{name}{threshold:g}" if name.endswith("@") and threshold is not None else name
            row = by_name.get(full)
            found.append(
                Measured(full, None)
                if row is None
                else Measured(full, row.value, row.low, row.high)
            )
        read[gate] = tuple(found)
    return Values(read)


def _calibration(study: Study, labels: Sequence[Label]) -> Calibration | None:
    """The labelled items' calibration, counted; ``None`` where no prediction has a confidence."""
    chances = {
        item: chance_of(study.task, prediction) for item, prediction in study.predictions.items()
    }
    if all(chance is None for chance in chances.values()):
        return None
    basis = numbers.headline(labels)
    pairs, missing = [], 0
    for one in numbers.told(study.frames, labels, basis):
        if one.positive is None or one.item not in chances:
            continue
        chance = chances[one.item]
        if chance is None:
            missing += 1
        else:
            pairs.append((chance, one.positive))
    return calibration.binary(pairs, missing=missing)


def _coverage(study: Study, labels: Sequence[Label]) -> dict[str, Any]:
    sampled = set(study.sample.items)
    answered = {label.item for label in labels if label.basis is not Basis.IMPORTED}
    return {
        "items": len(study.items),
        "predictions": len(study.predictions),
        "sampled": len(sampled),
        "answered": len(answered & sampled),
        "targeted": len(answered - sampled),
        "imported": sum(label.reviewer == IMPORTED for label in labels),
        "disputed": len(study.disputed),
        "stale": len(study.stale),
    }


def agreement_of(
    labels: Sequence[Label], reviewers: Sequence[str], question: str
) -> dict[str, Any] | None:
    """How far reviewers agree in their first answers to one question; ``None`` with one of them."""
    given: dict[str, dict[str, Any]] = {name: {} for name in reviewers}
    for label in labels:
        if label.adjudicated:
            continue
        if label.reviewer in given and label.first is not None and question in label.first:
            given[label.reviewer][label.item] = label.first[question]
    if len(given) < agreement.TWO_CODERS:
        return None
    items = sorted({item for answers in given.values() for item in answers})
    pairs = [
        agreement.pair_agreement(
            a, b, [(given[a][i], given[b][i]) for i in items if i in given[a] and i in given[b]]
        ).as_dict()
        for a, b in combinations(reviewers, 2)
    ]
    units = [[given[name].get(item) for name in reviewers] for item in items]
    return {
        "reviewers": list(reviewers),
        "items": sum(sum(v is not None for v in unit) > 1 for unit in units),
        "pairs": pairs,
        "alpha": {"nominal": agreement.alpha(units)},
    }
