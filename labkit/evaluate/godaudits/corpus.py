"""A corpus of audits with planted defects: detection by check, authored and recorded apart.

A maintainer who writes both the defect and the audit detects it by construction, so only recorded
runs make a rate, and only from five cases on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from labkit.metrics.counts import Ratio
from labkit.metrics.rounding import JS_FIXED_4

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.evaluate.godaudits.audit import Evaluation, Expected

ENOUGH = 5
"""Recorded cases from which on a rate is reported."""
Z = 1.96
Sample = Literal["authored-only", "insufficient", "reported"]


@dataclass(frozen=True, slots=True)
class CorpusCase:
    """One evaluated case and where its audit came from."""

    name: str
    provenance: Literal["authored", "recorded"]
    expected: Expected
    evaluation: Evaluation

    @property
    def false_alarm(self) -> bool:
        """Whether a clean check was named, or something was found that was not planted."""
        clean = self.evaluation.values["clean_control_rate"]
        return clean < 1 or self.evaluation.false_positives > 0


@dataclass(frozen=True, slots=True)
class CheckRow:
    """Detection of one check's defects."""

    check: str
    seeded: int
    detected: int
    cases: int
    recorded_cases: int
    recorded: Ratio
    """Detected of seeded, over recorded cases."""

    @property
    def sample(self) -> Sample:
        """Whether there are enough recorded cases for a rate."""
        if not self.recorded_cases:
            return "authored-only"
        return "reported" if self.recorded_cases >= ENOUGH else "insufficient"

    @property
    def rate(self) -> float | None:
        """The detection rate, only where the sample is ``reported``."""
        return JS_FIXED_4(self.recorded.value) if self.sample == "reported" else None

    @property
    def lower(self) -> float | None:
        """The lower Wilson bound of the rate, 95 %."""
        if self.sample != "reported":
            return None
        return wilson_lower(self.recorded.numerator, self.recorded.denominator)


@dataclass(frozen=True, slots=True)
class Corpus:
    """What a detector corpus found."""

    cases: tuple[CorpusCase, ...]
    checks: tuple[CheckRow, ...]

    @property
    def missed(self) -> list[dict[str, str]]:
        """Planted defects that no finding answers."""
        return [
            {"case": c.name, "check": r.check, "severity": r.severity, "path": r.path}
            for c in self.cases
            for r in c.evaluation.missed
        ]

    @property
    def false_alarms(self) -> list[str]:
        """Names of the cases with a false alarm."""
        return [case.name for case in self.cases if case.false_alarm]

    @property
    def passed(self) -> bool:
        """No miss, no false alarm, and every case passed."""
        every = all(case.evaluation.passed for case in self.cases)
        return every and not self.missed and not self.false_alarms


def wilson_lower(successes: int, trials: int, z: float = Z) -> float:
    """Lower end of Wilson's interval (Wilson 1927), not below 0, four decimals; 0 of 0 is 0.

    >>> wilson_lower(5, 5), wilson_lower(0, 0)
    (0.5655, 0.0)
    """
    if not trials:
        return 0.0
    p, square = successes / trials, z * z
    centre = p + square / (2 * trials)
    spread = z * math.sqrt((p * (1 - p) + square / (4 * trials)) / trials)
    return JS_FIXED_4.of(max(0.0, (centre - spread) / (1 + square / trials)))


def _row(check: str, cases: Sequence[CorpusCase]) -> CheckRow:
    hits: list[bool] = []
    recorded: list[bool] = []
    names: dict[str, None] = {}
    recorded_names: dict[str, None] = {}
    for case in cases:
        pairs = zip(case.expected.required, case.evaluation.matched, strict=True)
        own = [match is not None for required, match in pairs if required.check == check]
        if own:
            hits += own
            names[case.name] = None
        if own and case.provenance == "recorded":
            recorded += own
            recorded_names[case.name] = None
    ratio = Ratio(sum(recorded), len(recorded))
    return CheckRow(check, len(hits), sum(hits), len(names), len(recorded_names), ratio)


def aggregate(cases: Sequence[CorpusCase]) -> Corpus:
    """Detection by check over all cases, checks sorted by id."""
    checks = sorted({r.check for case in cases for r in case.expected.required})
    return Corpus(tuple(cases), tuple(_row(check, cases) for check in checks))
