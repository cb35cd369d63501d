"""One run of the accuracy program, graded against its case's ground truth."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from labkit.evaluate.godaudits.audit import is_whole
from labkit.matching import GODAUDITS_ACCURACY, claim_once

if TYPE_CHECKING:
    from collections.abc import Iterable

WINDOW = GODAUDITS_ACCURACY.distance
"""How many lines a citation may be off."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect of a case; an ineligible one is seen, and left out of hits and misses."""

    path: str
    severity: str | None
    lines: tuple[float, ...]
    eligible: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """A seeded repository, or a clean control without a defect."""

    id: str
    kind: Literal["seeded", "control"]
    eligible_for_lift: bool = True
    defects: tuple[Defect, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """One finding of a run, as the model wrote it."""

    path: Any
    line: Any
    severity: Any


@dataclass(frozen=True, slots=True)
class Output:
    """What the model returned for one repository."""

    outcome: str
    findings: tuple[Citation, ...] = ()
    confidence: str | None = None


@dataclass(frozen=True, slots=True)
class Grade:
    """The nine counts of a run, and its outcome."""

    outcome: str
    hits: int = 0
    misses: int = 0
    unscored_true_findings: int = 0
    duplicate_findings: int = 0
    false_positives: int = 0
    severity_matches: int = 0
    severity_mismatches: int = 0
    citation_matches: int = 0
    citation_mismatches: int = 0


COUNTS = tuple(entry.name for entry in fields(Grade) if entry.name != "outcome")


def total(grades: Iterable[Grade]) -> dict[str, int]:
    """The nine counts, summed."""
    every = list(grades)
    return {name: sum(getattr(grade, name) for grade in every) for name in COUNTS}


def cites(finding: Citation, defect: Defect) -> bool:
    """Whether a finding names the defect's path and a line at most two from an accepted one."""
    return (
        finding.path == defect.path
        and is_whole(finding.line)
        and any(abs(finding.line - line) <= WINDOW for line in defect.lines)
    )


def _control(output: Output) -> Grade:
    found = len(output.findings)
    alarms = max(1, found) if output.outcome == "fail" else found
    return Grade(output.outcome, false_positives=alarms, citation_mismatches=found)


def _claims(case: Case, output: Output) -> tuple[list[list[int]], tuple[int | None, ...]]:
    """For each defect the findings that cite it, and the one it takes."""
    matches = [
        [i for i, finding in enumerate(output.findings) if cites(finding, defect)]
        for defect in case.defects
    ]
    if output.outcome != "fail":
        return matches, (None,) * len(matches)
    return matches, claim_once(matches)


def hits_by_severity(case: Case, output: Output) -> dict[str, tuple[int, int]]:
    """Hits and eligible defects by the defect's severity."""
    found: dict[str, tuple[int, int]] = {}
    _, claims = _claims(case, output)
    for defect, claim in zip(case.defects, claims, strict=True):
        if defect.eligible and defect.severity:
            hits, planted = found.get(defect.severity, (0, 0))
            found[defect.severity] = hits + (claim is not None), planted + 1
    return found


def grade(case: Case, output: Output) -> Grade:
    """Grade a run: each defect in order takes the first finding that nobody has taken.

    Nothing is a hit unless the outcome is ``fail``. A second citation of a defect is a duplicate,
    not a false positive. Check id and severity play no part in the matching
    (policy ``GODAUDITS_ACCURACY``).
    """
    if case.kind == "control":
        return _control(output)
    matches, claims = _claims(case, output)
    taken = {claim for claim in claims if claim is not None}
    pairs = list(zip(case.defects, claims, strict=True))
    hits = [(d, output.findings[c]) for d, c in pairs if c is not None and d.eligible]
    unscored = sum(c is not None and not d.eligible for d, c in pairs)
    seen = {index for found in matches for index in found}
    duplicates = len(seen - taken)
    wrong = len(output.findings) - len(taken) - duplicates
    severe = sum(finding.severity == defect.severity for defect, finding in hits)
    return Grade(
        output.outcome,
        len(hits),
        sum(defect.eligible for defect in case.defects) - len(hits),
        unscored,
        duplicates,
        wrong,
        severe,
        len(hits) - severe,
        len(hits),
        wrong,
    )
