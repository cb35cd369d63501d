"""planwerk's rule for a change against its baseline: four refusals, three checks, one verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.errors import ComparisonError
from labkit.metrics.usage import per_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labkit.evaluate.planwerk import Evaluation

MIN_RUNS = 3
SLACK = 1e-9
"""Room for rounding below a floor."""
TOLERANCE = {"recall": 0.0, "precision": 0.10, "severity_accuracy": 0.10}
"""How far each metric may fall; recall gets none."""


@dataclass(frozen=True, slots=True)
class Check:
    """One metric on both sides; it holds when the candidate is not below the floor."""

    metric: str
    baseline: float | None
    candidate: float | None
    floor: float | None
    held: bool


@dataclass(frozen=True, slots=True)
class RunCost:
    """What one run over all cases cost."""

    prompt_tokens: int
    output_tokens: int
    est_cost_usd: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A candidate against its baseline. Cost is shown and never decides."""

    checks: tuple[Check, ...]
    recall_by_pass: tuple[tuple[str, float | None, float | None], ...]
    baseline: RunCost
    candidate: RunCost
    tiers: tuple[dict[str, str], dict[str, str]]

    @property
    def held(self) -> bool:
        """Whether every check holds."""
        return all(check.held for check in self.checks)

    @property
    def verdict(self) -> str:
        """``HELD`` or ``REGRESSED``."""
        return "HELD" if self.held else "REGRESSED"

    @property
    def warnings(self) -> tuple[str, ...]:
        """Tiers that must match and do not; the finder tier may be the experiment."""
        one, other = self.tiers
        differing = [
            f"{tier} tier differs: baseline {tier_name(one, tier)}, candidate "
            f"{tier_name(other, tier)}; only the finder tier may be what is tried."
            for tier in ("claude", "structure")
            if any(one.values())
            and any(other.values())
            and tier_name(one, tier) != tier_name(other, tier)
        ]
        return tuple(differing)


def tier_name(tiers: Mapping[str, str], tier: str) -> str:
    """``model/effort`` of one tier.

    >>> tier_name({"claude_model": "opus", "claude_effort": "xhigh"}, "claude")
    'opus/xhigh'
    """
    return f"{tiers.get(f'{tier}_model', '')}/{tiers.get(f'{tier}_effort', '')}"


def demand_comparable(baseline: Evaluation, candidate: Evaluation) -> None:
    """Refuse a comparison that would not compare like with like, in planwerk's order.

    Raises:
        ComparisonError: Too few runs, other flags, other cases, or no bug seeded.
    """
    if min(baseline.runs, candidate.runs) < MIN_RUNS:
        raise ComparisonError(
            f"a comparison needs at least {MIN_RUNS} runs per side (baseline {baseline.runs}, "
            f"this run {candidate.runs}); run every case again, {MIN_RUNS} times or more."
        )
    for flag in ("thorough", "specialists"):
        one, other = getattr(baseline, flag), getattr(candidate, flag)
        if one != other:
            raise ComparisonError(
                f"baseline has {flag} {'on' if one else 'off'}, this run "
                f"{'on' if other else 'off'}; compare like with like."
            )
    names = [sorted({case.name for case in side.cases}) for side in (baseline, candidate)]
    if names[0] != names[1]:
        raise ComparisonError(
            f"baseline covers cases [{', '.join(names[0])}], this run covers "
            f"[{', '.join(names[1])}]; compare like with like."
        )
    if baseline.aggregate.recall is None:
        raise ComparisonError(
            f"baseline has no recall: its cases [{', '.join(names[0])}] seed no bug, so no check "
            "could fail; add a case with a seeded bug."
        )


def check(metric: str, baseline: float | None, candidate: float | None) -> Check:
    """Hold one metric against its floor; undefined on either side has no floor and holds."""
    if baseline is None or candidate is None:
        return Check(metric, baseline, candidate, None, held=True)
    floor = baseline - TOLERANCE[metric]
    return Check(metric, baseline, candidate, floor, held=candidate >= floor - SLACK)


def cost_per_run(side: Evaluation) -> RunCost:
    """Totals divided by the runs; tokens rounded half away from zero."""
    usage = side.aggregate.usage
    return RunCost(
        per_run(usage.prompt_tokens, side.runs),
        per_run(usage.output_tokens, side.runs),
        usage.est_cost_usd / max(side.runs, 1),
    )


def compare(baseline: Evaluation, candidate: Evaluation) -> Comparison:
    """Judge a candidate against its baseline.

    Raises:
        ComparisonError: As ``demand_comparable``.
    """
    demand_comparable(baseline, candidate)
    tallies = baseline.aggregate.tally, candidate.aggregate.tally
    checks = tuple(check(m, *(getattr(tally, m) for tally in tallies)) for m in TOLERANCE)
    recalls = [
        {name: recall for name, _, recall in s.recall_by_pass} for s in (baseline, candidate)
    ]
    names = sorted(set(recalls[0]) | set(recalls[1]))
    return Comparison(
        checks,
        tuple((name, recalls[0].get(name), recalls[1].get(name)) for name in names),
        cost_per_run(baseline),
        cost_per_run(candidate),
        (dict(baseline.tiers), dict(candidate.tiers)),
    )
