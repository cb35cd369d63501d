"""decguard's reports: read with everything recomputed and compared, and written back."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from labkit.errors import InputError
from labkit.evaluate.decguard.contract import Contract
from labkit.evaluate.decguard.gates import (
    GOLDEN,
    Check,
    exit_code,
    filled,
    status_of,
)
from labkit.evaluate.decguard.records import Decision, Record
from labkit.evaluate.decguard.run import Run, evaluate
from labkit.formats import strict_json
from labkit.formats.decguard import contract as contracts
from labkit.formats.decguard import stored
from labkit.formats.fields import (
    Fields,
    anything,
    listed,
    mapping,
    number,
    one_of,
    optional,
    refuse,
    shown,
    some_text,
    text,
    whole,
)
from labkit.reports.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

VERSION = "0.1"
_CARRIED = ("decguard_version", "created_at", "mode", "backend", "health", "properties")

_OTHERS = {
    "check_version": "this is a production check; score its records with the contract, or name it "
    "with --baseline.",
    "diff_version": "this is a diff of two reports; give the reports themselves.",
}


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A report: its contract as far as it tells, its run, and what is carried through."""

    contract: Contract
    run: Run
    property_checks: tuple[Check, ...]
    """Checks of metamorphic properties, kept as stored: their runs are not in the numbers."""
    dataset: Mapping[str, Any]
    carried: Mapping[str, Any]

    @property
    def checks(self) -> tuple[Check, ...]:
        """All checks: of the golden run, then of properties."""
        return self.run.checks + self.property_checks

    def with_contract(self, contract: Contract) -> StoredRun:
        """The same answers under edited gates and evaluation settings.

        Raises:
            InputError: The contract describes another decision.
        """
        same_decision(self.contract, contract, self.contract.path, contract.path)
        return replace(self, contract=contract, run=evaluate(self.run.records, contract))


def same_decision(a: Contract, b: Contract, left: str, right: str) -> None:
    """Refuse two contracts that differ in name, type or labels."""
    for what in ("name", "type", "labels"):
        ours, theirs = getattr(a.decision, what), getattr(b.decision, what)
        if ours != theirs:
            shown = [list(v) if isinstance(v, tuple) else v for v in (ours, theirs)]
            raise InputError(
                f"{left} and {right} describe different decisions: "
                f"{what} {shown[0]!r} against {shown[1]!r}."
            )


def head(value: Any, place: str, data: Fields) -> Contract:
    """The contract as a report states it: the decision and how it was evaluated."""
    fields = Fields(value, place)
    kind = fields.take("type", one_of("choice", "noul", "score"))
    decision = Decision(
        fields.take("name", contracts.decision_name),
        cast("Any", kind),
        fields.take("labels", listed(some_text)),
    )
    found = Contract(
        decision,
        data.take("evaluation", contracts.evaluation),
        schema_version=fields.take("schema_version", text),
        hash=fields.take("hash", optional(text), None),
        path=fields.take("path", text, ""),
    )
    fields.close()
    return found


def _contract(data: Fields) -> Contract:
    found = head(data.take("contract", anything), f"{data.place}: contract", data)
    block = contracts.thresholds(GOLDEN)
    return replace(
        found, requirements=data.take("requirements", block), warnings=data.take("warnings", block)
    )


def check(value: Any, place: str) -> Check:
    """One stored check, judged again from its own value and threshold."""
    fields = Fields(value, place)
    found = Check(
        fields.take("gate", some_text),
        cast("Any", fields.take("level", one_of("requirement", "warning"))),
        fields.take("metric", some_text),
        fields.take("comparison", one_of(">=", "<=")),
        fields.take("threshold", number()),
        fields.take("value", optional(number())),
        cast("Any", fields.take("status", one_of("pass", "warn", "fail"))),
        fields.take("message", text),
    )
    fields.close()
    value, threshold = found.value, found.threshold
    holds = value is not None and (
        value >= threshold if found.comparison == ">=" else value <= threshold
    )
    failed = "fail" if found.level == "requirement" else "warn"
    if found.status != ("pass" if holds else failed):
        raise refuse(place, f"status {found.status!r} does not follow from value and threshold.")
    return found


def difference(kept: Any, again: Any, path: str = "") -> str | None:
    """The first place where two JSON values differ, or ``None`` where they are equal."""
    if isinstance(kept, dict) and isinstance(again, dict) and kept.keys() == again.keys():
        return next((d for k in again if (d := difference(kept[k], again[k], f"{path}.{k}"))), None)
    if isinstance(kept, list) and isinstance(again, list) and len(kept) == len(again):
        pairs = enumerate(zip(kept, again, strict=True))
        return next((d for i, (a, b) in pairs if (d := difference(a, b, f"{path}[{i}]"))), None)
    if kept == again and isinstance(kept, bool) == isinstance(again, bool):
        return None
    return f"{path.lstrip('.')} is {shown(kept)}, recomputed {shown(again)}"


