"""Runs with and without the installed skill, in pairs: arms, lift, and how runs vary."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.evaluate.godaudits.audit import ALWAYS, SEVERITIES
from labkit.evaluate.godaudits.grade import Case, Grade, total
from labkit.metrics.counts import Ratio
from labkit.metrics.rounding import JS_FIXED_4

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ARMS = ("control", "skill")
RUNS_PER_ARM = 3
PINNED = (
    "repo",
    "check",
    "repetition",
    "model",
    "harness",
    "fixture_commit",
    "grading_revision",
    "eligible_for_lift",
    "capabilities",
)
"""What must be equal in both arms of a pair."""
COSTS = ("input_tokens", "output_tokens", "elapsed_ms")


@dataclass(frozen=True, slots=True)
class Suite:
    """The ground truth of one check."""

    id: str
    check: str
    domain: str
    revision: int
    cases: Mapping[str, Case]


@dataclass(frozen=True, slots=True)
class PairedRun:
    """One observation of one arm, with what it was attributed to."""

    pair_id: str
    arm: str
    pinned: Mapping[str, Any]
    """The fields that must be equal in both arms."""
    suite: Suite
    case: Case
    skill_installed: bool
    skill_commit: str | None
    recorded: Grade
    cost: Mapping[str, int | None] = field(default_factory=dict)
    artifact: str = ""
    regraded: Grade | None = None
    """The grade under the current ground truth; ``None`` where the output is not there."""
    severities: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Hits and planted defects by severity; known only where the output is there."""

    @property
    def grade(self) -> Grade:
        """The grade that counts: from the output where it exists, else as recorded."""
        return self.regraded or self.recorded

    @property
    def eligible(self) -> bool:
        """Whether the run may count towards lift."""
        return bool(self.pinned["eligible_for_lift"])

    @property
    def repetition(self) -> int:
        """Which repetition of the suite it belongs to, from 1."""
        return int(self.pinned["repetition"])


def pairs_of(runs: Iterable[PairedRun]) -> dict[str, list[PairedRun]]:
    """Runs by pair, in file order."""
    found: dict[str, list[PairedRun]] = {}
    for run in runs:
        found.setdefault(run.pair_id, []).append(run)
    return found


def check_pairs(runs: Sequence[PairedRun]) -> None:
    """The rules that make a pair a fair comparison.

    Raises:
        InputError: An arm stands twice in a pair, an eligible pair lacks one, the arms differ in
            something that must be equal, a control has a skill or a skill arm has none, or a run
            was graded under another revision of the ground truth.
    """
    for run in runs:
        place = f"pair {run.pair_id}, {run.arm} arm"
        if run.arm == "control" and (run.skill_installed or run.skill_commit is not None):
            raise InputError(f"{place}: a control has no skill installed and no skill_commit.")
        if run.arm == "skill" and not (run.skill_installed and run.skill_commit):
            raise InputError(f"{place}: needs skill_installed true and a skill_commit.")
        if run.pinned["grading_revision"] != run.suite.revision:
            raise InputError(
                f"{place}: graded under revision {run.pinned['grading_revision']}, but suite "
                f"{run.suite.id} is at {run.suite.revision}; grade the runs again."
            )
        if run.pinned["check"] != run.suite.check:
            raise InputError(f"{place}: check {run.pinned['check']} is not the suite's.")
        if run.eligible != run.case.eligible_for_lift:
            raise InputError(f"{place}: eligible_for_lift differs from the ground truth's.")
    for pair_id, members in pairs_of(runs).items():
        _check_pair(pair_id, members)


def _check_pair(pair_id: str, members: Sequence[PairedRun]) -> None:
    arms = [run.arm for run in members]
    twice = next((arm for arm in ARMS if arms.count(arm) > 1), None)
    if twice:
        raise InputError(f"pair {pair_id}: duplicate {twice} arm; a pair has one run an arm.")
    if any(run.eligible for run in members) and len(members) < len(ARMS):
        missing = next(arm for arm in ARMS if arm not in arms)
        raise InputError(f"pair {pair_id}: no {missing} arm; an eligible pair needs both.")
    for name in PINNED if len(members) == len(ARMS) else ():
        if members[0].pinned[name] != members[1].pinned[name]:
            raise InputError(f"pair {pair_id}: {name} differs between the arms.")


