"""A scored AACR-Bench run as a report, under AACR-Bench's own names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.evaluate.aacr import OVERALL, PER_PULL_REQUEST
from labkit.reports import blocks as shared
from labkit.reports.document import Document, Heading, Paragraph, Report, Table, four

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.evaluate.aacr import Evaluation, Rule, Scored
    from labkit.gates import Check
    from labkit.parsed import Problem
    from labkit.reports.document import Block

SHOWN = 20
"""Pull requests that the document lists; the JSON has all."""
_RATES = (
    ("positive_match_rate", "precision: says the same, of all generated"),
    ("positive_recall_rate", "recall: says the same, of all expected"),
    ("positive_line_match_rate", "line precision: placed right, of all generated"),
    ("positive_line_recall_rate", "line recall: placed right, of all expected"),
    ("unmatched_rate", "noise: says the same as none, of all generated"),
)


def _pull_request(one: Scored) -> dict[str, object]:
    c = one.counts
    return {
        "github_pr_url": one.pull_request.url,
        "positive_expected_nums": c.expected,
        "total_generated_nums": c.generated,
        "positive_match_nums": c.matches,
        "positive_line_match_nums": c.line_matches,
        "unmatched_nums": c.unmatched,
        **_ordered(c.rates(PER_PULL_REQUEST)),
    }


def _ordered(rates: Mapping[str, float]) -> dict[str, float]:
    order = (
        "positive_match_rate",
        "positive_line_match_rate",
        "positive_recall_rate",
        "positive_line_recall_rate",
        "unmatched_rate",
    )
    return {name: rates[name] for name in order}


def _summary_v2(e: Evaluation) -> dict[str, float]:
    """v2's own summary: three decimals, F1 from the rounded precision and recall."""
    rates = e.overall.rates(PER_PULL_REQUEST)
    summary = {
        "semantic_match_rate": rates["positive_match_rate"],
        "line_match_rate": rates["positive_line_match_rate"],
        "semantic_recall_rate": rates["positive_recall_rate"],
        "line_recall_rate": rates["positive_line_recall_rate"],
    }
    for name in ("semantic", "line"):
        p, r = summary[f"{name}_match_rate"], summary[f"{name}_recall_rate"]
        summary[f"{name}_f1"] = PER_PULL_REQUEST.of(2 * p * r / (p + r)) if p + r else 0.0
    return summary


def as_data(e: Evaluation, rule: Rule) -> dict[str, object]:
    """The evaluation as JSON-ready data."""
    o = e.overall
    data: dict[str, object] = {
        "schemaVersion": 1,
        "system": "aacr",
        "pullRequests": [_pull_request(one) for one in e.scored],
        "overall": {
            "total_generated": o.generated,
            "positive_expected": o.expected,
            "positive_matches": o.matches,
            "positive_line_matches": o.line_matches,
            "unmatched": o.unmatched,
            "positive_match_rate": o.rates(OVERALL)["positive_match_rate"],
            "positive_line_match_rate": o.rates(OVERALL)["positive_line_match_rate"],
            "positive_recall_rate": o.rates(OVERALL)["positive_recall_rate"],
            "positive_line_recall_rate": o.rates(OVERALL)["positive_line_recall_rate"],
            "unmatched_rate": o.rates(OVERALL)["unmatched_rate"],
        },
        "skipped": {"generatedOnly": e.generated_only, "referencesOnly": e.references_only},
    }
    if rule.rules == "v2":
        data["summary"] = _summary_v2(e)
    return data


def _overall(e: Evaluation) -> Table:
    o, rates = e.overall, e.overall.rates(OVERALL)
    counts = {
        "positive_match_rate": (o.matches, o.generated),
        "positive_recall_rate": (o.matches, o.expected),
        "positive_line_match_rate": (o.line_matches, o.generated),
        "positive_line_recall_rate": (o.line_matches, o.expected),
        "unmatched_rate": (o.unmatched, o.generated),
    }
    rows = tuple(
        (name, what, str(counts[name][0]), str(counts[name][1]), four(rates[name]))
        for name, what in _RATES
    )
    return Table(("rate", "meaning", "count", "of", "value"), rows, frozenset({2, 3, 4}))


