"""Findings of any AI reviewer as claims: what is said, about which place, and what stays hidden."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from labkit.model import Item, Prediction, Task
from labkit.presets.filecode import FileCode
from labkit.presets.finding import task
from labkit.presets.material import Excerpt, Material

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from labkit.parsed import Problem

_TITLE = 200


@dataclass(frozen=True, slots=True)
class Claim:
    """One finding: an item for people, and what the AI says about it."""

    id: str
    message: str
    title: str = ""
    """A line that says it in short; the message's first line where there is none."""
    file: str = ""
    line: int | None = None
    end_line: int | None = None
    place: str = ""
    """Where it is, where no file says so."""
    severity: str = ""
    confidence: float | None = None
    reason: str = ""
    shown: Mapping[str, str] = field(default_factory=dict)
    hidden: Mapping[str, str] = field(default_factory=dict)
    """Severity, confidence, model and earlier verdicts, by name."""
    snippet: Excerpt | None = None
    key: str = ""
    """What stays the same in the next run; the id where it is empty."""
    by_ai: bool = True
    """False for a finding that people wrote: an item, but no prediction."""


def material(
    claims: Iterable[Claim],
    severities: tuple[str, ...],
    *,
    show: tuple[str, ...] = (),
    source: Path | None = None,
    problems: tuple[Problem, ...] = (),
) -> Material:
    """Items, predictions and task of findings.

    Args:
        claims: The findings, each id once.
        severities: The words to choose from, the gravest first.
        show: Hidden fields to open, by name.
        source: The folder with the code.
        problems: What the reader left out or doubted.
    """
    found = {claim.id: claim for claim in claims}
    asked = task(severities)
    if not any(claim.file for claim in found.values()):
        asked = replace(asked, questions=tuple(q for q in asked.questions if q.name != "place"))
    snippets = {c.id: c.snippet for c in found.values() if c.snippet is not None}
    return Material(
        task=asked,
        items={key: _item(claim, show) for key, claim in found.items()},
        predictions={
            key: _prediction(claim, asked, show) for key, claim in found.items() if claim.by_ai
        },
        problems=problems,
        digests={key: _evidence(claim) for key, claim in found.items()},
        keys={key: claim.key for key, claim in found.items() if claim.key},
        code=FileCode(source, snippets).excerpt,
    )


def _item(claim: Claim, show: tuple[str, ...]) -> Item:
    message = claim.message.strip()
    first = claim.title.strip() or message.partition("\n")[0]
    opened = {name: value for name, value in claim.hidden.items() if name in show}
    lines = None
    if claim.line is not None and claim.end_line is not None and claim.end_line >= claim.line:
        lines = claim.end_line - claim.line + 1
    where = claim.file if claim.line is None else f"{claim.file}:{claim.line}"
    return Item(
        id=claim.id,
        title=first[:_TITLE] or claim.id,
        subtitle=where if claim.file else claim.place,
        fields={name: value for name, value in {**claim.shown, **opened}.items() if value},
        file=claim.file,
        line=claim.line,
        lines=lines,
        text="" if message == first[:_TITLE] else message,
    )


def _prediction(claim: Claim, asked: Task, show: tuple[str, ...]) -> Prediction:
    answer: dict[str, object] = {"valid": True}
    severity = asked.question("severity")
    if severity is not None and claim.severity in severity.options:
        answer["severity"] = claim.severity
    if asked.question("place") is not None:
        answer["place"] = True
    return Prediction(
        answer=answer,
        confidence=claim.confidence,
        reason=claim.reason,
        fields={name: v for name, v in claim.hidden.items() if v and name not in show},
    )


def _evidence(claim: Claim) -> str:
    """What a reviewer judged: message, file and code, but not the line."""
    code = claim.snippet.lines if claim.snippet is not None else ()
    shown = [f"{name}={value}" for name, value in claim.shown.items()]
    return "\n".join((claim.message, claim.file, *shown, *code))
