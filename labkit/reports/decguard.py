"""decguard's golden run as a report: metrics, gates, failures, and where the policy sends cases."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from labkit.evaluate.decguard.gates import exit_code, status_of
from labkit.evaluate.decguard.measures import share
from labkit.evaluate.decguard.metrics import labelled
from labkit.evaluate.decguard.policy import route
from labkit.formats.decguard.report import as_data
from labkit.metrics import calibration
from labkit.reports import blocks
from labkit.reports.document import Document, Heading, Paragraph, Report, Table, four

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.evaluate.decguard.contract import Contract
    from labkit.evaluate.decguard.gates import Check
    from labkit.evaluate.decguard.metrics import Metrics
    from labkit.evaluate.decguard.records import Record
    from labkit.evaluate.decguard.run import Failure
    from labkit.formats.decguard.report import StoredRun
    from labkit.gates import Check as Asked
    from labkit.parsed import Problem
    from labkit.reports.document import Block


def base_names(data: dict[str, Any]) -> dict[str, Any]:
    """The report with files named by their base names only, and without a time."""
    found = {key: value for key, value in data.items() if key != "created_at"}
    for part in ("contract", "dataset", "baseline", "candidate"):
        section = found.get(part)
        if isinstance(section, dict):
            kept = base_names(section)
            if isinstance(kept.get("path"), str):
                kept["path"] = PurePath(kept["path"]).name
            found[part] = kept
    return found


def input_text(value: Any) -> str:
    """A case's input on one line: text as it is, an object as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def check_table(checks: Sequence[Check]) -> list[Block]:
    """Gates as decguard words them."""
    rows = tuple((c.status, c.level, c.gate, c.message) for c in checks)
    return [Heading("Gates"), Table(("Result", "Level", "Gate", "Check"), rows)]


def failure_table(failures: Sequence[Failure]) -> list[Block]:
    """Every wrong answer and error with its input."""
    if not failures:
        return [Heading("Failures"), Paragraph("None.")]
    rows = tuple(
        (
            f.case_id,
            f.expected if f.expected is not None else "n/a",
            f.selected or f.error or "n/a",
            four(f.confidence),
            input_text(f.input),
        )
        for f in failures
    )
    header = ("Case", "Expected", "Got", "Confidence", "Input")
    return [Heading(f"Failures ({len(rows)})"), Table(header, rows, frozenset({3}))]


def _figures(metrics: Metrics) -> list[tuple[str, str]]:
    counts, latency, kept = metrics.counts, metrics.latency, metrics.selective
    rows = [
        ("Cases", f"{counts.total}"),
        ("Answered", f"{counts.succeeded}"),
        ("Labelled answers", f"{counts.labeled}"),
        ("Error rate", f"{four(counts.error_rate)} ({counts.errored} of {counts.total})"),
        ("Accuracy", four(metrics.classification.accuracy)),
        ("Macro F1", four(metrics.classification.macro_f1)),
    ]
    if metrics.classification.ordinal_mae is not None:
        rows.append(("Ordinal MAE (steps)", four(metrics.classification.ordinal_mae)))
    if kept is not None:
        covered = kept.n_covered_labeled
        rows += [
            (f"Coverage (confidence ≥ {kept.threshold:g})", four(kept.coverage)),
            ("Abstention rate", four(kept.abstention_rate)),
            (f"Selective accuracy ({covered} labelled)", four(kept.selective_accuracy)),
        ]
    rows += [
        ("Latency p50 (ms)", four(latency.p50_ms)),
        ("Latency p95 (ms)", four(latency.p95_ms)),
    ]
    return rows


def metric_blocks(metrics: Metrics) -> list[Block]:
    """The metrics of a run as tables."""
    scores = tuple(
        (label, four(s.precision), four(s.recall), four(s.f1), str(s.support))
        for label, s in metrics.classification.per_label.items()
    )
    found: list[Block] = [
        Heading("Metrics"),
        Table(("Metric", "Value"), tuple(_figures(metrics)), frozenset({1})),
    ]
    if scores:
        header = ("Label", "Precision", "Recall", "F1", "Support")
        caption = "By label; 0 where a value is undefined, as decguard has it"
        found.append(Table(header, scores, frozenset({1, 2, 3, 4}), caption))
    c = metrics.calibration
    stated = calibration.Calibration(c.n, 0, c.ece, c.brier, c.nll, c.bins, c.reliability)
    return [*found, *blocks.calibration(stated, outcome="Accuracy")]


