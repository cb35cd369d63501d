"""godaudits' evaluator as a report: ratios with their counts, strata, and what is vacuous."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.evaluate.godaudits.audit import ALWAYS, PASSING
from labkit.metrics.counts import Ratio
from labkit.metrics.rounding import JS_FIXED_4
from labkit.reports import blocks
from labkit.reports.document import Document, Heading, Paragraph, Report, Table, four

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.evaluate.godaudits.audit import Audit, Evaluation, Expected, Required
    from labkit.formats.godaudits.audit import Adjudication
    from labkit.gates import Check as Asked
    from labkit.parsed import Problem
    from labkit.reports.document import Block


def _number(value: float | None) -> float | int | None:
    """A whole ratio as JavaScript writes it: 1, not 1.0."""
    return int(value) if value is not None and value.is_integer() else value


def evaluator_data(found: Evaluation) -> dict[str, Any]:
    """The evaluator's own keys, in its order."""
    by_severity = {n: JS_FIXED_4(ratio.value) for n, ratio in found.recall_by_severity.items()}
    missed: dict[str, list[Any]] = {name: [] for name in ALWAYS}
    for required in found.missed:
        missed.setdefault(required.severity, []).append(_raw(required))
    severities = [name for name in by_severity if name in missed]
    recall = found.ratios["recall"]
    return {
        **{name: _number(value) for name, value in found.values.items()},
        "expected_findings": recall.denominator,
        "detected_findings": recall.numerator,
        "active_findings": found.active_findings,
        "false_positives": found.false_positives,
        "missed": [_raw(required) for required in found.missed],
        "recall_by_severity": {name: _number(value) for name, value in by_severity.items()},
        "missed_by_severity": {name: missed[name] for name in severities},
        "passed": found.passed,
    }


def _raw(required: Required) -> dict[str, Any]:
    known = {"check": required.check, "severity": required.severity, "path": required.path}
    return dict(required.raw) or known


def counts_data(found: Evaluation) -> dict[str, dict[str, int]]:
    """Numerator and denominator of every ratio."""
    return {
        name: {"numerator": ratio.numerator, "denominator": ratio.denominator}
        for name, ratio in found.ratios.items()
    }


def ratio_table(found: Evaluation) -> Table:
    """Each ratio with its counts; a vacuous one says that there is nothing to count."""
    rows = tuple(
        (
            name.replace("_", " "),
            four(found.values[name]),
            f"{ratio.numerator} of {ratio.denominator}",
            str(ratio) if ratio.denominator else "n/a: vacuous, nothing to count",
            f"≥ {PASSING[name]:g}",
        )
        for name, ratio in found.ratios.items()
    )
    header = ("Metric", "As godaudits reports it", "Counts", "Without the vacuous rule", "Passes")
    return Table(header, rows, frozenset({1, 2}))


def _strata(found: Evaluation) -> list[Block]:
    rows = tuple(
        (name, four(ratio.value), f"{ratio.numerator} of {ratio.denominator}")
        for name, ratio in found.recall_by_severity.items()
    )
    return [
        Heading("Recall by expected severity"),
        Table(("Severity", "Recall", "Counts"), rows, frozenset({1, 2})),
    ]


def _missed(found: Evaluation) -> list[Block]:
    if not found.missed:
        return [Heading("Missed"), Paragraph("Nothing.")]
    rows = tuple((r.check, r.severity, r.path or "any path") for r in found.missed)
    return [
        Heading(f"Missed ({len(rows)})"),
        Table(("Check", "Expected severity", "Path"), rows),
    ]


def _extra(audit: Audit, found: Evaluation) -> list[Block]:
    matched = set(found.matched)
    rows = tuple(
        (f.id, f.severity, ", ".join(f.checks), f.title)
        for f in audit.active
        if f.id not in matched
    )
    if not rows:
        return [Heading("False positives"), Paragraph("None.")]
    header = ("Finding", "Severity", "Checks", "Title")
    return [Heading(f"False positives ({len(rows)})"), Table(header, rows)]


def _verdict(adjudication: Adjudication | None, found: Evaluation) -> list[Block]:
    if adjudication is None:
        return []
    mechanical = found.ratios["recall"]
    rows = (
        ("Hits", str(mechanical.numerator), str(adjudication.hits)),
        (
            "Misses",
            str(mechanical.denominator - mechanical.numerator),
            str(adjudication.misses),
        ),
    )
    reasons = [Paragraph(reason) for reason in adjudication.reasons]
    header = ("", "Mechanical match", "A person's verdict")
    return [Heading("Match and verdict"), Table(header, rows, frozenset({1, 2})), *reasons]


def groups(expected: Expected, found: Evaluation, by: str) -> list[dict[str, Any]]:
    """Recall for each value of a field of the expected findings, values sorted."""
    pairs = zip(expected.required, found.matched, strict=True)
    parts: dict[str, list[bool]] = {}
    for required, match in pairs:
        value = str(_raw(required).get(by, ""))
        parts.setdefault(value, []).append(match is not None)
    return [
        {
            "key": by,
            "value": value,
            "expected": len(hits),
            "detected": sum(hits),
            "recall": Ratio(sum(hits), len(hits)).value,
        }
        for value, hits in sorted(parts.items())
    ]


def _group_blocks(rows: Sequence[dict[str, Any]]) -> list[Block]:
    if not rows:
        return []
    key = str(rows[0]["key"])
    table = tuple(
        (str(r["value"]), str(r["expected"]), str(r["detected"]), four(r["recall"])) for r in rows
    )
    return [
        Heading(f"By {key}"),
        Table((key, "Expected", "Detected", "Recall"), table, frozenset({1, 2, 3})),
    ]


def report(  # noqa: PLR0913  # each is a part of the report
    audit: Audit,
    found: Evaluation,
    *,
    adjudication: Adjudication | None = None,
    grouped: Sequence[dict[str, Any]] = (),
    asked: Sequence[Asked] = (),
    problems: Sequence[Problem] = (),
) -> Report:
    """The report on one audit; ``passed: false`` alone never changes the exit code."""
    data: dict[str, Any] = {
        "schemaVersion": 1,
        "system": "godaudits",
        "report": "evaluate",
        **evaluator_data(found),
        "counts": counts_data(found),
        "vacuous": list(found.vacuous),
    }
    if adjudication is not None:
        data["adjudication"] = {
            "hits": adjudication.hits,
            "misses": adjudication.misses,
            "false_positives": adjudication.false_positives,
        }
    if grouped:
        data["groups"] = list(grouped)
    if asked:
        data["gates"] = [check.as_dict() for check in asked]
    data["problems"] = [problem.as_dict() for problem in problems]
    violated = ", ".join(found.violated)
    document = Document(
        (
            Heading("godaudits: audit against its expectations", 1),
            Paragraph("Passed." if found.passed else "Not passed."),
            ratio_table(found),
            *([Paragraph(f"Clean checks with a finding: {violated}.")] if violated else []),
            *_strata(found),
            *_missed(found),
            *_extra(audit, found),
            *_verdict(adjudication, found),
            *_group_blocks(grouped),
            *blocks.gates(asked),
            *blocks.problems(problems),
        )
    )
    return Report(data, document, int(any(check.failed for check in asked)))
