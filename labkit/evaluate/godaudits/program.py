"""The accuracy program as a whole: arms, lift, suites and how runs vary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.evaluate.godaudits.paired import (
    ARMS,
    RUNS_PER_ARM,
    Arm,
    Attempt,
    PairedRun,
    Spread,
    Suite,
    arm,
    check_attempts,
    check_pairs,
    complete,
    lift,
    over_repetitions,
    pairs_of,
    recall_by_severity,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from labkit.metrics.counts import Ratio

VARYING = ("recall", "precision", "severity_accuracy")
LIFTED = ("recall", "precision")


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """One arm: its sums, and its ratios over repetitions."""

    sums: Arm
    repetitions: Mapping[str, Spread]
    severities: Mapping[str, Ratio]
    """Recall by severity, over the runs that were graded again."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Both arms over the eligible runs, and the lift between them where that is measured."""

    arms: Mapping[str, ArmFigures]
    measured: bool
    pairs: int

    def lift(self, name: str) -> float | None:
        """How much the skill adds to a ratio; ``None`` without a complete suite."""
        if not self.measured:
            return None
        control, skill = (self.arms[side].sums for side in ARMS)
        return lift(control, skill, name)


@dataclass(frozen=True, slots=True)
class SuiteFigures:
    """One suite: whether it is complete, and its arms."""

    suite: Suite
    complete: bool
    contrast: Contrast


@dataclass(frozen=True, slots=True)
class ProgramFigures:
    """What the accuracy program measured."""

    runs: tuple[PairedRun, ...]
    pairs: int
    contrast: Contrast
    suites: tuple[SuiteFigures, ...]
    attempts: tuple[Attempt, ...] | None

    @property
    def technical_failures(self) -> int | None:
        """Attempts that never reached the model; ``None`` where no ledger was kept."""
        if self.attempts is None:
            return None
        return sum(entry.status == "technical-failure" for entry in self.attempts)


def _figures(runs: Sequence[PairedRun]) -> ArmFigures:
    spreads = {name: over_repetitions(runs, name) for name in VARYING}
    return ArmFigures(arm(runs), spreads, recall_by_severity(runs))


def _contrast(runs: Sequence[PairedRun], *, measured: bool) -> Contrast:
    arms = {name: _figures([run for run in runs if run.arm == name]) for name in ARMS}
    return Contrast(arms, measured, len(pairs_of(runs)))


def evaluate(
    runs: Sequence[PairedRun],
    suites: Iterable[Suite],
    attempts: Sequence[Attempt] | None = None,
    runs_per_arm: int = RUNS_PER_ARM,
) -> ProgramFigures:
    """Check the pairs, then sum them; only eligible runs count, and technical failures never do.

    Raises:
        InputError: A pair or an attempt breaks a rule; pair or attempt and rule are named.
    """
    check_pairs(runs)
    if attempts is not None:
        check_attempts(attempts, runs)
    eligible = [run for run in runs if run.eligible]
    found: list[SuiteFigures] = []
    for suite in suites:
        own = [run for run in eligible if run.suite.id == suite.id]
        whole = complete(suite, own, runs_per_arm)
        found.append(SuiteFigures(suite, whole, _contrast(own, measured=whole)))
    measured = any(entry.complete for entry in found)
    return ProgramFigures(
        tuple(runs),
        len(pairs_of(runs)),
        _contrast(eligible, measured=measured),
        tuple(found),
        None if attempts is None else tuple(attempts),
    )
