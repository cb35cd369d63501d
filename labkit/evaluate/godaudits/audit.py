"""An audit's findings against what was planted: recall, precision, citations, closure, controls.

A ratio without a denominator is 1 here (policy ``ONE``), except recall by severity, which is
``None``; ratios are rounded as JavaScript's ``toFixed(4)`` does, and judged rounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

from labkit.matching import claim_freely
from labkit.metrics.counts import ONE, Ratio
from labkit.metrics.rounding import JS_FIXED_4

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SEVERITIES = ("Critical", "High", "Medium", "Low")
ALWAYS = ("Critical", "High")
"""Severities that every report lists, so that a dangerous miss cannot hide."""
ACTIVE = frozenset({"open", "accepted-risk"})
PASSING: Mapping[str, float] = {
    "recall": 0.95,
    "precision": 0.95,
    "severity_accuracy": 0.9,
    "citation_validity": 1,
    "remediation_closure": 1,
    "clean_control_rate": 0.95,
}
"""The least value of each ratio that passes."""
Answering = dict[str, list[tuple[int, frozenset[str | None]]]]
_SHA256 = re.compile(r"[a-f0-9]{64}")
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "absence": ("scope", "command"),
    "tool": ("command", "tool", "tool_version"),
    "runtime": ("command", "tool", "tool_version"),
    "human": ("recorded_by",),
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a finding cites; the fields it needs depend on its type."""

    id: str
    type: str
    path: str | None
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        """Whether it quotes something and says where that came from."""
        values = self.fields
        if not _filled(values.get("quote")):
            return False
        if self.type == "source":
            line, sha = values.get("line"), values.get("sha256")
            return (
                _filled(self.path)
                and is_whole(line)
                and line > 0
                and isinstance(sha, str)
                and bool(_SHA256.fullmatch(sha))
            )
        names = _REQUIRED.get(self.type)
        return names is not None and all(_filled(values.get(name)) for name in names)


def _filled(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def is_whole(value: Any) -> TypeGuard[float]:
    """Whether JavaScript would call a JSON value an integer: 10 and 10.0, not "10" or true."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of an audit."""

    id: str
    severity: str
    status: str
    checks: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    title: str = ""
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """A remediation task and the findings it fixes."""

    id: str
    status: str
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Audit:
    """The parts of an audit that are evaluated, in file order."""

    findings: tuple[Finding, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    tasks: tuple[Task, ...] = ()

    @property
    def active(self) -> tuple[Finding, ...]:
        """Findings that are open or an accepted risk; history does not count."""
        return tuple(f for f in self.findings if f.status in ACTIVE)


@dataclass(frozen=True, slots=True)
class Required:
    """A planted defect: the check that owns it, its severity, and where it lies."""

    check: str
    severity: str
    path: str
    """Empty: any place will do."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The entry as the file has it."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What an audit should find, and which checks should stay without a finding."""

    required: tuple[Required, ...] = ()
    clean: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The evaluator's numbers, and the counts behind them."""

    ratios: Mapping[str, Ratio]
    recall_by_severity: Mapping[str, Ratio]
    missed: tuple[Required, ...]
    matched: tuple[str | None, ...]
    """For each required finding the id of the finding that answers it."""
    active_findings: int
    false_positives: int
    violated: tuple[str, ...]
    """Clean checks that an active finding names."""

    @property
    def values(self) -> dict[str, float]:
        """The ratios as the original reports them: rounded, 1 where there is nothing to count."""
        return {name: JS_FIXED_4.of(ratio.under(ONE) or 0.0) for name, ratio in self.ratios.items()}

    @property
    def vacuous(self) -> tuple[str, ...]:
        """Ratios that are 1 only because there is nothing to count."""
        return tuple(name for name, ratio in self.ratios.items() if not ratio.denominator)

    @property
    def passed(self) -> bool:
        """Whether every rounded ratio reaches its passing value."""
        values = self.values
        return all(values[name] >= least for name, least in PASSING.items())


def _answering(active: Sequence[Finding], evidence: Mapping[str, Evidence]) -> Answering:
    """Active findings by check, each with the paths it cites."""
    found: Answering = {}
    for index, finding in enumerate(active):
        cited = frozenset(evidence[e].path for e in finding.evidence if e in evidence)
        for check in dict.fromkeys(finding.checks):
            found.setdefault(check, []).append((index, cited))
    return found


def _cited(finding: Finding, evidence: Mapping[str, Evidence]) -> bool:
    cited = [evidence.get(name) for name in finding.evidence]
    return bool(cited) and all(entry is not None and entry.valid for entry in cited)


def _closed(finding: Finding, fixed: set[str]) -> bool:
    return finding.severity not in ALWAYS or finding.id in fixed


def _by_severity(
    required: Sequence[Required], matches: Sequence[Finding | None]
) -> dict[str, Ratio]:
    found: dict[str, Ratio] = {}
    for severity in SEVERITIES:
        hits = [
            m is not None for r, m in zip(required, matches, strict=True) if r.severity == severity
        ]
        if hits or severity in ALWAYS:
            found[severity] = Ratio(sum(hits), len(hits))
    return found


def evaluate(audit: Audit, expected: Expected) -> Evaluation:
    """Evaluate an audit as ``godaudits evaluate`` does.

    Each required finding is answered by the first active finding that names its check and cites
    its path; one finding may answer many (policy ``GODAUDITS_EVALUATE``).
    """
    active = audit.active
    evidence = {entry.id: entry for entry in audit.evidence}
    answering = _answering(active, evidence)
    fixed = {name for task in audit.tasks if task.status != "superseded" for name in task.fixes}
    claims = claim_freely(
        [i for i, paths in answering.get(r.check, ()) if not r.path or r.path in paths]
        for r in expected.required
    )
    matches = [None if claim is None else active[claim] for claim in claims]
    pairs = list(zip(expected.required, matches, strict=True))
    found = len({match.id for match in matches if match is not None})
    named = {check for finding in active for check in finding.checks}
    violated = tuple(check for check in expected.clean if check in named)
    total, wanted, clean = len(active), len(expected.required), len(expected.clean)
    ratios = {
        "recall": Ratio(sum(match is not None for match in matches), wanted),
        "precision": Ratio(found, total),
        "severity_accuracy": Ratio(
            sum(m is not None and m.severity == r.severity for r, m in pairs), wanted
        ),
        "citation_validity": Ratio(sum(_cited(f, evidence) for f in active), total),
        "remediation_closure": Ratio(sum(_closed(f, fixed) for f in active), total),
        "clean_control_rate": Ratio(clean - len(violated), clean),
    }
    return Evaluation(
        ratios,
        _by_severity(expected.required, matches),
        tuple(r for r, m in pairs if m is None),
        tuple(None if match is None else match.id for match in matches),
        total,
        max(0, total - found),
        violated,
    )
