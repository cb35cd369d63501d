"""Test methods and what MethodAtlas's AI said of them: relevant for security? which tags?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.formats import methodatlas
from labkit.formats.methodatlas import COLUMNS
from labkit.model import Item, Prediction, Question, Task
from labkit.presets.material import Material, hidden, no_code
from labkit.presets.sourcecode import SourceTree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from labkit.formats.methodatlas import Scan, ScanRecord

NAME = "methodatlas"
TAXONOMY = (
    "security",
    "auth",
    "access-control",
    "crypto",
    "input-validation",
    "injection",
    "data-protection",
    "logging",
    "error-handling",
    "owasp",
)
"""MethodAtlas's built-in tags, the umbrella tag first."""
UMBRELLA = ("security",)
EVIDENCE = tuple(name for name in COLUMNS if name != "source_root")
"""The columns of the desktop program's evidence file, where tags and name may be the AI's."""
_APART = {"ai_security_relevant", "ai_tags", "ai_reason", "ai_confidence"}
"""Columns that the card shows by themselves after the answer."""


def material(
    scan: Scan,
    *,
    tags: tuple[str, ...] = (),
    implied: tuple[str, ...] | None = None,
    show: tuple[str, ...] = (),
    source: Path | None = None,
) -> Material:
    """Items, predictions and task of a scan.

    Args:
        scan: The predictions file.
        tags: The taxonomy; MethodAtlas's own when empty.
        implied: Tags that "yes" switches on; the umbrella tag of the built-in taxonomy by default.
        show: Columns to open that would be hidden.
        source: The folder with the scanned code.
    """
    found = methodatlas.items(scan)
    evidence = is_evidence(scan)
    records = found.by_id
    offered = on_offer(records.values(), tags or TAXONOMY)
    if implied is None:
        implied = () if tags else UMBRELLA
    task = Task(
        NAME,
        (
            Question("relevant", "binary", "Is this test relevant for security?", ("yes", "no")),
            Question("tags", "tags", "Which tags apply?", offered),
        ),
        tuple(tag for tag in implied if tag in offered),
    )
    return Material(
        task=task,
        items={key: _item(key, r, evidence=evidence, show=show) for key, r in records.items()},
        predictions={
            key: _prediction(r, relevant=r.ai_security_relevant, evidence=evidence, show=show)
            for key, r in records.items()
            if r.ai_security_relevant is not None
        },
        problems=(*scan.problems, *found.problems),
        digests={key: r.content_hash for key, r in records.items() if r.content_hash},
        keys={key: f"{r.fqcn}#{r.method}@{r.source_root}" for key, r in records.items()},
        code=SourceTree(source).excerpt if source else no_code,
    )


def is_evidence(scan: Scan) -> bool:
    """Whether the file is the desktop program's: its columns, and no content hash anywhere."""
    return tuple(name.strip() for name in scan.columns) == EVIDENCE and not any(
        record.content_hash for record in scan.records
    )


def on_offer(records: Iterable[ScanRecord], taxonomy: tuple[str, ...]) -> tuple[str, ...]:
    """The taxonomy, then every other tag of the file by name; the same for every item."""
    listed = dict.fromkeys(normal(taxonomy))
    others: set[str] = set()
    for record in records:
        others.update(normal(record.tags), normal(record.ai_tags or ()))
    return (*listed, *sorted(others - listed.keys()))


def normal(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags as MethodAtlas compares them: trimmed, lower case, each once, no empty ones."""
    return tuple(dict.fromkeys(tag for t in tags if (tag := t.strip().lower())))


def _item(key: str, record: ScanRecord, *, evidence: bool, show: tuple[str, ...]) -> Item:
    fields = {
        "loc": "" if record.loc is None else str(record.loc),
        "source_root": record.source_root,
        **{name: cell for name, cell in record.extra.items() if not hidden(name, show)},
    }
    own = {"tags": ", ".join(record.tags), "display_name": record.display_name}
    fields |= {name: value for name, value in own.items() if not evidence or name in show}
    fields |= {name: value for name, value in _said(record).items() if name in show}
    return Item(
        id=key,
        title=record.method,
        subtitle=record.fqcn,
        fields={name: value for name, value in fields.items() if value},
        lines=record.loc,
    )


def _said(record: ScanRecord) -> dict[str, str]:
    """The AI's columns as text."""
    relevant, tags = record.ai_security_relevant, record.ai_tags
    return {
        "ai_security_relevant": "" if relevant is None else str(relevant).lower(),
        "ai_tags": ", ".join(tags or ()),
        "ai_reason": record.ai_reason,
        "ai_confidence": _number(record.ai_confidence),
        "ai_display_name": record.ai_display_name,
        "ai_interaction_score": _number(record.ai_interaction_score),
        "tag_ai_drift": record.tag_ai_drift,
        "tags_added": record.tags_added,
        "tags_removed": record.tags_removed,
    }


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _prediction(
    record: ScanRecord, *, relevant: bool, evidence: bool, show: tuple[str, ...]
) -> Prediction:
    fields = {name: cell for name, cell in _said(record).items() if name not in _APART}
    fields |= {name: cell for name, cell in record.extra.items() if hidden(name, show)}
    if evidence:
        fields |= {"tags": ", ".join(record.tags), "display_name": record.display_name}
    return Prediction(
        answer={"relevant": relevant, "tags": normal(record.ai_tags or ())},
        confidence=record.ai_confidence,
        reason=record.ai_reason,
        fields={name: value for name, value in fields.items() if value and name not in show},
    )
