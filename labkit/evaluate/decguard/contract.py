"""A decguard contract: the decision, how it is evaluated, and which gates it sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from labkit.evaluate.decguard.records import Decision, Evaluation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labkit.evaluate.decguard.gates import Thresholds
    from labkit.evaluate.decguard.policy import Route

MIN_SEGMENT_SIZE = 5


@dataclass(frozen=True, slots=True)
class Regression:
    """Gates of a comparison, and the metadata keys whose segments are compared."""

    requirements: Thresholds = field(default_factory=dict)
    warnings: Thresholds = field(default_factory=dict)
    segment_by: tuple[str, ...] = ()
    min_segment_size: int = MIN_SEGMENT_SIZE


@dataclass(frozen=True, slots=True)
class Production:
    """Gates of a production check, and the metadata keys of its segments."""

    segments: tuple[str, ...] = ()
    requirements: Thresholds = field(default_factory=dict)
    warnings: Thresholds = field(default_factory=dict)
    segment_requirements: Thresholds = field(default_factory=dict)
    segment_warnings: Thresholds = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Contract:
    """What a contract file says, as far as an evaluation needs it."""

    decision: Decision
    evaluation: Evaluation = field(default_factory=Evaluation)
    requirements: Thresholds = field(default_factory=dict)
    warnings: Thresholds = field(default_factory=dict)
    regression: Regression = field(default_factory=Regression)
    production: Production = field(default_factory=Production)
    routes: tuple[Route, ...] = ()
    """The policy's routes; empty where the contract has none."""
    dataset: str | None = None
    schema_version: str = "0.1"
    hash: str | None = None
    """Carried through from a report; labkit computes none."""
    path: str = ""

    def head(self) -> Mapping[str, object]:
        """The contract as a report names it."""
        return {
            "name": self.decision.name,
            "type": self.decision.type,
            "labels": list(self.decision.labels),
            "schema_version": self.schema_version,
            "hash": self.hash,
            "path": self.path,
        }
