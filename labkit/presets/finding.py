"""Findings of a scanner: is each one real, how severe is it, does it point at the right place?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.model import Item, Prediction, Question, Task
from labkit.presets.filecode import FileCode
from labkit.presets.material import Excerpt, Material

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.formats.sarif import Finding, Report, Spot

NAME = "finding"
LEVELS = ("error", "warning", "note")
"""What SARIF calls severity, the gravest first."""
_TITLE = 200


def task(severities: tuple[str, ...] = LEVELS) -> Task:
    """The questions; the severities are the tool's own words, and not asked where it has none."""
    valid = Question("valid", "binary", "Is this a real problem?", ("yes", "no"))
    severity = Question("severity", "choice", "How severe is it?", severities)
    place = Question("place", "binary", "Does it point at the right place?", ("yes", "no"))
    return Task(NAME, (valid, severity, place) if severities else (valid, place))


def material(report: Report, *, show: tuple[str, ...] = (), source: Path | None = None) -> Material:
    """Items and claims of a SARIF report.

    Every finding that a person can settle is an item; severity, confidence, rank, tool and
    earlier verdicts stay hidden until the answer.

    Args:
        report: The SARIF file.
        show: Hidden fields to open, by name.
        source: The folder with the scanned code.

    Raises:
        InputError: The report holds no finding that can be reviewed.
    """
    asked = [finding for finding in report.findings if finding.for_review]
    if not asked and report.findings:
        raise InputError("no finding is left to review: all passed, repeat others or are gone.")
    snippets = {f.id: code for f in asked if (code := _snippet(f.spot)) is not None}
    return Material(
        task=task(),
        items={finding.id: _item(finding, show) for finding in asked},
        predictions={finding.id: _prediction(finding, show) for finding in asked},
        problems=report.problems,
        digests={f.id: _evidence(f) for f in asked},
        keys={finding.id: finding.key for finding in asked},
        code=FileCode(source, snippets).excerpt,
    )


def _item(finding: Finding, show: tuple[str, ...]) -> Item:
    spot = finding.spot
    fields = {
        "rule": finding.rule,
        "rule_name": finding.rule_name if finding.rule_name != finding.rule else "",
        "name": spot.name,
        "also_at": ", ".join(str(other) for other in finding.others[:5]),
        "related": "; ".join(_related(other) for other in finding.related[:5]),
        **{name: value for name, value in _said(finding).items() if name in show},
    }
    first, _, _ = finding.message.strip().partition("\n")
    whole = finding.message if len(first) > _TITLE or "\n" in finding.message.strip() else ""
    lines = None if spot.line is None or spot.end_line is None else spot.end_line - spot.line + 1
    return Item(
        id=finding.id,
        title=first[:_TITLE] or finding.rule or finding.id,
        subtitle=str(spot),
        fields={name: value for name, value in fields.items() if value},
        file=spot.file,
        line=spot.line,
        lines=lines,
        text=whole,
    )


def _evidence(finding: Finding) -> str:
    """What a reviewer judged: rule, message and code, but not the line."""
    return f"{finding.rule}\n{finding.message}\n{finding.spot.file}\n{finding.spot.snippet}"


def _related(spot: Spot) -> str:
    return f"{spot.message} ({spot})" if spot.message else str(spot)


def _said(finding: Finding) -> dict[str, str]:
    """What the tool says beyond the finding itself."""
    verdicts = "; ".join(
        " ".join(part for part in (v.kind, v.status, v.justification) if part)
        for v in finding.verdicts
    )
    return {
        "tool": finding.tool,
        "level": finding.level,
        "kind": finding.kind if finding.kind != "fail" else "",
        "rank": "" if finding.rank is None else f"{finding.rank:g}",
        **finding.words,
        "suppression": verdicts,
        "baseline": finding.baseline,
        "rule_help": finding.rule_help if finding.rule_help != finding.rule_name else "",
    }


def _prediction(finding: Finding, show: tuple[str, ...]) -> Prediction:
    answer: dict[str, object] = {"valid": True, "place": True}
    if finding.level in LEVELS:
        answer["severity"] = finding.level
    said = _said(finding)
    return Prediction(
        answer=answer,
        confidence=finding.confidence,
        fields={name: value for name, value in said.items() if value and name not in show},
    )


def _snippet(spot: Spot) -> Excerpt | None:
    """The code that came with the report, where there is some."""
    if not spot.snippet.strip():
        return None
    first = spot.snippet_line or spot.line or 1
    lines = tuple(spot.snippet.replace("\r\n", "\n").rstrip("\n").split("\n"))
    begin = spot.line or first
    end = min(spot.end_line or begin, first + len(lines) - 1)
    return Excerpt(spot.file, first, lines, (begin, max(begin, end)))
