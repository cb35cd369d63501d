"""One evaluated golden run: records, metrics, checks and failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from labkit.evaluate.decguard.gates import GOLDEN, Check, Judge, Status, status_of
from labkit.evaluate.decguard.metrics import Metrics, summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.evaluate.decguard.contract import Contract
    from labkit.evaluate.decguard.records import Record

IMPLICIT = "max_error_rate"


@dataclass(frozen=True, slots=True)
class Failure:
    """A wrong answer or an error, with what is needed to understand it."""

    case_id: str
    kind: Literal["error", "mismatch"]
    input: Any
    expected: str | None
    selected: str | None
    confidence: float | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Run:
    """What a golden test found."""

    records: tuple[Record, ...]
    metrics: Metrics
    checks: tuple[Check, ...]
    failures: tuple[Failure, ...]

    @property
    def status(self) -> Status:
        """The worst of the checks."""
        return status_of(self.checks)


def failures(records: Sequence[Record]) -> tuple[Failure, ...]:
    """Errors and mismatches in dataset order; an unlabelled answer is neither."""
    found: list[Failure] = []
    for record in records:
        error, result = record.error, record.result
        if error is not None:
            said = f"{error.kind}: {error.message}"
            found.append(
                Failure(record.case_id, "error", record.input, record.expected, None, None, said)
            )
        elif result is not None and record.expected not in {None, result.selected}:
            found.append(
                Failure(
                    record.case_id,
                    "mismatch",
                    record.input,
                    record.expected,
                    result.selected,
                    result.confidence,
                    None,
                )
            )
    return tuple(found)


def evaluate(records: Sequence[Record], contract: Contract) -> Run:
    """Metrics, gates (``max_error_rate`` 0 where it is not set) and failures of a run."""
    metrics = summarise(records, contract.decision, contract.evaluation)
    checks = Judge().all(
        GOLDEN, contract.requirements, contract.warnings, metrics.values(), IMPLICIT
    )
    return Run(tuple(records), metrics, checks, failures(records))
