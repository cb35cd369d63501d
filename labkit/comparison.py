"""Two runs side by side: each metric held or regressed, by counts and paired by unit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from labkit.errors import ComparisonError, InputError
from labkit.estimation.intervals import LEVEL, Interval
from labkit.estimation.paired import Pairs, Share, linearised, newcombe

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

SLACK = 1e-12
"""Room for rounding where only the values are known, not the counts."""
TOLERANCE_SLACK = 1e-9
"""Room for rounding beside a tolerance, as planwerk's rule has it."""
LOWER_IS_BETTER = (
    "ece",
    "ecetoplabel",
    "brier",
    "nll",
    "error_rate",
    "unmatched_rate",
    "false_positives",
    "mae",
    "ordinal_mae",
    "abstention_rate",
    "p50_ms",
    "p95_ms",
    "latency_p95_ms",
    "latency_mean_ms",
)


NEUTRAL = ("prevalence",)
"""Metrics that describe the items: no change of theirs is better or worse."""


def lower_is_better(metric: str) -> bool:
    """Whether a fall of this metric is an improvement; only its last part decides.

    >>> lower_is_better("calibration.ece"), lower_is_better("tag.auth.recall")
    (True, False)
    """
    return metric.rsplit(".", 1)[-1].lower() in LOWER_IS_BETTER


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric of one run, with its counts where it is a ratio of counts."""

    metric: str
    value: float | None
    counts: Share | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of a run (an item, a case, a pull request): what it adds to each metric."""

    key: str
    shares: Mapping[str, Share]
    fields: Mapping[str, str] = field(default_factory=dict)
    parent: str = ""
    """The unit that this one is a part of, where a field splits units."""


@dataclass(frozen=True, slots=True)
class Check:
    """One metric in both runs. It holds unless it is worse; undefined on one side holds."""

    metric: str
    baseline: Measure
    candidate: Measure
    interval: Interval | None = None
    method: str | None = None
    n: int | None = None
    reason: str | None = None
    tolerance: float | None = None
    """How far the candidate may be worse, where the system's own rule allows that."""

    @property
    def difference(self) -> float | None:
        """Candidate less baseline."""
        before, after = self.baseline.value, self.candidate.value
        return None if before is None or after is None else after - before

    @property
    def held(self) -> bool:
        """Whether the candidate is not worse, by exact counts where both sides have them."""
        change = self.difference
        if change is None or self.metric.rsplit(".", 1)[-1] in NEUTRAL:
            return True
        if self.tolerance is not None:
            worse = change if lower_is_better(self.metric) else -change
            return worse <= self.tolerance + TOLERANCE_SLACK
        one, other = self.baseline.counts, self.candidate.counts
        if one and other:  # exact: whole numbers, no quotients
            cross = other[0] * one[1] - one[0] * other[1]
            change = float((cross > 0) - (cross < 0))
        return change <= SLACK if lower_is_better(self.metric) else change >= -SLACK


@dataclass(frozen=True, slots=True)
class Paired:
    """The checks over the units that both runs have, and how many only one has."""

    checks: tuple[Check, ...]
    both: int
    baseline_only: int
    candidate_only: int


def check_measures(baseline: Sequence[Measure], candidate: Sequence[Measure]) -> tuple[Check, ...]:
    """Hold each metric that both sides know against the baseline, without intervals."""
    known = {measure.metric: measure for measure in candidate}
    return tuple(
        Check(m.metric, m, known[m.metric], reason="not paired by item")
        for m in baseline
        if m.metric in known
    )


def with_intervals(
    checks: Sequence[Check], baseline: Sequence[Unit], candidate: Sequence[Unit]
) -> tuple[Check, ...]:
    """Give checks of totals the intervals of the units that they are the sums of.

    A check whose units do not add up to it, because one run has other units, is left as it is.
    """
    try:
        found = {check.metric: check for check in pair(baseline, candidate).checks}
    except ComparisonError:
        return tuple(checks)

    def better(check: Check) -> Check:
        own = found.get(check.metric)
        if own is None or not _same_totals(own, check):
            return check
        parts = {"interval": own.interval, "method": own.method, "n": own.n, "reason": own.reason}
        return replace(check, **parts)  # type: ignore[arg-type]  # fields by name

    return tuple(better(check) for check in checks)


def _same_totals(own: Check, check: Check) -> bool:
    """Whether the units add up to the totals: by counts, else by value."""
    sides = ((own.baseline, check.baseline), (own.candidate, check.candidate))
    return all(
        total.counts == summed.counts
        if total.counts
        else total.value is not None
        and summed.value is not None
        and abs(total.value - summed.value) <= SLACK
        for summed, total in sides
    )


