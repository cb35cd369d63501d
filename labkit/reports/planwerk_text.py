"""The text table that planwerk prints for a scored corpus, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.evaluate.planwerk_compare import tier_name
from labkit.metrics.usage import per_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from labkit.evaluate.planwerk import CaseScore, Evaluation
    from labkit.evaluate.planwerk_compare import Comparison
    from labkit.metrics.usage import Usage

SCORE_RULE = "-" * 74
COST_RULE = "-" * 76
_NAME = 22
_WIDE = 28


def percent(value: float | None, decimals: int = 0) -> str:
    """A ratio as a percentage, or ``n/a``.

    >>> percent(0.75), percent(28 / 30, 1), percent(None)
    ('75%', '93.3%', 'n/a')
    """
    return "n/a" if value is None else f"{100 * value:.{decimals}f}%"


def cut(name: str, width: int) -> str:
    """A name that fits its column; a longer one ends in an ellipsis.

    >>> cut("breaking-response-field", 22)
    'breaking-response-fie…'
    """
    return name if len(name) <= width else name[: width - 1] + "…"


def tiers_line(tiers: Mapping[str, str]) -> str:
    """Model and effort of each tier, or ``(unrecorded)``."""
    if not any(tiers.values()):
        return "(unrecorded)"
    names = ("claude", "finder", "structure")
    return ", ".join(f"{name} {tier_name(tiers, name)}" for name in names)


def _score_row(case: CaseScore) -> str:
    t = case.tally
    clean = "yes" if case.clean else "no"
    return (
        f"{cut(case.name, _NAME):<22}  {clean:>5}  {t.tp:3d}  {t.fp:3d}  {t.fn:3d}  "
        f"{percent(case.precision):>9}  {percent(case.recall):>7}  "
        f"{percent(case.severity_accuracy):>8}"
    )


def _cost_row(name: str, usage: Usage, runs: int) -> str:
    runs = max(runs, 1)
    dollars = f"${usage.est_cost_usd / runs:.2f}"
    return (
        f"{cut(name, _WIDE):<28}  {usage.calls / runs:6.1f}  "
        f"{per_run(usage.prompt_tokens, runs):13d}  {per_run(usage.output_tokens, runs):13d}  "
        f"{dollars:>8}"
    )


def _yes(flag: bool) -> str:  # noqa: FBT001  # one word for one flag
    return "yes" if flag else "no"


def _scores(e: Evaluation) -> Iterable[str]:
    yield (
        f"{'CASE':<22}  {'CLEAN':>5}  {'TP':>3}  {'FP':>3}  {'FN':>3}  {'PRECISION':>9}  "
        f"{'RECALL':>7}  {'SEV-ACC':>8}"
    )
    yield from map(_score_row, e.cases)
    yield SCORE_RULE
    yield _score_row(e.aggregate)
    yield ""
    yield "PRECISION = TP/(TP+FP), RECALL = TP/(TP+FN), SEV-ACC = severity matches/TP."
    yield (
        "A clean case seeds no bug: recall is undefined (n/a) and every finding is a false "
        "positive."
    )
    yield ""
    yield (
        f"RUNS: {e.runs} per case (thorough: {_yes(e.thorough)}, "
        f"specialists: {_yes(e.specialists)})"
    )
    yield f"TIERS: {tiers_line(e.tiers)}"


def _passes(e: Evaluation) -> Iterable[str]:
    yield "RECALL BY PASS"
    if not e.recall_by_pass:
        yield "(none)"
        return
    yield f"{'PASS':<28}  {'FOUND':>5}  {'RECALL':>7}"
    for name, found, recall in e.recall_by_pass:
        yield f"{cut(name, _WIDE):<28}  {found:5d}  {percent(recall):>7}"


def _costs(e: Evaluation) -> Iterable[str]:
    yield "COST PER RUN"
    yield (
        f"{'CASE':<28}  {'CALLS':>6}  {'PROMPT TOKENS':>13}  {'OUTPUT TOKENS':>13}  {'EST USD':>8}"
    )
    for case in e.cases:
        yield _cost_row(case.name, case.usage, e.runs)
    yield COST_RULE
    yield _cost_row(e.aggregate.name, e.aggregate.usage, e.runs)
    for name, usage in e.aggregate.usage.passes:
        yield _cost_row(f"  {name}", usage, e.runs)


def render(evaluation: Evaluation, comparison: Comparison | None = None) -> str:
    """The whole text: table, legend, runs, tiers, passes, cost, and the comparison if any."""
    parts = [_scores(evaluation), _passes(evaluation), _costs(evaluation)]
    if comparison:
        parts.append(comparison_lines(comparison))
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def comparison_lines(c: Comparison) -> Iterable[str]:
    """The verdict, the tiers, the checks, the passes and the cost of both sides."""
    yield f"VERDICT: {c.verdict}"
    yield f"{'BASELINE TIERS':<28}  {tiers_line(c.tiers[0])}"
    yield f"{'CANDIDATE TIERS':<28}  {tiers_line(c.tiers[1])}"
    yield ""
    yield f"{'METRIC':<28}  {'BASELINE':>9}  {'CANDIDATE':>9}  {'FLOOR':>9}  RESULT"
    for check in c.checks:
        values = (check.baseline, check.candidate, check.floor)
        cells = "  ".join(f"{percent(value, 1):>9}" for value in values)
        yield f"{check.metric:<28}  {cells}  {'held' if check.held else 'REGRESSED'}"
    yield ""
    yield f"{'PASS RECALL':<28}  {'BASELINE':>9}  {'CANDIDATE':>9}  {'DELTA':>10}"
    for name, before, after in c.recall_by_pass:
        cells = f"{percent(before, 1):>9}  {percent(after, 1):>9}"
        yield f"{cut(name, _WIDE):<28}  {cells}  {points(before, after):>10}"
    yield ""
    yield f"{'COST PER RUN':<28}  {'BASELINE':>13}  {'CANDIDATE':>13}  {'CHANGE':>8}"
    for name, key, form in _COSTS:
        before, after = getattr(c.baseline, key), getattr(c.candidate, key)
        cells = f"{form.format(before):>13}  {form.format(after):>13}"
        yield f"{name:<28}  {cells}  {change(before, after):>8}"


_COSTS = (
    ("prompt tokens", "prompt_tokens", "{}"),
    ("output tokens", "output_tokens", "{}"),
    ("est USD", "est_cost_usd", "${:.2f}"),
)


def points(before: float | None, after: float | None) -> str:
    """The difference of two ratios in percentage points.

    >>> points(25 / 30, 26 / 30), points(None, 1.0)
    ('+3.3 pts', 'n/a')
    """
    if before is None or after is None:
        return "n/a"
    return f"{100 * (after - before):+.1f} pts"


def change(before: float, after: float) -> str:
    """The relative change; ``n/a`` where there was nothing before.

    >>> change(4120000, 3570000), change(0, 3)
    ('-13.3%', 'n/a')
    """
    return f"{100 * (after - before) / before:+.1f}%" if before else "n/a"
