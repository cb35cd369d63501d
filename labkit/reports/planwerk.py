"""A scored planwerk corpus as a report: counts beside every ratio."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.estimation.clusters import Cluster, clustered_share
from labkit.formats.planwerk_report import as_data
from labkit.reports import blocks as shared
from labkit.reports import planwerk_text
from labkit.reports.comparison import check_data, checks_table
from labkit.reports.document import Bullets, Document, Heading, Paragraph, Report, Table, four

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.comparison import Check as Difference
    from labkit.evaluate.planwerk import CaseScore, Evaluation
    from labkit.evaluate.planwerk_compare import Comparison
    from labkit.gates import Check
    from labkit.reports.document import Block

_SCORES = ("case", "clean", "TP", "FP", "FN", "precision", "recall", "severity accuracy")


def _score_row(case: CaseScore) -> tuple[str, ...]:
    t = case.tally
    return (
        case.name,
        "yes" if case.clean else "no",
        str(t.tp),
        str(t.fp),
        str(t.fn),
        four(case.precision),
        four(case.recall),
        four(case.severity_accuracy),
    )


def _scores(e: Evaluation) -> Table:
    rows = tuple(_score_row(case) for case in (*e.cases, e.aggregate))
    return Table(_SCORES, rows, frozenset(range(2, 8)))


def _intervals(e: Evaluation) -> Table:
    """Recall and precision with the case as the unit: runs of one case are no independent units."""
    tallies = [case.tally for case in e.cases]
    found = (
        ("precision", clustered_share([Cluster(t.tp, t.tp + t.fp) for t in tallies])),
        ("recall", clustered_share([Cluster(t.tp, t.expected) for t in tallies])),
    )
    rows = tuple(
        (name, four(share.value), *map(four, share.interval), str(share.clusters))
        for name, share in found
    )
    return Table(("metric", "estimate", "low", "high", "cases"), rows, frozenset(range(1, 5)))


def _passes(e: Evaluation) -> Table:
    expected = str(e.aggregate.tally.expected)
    rows = tuple((n, str(found), expected, four(recall)) for n, found, recall in e.recall_by_pass)
    return Table(("pass", "found", "expected", "recall"), rows, frozenset({1, 2, 3}))


def comparison_blocks(comparison: Comparison) -> tuple[Block, ...]:
    """The verdict and its checks; cost stands beside it and never decides."""
    checks = tuple(
        (
            c.metric,
            four(c.baseline),
            four(c.candidate),
            four(c.floor),
            "held" if c.held else "regressed",
        )
        for c in comparison.checks
    )
    passes = tuple(
        (name, four(before), four(after), planwerk_text.points(before, after))
        for name, before, after in comparison.recall_by_pass
    )
    one, other = comparison.baseline, comparison.candidate
    costs = tuple(
        (name, str(before), str(after), planwerk_text.change(before, after))
        for name, before, after in (
            ("prompt tokens", one.prompt_tokens, other.prompt_tokens),
            ("output tokens", one.output_tokens, other.output_tokens),
            ("est. USD", round(one.est_cost_usd, 4), round(other.est_cost_usd, 4)),
        )
    )
    sides = ("baseline", "candidate")
    tiers = tuple(
        f"{side} tiers: {planwerk_text.tiers_line(t)}"
        for side, t in zip(sides, comparison.tiers, strict=True)
    )
    blocks: list[Block] = [
        Heading(f"Verdict: {comparison.verdict}"),
        Bullets(tiers),
        Table(("metric", *sides, "floor", "result"), checks, frozenset({1, 2, 3})),
        Table(("pass recall", *sides, "change"), passes, frozenset({1, 2, 3})),
        Table(("cost per run", *sides, "change"), costs, frozenset({1, 2, 3})),
    ]
    if comparison.warnings:
        blocks.append(Bullets(comparison.warnings))
    return tuple(blocks)


def groups_table(groups: Sequence[Mapping[str, object]]) -> Table:
    """Seeded bugs and findings by one field: recall of the former, precision of the latter."""
    counts = ("expected", "tp", "fn", "recall", "findings", "hits", "precision")
    rows = tuple((str(g["value"]), *(_cell(g[name]) for name in counts)) for g in groups)
    header = ("value", "expected", "TP", "FN", "recall", "findings", "real", "precision")
    return Table(header, rows, frozenset(range(1, 8)))


def _cell(value: object) -> str:
    return str(value) if isinstance(value, int) else four(value)  # type: ignore[arg-type]  # a ratio


def words_table(words: Sequence[Mapping[str, object]]) -> Table:
    """Precision by the word that a finding gives for its confidence."""
    rows = tuple((str(w["word"]), str(w["n"]), four(w["precision"])) for w in words)  # type: ignore[arg-type]  # a number or None by construction
    return Table(("confidence", "findings", "precision"), rows, frozenset({1, 2}))


def report(  # noqa: PLR0913  # each is one part of the report
    evaluation: Evaluation,
    comparison: Comparison | None = None,
    *,
    words: Sequence[Mapping[str, object]] = (),
    groups: Sequence[Mapping[str, object]] = (),
    severities: Sequence[Mapping[str, object]] = (),
    checks: Sequence[Check] = (),
    differences: Sequence[Difference] = (),
) -> Report:
    """The report of a scored corpus, with the comparison to a baseline where one was given."""
    e = evaluation
    data: dict[str, object] = {"schemaVersion": 1, "system": "planwerk", **as_data(e, comparison)}
    flags = (
        f"thorough {'on' if e.thorough else 'off'}, specialists {'on' if e.specialists else 'off'}"
    )
    blocks: list[Block] = [
        Heading("planwerk: findings against seeded bugs", 1),
        Paragraph(
            f"{len(e.cases)} cases, {e.runs} runs each ({flags}). Counts are totals over the runs; "
            "every ratio is a ratio of sums. A clean case seeds no bug: every finding there is a "
            "false positive and its recall is n/a."
        ),
        Paragraph(f"Tiers: {planwerk_text.tiers_line(e.tiers)}."),
        _scores(e),
        Paragraph("With its 95 % interval; the case is the unit, however many runs it has:"),
        _intervals(e),
    ]
    if e.recall_by_pass:
        blocks += [Heading("Recall by pass"), _passes(e)]
    if severities:
        blocks += [Heading("By severity"), groups_table(severities)]
    if words:
        data["byConfidenceWord"] = [dict(word) for word in words]
        blocks += [Heading("Precision by confidence word"), words_table(words)]
    if groups:
        data["groups"] = [dict(group) for group in groups]
        blocks += [Heading(f"By {groups[0]['key']}"), groups_table(groups)]
    if comparison:
        blocks += comparison_blocks(comparison)
        blocks.insert(1, Paragraph(f"Against the baseline: {comparison.verdict}."))
    if differences:
        data["differences"] = [
            {name: value for name, value in check_data(check).items() if name != "held"}
            for check in differences
        ]
        blocks += [
            Heading("Differences"),
            Paragraph(f"The case is the unit, not the run: {len(e.cases)} cases."),
            checks_table(differences, judged=False),
        ]
    text = planwerk_text.render(e, comparison)
    if checks:
        data["gates"] = [check.as_dict() for check in checks]
        blocks += shared.gates(checks)
        text += "\n" + "".join(_gate_line(check) for check in checks)
    failed = any(check.failed for check in checks)
    return Report(data, Document(tuple(blocks)), int(failed), text=text)


def _gate_line(check: Check) -> str:
    word = "held" if check.held else "FAILED" if check.failed else "warning"
    name = check.gate.name.replace("_", "-")
    return f"GATE {name} {check.gate.threshold:g}: {check.metric} {four(check.value)}, {word}\n"
