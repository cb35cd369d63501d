"""A comparison of runs as a report: verdict, checks, one row a run, and what differs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from labkit.estimation.intervals import LEVEL
from labkit.reports.document import Bullets, Document, Heading, Paragraph, Report, Table, four

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.comparison import Check, Measure, Paired
    from labkit.reports.document import Block

PROVENANCE = ("toolVersion", "model", "prompt", "taxonomy")
"""What may differ between runs apart from their answers."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its name, what it was made with, and its metrics."""

    name: str
    measures: tuple[Measure, ...]
    provenance: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Versus:
    """One candidate against the baseline."""

    candidate: str
    checks: tuple[Check, ...]
    paired: Paired | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that a comparison of two or more runs has to say."""

    system: str
    runs: tuple[Run, ...]
    """The baseline first."""
    versus: tuple[Versus, ...]
    gold: str | None = None
    groups: tuple[tuple[str, str, Paired], ...] = ()
    """(field, value, the comparison of the last candidate there)."""
    warnings: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Whether no candidate regressed."""
        return all(check.held for versus in self.versus for check in versus.checks)


def differing(runs: Sequence[Run]) -> tuple[str, ...]:
    """Which of tool version, model, prompt and taxonomy are not the same in all runs."""
    return tuple(name for name in PROVENANCE if len({run.provenance.get(name) for run in runs}) > 1)


def check_data(check: Check) -> dict[str, object]:
    """One check as JSON-ready data."""
    data: dict[str, object] = {
        "metric": check.metric,
        "baseline": check.baseline.value,
        "candidate": check.candidate.value,
        "difference": check.difference,
        "low": check.interval.low if check.interval else None,
        "high": check.interval.high if check.interval else None,
        "level": LEVEL if check.interval else None,
        "method": check.method if check.interval else None,
        "n": check.n,
        "held": check.held,
        "reason": check.reason,
    }
    if check.tolerance is not None:
        data["tolerance"] = check.tolerance
    if check.baseline.counts and check.candidate.counts:
        data["counts"] = {
            "baseline": list(check.baseline.counts),
            "candidate": list(check.candidate.counts),
        }
    return data


def _pairs_data(paired: Paired) -> dict[str, int]:
    return {
        "both": paired.both,
        "baselineOnly": paired.baseline_only,
        "candidateOnly": paired.candidate_only,
    }


def _run_data(run: Run) -> dict[str, object]:
    return {
        "name": run.name,
        **{name: run.provenance.get(name) for name in PROVENANCE},
        "metrics": {measure.metric: measure.value for measure in run.measures},
    }


def as_data(c: Comparison) -> dict[str, object]:
    """The comparison as JSON-ready data."""
    first = c.versus[0]
    data: dict[str, object] = {
        "schemaVersion": 1,
        "system": c.system,
        "report": "compare",
        "gold": c.gold,
        "verdict": "HELD" if c.held else "REGRESSED",
        "checks": [check_data(check) for check in first.checks],
        "pairs": _pairs_data(first.paired) if first.paired else None,
        "runs": [_run_data(run) for run in c.runs],
        "differing": list(differing(c.runs)),
    }
    if len(c.versus) > 1:
        data["candidates"] = [
            {"name": versus.candidate, "checks": [check_data(check) for check in versus.checks]}
            for versus in c.versus
        ]
    if c.groups:
        data["groups"] = [
            {
                "key": key,
                "value": value,
                "checks": [check_data(check) for check in paired.checks],
                "pairs": _pairs_data(paired),
            }
            for key, value, paired in c.groups
        ]
    data["warnings"] = list(c.warnings)
    return data


def _side(measure: Measure) -> str:
    counts = f" ({measure.counts[0]}/{measure.counts[1]})" if measure.counts else ""
    return four(measure.value) + counts


def _interval(check: Check) -> str:
    if check.interval:
        return f"{check.interval.low:+.4f} to {check.interval.high:+.4f}"
    return f"n/a: {check.reason}" if check.reason else "n/a"


def checks_table(checks: Sequence[Check], *, judged: bool = True) -> Table:
    """Both sides with their counts, the difference and its interval.

    Args:
        checks: The rows.
        judged: Whether the last column says held or regressed; not where another rule judges.
    """
    rows = tuple(
        (
            check.metric,
            _side(check.baseline),
            _side(check.candidate),
            "n/a" if check.difference is None else f"{check.difference:+.4f}",
            _interval(check),
            "held" if check.held else "regressed",
        )
        for check in checks
    )
    header = ("metric", "baseline", "candidate", "difference", "95 % interval", "result")
    width = len(header) if judged else len(header) - 1
    return Table(header[:width], tuple(row[:width] for row in rows), frozenset({1, 2, 3}))


def _runs(runs: Sequence[Run]) -> Table:
    metrics = tuple(dict.fromkeys(m.metric for run in runs for m in run.measures))
    rows = []
    for run in runs:
        values = {measure.metric: measure.value for measure in run.measures}
        made_with = (run.provenance.get(name) or "not recorded" for name in PROVENANCE)
        rows.append((run.name, *made_with, *(four(values.get(metric)) for metric in metrics)))
    header = ("run", "tool version", "model", "prompt", "taxonomy", *metrics)
    return Table(header, tuple(rows), frozenset(range(5, len(header))))


def _verdict(c: Comparison) -> str:
    if c.held:
        some = any(check.tolerance for versus in c.versus for check in versus.checks)
        more = " by more than the rule allows" if some else ""
        return f"Held: no metric is worse than in the baseline{more}."
    worse = [
        f"{check.metric} ({versus.candidate})" if len(c.versus) > 1 else check.metric
        for versus in c.versus
        for check in versus.checks
        if not check.held
    ]
    return f"Regressed: {', '.join(worse)}."


def report(comparison: Comparison, *, fail_on_regression: bool = False) -> Report:
    """The report; exit code 1 only where a regression was asked to fail."""
    c = comparison
    blocks: list[Block] = [Heading(f"{c.system}: runs compared", 1), Paragraph(_verdict(c))]
    for versus in c.versus:
        if len(c.versus) > 1:
            blocks.append(Heading(f"{c.runs[0].name} → {versus.candidate}"))
        if versus.paired:
            blocks.append(Paragraph(_paired(versus.paired)))
        blocks.append(checks_table(versus.checks))
        blocks += _tolerated(versus.checks)
    different = differing(c.runs)
    said = (
        f"The runs differ in: {', '.join(different)}."
        if different
        else ("Tool version, model, prompt and taxonomy are the same in all runs, or not recorded.")
    )
    blocks += [Heading("Runs"), _runs(c.runs), Paragraph(said)]
    for key, value, paired in c.groups:
        blocks += [Heading(f"{key} = {value or '(empty)'}"), checks_table(paired.checks)]
    if c.warnings:
        blocks.append(Bullets(c.warnings))
    failed = fail_on_regression and not c.held
    return Report(as_data(c), Document(tuple(blocks)), int(failed))


def _tolerated(checks: Sequence[Check]) -> list[Block]:
    """A line on what the system's own rule lets a metric lose."""
    said = [f"{c.metric} {four(c.tolerance)}" for c in checks if c.tolerance]
    return [Paragraph(f"Held includes a loss of up to: {', '.join(said)}.")] if said else []


def _paired(paired: Paired) -> str:
    alone = paired.baseline_only + paired.candidate_only
    more = f"; {alone} that only one run has are left out" if alone else ""
    return f"Paired by item: {paired.both} in both runs{more}."
