"""planwerk's score of review findings against cases with seeded bugs, exactly as planwerk counts.

Sources: planwerk's documentation of its output-quality eval and the behaviour of its scorer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from labkit.matching import PLANWERK, LineIndex, claim_once, mentions, slashed
from labkit.metrics.findings import Tally, added, ratio
from labkit.metrics.usage import Usage, pooled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PRIMARY_PASS = "review"  # noqa: S105  # the name of a review pass, no password
"""The pass that is credited when a finding names none."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A seeded bug: where it is and how a reviewer would speak of it."""

    file: str
    line: int = 0
    severity: str = ""
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One case of the corpus with its label."""

    name: str
    description: str = ""
    clean: bool = False
    findings: tuple[Expected, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a review report; its place in the report is its identity."""

    file: str = ""
    line: int = 0
    severity: str = ""
    title: str = ""
    problem: str = ""
    confidence: str = ""
    confirmed_by: tuple[str, ...] = ()
    fields: Mapping[str, object] = field(default_factory=dict, compare=False)
    """Every other member of the finding, as it was written."""

    @property
    def passes(self) -> tuple[str, ...]:
        """The passes that reported it."""
        return self.confirmed_by or (PRIMARY_PASS,)


@dataclass(frozen=True, slots=True)
class Review:
    """One run over one case."""

    findings: tuple[Finding, ...] = ()
    usage: Usage = field(default_factory=Usage)
    name: str = ""


@dataclass(frozen=True, slots=True)
class RunScore:
    """One run against one case: which finding answered which seeded bug."""

    tally: Tally
    found_by: Mapping[str, int]
    claims: tuple[int | None, ...]
    """For each seeded bug the finding that caught it."""


@dataclass(frozen=True, slots=True)
class CaseScore:
    """Totals over the runs of one case, or over all cases."""

    name: str
    tally: Tally
    description: str = ""
    clean: bool = False
    found_by: Mapping[str, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    recorded: Mapping[str, float | None] = field(default_factory=dict)
    """Ratios as a report file gives them; those it lacks are made of the tally."""

    @property
    def precision(self) -> float | None:
        """TP/(TP+FP)."""
        return self.recorded.get("precision", self.tally.precision)

    @property
    def recall(self) -> float | None:
        """TP/(TP+FN)."""
        return self.recorded.get("recall", self.tally.recall)

    @property
    def severity_accuracy(self) -> float | None:
        """Severity matches/TP."""
        return self.recorded.get("severity_accuracy", self.tally.severity_accuracy)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A scored corpus: what planwerk's own report holds."""

    runs: int
    cases: tuple[CaseScore, ...]
    aggregate: CaseScore
    thorough: bool = False
    specialists: bool = False
    tiers: Mapping[str, str] = field(default_factory=dict)
    recorded_passes: tuple[tuple[str, int, float | None], ...] | None = None
    """``recall_by_pass`` as a report file gives it."""

    @property
    def recall_by_pass(self) -> tuple[tuple[str, int, float | None], ...]:
        """(pass, seeded bugs it saw, its recall), the most first.

        One finding that answers two bugs credits its passes twice, so a pass's recall can exceed
        the pooled recall.
        """
        if self.recorded_passes is not None:
            return self.recorded_passes
        expected = self.aggregate.tally.expected
        rows = sorted(self.aggregate.found_by.items(), key=lambda row: (-row[1], row[0]))
        return tuple((name, found, ratio(found, expected)) for name, found in rows)


def matches(expected: Sequence[Expected], findings: Sequence[Finding]) -> list[list[int]]:
    """For each seeded bug the findings that match it, in report order.

    A match is in the same file, at most three lines away, and has a keyword in its title or
    problem.
    """
    index = LineIndex((slashed(f.file), f.line) for f in findings)
    texts = [f"{f.title}\n{f.problem}".lower() for f in findings]
    found = []
    for bug in expected:
        keywords = [word for k in bug.keywords if (word := k.strip().lower())]
        near = index.near(slashed(bug.file), bug.line, window=PLANWERK.distance)
        found.append([i for i in near if mentions(texts[i], keywords)])
    return found


def score_run(case: Case, findings: Sequence[Finding]) -> RunScore:
    """Greedy one-to-one matching from the side of the seeded bugs, in file order."""
    found = matches(case.findings, findings)
    claims = claim_once(found)
    caught = [(bug, claim) for bug, claim in zip(case.findings, claims, strict=True)]
    hits = [(bug, findings[claim]) for bug, claim in caught if claim is not None]
    agree = sum(_same_severity(bug.severity, hit.severity) for bug, hit in hits)
    tally = Tally(len(hits), len(findings) - len(hits), len(caught) - len(hits), agree)
    credit = (
        dict.fromkeys((name for i in seen for name in findings[i].passes), 1) for seen in found
    )
    return RunScore(tally, added(*credit), claims)


def _same_severity(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()


def score_case(case: Case, reviews: Sequence[Review]) -> CaseScore:
    """Pool the runs of one case: tallies, credits and usage are summed."""
    scores = [score_run(case, review.findings) for review in reviews]
    return CaseScore(
        case.name,
        sum((score.tally for score in scores), Tally()),
        case.description,
        case.clean,
        added(*(score.found_by for score in scores)),
        pooled(review.usage for review in reviews),
    )


def aggregate(cases: Sequence[CaseScore]) -> CaseScore:
    """Sum over the cases; ratios are made of the sums, never averaged."""
    return CaseScore(
        "AGGREGATE",
        sum((case.tally for case in cases), Tally()),
        found_by=added(*(case.found_by for case in cases)),
        usage=pooled(case.usage for case in cases),
    )


def evaluate(  # three of them are recorded, not used
    corpus: Sequence[tuple[Case, Sequence[Review]]],
    *,
    runs: int,
    thorough: bool = False,
    specialists: bool = False,
    tiers: Mapping[str, str] | None = None,
) -> Evaluation:
    """Score every case and the whole; the flags and tiers are recorded as they were given."""
    cases = tuple(score_case(case, reviews) for case, reviews in corpus)
    return Evaluation(runs, cases, aggregate(cases), thorough, specialists, dict(tiers or {}))
