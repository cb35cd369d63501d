"""decguard's production check as a report: outcomes, routing, drift and segments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.evaluate.decguard.gates import exit_code
from labkit.evaluate.decguard.production import MISSING
from labkit.formats.decguard.production import config
from labkit.metrics import calibration
from labkit.reports import blocks
from labkit.reports.decguard import base_names, check_table
from labkit.reports.document import Document, Heading, Paragraph, Report, Table, four
from labkit.reports.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.evaluate.decguard.contract import Contract
    from labkit.evaluate.decguard.live import LiveMetrics
    from labkit.evaluate.decguard.production import ProductionCheck
    from labkit.formats.decguard.production import Production
    from labkit.gates import Check as Asked
    from labkit.reports.document import Block


def _rows(m: LiveMetrics) -> tuple[tuple[str, str], ...]:
    routing = m.routing
    return (
        ("Records", str(m.counts.total)),
        (f"Accuracy ({m.outcomes.n} of known correctness)", four(m.outcomes.accuracy)),
        ("Error rate (1 - accuracy)", four(m.outcomes.error_rate)),
        ("Mean confidence", four(m.confidence.mean)),
        ("Coverage at the threshold", four(m.threshold.coverage)),
        (f"Abstention rate ({routing.n_actions} with an action)", four(routing.abstention_rate)),
        ("Human review rate", four(routing.human_review_rate)),
        (f"Fallback rate ({routing.n_fallback} known)", four(routing.fallback_rate)),
        ("Latency p95 (ms)", four(m.latency_ms.p95)),
        ("Cost, total", four(m.cost.total)),
    )


def _segment_blocks(found: ProductionCheck) -> list[Block]:
    if not found.segments:
        return []
    rows = tuple(
        (
            f"{s.key}={MISSING if s.value is None else s.value}",
            str(s.metrics.counts.total),
            four(s.metrics.outcomes.accuracy),
            four(s.metrics.calibration.ece),
            four(s.metrics.threshold.coverage),
            four(s.metrics.routing.fallback_rate),
            s.status,
        )
        for s in found.segments
    )
    header = ("Segment", "Records", "Accuracy", "ECE", "Coverage", "Fallback rate", "Result")
    return [Heading("Segments"), Table(header, rows, frozenset(range(1, 6)))]


def _baseline(baseline: Production | None, metrics: LiveMetrics | None) -> dict[str, Any] | None:
    if baseline is None or metrics is None:
        return None
    return {
        "source": baseline.source,
        "path": baseline.path,
        "hash": baseline.hash,
        "n_records": len(baseline.records),
        "metrics": metrics,
    }


def group_data(groups: Mapping[str, LiveMetrics], key: str) -> list[dict[str, Any]]:
    """The metrics that gates read, for each value of a field."""
    return [
        {"key": key, "value": value, "n": metrics.counts.total, **metrics.values()}
        for value, metrics in groups.items()
    ]


def report(  # noqa: PLR0913  # each is a part of the report
    found: ProductionCheck,
    production: Production,
    contract: Contract,
    *,
    baseline: Production | None = None,
    baseline_metrics: LiveMetrics | None = None,
    groups: Sequence[Mapping[str, Any]] = (),
    asked: Sequence[Asked] = (),
    fail_on_warn: bool = False,
) -> Report:
    """The report on a production check, with decguard's own keys; it exits as decguard does."""
    status, m = found.status, found.metrics
    data: dict[str, Any] = {
        "schemaVersion": 1,
        "system": "decguard",
        "check_version": "0.1",
        "status": status,
        "exit_code": exit_code(status),
        "contract": base_names({"contract": dict(contract.head())})["contract"],
        "evaluation": contract.evaluation,
        "config": config(contract),
        "dataset": {
            "path": production.path,
            "hash": production.hash,
            "n_records": m.counts.total,
            "n_outcomes": m.counts.with_outcome,
            "n_correctness": m.counts.with_correctness,
        },
        "baseline": _baseline(baseline, baseline_metrics),
        "metrics": m,
        "drift": found.drift,
        "segments": found.segments,
        "checks": found.checks,
        "records": production.records,
    }
    if groups:
        data["groups"] = list(groups)
    if asked:
        data["gates"] = [check.as_dict() for check in asked]
    c = m.calibration
    stated = calibration.Calibration(c.n, 0, c.ece, c.brier, c.nll, c.bins, c.reliability)
    against = f"against {baseline.path}" if baseline else "no baseline was given"
    drift = tuple((name.replace("_", " "), four(v)) for name, v in plain(found.drift).items())
    document = Document(
        (
            Heading(f"decguard: production check of {contract.decision.name}", 1),
            Paragraph(f"Status: {status}."),
            *check_table(found.checks),
            Heading("Metrics"),
            Table(("Metric", "Value"), _rows(m), frozenset({1})),
            *blocks.calibration(stated, outcome="Accuracy"),
            Heading("Drift"),
            Paragraph(f"Current records, {against}."),
            Table(("Drift", "Value"), drift, frozenset({1})),
            *_segment_blocks(found),
            *blocks.gates(asked),
        )
    )
    unmet = any(check.failed or (fail_on_warn and not check.held) for check in asked)
    failed = exit_code(status, fail_on_warn=fail_on_warn) or int(unmet)
    return Report(plain(data), document, failed)
