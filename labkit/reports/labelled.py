"""The report on labels and predictions of any origin, or of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.reports import blocks
from labkit.reports.document import (
    Bullets,
    Document,
    Heading,
    Paragraph,
    Report,
    Table,
    four,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.evaluate.labelled import Evaluation
    from labkit.gates import Check
    from labkit.parsed import Problem
    from labkit.reports.document import Block


def _coverage_blocks(found: Evaluation) -> list[Block]:
    rows = tuple((name, str(value)) for name, value in found.coverage.items())
    return [Heading("Coverage"), Table(("Counter", "Value"), rows, frozenset({1}))]


def _group_blocks(groups: Mapping[str, Evaluation], by: str) -> list[Block]:
    if not groups:
        return []
    rows = tuple(
        (value, row.name, four(row.value), blocks.interval(row), str(row.n))
        for value, one in groups.items()
        for row in one.metrics
        if row.name in {"precision", "recall", "f1", "accuracy", "tags.micro.f1"}
    )
    header = (by, "Metric", "Value", "95 % interval", "n")
    return [Heading(f"By {by}"), Table(header, rows, frozenset({2, 3, 4}))]


def _design(found: Evaluation) -> str:
    row = next(iter(found.metrics), None)
    if row is None:
        return "No metric can be computed: nothing is labelled."
    return f"Labels: {row.basis}. Design: {row.design}."


def data(found: Evaluation) -> dict[str, object]:
    """What is measured, in the order of the report."""
    return {
        "metrics": [row.as_dict() for row in found.metrics],
        "counts": dict(found.counts),
        "calibration": None if found.calibration is None else dict(found.calibration),
        "coverage": dict(found.coverage),
    }


def report(  # noqa: PLR0913  # the parts of one report
    found: Evaluation,
    *,
    title: str = "Accuracy of the AI's answers",
    problems: Sequence[Problem] = (),
    checks: Sequence[Check] = (),
    agreement: Mapping[str, object] | None = None,
    plan: Mapping[str, object] | None = None,
    groups: Mapping[str, Evaluation] | None = None,
    by: str = "",
) -> Report:
    """Put an evaluation, its warnings and its gates into one report."""
    whole: dict[str, object] = {"schemaVersion": 1, "system": "labkit", **data(found)}
    whole |= {
        "agreement": agreement,
        "anchoring": found.anchoring,
        "warnings": [warning.as_dict() for warning in found.warnings],
        "plan": plan,
        "problems": [problem.as_dict() for problem in problems],
        "gates": [check.as_dict() for check in checks],
    }
    if groups is not None:
        whole["groups"] = [{"key": by, "value": v, **data(one)} for v, one in groups.items()]
    warned: list[Block] = []
    if found.warnings:
        warned = [Heading("Warnings"), Bullets(tuple(w.message for w in found.warnings))]
    document = Document(
        (
            Heading(title, 1),
            Paragraph(_design(found)),
            *blocks.estimates(found.metrics),
            *warned,
            *_coverage_blocks(found),
            *_group_blocks(groups or {}, by),
            *blocks.gates(checks),
            *blocks.problems(problems),
        )
    )
    failed = any(check.failed for check in checks)
    return Report(whole, document, int(failed), tuple(problems))