def policy_data(records: Sequence[Record], contract: Contract) -> list[dict[str, Any]]:
    """How many answers each route of the policy takes, and how many of them are right."""
    results = [record.result for record in records if record.result is not None]
    taken = {r.case_id: route(contract.routes, r.confidence).route_index for r in results}
    judged = labelled(records)
    rows: list[dict[str, Any]] = []
    for index, entry in enumerate(contract.routes):
        right = [e.right for e in judged if taken[e.result.case_id] == index]
        rows.append(
            {
                "route_index": index,
                "confidence_gte": entry.confidence_gte,
                "action": entry.action,
                "fallback_backend": entry.backend,
                "n": list(taken.values()).count(index),
                "labeled": len(right),
                "accuracy": share(right),
            }
        )
    return rows


def _policy_blocks(rows: Sequence[Mapping[str, Any]]) -> list[Block]:
    if not rows:
        return []
    table = tuple(
        (
            "otherwise" if row["confidence_gte"] is None else f"≥ {row['confidence_gte']:g}",
            " ".join(filter(None, (row["action"], row["fallback_backend"]))),
            str(row["n"]),
            str(row["labeled"]),
            four(row["accuracy"]),
        )
        for row in rows
    )
    header = ("Confidence", "Action", "Answers", "Labelled", "Accuracy")
    return [Heading("Policy"), Table(header, table, frozenset({2, 3, 4}))]


def group_data(groups: Mapping[str, Metrics], key: str) -> list[dict[str, Any]]:
    """The metrics that gates read, for each value of a field."""
    return [
        {"key": key, "value": value, "n": metrics.counts.total, **metrics.values()}
        for value, metrics in groups.items()
    ]


def group_blocks(rows: Sequence[Mapping[str, Any]], key: str) -> list[Block]:
    """The groups as one table."""
    if not rows:
        return []
    names = [name for name in rows[0] if name not in {"key", "value"}]
    table = tuple(
        (str(row["value"]), str(row["n"]), *(four(row[name]) for name in names[1:])) for row in rows
    )
    header = (key, "cases", *names[1:])
    return [Heading(f"By {key}"), Table(header, table, frozenset(range(1, len(header))))]


def report(  # noqa: PLR0913  # each is a part of the report
    stored: StoredRun,
    *,
    fail_on_warn: bool = False,
    asked: Sequence[Asked] = (),
    groups: Mapping[str, Metrics] | None = None,
    by: str = "",
    problems: Sequence[Problem] = (),
) -> Report:
    """The report on a golden run; exits as decguard does, or with 1 for a failed gate option."""
    run, contract = stored.run, stored.contract
    status = status_of(stored.checks)
    data: dict[str, Any] = {"schemaVersion": 1, "system": "decguard", **base_names(as_data(stored))}
    routes = policy_data(run.records, contract) if contract.routes else []
    if routes:
        data["policy"] = routes
    grouped = group_data(groups, by) if groups else []
    if groups:
        data["groups"] = grouped
    if asked:
        data["gates"] = [check.as_dict() for check in asked]
    data["problems"] = [problem.as_dict() for problem in problems]
    decision = contract.decision
    head = f"{decision.name} ({decision.type}: {', '.join(decision.labels)})"
    document = Document(
        (
            Heading(f"decguard: {head}", 1),
            Paragraph(f"Status: {status}."),
            *check_table(stored.checks),
            *metric_blocks(run.metrics),
            *_policy_blocks(routes),
            *group_blocks(grouped, by),
            *failure_table(run.failures),
            *blocks.gates(asked),
            *blocks.problems(problems),
        )
    )
    unmet = any(check.failed or (fail_on_warn and not check.held) for check in asked)
    failed = exit_code(status, fail_on_warn=fail_on_warn) or int(unmet)
    return Report(data, document, failed)
