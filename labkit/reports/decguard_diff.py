"""decguard's regression diff as a report: what moved, what got worse, which answers flipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.evaluate.decguard.gates import exit_code
from labkit.parsed import Problem
from labkit.reports.comparison import check_data, checks_table
from labkit.reports.decguard import base_names, check_table, input_text
from labkit.reports.document import Document, Heading, Paragraph, Report, Table, four
from labkit.reports.plain import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.comparison import Check
    from labkit.evaluate.decguard.contract import Contract
    from labkit.evaluate.decguard.diff import Change, Delta, Diff
    from labkit.formats.decguard.report import StoredRun
    from labkit.reports.document import Block


def _side(run: StoredRun, path: str) -> dict[str, Any]:
    return {
        "path": path,
        "mode": run.carried.get("mode") or "test",
        "contract_hash": run.contract.hash,
        "dataset": base_names({"dataset": dict(run.dataset)})["dataset"],
        "backend": run.carried.get("backend"),
    }


def concurrency(baseline: StoredRun, candidate: StoredRun, source: str) -> tuple[Problem, ...]:
    """A warning where latencies come from runs with different settings."""
    before = baseline.contract.evaluation.max_concurrency
    after = candidate.contract.evaluation.max_concurrency
    if before == after:
        return ()
    message = (
        f"latency is not comparable: max_concurrency was {before} in the baseline and {after} here."
    )
    return (Problem(source, None, message, "warning"),)


def _signed(value: float | None) -> str:
    return "n/a" if value is None else f"{value:+.4f}"


def _metric_rows(diff: Diff, *, comparable: bool) -> tuple[tuple[str, ...], ...]:
    def row(name: str, delta: Delta) -> tuple[str, ...]:
        mark = "" if comparable or not name.startswith("latency") else " (not comparable)"
        return name + mark, four(delta.baseline), four(delta.candidate), _signed(delta.delta)

    return tuple(row(name, delta) for name, delta in diff.metrics.items())


def _change(change: Change) -> tuple[str, ...]:
    before = change.baseline_selected or "error"
    after = change.candidate_selected or "error"
    expected = change.expected if change.expected is not None else "n/a"
    return (
        change.case_id,
        change.kind.replace("_", " "),
        expected,
        f"{before} ({four(change.baseline_confidence)})",
        f"{after} ({four(change.candidate_confidence)})",
        input_text(change.input),
    )


def _segments(diff: Diff) -> list[Block]:
    if not diff.segments:
        return []
    rows = tuple(
        (
            f"{s.key}={s.value}",
            str(s.matched),
            str(s.compared),
            four(s.baseline_accuracy),
            four(s.candidate_accuracy),
            _signed(s.accuracy_drop),
            four(s.answer_flip_rate),
            "yes" if s.gated else "too small",
        )
        for s in diff.segments
    )
    header = (
        "Segment",
        "Matched",
        "Compared",
        "Baseline accuracy",
        "Candidate accuracy",
        "Drop",
        "Flip rate",
        "Gated",
    )
    return [Heading("Segments"), Table(header, rows, frozenset(range(1, 7)))]


def _differences(checks: Sequence[Check]) -> list[Block]:
    if not checks:
        return []
    return [Heading("Differences, paired by case"), checks_table(checks, judged=False)]


def report(  # noqa: PLR0913  # each is a part of the report
    diff: Diff,
    baseline: StoredRun,
    candidate: StoredRun,
    contract: Contract,
    names: tuple[str, str],
    *,
    by: str | None = None,
    differences: Sequence[Check] = (),
) -> Report:
    """The report on a diff; exits as decguard does: 1 when a requirement fails."""
    status = diff.status
    problems = concurrency(baseline, candidate, names[1])
    before, after = _side(baseline, names[0]), _side(candidate, names[1])
    hashes = [side["dataset"].get("hash") for side in (before, after)]
    data = {
        "schemaVersion": 1,
        "system": "decguard",
        "report": "compare",
        "diff_version": "0.1",
        "status": status,
        "exit_code": exit_code(status),
        "contract": base_names({"contract": dict(contract.head())})["contract"],
        "baseline": before,
        "candidate": after,
        "same_dataset": hashes[0] is not None and hashes[0] == hashes[1],
        "evaluation": contract.evaluation,
        "counts": diff.counts,
        "shift": diff.shift,
        "metrics": diff.metrics,
        "segments": diff.segments,
        "checks": diff.checks,
        "changes": diff.changes,
        **({"groups": diff.segments} if by else {}),
        "differences": [
            {name: value for name, value in check_data(check).items() if name != "held"}
            for check in differences
        ],
        "latency_comparable": not problems,
        "problems": [problem.as_dict() for problem in problems],
    }
    counts = diff.counts
    shift = tuple((name.replace("_", " "), four(v)) for name, v in plain(diff.shift).items())
    tally = tuple((name.replace("_", " "), str(value)) for name, value in plain(counts).items())
    changes: list[Block] = [Paragraph("No answer flipped, was lost or came back.")]
    if diff.changes:
        header = ("Case", "Change", "Expected", "Baseline", "Candidate", "Input")
        changes = [Table(header, tuple(map(_change, diff.changes)))]
    different = "" if data["same_dataset"] else " The datasets differ, or their hashes are unknown."
    document = Document(
        (
            Heading(f"decguard: {names[0]} → {names[1]}", 1),
            Paragraph(f"Status: {status}. {counts.matched} cases in both runs.{different}"),
            *check_table(diff.checks),
            *(Paragraph(problem.message) for problem in problems),
            Heading("Metrics on the cases of both runs"),
            Table(
                ("Metric", "Baseline", "Candidate", "Difference"),
                _metric_rows(diff, comparable=not problems),
                frozenset({1, 2, 3}),
            ),
            *_differences(differences),
            Heading("How answers moved"),
            Table(("Shift", "Value"), shift, frozenset({1})),
            Table(("Cases", "Count"), tally, frozenset({1})),
            *_segments(diff),
            Heading(f"Changes ({len(diff.changes)})"),
            *changes,
        )
    )
    return Report(plain(data), document, exit_code(status), problems)
