"""A study's estimates as a report: what is known of all predictions, and how well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labkit.reports import blocks
from labkit.reports.document import (
    Block,
    Bullets,
    Document,
    Heading,
    Paragraph,
    Report,
    Table,
    four,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from labkit.estimation.anchoring import Anchoring
    from labkit.estimation.estimates import Estimate
    from labkit.estimation.planner import Plan
    from labkit.gates import Check
    from labkit.metrics.calibration import Calibration
    from labkit.parsed import Problem

_BASES = {
    "blind": "Answered before the AI's answer was shown",
    "assisted": "Answered with the AI's answer in view",
    "revealed": "Final answers, after the AI's answer was shown",
    "blind+imported": "With labels imported before the draw, each for itself",
    "assisted+imported": "AI in view, with labels imported before the draw, each for itself",
}


@dataclass(frozen=True, slots=True)
class Found:
    """What a report is made of, beside its data."""

    rows: Sequence[Estimate]
    plan: Plan | None
    checks: Sequence[Check]
    calibration: Calibration | None
    anchoring: Anchoring | None
    problems: Sequence[Problem]


def document(data: Mapping[str, Any], found: Found) -> Document:
    """The report's blocks: estimates by basis, warnings, plan, gates, counts."""
    parts: list[Block] = [Heading("Evaluation of a study", 1), Paragraph(_intro(data))]
    for basis in dict.fromkeys(row.basis for row in found.rows):
        parts += _estimates(basis, [row for row in found.rows if row.basis == basis])
    if data["warnings"]:
        parts += [Heading("Before you believe it"), Bullets(tuple(_messages(data["warnings"])))]
    rare = [w["message"] for w in data["warnings"] if w["code"] == "rare-tags"]
    parts += _plan(found.plan, rare)
    parts += blocks.gates(found.checks)
    parts += _counted(data["counts"])
    parts += blocks.calibration(found.calibration) if found.calibration else []
    parts += _agreement(data["agreement"], found.anchoring)
    parts += blocks.problems(found.problems)
    return Document(tuple(parts))


def report(data: dict[str, Any], found: Found) -> Report:
    """The report of a study; exit code 1 when a gate failed."""
    failed = any(check.failed for check in found.checks)
    return Report(data, document(data, found), int(failed), tuple(found.problems))


def _intro(data: Mapping[str, Any]) -> str:
    counts = data["counts"]
    return (
        f"{counts['labelled']} labels stand for {counts['predictions']} predictions; every number "
        "is an estimate for all of them, with the interval in which it lies 95 times of 100."
    )


def _estimates(basis: str, rows: Sequence[Estimate]) -> list[Block]:
    header = ("Metric", "Estimate", "Low", "High", "Labels", "Interval")
    table = tuple(
        (row.name, four(row.value), four(row.low), four(row.high), str(row.n), row.method)
        for row in rows
    )
    notes = tuple(row.reason for row in rows if row.reason)
    found: list[Block] = [
        Heading(f"{_BASES.get(basis, basis)} ({basis})"),
        Paragraph(f"Design: {rows[0].design}."),
        Table(header, table, frozenset({1, 2, 3, 4})),
    ]
    return [*found, Bullets(notes)] if notes else found


def _messages(warnings: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    return (str(warning["message"]) for warning in warnings)


def _plan(plan: Plan | None, rare: Sequence[str]) -> list[Block]:
    if plan is None:
        return []
    known = f"{plan.metric} is known to ±{plan.half_width:.4f}; the goal is ±{plan.goal_half_width}"
    if not plan.more_labels:
        reached = f"{known}: reached."
        return [Heading("What is still needed"), *(Paragraph(t) for t in (reached, *rare))]
    sure = plan.more_labels_assured
    assured = "" if sure is None else f" (about {sure} to be rather sure)"
    whole = None if plan.minutes is None else max(1, round(plan.minutes))
    minutes = "" if whole is None else f", about {whole} minute{'s' if whole > 1 else ''}"
    rows = tuple((name, str(more)) for name, more in plan.by_stratum)
    return [
        Heading("What is still needed"),
        Paragraph(f"{known}: about {plan.more_labels} more labels{assured}{minutes}."),
        Table(("Stratum", "More labels"), rows, frozenset({1})),
        *(Paragraph(sentence) for sentence in rare),
    ]


def _counted(counts: Mapping[str, Any]) -> list[Block]:
    cells = ("tp", "fp", "fn", "tn")
    rows = tuple((cell.upper(), str(counts[cell])) for cell in cells)
    return [
        Heading("Labelled items, counted"),
        Paragraph("First answers of the sampled items; counts, not estimates."),
        Table(("Cell", "Items"), rows, frozenset({1})),
    ]


def _agreement(agreement: Mapping[str, Any] | None, anchoring: Anchoring | None) -> list[Block]:
    found: list[Block] = []
    if agreement and agreement["pairs"]:
        rows = tuple(
            (p["a"], p["b"], str(p["n"]), four(p["percent"]), four(p["kappa"]), four(p["ac1"]))
            for p in agreement["pairs"]
        )
        header = ("Reviewer", "Reviewer", "Items", "Percent", "Kappa", "AC1")
        found += [Heading("Agreement of reviewers"), Table(header, rows, frozenset({2, 3, 4, 5}))]
    if anchoring is not None:
        found += [Heading("Anchoring"), Paragraph(f"{anchoring.sentence()}.")]
    return found