def _pull_requests(e: Evaluation) -> tuple[Block, ...]:
    rows = []
    for one in e.scored[:SHOWN]:
        c, rates = one.counts, one.counts.rates(PER_PULL_REQUEST)
        counts = (c.expected, c.generated, c.matches, c.line_matches, c.unmatched)
        shown = (rates["positive_line_match_rate"], rates["positive_line_recall_rate"])
        rows.append(
            (one.pull_request.url, *(str(n) for n in counts), *(f"{rate:.3f}" for rate in shown))
        )
    header = (
        "pull request", "expected", "generated", "same", "placed", "unmatched",
        "line precision", "line recall",
    )  # fmt: skip
    table = Table(header, tuple(rows), frozenset(range(1, len(header))))
    more = len(e.scored) - SHOWN
    tail = (Paragraph(f"and {more} more; --format json lists all."),) if more > 0 else ()
    return (table, *tail)


def groups_table(rows: Sequence[Mapping[str, object]]) -> Table:
    """The rows of ``groups`` as a table, with the columns that they have."""
    columns = tuple(name for name in rows[0] if name != "key")
    body = tuple(tuple(_cell(name, row.get(name)) for name in columns) for row in rows)
    return Table(columns, body, frozenset(range(1, len(columns))))


def _cell(name: str, value: object) -> str:
    return four(value) if name.endswith("rate") and isinstance(value, float) else str(value)


def _preamble(e: Evaluation, rule: Rule, matcher: str) -> str:
    meaning = "places only, so that nothing counts as the same" if rule.judge is None else matcher
    return (
        f"{len(e.scored)} pull requests that both files hold; left out: {e.generated_only} with "
        f"generated comments only, {e.references_only} with references only. Rules "
        f"{rule.rules}, line distance {rule.distance}, ids {rule.ids}, matcher {meaning}. Every "
        "rate is a ratio of sums; 0/0 is 0.0, as upstream has it."
    )


def report(  # noqa: PLR0913  # each is one part of the report
    e: Evaluation,
    rule: Rule,
    matcher: str,
    *,
    groups: Sequence[Mapping[str, object]] = (),
    valid: Mapping[str, object] | None = None,
    problems: tuple[Problem, ...] = (),
    checks: Sequence[Check] = (),
) -> Report:
    """The report of a run.

    Args:
        e: The evaluation.
        rule: How comments were matched.
        matcher: The matcher as it was named.
        groups: Rows by a field.
        valid: The share of valid comments of the whole, with its counts.
        problems: What the readers left out or doubted.
        checks: The gates that were asked for.
    """
    data = as_data(e, rule)
    blocks: list[Block] = [
        Heading("AACR-Bench: review comments against annotated ones", 1),
        Paragraph(_preamble(e, rule, matcher)),
        _overall(e),
        Heading("Pull requests"),
        *_pull_requests(e),
    ]
    if valid:
        data["valid"] = dict(valid)
        share = four(valid["valid_rate"]) if isinstance(valid["valid_rate"], float) else "n/a"
        blocks.append(Paragraph(f"Valid comments: {valid['valid']} of {valid['n']} = {share}."))
    if groups:
        data["groups"] = [dict(group) for group in groups]
        blocks += [Heading(f"By {groups[0]['key']}"), groups_table(groups)]
    data["problems"] = [problem.as_dict() for problem in problems]
    blocks += shared.problems(problems)
    if checks:
        data["gates"] = [check.as_dict() for check in checks]
        blocks += shared.gates(checks)
    failed = any(check.failed for check in checks)
    return Report(data, Document(tuple(blocks)), int(failed), tuple(problems))