def unpaired(
    paired: Paired, baseline: Sequence[Measure], candidate: Sequence[Measure]
) -> tuple[Check, ...]:
    """Checks of the metrics that no unit adds to, where both runs have the same units.

    A metric whose last part the paired checks have is theirs (``aggregate.recall``: ``recall``).
    Time is left out: it says nothing of the answers.
    """
    if paired.baseline_only or paired.candidate_only:
        return ()
    known = {name for check in paired.checks for name in (check.metric, _last(check.metric))}
    return tuple(
        check
        for check in check_measures(baseline, candidate)
        if not known & {check.metric, _last(check.metric)} and not check.metric.endswith("_ms")
    )


def _last(metric: str) -> str:
    return metric.rsplit(".", 1)[-1]


def pair(
    baseline: Sequence[Unit],
    candidate: Sequence[Unit],
    *,
    fill: bool = False,
    level: float = LEVEL,
) -> Paired:
    """Compare two runs over the units that both have.

    Args:
        baseline: The units of the first run.
        candidate: Those of the second.
        fill: Take a unit that one run lacks as one that adds nothing there, as a value of a
            field that does not occur in one of the two.
        level: Nominal coverage of the intervals.

    Raises:
        ComparisonError: The two runs share no unit.
    """
    one, other = ({unit.key: unit for unit in side} for side in (baseline, candidate))
    if fill:
        one, other = _filled(one, other), _filled(other, one)
    both = [key for key in one if key in other]
    if not both:
        raise ComparisonError("the two runs share no item, so there is nothing to compare.")
    metrics = dict.fromkeys(
        name for key in both for side in (one, other) for name in side[key].shares
    )
    checks = tuple(
        _check(
            metric,
            [one[key].shares.get(metric, (0, 0)) for key in both],
            [other[key].shares.get(metric, (0, 0)) for key in both],
            level,
        )
        for metric in metrics
    )
    return Paired(checks, len(both), len(one) - len(both), len(other) - len(both))


def _filled(units: Mapping[str, Unit], others: Mapping[str, Unit]) -> dict[str, Unit]:
    missing = {key: Unit(key, {}, unit.fields) for key, unit in others.items() if key not in units}
    return {**units, **missing}


def _measure(metric: str, shares: Sequence[Share]) -> Measure:
    top, bottom = sum(x for x, _ in shares), sum(y for _, y in shares)
    return Measure(metric, top / bottom if bottom else None, (top, bottom))


def _check(metric: str, one: list[Share], other: list[Share], level: float) -> Check:
    before, after = _measure(metric, one), _measure(metric, other)
    if before.value is None or after.value is None:
        side = "baseline" if before.value is None else "candidate"
        return Check(metric, before, after, reason=f"undefined in the {side}")
    binary = all(x[1] == y[1] and x[1] in (0, 1) for x, y in zip(one, other, strict=True))
    if binary:
        pairs = tally([(x[0], y[0]) for x, y in zip(one, other, strict=True) if x[1]])
        interval = newcombe(pairs, level=level)
        return Check(metric, before, after, interval, "newcombe-paired", pairs.n)
    used = [(x, y) for x, y in zip(one, other, strict=True) if x[1] or y[1]]
    spread = linearised([x for x, _ in used], [y for _, y in used], level=level)
    reason = None if spread else "no unit differs" if len(used) > 1 else "fewer than two units"
    return Check(metric, before, after, spread, "linearised-paired", len(used), reason)


def tally(outcomes: Iterable[tuple[int, int]]) -> Pairs:
    """Count how the same items fared: (right in the first, right in the second), 0 or 1 each.

    >>> tally([(1, 1), (1, 0), (0, 0)])
    Pairs(both=1, first=1, second=0, neither=1)
    """
    counts = {(1, 1): 0, (1, 0): 0, (0, 1): 0, (0, 0): 0}
    for outcome in outcomes:
        counts[outcome] += 1
    return Pairs(*counts.values())


def by_field(
    baseline: Sequence[Unit], candidate: Sequence[Unit], key: str, *, among: Collection[str]
) -> tuple[tuple[str, Paired], ...]:
    """The paired comparison for each value of a field, values sorted.

    Args:
        baseline: The units of the first run, or parts of them by the field.
        candidate: Those of the second.
        key: The field.
        among: The whole units that both runs have; parts of others are left out.

    Raises:
        InputError: No unit has the field.
    """
    baseline, candidate = (
        [unit for unit in side if (unit.parent or unit.key) in among]
        for side in (baseline, candidate)
    )
    every = (*baseline, *candidate)
    known = sorted({name for unit in every for name in unit.fields})
    if key not in known:
        hint = f"known: {', '.join(known)}." if known else "these files have no fields to group by."
        raise InputError(f"--by {key}: no such field; {hint}")
    groups = []
    for value in sorted({unit.fields.get(key, "") for unit in every}):
        sides = [
            [unit for unit in side if unit.fields.get(key, "") == value]
            for side in (baseline, candidate)
        ]
        groups.append((value, pair(*sides, fill=True)))
    return tuple(groups)
