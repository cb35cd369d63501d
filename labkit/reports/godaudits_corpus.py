"""godaudits' detector corpus as a report: authored and recorded apart, no rate without a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.evaluate.godaudits.corpus import ENOUGH
from labkit.reports import blocks
from labkit.reports.document import Bullets, Document, Heading, Paragraph, Report, Table, four
from labkit.reports.godaudits import evaluator_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.evaluate.godaudits.corpus import CheckRow
    from labkit.formats.godaudits.detectors import Detectors
    from labkit.gates import Check as Asked
    from labkit.reports.document import Block

NOT_RECORDED = "not recorded"
LIMITS = (
    "No control: nothing here compares an audit with the installed skill against one without.",
    "Seeded repositories are small, so a high rate cannot tell a good detector from easy seeds.",
    "A regression signal, not an estimate of reliability on unseen repositories.",
)


def limits(found: Detectors) -> list[str]:
    """What the rate does not say; the gaps in the attribution are named."""
    gaps = [name for name, value in found.attribution.items() if value is None]
    partial = [f"Partial attribution: {', '.join(gaps)} {NOT_RECORDED}."] if gaps else []
    return [*LIMITS, *partial]


def _check(row: CheckRow) -> dict[str, Any]:
    return {
        "check": row.check,
        "seeded": row.seeded,
        "detected": row.detected,
        "cases": row.cases,
        "recorded_cases": row.recorded_cases,
        "detection_rate": row.rate,
        "detection_rate_lower_bound": row.lower,
        "sample": row.sample,
    }


def _rate(row: CheckRow) -> str:
    if row.rate is None:
        return "n/a"
    return f"{four(row.rate)} ({row.recorded.numerator} of {row.recorded.denominator})"


def _checks(rows: Sequence[CheckRow]) -> Table:
    table = tuple(
        (
            row.check,
            f"{row.detected} of {row.seeded}",
            str(row.cases - row.recorded_cases),
            str(row.recorded_cases),
            _rate(row),
            four(row.lower),
            row.sample,
        )
        for row in rows
    )
    header = (
        "Check",
        "Detected",
        "Authored cases",
        "Recorded cases",
        "Detection rate",
        "Lower bound",
        "Sample",
    )
    return Table(header, table, frozenset({1, 2, 3, 4, 5}))


def _attribution(found: Detectors) -> list[Block]:
    rows = tuple(
        (name, NOT_RECORDED if value is None else _text(value))
        for name, value in found.attribution.items()
    )
    where = f"From {found.source}." if found.source else "No file of recorded runs was found."
    return [
        Heading("Attribution of the recorded runs"),
        Paragraph(where),
        Table(("Field", "Value"), rows),
        *([Paragraph(found.note)] if found.note else []),
        Heading("What the rate does not say"),
        Bullets(tuple(limits(found))),
    ]


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def report(found: Detectors, *, asked: Sequence[Asked] = ()) -> Report:
    """The report on a corpus; ``passed: false`` alone never changes the exit code."""
    corpus = found.corpus
    recorded = sum(case.provenance == "recorded" for case in corpus.cases)
    data: dict[str, Any] = {
        "schemaVersion": 1,
        "system": "godaudits",
        "report": "corpus",
        "scope": found.scope,
        "recorded_cases": recorded,
        "authored_cases": len(corpus.cases) - recorded,
        "cases": [
            {
                "name": case.name,
                "provenance": case.provenance,
                "audit": found.audits[case.name],
                **evaluator_data(case.evaluation),
            }
            for case in corpus.cases
        ],
        "checks": [_check(row) for row in corpus.checks],
        "missed": corpus.missed,
        "false_alarms": corpus.false_alarms,
        "passed": corpus.passed,
        "attribution": {"source": found.source, **found.attribution, "note": found.note},
        "limits": limits(found),
    }
    if asked:
        data["gates"] = [check.as_dict() for check in asked]
    cases = tuple(
        (
            case.name,
            case.provenance,
            four(case.evaluation.values["recall"]),
            four(case.evaluation.values["precision"]),
            four(case.evaluation.values["clean_control_rate"]),
            str(case.evaluation.false_positives),
            "passed" if case.evaluation.passed else "not passed",
        )
        for case in corpus.cases
    )
    header = ("Case", "Provenance", "Recall", "Precision", "Clean controls", "FP", "Result")
    verdict = "Passed" if corpus.passed else "Not passed"
    document = Document(
        (
            Heading("godaudits: detector corpus", 1),
            Paragraph(
                f"{verdict}: {recorded} recorded and {len(corpus.cases) - recorded} authored cases."
            ),
            Heading("Detection by check"),
            Paragraph(
                "Authored cases detect their own seeds by construction and make no rate; recorded "
                f"ones make one from {ENOUGH} cases on. The lower bound is Wilson's, 95 %."
            ),
            _checks(corpus.checks),
            *_attribution(found),
            Heading("Cases"),
            Table(header, cases, frozenset({2, 3, 4, 5})),
            *blocks.gates(asked),
        )
    )
    return Report(data, document, int(any(check.failed for check in asked)))
