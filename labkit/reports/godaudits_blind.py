"""godaudits' blind runs as a report: hits, severities, the control, and words of confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.reports import blocks
from labkit.reports.document import Bullets, Document, Heading, Report, Table, four
from labkit.reports.godaudits_corpus import LIMITS, NOT_RECORDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.formats.godaudits.blind import BlindRuns
    from labkit.gates import Check as Asked


def report(found: BlindRuns, *, asked: Sequence[Asked] = ()) -> Report:
    """The report on blind runs, never without what is known about where they came from."""
    blind = found.blind
    ratios = {
        "recall": blind.recall,
        "severity_accuracy": blind.severity_accuracy,
        "clean_control_rate": blind.clean_control_rate,
    }
    words = [{"word": w, "n": r.denominator, "precision": r.value} for w, r in blind.by_word()]
    data: dict[str, Any] = {
        "schemaVersion": 1,
        "system": "godaudits",
        "report": "blind",
        **{name: ratio.value for name, ratio in ratios.items()},
        "counts": {
            n: {"numerator": r.numerator, "denominator": r.denominator} for n, r in ratios.items()
        },
        "byConfidenceWord": words,
        "runs": [
            {
                "repo": run.seed.repo,
                "seeded": run.seed.seeded,
                "outcome": run.output.outcome,
                "confidence": run.output.confidence,
                "hit": run.hit,
                "right": run.right,
            }
            for run in blind.runs
        ],
        "attribution": dict(found.attribution),
        "limits": list(LIMITS),
    }
    if asked:
        data["gates"] = [check.as_dict() for check in asked]
    figures = tuple(
        (name.replace("_", " "), four(r.value), f"{r.numerator} of {r.denominator}")
        for name, r in ratios.items()
    )
    told = tuple(
        (word, str(ratio.denominator), four(ratio.value)) for word, ratio in blind.by_word()
    )
    source = tuple(
        (name, NOT_RECORDED if value is None else str(value))
        for name, value in found.attribution.items()
    )
    document = Document(
        (
            Heading("godaudits: blind runs", 1),
            Table(("Metric", "Value", "Counts"), figures, frozenset({1, 2})),
            Heading("By word of confidence"),
            Table(("Word", "Runs", "Right"), told, frozenset({1, 2})),
            Heading("Attribution"),
            Table(("Field", "Value"), source),
            Bullets(LIMITS),
            *blocks.gates(asked),
        )
    )
    return Report(data, document, int(any(check.failed for check in asked)))
