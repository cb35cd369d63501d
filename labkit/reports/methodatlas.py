"""The report on MethodAtlas predictions: the same facts as data and as a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.reports import blocks
from labkit.reports.document import Document, Heading, Paragraph, Report, Table, four

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.estimation.estimates import Estimate
    from labkit.evaluate.methodatlas import Evaluation
    from labkit.gates import Check
    from labkit.metrics.counts import Counts
    from labkit.parsed import Problem
    from labkit.reports.document import Block

COUNTERS = (
    ("predictionRows", "Prediction rows read"),
    ("evaluated", "Evaluated"),
    ("unlabelledPredictions", "Predictions without a label"),
    ("unpredictedLabels", "Labelled methods without an AI prediction"),
    ("staleLabelEntries", "Label entries matching no scanned method"),
    ("relevanceSamples", "Methods with a relevance label"),
    ("tagSamples", "Methods with a tag label"),
)


def _ratios(counts: Counts) -> dict[str, object]:
    return {
        "precision": counts.precision.value,
        "recall": counts.recall.value,
        "f1": counts.f1.value,
    }


def relevance_data(counts: Counts) -> dict[str, object]:
    """Counts and ratios of the relevance decision."""
    matrix = {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn, "tn": counts.tn}
    last = {"accuracy": counts.accuracy.value, "support": counts.support}
    return {**matrix, **_ratios(counts), **last}


def _tag_data(counts: Counts) -> dict[str, object]:
    return {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn, **_ratios(counts)}


def _calibration_data(found: Evaluation) -> dict[str, object] | None:
    if found.calibration is None:
        return None
    data: dict[str, object] = {}
    for key, value in found.calibration.as_dict().items():
        data[key] = value
        if key == "ece":
            data["eceTopLabel"] = found.ece_top_label
    return data


def figures(found: Evaluation) -> dict[str, object]:
    """Everything that is measured, in the order of the report."""
    data: dict[str, object] = {
        "predictionRows": found.prediction_rows,
        "evaluated": found.evaluated,
        "unlabelledPredictions": found.unlabelled_predictions,
        "unpredictedLabels": found.unpredicted_labels,
        "staleLabelEntries": found.stale_label_entries,
        "relevanceSamples": found.relevance_samples,
        "tagSamples": found.tag_samples,
        "relevance": relevance_data(found.relevance),
        "tags": [
            {"tag": tag, **_tag_data(counts), "support": counts.support}
            for tag, counts in found.tags.by_tag.items()
        ],
        "tagsMicro": _tag_data(found.tags.micro),
        "tagsMacroF1": found.tags.macro_f1,
        "calibration": _calibration_data(found),
    }
    if found.selective is not None:
        data["selective"] = {
            "threshold": found.selective.threshold,
            "coverage": found.selective.coverage.value,
            "accuracy": found.selective.accuracy.value,
            "n": found.selective.accuracy.denominator,
        }
    return data


def _relevance_blocks(found: Evaluation) -> list[Block]:
    counts = found.relevance
    matrix = Table(
        ("", "Truth: relevant", "Truth: not relevant"),
        (
            ("Predicted: relevant", str(counts.tp), str(counts.fp)),
            ("Predicted: not relevant", str(counts.fn), str(counts.tn)),
        ),
        frozenset({1, 2}),
    )
    rows = (
        ("Precision", str(counts.precision)),
        ("Recall", str(counts.recall)),
        ("F1", str(counts.f1)),
        ("Accuracy", str(counts.accuracy)),
        ("Support", str(counts.support)),
    )
    return [
        Heading("Security relevance"),
        matrix,
        Table(("Metric", "Value"), rows, frozenset({1})),
    ]


def _tag_blocks(found: Evaluation) -> list[Block]:
    if not found.tags.by_tag:
        return [Heading("Tags"), Paragraph("n/a: no tag in any scored prediction or label.")]
    rows = [
        (
            tag,
            str(c.tp),
            str(c.fp),
            str(c.fn),
            str(c.precision),
            str(c.recall),
            str(c.f1),
            str(c.support),
        )
        for tag, c in [*found.tags.by_tag.items(), ("micro-average", found.tags.micro)]
    ]
    rows.append(("macro-average", "", "", "", "", "", four(found.tags.macro_f1), ""))
    header = ("Tag", "TP", "FP", "FN", "Precision", "Recall", "F1", "Support")
    return [Heading("Tags"), Table(header, tuple(rows), frozenset(range(1, 8)))]


def _selective_blocks(found: Evaluation) -> list[Block]:
    part = found.selective
    if part is None:
        return []
    rows = (
        ("Coverage", str(part.coverage), f"{part.coverage.numerator}/{part.coverage.denominator}"),
        ("Accuracy", str(part.accuracy), f"{part.accuracy.numerator}/{part.accuracy.denominator}"),
    )
    title = Heading(f"Answers with a confidence of {part.threshold:g} or more")
    return [title, Table(("Metric", "Value", "Counts"), rows, frozenset({1, 2}))]


def _group_blocks(groups: Mapping[str, Evaluation], by: str) -> list[Block]:
    if not groups:
        return []
    rows = tuple(
        (
            key,
            str(one.evaluated),
            str(one.relevance.precision),
            str(one.relevance.recall),
            str(one.relevance.f1),
            str(one.tags.micro.f1),
        )
        for key, one in groups.items()
    )
    header = (by, "Evaluated", "Precision", "Recall", "F1", "Micro tag F1")
    return [Heading(f"By {by}"), Table(header, rows, frozenset(range(1, 6)))]


def report(  # noqa: PLR0913  # the parts of one report
    found: Evaluation,
    *,
    problems: Sequence[Problem] = (),
    checks: Sequence[Check] = (),
    groups: Mapping[str, Evaluation] | None = None,
    by: str = "",
    estimates: Sequence[Estimate] = (),
) -> Report:
    """Put an evaluation, what was doubtful in its files, and its gates into one report."""
    measured = figures(found)
    data: dict[str, object] = {"schemaVersion": 1, "system": "methodatlas", **measured}
    data["problems"] = [problem.as_dict() for problem in problems]
    data["gates"] = [check.as_dict() for check in checks]
    if estimates:
        data["estimates"] = [row.as_dict() for row in estimates]
    if groups is not None:
        data["groups"] = [
            {"key": by, "value": value, **figures(one)} for value, one in groups.items()
        ]
    counters = tuple((text, str(measured[key])) for key, text in COUNTERS)
    document = Document(
        (
            Heading("MethodAtlas: AI accuracy", 1),
            Table(("Counter", "Value"), counters, frozenset({1})),
            *_relevance_blocks(found),
            *_tag_blocks(found),
            *blocks.calibration(
                found.calibration, ("ECE of the answer given", found.ece_top_label)
            ),
            *_selective_blocks(found),
            *(blocks.estimates(estimates, "Estimates for all predictions") if estimates else ()),
            *_group_blocks(groups or {}, by),
            *blocks.gates(checks),
            *blocks.problems(problems),
        )
    )
    failed = any(check.failed for check in checks)
    return Report(data, document, int(failed), tuple(problems))
