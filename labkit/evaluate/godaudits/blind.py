"""Blind runs of one check against seeded repositories, with the runs' own words of confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.metrics.counts import Ratio

if TYPE_CHECKING:
    from labkit.evaluate.godaudits.grade import Output


@dataclass(frozen=True, slots=True)
class Seed:
    """One repository: its defect's path and severity, or a clean control."""

    repo: str
    seeded: bool
    path: str = ""
    severity: str = ""


@dataclass(frozen=True, slots=True)
class BlindRun:
    """What one run found in its repository."""

    seed: Seed
    output: Output

    @property
    def hit(self) -> bool:
        """Whether a failing run cites the defect's path."""
        cited = any(finding.path == self.seed.path for finding in self.output.findings)
        return self.seed.seeded and self.output.outcome == "fail" and cited

    @property
    def severity_right(self) -> bool:
        """Whether the first finding at that path has the expected severity."""
        at = [f.severity for f in self.output.findings if f.path == self.seed.path]
        return self.hit and at[0] == self.seed.severity

    @property
    def right(self) -> bool:
        """A hit on a seeded repository, or a control left clean."""
        if self.seed.seeded:
            return self.hit
        return self.output.outcome == "pass" and not self.output.findings


@dataclass(frozen=True, slots=True)
class Blind:
    """All blind runs together."""

    runs: tuple[BlindRun, ...]

    @property
    def recall(self) -> Ratio:
        """Seeded repositories whose defect was cited."""
        seeded = [run.hit for run in self.runs if run.seed.seeded]
        return Ratio(sum(seeded), len(seeded))

    @property
    def severity_accuracy(self) -> Ratio:
        """Hits with the expected severity."""
        hits = [run.severity_right for run in self.runs if run.hit]
        return Ratio(sum(hits), len(hits))

    @property
    def clean_control_rate(self) -> Ratio:
        """Controls in which nothing was found."""
        controls = [run.right for run in self.runs if not run.seed.seeded]
        return Ratio(sum(controls), len(controls))

    def by_word(self) -> list[tuple[str, Ratio]]:
        """How often each word of confidence was right; words are no probabilities."""
        words: dict[str, list[bool]] = {}
        for run in self.runs:
            words.setdefault(run.output.confidence or "none", []).append(run.right)
        return [(word, Ratio(sum(found), len(found))) for word, found in sorted(words.items())]