def agree(source: str, what: str, kept: Any, again: Any) -> None:
    """Refuse a stored part that its own records do not give."""
    found = difference(kept, plain(again))
    if found:
        fault = f"{what} do not match the stored case results: {found}"
        raise refuse(source, f"{fault}; the file was edited or cut.")


def unique(ids: Sequence[str], source: str) -> None:
    """Refuse an id that stands twice."""
    seen: set[str] = set()
    for entry in ids:
        if entry in seen:
            raise refuse(source, f"duplicate case id {entry!r}.")
        seen.add(entry)


def _dataset(data: Fields, records: Sequence[Record], source: str) -> Mapping[str, Any]:
    dataset = Fields(data.take("dataset", mapping), f"{source}: dataset")
    found = {
        "path": dataset.take("path", text, ""),
        "hash": dataset.take("hash", optional(text), None),
        "n_cases": dataset.take("n_cases", whole()),
        "n_labeled": dataset.take("n_labeled", whole()),
    }
    dataset.close()
    labeled = sum(record.expected is not None for record in records)
    if (found["n_cases"], found["n_labeled"]) != (len(records), labeled):
        fault = f"{found['n_cases']} cases, {found['n_labeled']} labelled"
        raise refuse(
            source,
            f"dataset counts do not match the results: {fault}, but the file holds "
            f"{len(records)} and {labeled}.",
        )
    return found


def _records(data: Fields, contract: Contract, source: str) -> tuple[Record, ...]:
    tolerance = contract.evaluation.probability_tolerance

    def one(value: Any, place: str) -> Record:
        return stored.record(value, place, contract.decision, tolerance)

    records: tuple[Record, ...] = data.take("results", listed(one))
    unique([record.case_id for record in records], source)
    return records


def _property_checks(data: Fields, kept: Sequence[Any], source: str) -> tuple[Check, ...]:
    found = tuple(check(value, f"{source}: checks") for value in kept)
    odd = [entry.gate for entry in found if "." not in entry.gate]
    if odd or (found and data.take("properties", optional(mapping), None) is None):
        gates = ", ".join(odd or [entry.gate for entry in found][:1])
        raise refuse(source, f"checks do not match the stored requirements: {gates} is not asked.")
    return found


def build(raw: Any, source: str) -> StoredRun:
    """A report from JSON data, with metrics, checks, failures and status recomputed.

    Raises:
        InputError: A field is missing, unknown or wrong, or anything stored differs from what
            the stored cases give.
    """
    data = Fields(raw, source)
    for key, what in _OTHERS.items():
        if key in data:
            raise refuse(source, what)
    for ours in ("schemaVersion", "system", "groups", "policy", "gates", "problems"):
        data.take(ours, anything, None)
    data.take("report_version", one_of(VERSION))
    mode = data.take("mode", one_of("test", "fuzz", "all"), "test")
    if mode == "fuzz":
        raise refuse(source, "a report of properties only (mode fuzz) holds no golden test.")
    contract = _contract(data)
    records = _records(data, contract, source)
    dataset = _dataset(data, records, source)
    run = evaluate(records, contract)
    agree(source, "metrics", data.take("metrics", mapping), run.metrics)
    kept = data.take("checks", listed(anything))
    golden = len(run.checks)
    agree(source, "checks", list(kept[:golden]), run.checks)
    properties = _property_checks(data, kept[golden:], source)
    agree(source, "failures", list(data.take("failures", listed(anything))), run.failures)
    status = status_of(run.checks + properties)
    said = (data.take("status", text), data.take("exit_code", whole(0, 2)))
    if said[0] != status or said[1] not in {
        exit_code(status),
        exit_code(status, fail_on_warn=True),
    }:
        fault = f"status {said[0]!r} with exit_code {said[1]}"
        raise refuse(source, f"{fault} does not match the stored checks ({status}).")
    carried = {name: data.take(name, anything, None) for name in _CARRIED}
    data.close()
    return StoredRun(contract, run, properties, dataset, carried)


def read(path: Path) -> StoredRun:
    """A report from a file; see ``build``."""
    return build(strict_json.read(path), str(path))


def as_data(report: StoredRun) -> dict[str, Any]:
    """The report as decguard orders its fields."""
    status = status_of(report.checks)
    carried = report.carried
    return {
        "report_version": VERSION,
        "decguard_version": carried.get("decguard_version"),
        "created_at": carried.get("created_at"),
        "mode": carried.get("mode") or "test",
        "status": status,
        "exit_code": exit_code(status),
        "contract": report.contract.head(),
        "dataset": dict(report.dataset),
        "backend": carried.get("backend"),
        "health": carried.get("health"),
        "evaluation": plain(report.contract.evaluation),
        "requirements": filled(GOLDEN, report.contract.requirements),
        "warnings": filled(GOLDEN, report.contract.warnings),
        "metrics": plain(report.run.metrics),
        "checks": plain(report.checks),
        "failures": plain(report.run.failures),
        "results": plain(report.run.records),
        "properties": carried.get("properties"),
    }


def render(report: StoredRun) -> str:
    """The report as decguard writes it: JSON, two spaces, one final newline."""
    return json.dumps(as_data(report), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
