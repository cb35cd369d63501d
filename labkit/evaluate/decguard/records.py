"""What decguard keeps of a run: the decision asked, each case, and the answer or the error."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

DecisionType = Literal["choice", "noul", "score"]
ERROR_KINDS = ("timeout", "unavailable", "invalid_response", "backend_error", "exception")


@dataclass(frozen=True, slots=True)
class Decision:
    """What is decided: its name, its type and its labels in the contract's order."""

    name: str
    type: DecisionType
    labels: tuple[str, ...]
    """Canonical order: ties of probability go to the first; score levels from the lowest."""
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How a run is evaluated; the defaults are decguard's."""

    confidence_threshold: float | None = None
    calibration_bins: int = 10
    probability_tolerance: float = 0.001
    max_concurrency: int = 4


@dataclass(frozen=True, slots=True)
class Case:
    """One golden case; ``expected`` is ``None`` where it has no label."""

    id: str
    input: Any
    expected: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """One validated answer; ``latency_ms`` is ``None`` where it was not measured."""

    case_id: str
    decision: str
    decision_type: DecisionType
    labels: tuple[str, ...]
    probabilities: Mapping[str, float]
    selected: str
    confidence: float
    backend: str
    provider: str
    model: str | None
    model_version: str | None
    latency_ms: float | None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaseError:
    """Why a case has no answer."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Record:
    """A case with exactly one of an answer and an error."""

    case_id: str
    input: Any
    expected: str | None
    metadata: Mapping[str, Any]
    result: Result | None
    error: CaseError | None
