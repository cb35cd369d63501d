"""Pieces that reports of several systems share: gates, problems, calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.reports.document import Bullets, Heading, Paragraph, Table, four

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from labkit.estimation.estimates import Estimate
    from labkit.gates import Check
    from labkit.metrics.calibration import Calibration
    from labkit.parsed import Problem
    from labkit.reports.document import Block

SHOWN = 20


def gates(checks: Sequence[Check]) -> list[Block]:
    """A table of gates; nothing where none was asked for."""
    if not checks:
        return []
    rows = tuple(
        (
            check.gate.name.replace("_", "-"),
            check.metric,
            four(check.gate.threshold),
            four(check.value),
            _verdict(check),
        )
        for check in checks
    )
    header = ("Gate", "Metric", "Threshold", "Value", "Result")
    return [Heading("Gates"), Table(header, rows, frozenset({2, 3}))]


def _verdict(check: Check) -> str:
    if check.value is None:
        return "not defined, left out" if check.held else "not defined: fails"
    if check.held:
        return "held"
    return "FAILED" if check.failed else "warning"


def problems(found: Iterable[Problem]) -> list[Block]:
    """The first problems as a list, and how many more there are."""
    every = list(found)
    if not every:
        return []
    lines = [str(problem) for problem in every[:SHOWN]]
    if len(every) > SHOWN:
        lines.append(f"and {len(every) - SHOWN} more")
    return [Heading("Problems in the files"), Bullets(tuple(lines))]


def calibration(
    found: Calibration | None,
    *more: tuple[str, float | None],
    outcome: str = "Positive in truth",
) -> list[Block]:
    """Calibration figures and the bins that hold something; ``outcome`` is what a bin predicts."""
    title = Heading("Calibration")
    if found is None:
        return [title, Paragraph("n/a: the predictions have no confidences.")]
    figures = (
        ("ECE", found.ece),
        *more,
        ("Brier (0 to 2)", found.brier),
        ("NLL", found.nll),
    )
    rows = tuple((name, four(value)) for name, value in figures)
    bins = tuple(
        (
            f"{one.lower:.2f} to {one.upper:.2f}",
            str(one.count),
            four(one.mean_confidence),
            four(one.accuracy),
        )
        for one in found.reliability
        if one.count
    )
    count = f"{found.n} labelled with a confidence, {found.missing} without."
    blocks: list[Block] = [title, Paragraph(count)]
    blocks.append(Table(("Measure", "Value"), rows, frozenset({1})))
    if bins:
        header = ("Confidence", "Count", "Mean confidence", outcome)
        blocks.append(Table(header, bins, frozenset({1, 2, 3})))
    return blocks


def estimates(metrics: Sequence[Estimate], title: str = "Metrics") -> list[Block]:
    """A table of estimates with their intervals, and what must be known to read them."""
    rows = tuple(
        (row.name, four(row.value), interval(row), str(row.n), row.method) for row in metrics
    )
    header = ("Metric", "Value", "95 % interval", "n", "Method")
    found: list[Block] = [Heading(title), Table(header, rows, frozenset({1, 2, 3}))]
    reasons: dict[str, list[str]] = {}
    for row in metrics:
        if row.reason:
            reasons.setdefault(row.reason.removeprefix(f"{row.name}: "), []).append(row.name)
    lines = tuple(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    if lines:
        found.append(Bullets(lines[:SHOWN]))
    return found


def interval(row: Estimate) -> str:
    """Both ends, or that nothing is claimed."""
    if row.low is None or row.high is None:
        return "not claimed"
    return f"{four(row.low)} to {four(row.high)}"
