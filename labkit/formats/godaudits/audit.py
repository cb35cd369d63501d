"""godaudits' AUDIT.json and expected.json, read as far as the evaluator needs them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from labkit.evaluate.godaudits.audit import (
    SEVERITIES,
    Audit,
    Evidence,
    Expected,
    Finding,
    Required,
    Task,
)
from labkit.formats import strict_json
from labkit.formats.fields import Check, Fields, anything, listed, optional, refuse, shown, text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

T = TypeVar("T")
_CHECK = re.compile(r"A-[A-Z]+-\d+")
_AUDIT_KEYS = ("schema_version", "audit", "domains", "evidence", "findings", "tasks")
_EVIDENCE_TEXT = ("quote", "sha256", "scope", "command", "tool", "tool_version", "recorded_by")


def _text(fields: Fields, name: str) -> str:
    value = fields.take(name, anything, "")
    return value if isinstance(value, str) else ""


def _names(fields: Fields, name: str) -> tuple[str, ...]:
    return _many(fields, name, text)


def _many(fields: Fields, name: str, check: Check[T]) -> tuple[T, ...]:
    """A list; absent and null are empty, as they are for the original."""
    return fields.take(name, optional(listed(check)), None) or ()


def _word(fields: Fields, name: str) -> str:
    """Text; absent is empty, which is no severity and no status."""
    return fields.take(name, text, "")


def _finding(value: Any, place: str) -> Finding:
    fields = Fields(value, place)
    return Finding(
        _word(fields, "id"),
        _word(fields, "severity"),
        _word(fields, "status"),
        _names(fields, "checks"),
        _names(fields, "evidence"),
        _text(fields, "title"),
        _text(fields, "confidence"),
    )


def _evidence(value: Any, place: str) -> Evidence:
    fields = Fields(value, place)
    path = fields.take("path", anything, None)
    kept = {name: fields.take(name, anything, None) for name in (*_EVIDENCE_TEXT, "line")}
    return Evidence(
        fields.take("id", text),
        _text(fields, "type"),
        path if isinstance(path, str) else None,
        kept,
    )


def _task(value: Any, place: str) -> Task:
    fields = Fields(value, place)
    return Task(_text(fields, "id"), _text(fields, "status"), _names(fields, "fixes"))


def build(raw: Any, source: str) -> Audit:
    """An audit from JSON data; absent lists are empty, fields the evaluator ignores are not read.

    Raises:
        InputError: It is no audit, or a part that is evaluated has the wrong form.
    """
    fields = Fields(raw, source)
    if "required_findings" in fields:
        raise refuse(source, "this is an expected.json, not an audit; swap the two files.")
    if not any(key in fields for key in _AUDIT_KEYS):
        raise refuse(source, "not an AUDIT.json; it has neither findings nor evidence.")
    return Audit(
        _many(fields, "findings", _finding),
        _many(fields, "evidence", _evidence),
        _many(fields, "tasks", _task),
    )


def read(path: Path) -> Audit:
    """An audit from a file."""
    return build(strict_json.read(path), str(path))


def _is_required(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("check"), str)
        and bool(_CHECK.fullmatch(entry["check"]))
        and entry.get("severity") in SEVERITIES
        and isinstance(entry.get("path"), str)
    )


def _once(required: list[Any], clean: list[Any], source: str) -> None:
    """No check and path twice (the severity does not tell them apart), no clean check twice."""
    seen: set[tuple[str, str]] = set()
    for entry in required:
        check, path = (
            (entry.get("check"), entry.get("path")) if isinstance(entry, dict) else (None, None)
        )
        if isinstance(check, str) and isinstance(path, str):
            if (check, path) in seen:
                fault = f"required_findings has check {check} with path {path!r} twice."
                raise refuse(source, fault)
            seen.add((check, path))
    controls: set[str] = set()
    for control in filter(lambda entry: isinstance(entry, str), clean):
        if control in controls:
            raise refuse(source, f"clean_checks must be unique; {control!r} stands twice.")
        controls.add(control)


def build_expected(raw: Any, source: str) -> Expected:
    """What an audit should find, from JSON data; other keys are ignored, as the original does.

    Raises:
        InputError: A list is missing, a check and path stand twice, a clean check stands twice,
            or an entry lacks a valid check, severity or path.
    """
    data: Mapping[str, Any] = raw if isinstance(raw, dict) else {}
    required, clean = data.get("required_findings"), data.get("clean_checks")
    if not isinstance(required, list) or not isinstance(clean, list):
        what = "this is an audit; swap the two files" if "findings" in data else "it has neither"
        raise refuse(
            source, f"an expected.json holds the lists required_findings and clean_checks; {what}."
        )
    _once(required, clean, source)
    for entry in required:
        if not _is_required(entry):
            fault = f"a required finding needs a valid check, severity and path: {shown(entry)}."
            raise refuse(source, fault)
    if not all(isinstance(check, str) for check in clean):
        raise refuse(source, "clean_checks must be a list of check ids.")
    return Expected(
        tuple(Required(e["check"], e["severity"], e["path"], e) for e in required), tuple(clean)
    )


@dataclass(frozen=True, slots=True)
class Adjudication:
    """What a person decided on each expected defect, where a ground truth records it."""

    hits: int
    misses: int
    false_positives: int
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Truth:
    """An expectation, and a person's verdict on the audit where the file has one."""

    expected: Expected
    adjudication: Adjudication | None = None


def _adjudication(raw: Any, source: str) -> Adjudication | None:
    if raw is None:
        return None
    fields = Fields(raw, f"{source}: adjudication")
    misses = fields.take("misses", listed(anything), ())
    reasons = [m["reason"] for m in misses if isinstance(m, dict) and "reason" in m]
    return Adjudication(
        len(fields.take("hits", listed(anything), ())),
        len(misses),
        len(fields.take("false_positives", listed(anything), ())),
        tuple(map(str, reasons)),
    )


def read_truth(path: Path) -> Truth:
    """An expected.json, or a retrospective GROUND-TRUTH.json (``expected_findings``)."""
    raw, source = strict_json.read(path), str(path)
    if isinstance(raw, dict) and "expected_findings" in raw and "required_findings" not in raw:
        data = {"required_findings": raw["expected_findings"], "clean_checks": []}
        expected = build_expected(data, source)
        return Truth(expected, _adjudication(raw.get("adjudication"), source))
    return Truth(build_expected(raw, source))
