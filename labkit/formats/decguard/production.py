"""decguard's production records and check reports: what an application kept of its decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit.evaluate.decguard.gates import PRODUCTION, SEGMENT, filled
from labkit.evaluate.decguard.live import LiveMetrics, ProductionRecord, summarise
from labkit.evaluate.decguard.policy import ACTIONS
from labkit.evaluate.decguard.probabilities import ProbabilityError, select, validate
from labkit.formats import strict_json
from labkit.formats.decguard import contract as contracts
from labkit.formats.decguard.dataset import Row, digest, rows
from labkit.formats.decguard.report import agree, head, same_decision
from labkit.formats.fields import (
    Fields,
    anything,
    flag,
    listed,
    mapping,
    number,
    one_of,
    optional,
    refuse,
    some_text,
    text,
)
from labkit.textfile import read_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.evaluate.decguard.contract import Contract
    from labkit.evaluate.decguard.records import Evaluation

_ALLOWED_FALLBACK = {None, "fallback"}


@dataclass(frozen=True, slots=True)
class Production:
    """Production records in file order, and which file they came from."""

    records: tuple[ProductionRecord, ...]
    path: str
    hash: str | None
    source: str = "dataset"


def _timestamp(value: Any, place: str) -> str:
    try:
        found = datetime.fromisoformat(some_text(value, place))
    except ValueError as error:
        raise refuse(place, "must be an ISO 8601 timestamp.") from error
    if found.tzinfo is None:
        raise refuse(place, "must include a time zone.")
    return str(value)


def _input(value: Any, place: str) -> Any:
    if not isinstance(value, str | dict):
        raise refuse(place, "expected text or an object.")
    return value


def _take(fields: Fields, number_: int) -> ProductionRecord:
    return ProductionRecord(
        fields.take("id", optional(some_text), None) or f"record-{number_}",
        fields.take("timestamp", optional(_timestamp), None),
        fields.take("decision", some_text),
        fields.take("input", optional(_input), None),
        fields.take("probabilities", mapping),
        fields.take("selected", some_text),
        fields.take("confidence", optional(number()), None),  # type: ignore[arg-type]  # set below
        fields.take("backend", optional(text), None),
        fields.take("model", optional(text), None),
        fields.take("model_version", optional(text), None),
        fields.take("outcome", optional(text), None),
        fields.take("outcome_correct", optional(flag), None),
        fields.take("latency_ms", optional(number(0)), None),
        fields.take("cost", optional(number(0)), None),
        fields.take("action", optional(one_of(*ACTIONS)), None),
        fields.take("fallback", optional(flag), None),
        fields.take("metadata", mapping, {}),
    )


def _chances(found: ProductionRecord, contract: Contract, place: str) -> dict[str, float]:
    decision = contract.decision
    if found.decision != decision.name:
        raise refuse(place, f"decision {found.decision!r} is not the contract's {decision.name!r}.")
    tolerance = contract.evaluation.probability_tolerance
    try:
        chances = validate(decision.labels, found.probabilities, tolerance)
    except ProbabilityError as error:
        raise refuse(place, f"{error}.") from error
    best = select(decision.labels, chances)
    if found.selected != best:
        raise refuse(place, f"selected {found.selected!r} is not the most probable label {best!r}.")
    if found.confidence is not None and found.confidence != chances[best]:  # type: ignore[redundant-expr]  # absent until here
        fault = f"confidence {found.confidence} does not equal the probability of {best!r}"
        raise refuse(place, f"{fault} ({chances[best]}).")
    return chances


def _correctness(found: ProductionRecord, labels: Sequence[str], place: str) -> bool | None:
    if found.outcome is None:
        return found.outcome_correct
    if found.outcome not in labels:
        known = ", ".join(labels)
        raise refuse(place, f"outcome {found.outcome!r} is not one of the labels {known}.")
    right = found.outcome == found.selected
    if found.outcome_correct not in {None, right}:
        fault = f"outcome_correct={str(found.outcome_correct).lower()} contradicts"
        raise refuse(place, f"{fault} outcome {found.outcome!r}.")
    return right


def _record(row: Row, number_: int, contract: Contract) -> ProductionRecord:
    fields = Fields(row.value, row.place)
    found = _take(fields, number_)
    fields.close()
    chances = _chances(found, contract, row.place)
    if found.fallback is False and found.action == "fallback":
        raise refuse(row.place, "action 'fallback' conflicts with fallback=false.")
    if found.fallback and found.action not in _ALLOWED_FALLBACK:
        raise refuse(row.place, f"fallback=true conflicts with action {found.action!r}.")
    return replace(
        found,
        probabilities=chances,
        confidence=chances[found.selected],
        outcome_correct=_correctness(found, contract.decision.labels, row.place),
    )


def _build(entries: Sequence[Row], source: str, contract: Contract) -> tuple[ProductionRecord, ...]:
    seen: dict[str, str] = {}
    found: list[ProductionRecord] = []
    for number_, row in enumerate(entries, 1):
        record = _record(row, number_, contract)
        if record.id in seen:
            fault = f"duplicate record id {record.id!r} (first at {seen[record.id]})."
            raise refuse(row.place, fault)
        seen[record.id] = row.where
        found.append(record)
    if not found:
        raise refuse(source, "the file contains no production records.")
    return tuple(found)


def parse(raw: bytes, source: str, contract: Contract) -> Production:
    """Production records from the bytes of a ``.jsonl`` or ``.json`` file.

    Raises:
        InputError: A record belongs to another decision, contradicts itself or has an unknown
            field, or there is none.
    """
    entries = list(rows(raw, source, "record", newline_only=True))
    return Production(_build(entries, source, contract), Path(source).name, digest(raw))


def read(path: Path, contract: Contract) -> Production:
    """Production records from a file."""
    return parse(read_bytes(path), str(path), contract)


def _settings(data: Fields) -> None:
    config = Fields(data.take("config", mapping), f"{data.place}: config")
    config.take("segments", listed(some_text), ())
    for name, gates in (("requirements", PRODUCTION), ("segment_requirements", SEGMENT)):
        config.take(name, contracts.thresholds(gates), {})
        config.take(name.replace("requirements", "warnings"), contracts.thresholds(gates), {})
    config.close()


def build_check(raw: Any, source: str, contract: Contract) -> Production:
    """The records of a stored check report, to serve as a baseline.

    Raises:
        InputError: The report is of another decision, or its metrics are not those of its records.
    """
    data = Fields(raw, source)
    for carried in ("schemaVersion", "system", "decguard_version", "created_at", "policy"):
        data.take(carried, anything, None)
    data.take("check_version", one_of("0.1"))
    theirs = head(data.take("contract", anything), f"{source}: contract", data)
    same_decision(theirs, contract, source, contract.path)
    _settings(data)
    kept = data.take("records", listed(anything))
    entries = [Row(v, f"{source}: record {i}", f"record {i}") for i, v in enumerate(kept, 1)]
    records = _build(entries, source, replace(contract, evaluation=theirs.evaluation))
    metrics = data.take("metrics", mapping)
    agree(source, "metrics", metrics, summarise(records, theirs.evaluation))
    dataset = data.take("dataset", mapping)
    for carried in ("status", "exit_code", "baseline", "drift", "segments", "checks", "groups"):
        data.take(carried, anything, None)
    data.close()
    return Production(records, Path(source).name, dataset.get("hash"), "check_report")


def read_baseline(path: Path, contract: Contract) -> Production:
    """A baseline: production records, or an earlier check report (it has ``check_version``)."""
    if path.suffix.lower() == ".json":
        raw = strict_json.read(path)
        if isinstance(raw, dict) and "check_version" in raw:
            return build_check(raw, str(path), contract)
    return read(path, contract)


def metrics_of(baseline: Production, evaluation: Evaluation) -> LiveMetrics:
    """A baseline measured with the settings of the current check."""
    return summarise(baseline.records, evaluation)


def config(contract: Contract) -> dict[str, Any]:
    """The production section as a check report states it."""
    rules = contract.production
    return {
        "segments": list(rules.segments),
        "requirements": filled(PRODUCTION, rules.requirements),
        "warnings": filled(PRODUCTION, rules.warnings),
        "segment_requirements": filled(SEGMENT, rules.segment_requirements),
        "segment_warnings": filled(SEGMENT, rules.segment_warnings),
    }