@dataclass(frozen=True, slots=True)
class Arm:
    """The sums of one arm."""

    runs: int
    counts: Mapping[str, int]
    clean_controls: int
    clean_controls_without_false_positive: int
    costs: Mapping[str, int]

    def ratio(self, name: str) -> Ratio:
        """One of the four ratios with its counts; undefined on 0."""
        n = self.counts
        return {
            "recall": Ratio(n["hits"], n["hits"] + n["misses"]),
            "precision": Ratio(n["hits"], n["hits"] + n["false_positives"]),
            "severity_accuracy": Ratio(
                n["severity_matches"], n["severity_matches"] + n["severity_mismatches"]
            ),
            "clean_control_rate": Ratio(
                self.clean_controls_without_false_positive, self.clean_controls
            ),
        }[name]


def recall_by_severity(runs: Iterable[PairedRun]) -> dict[str, Ratio]:
    """Recall by the defect's severity over runs that were graded again.

    Critical and High are always there, so that a dangerous miss cannot hide.
    """
    sums = dict.fromkeys(ALWAYS, (0, 0))
    for run in runs:
        for name, (hits, planted) in run.severities.items():
            before = sums.get(name, (0, 0))
            sums[name] = before[0] + hits, before[1] + planted
    return {name: Ratio(*sums[name]) for name in SEVERITIES if name in sums}


RATIOS = ("recall", "precision", "severity_accuracy", "clean_control_rate")


def arm(runs: Sequence[PairedRun]) -> Arm:
    """Sum the runs of one arm."""
    controls = [run for run in runs if run.case.kind == "control"]
    return Arm(
        len(runs),
        total(run.grade for run in runs),
        len(controls),
        sum(run.grade.false_positives == 0 for run in controls),
        {name: sum(run.cost.get(name) or 0 for run in runs) for name in COSTS},
    )


@dataclass(frozen=True, slots=True)
class Spread:
    """How one ratio varies over the repetitions of a suite."""

    mean: float | None
    worst: float | None
    variance: float | None
    """Sample variance (n - 1); ``None`` below two repetitions."""
    values: tuple[float | None, ...]


def spread(values: Sequence[float | None]) -> Spread:
    """Mean, worst and sample variance of the values that are defined."""
    known = [value for value in values if value is not None]
    if not known:
        return Spread(None, None, None, tuple(values))
    mean = math.fsum(known) / len(known)
    squares = math.fsum((value - mean) ** 2 for value in known)
    variance = squares / (len(known) - 1) if len(known) > 1 else None
    return Spread(mean, min(known), variance, tuple(values))


def over_repetitions(runs: Sequence[PairedRun], name: str) -> Spread:
    """One ratio of each repetition, pooled over its cases."""
    numbers = sorted({run.repetition for run in runs})
    return spread(
        [arm([run for run in runs if run.repetition == n]).ratio(name).value for n in numbers]
    )


def lift(control: Arm, skill: Arm, name: str) -> float | None:
    """How much a ratio rises with the skill; ``None`` where an arm has no such ratio."""
    before, after = control.ratio(name).value, skill.ratio(name).value
    return None if before is None or after is None else JS_FIXED_4.of(after - before)


def complete(suite: Suite, runs: Sequence[PairedRun], least: int = RUNS_PER_ARM) -> bool:
    """Whether every eligible case of the suite has enough complete pairs."""
    full = [
        members[0].case.id
        for members in pairs_of(run for run in runs if run.suite.id == suite.id).values()
        if len(members) == len(ARMS)
    ]
    eligible = [case.id for case in suite.cases.values() if case.eligible_for_lift]
    return bool(eligible) and all(full.count(case_id) >= least for case_id in eligible)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a run, whether the model answered or the machinery failed."""

    attempt_id: str
    pair_id: str
    arm: str
    status: str
    transcript: str | None
    error: str | None


def check_attempts(attempts: Iterable[Attempt], runs: Iterable[PairedRun]) -> None:
    """The rules that keep technical failures out of hits, misses and false positives.

    Raises:
        InputError: A recorded attempt has no observation, no transcript or an error; a technical
            failure has a transcript or no error; an id stands twice.
    """
    observed = {(run.pair_id, run.arm) for run in runs}
    seen: set[str] = set()
    for entry in attempts:
        place = f"attempt {entry.attempt_id}"
        if entry.attempt_id in seen:
            raise InputError(f"{place}: the id stands twice.")
        seen.add(entry.attempt_id)
        if entry.status == "recorded":
            if (entry.pair_id, entry.arm) not in observed:
                fault = f"recorded, but pair {entry.pair_id} has no {entry.arm} run."
                raise InputError(f"{place}: {fault}")
            if not entry.transcript or entry.error is not None:
                raise InputError(f"{place}: a recorded attempt has a transcript and no error.")
        elif entry.transcript is not None or not entry.error:
            raise InputError(f"{place}: a technical failure has an error text and no transcript.")
