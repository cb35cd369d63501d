"""What the store keeps beside decisions, as values, and how a decision becomes a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from labkit.model import Decision, answer_of, plain, utc_moment, utc_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from labkit.model import Kind


@dataclass(frozen=True, slots=True)
class StudyRow:
    """One study in a store."""

    id: int
    name: str
    config: Mapping[str, Any] = field(default_factory=dict)
    """What was settled when the sample was drawn: design, seed, strata, digests."""
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item of a study: drawn, with its chance, or found by search, without."""

    key: str
    position: int | None = None
    """The place in show order, from 0; ``None`` where it was not drawn."""
    batch: int = 0
    draw_order: int | None = None
    stratum: str | None = None
    inclusion_probability: float | None = None
    arm: str | None = None
    prediction: Mapping[str, Any] | None = None
    content_sha256: str | None = None

    def as_row(self) -> dict[str, Any]:
        """The columns of the table ``items``."""
        return {
            "item_key": self.key,
            "position": self.position,
            "batch": self.batch,
            "draw_order": self.draw_order,
            "stratum": self.stratum,
            "incl_prob": self.inclusion_probability,
            "arm": self.arm,
            "prediction": None if self.prediction is None else dict(self.prediction),
            "content_sha256": self.content_sha256,
        }


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One file that was written from the log."""

    upto_seq: int
    sha256: str
    target: str
    created_by: str
    created_at: str


def decision_row(
    decision: Decision, *, stored_at: datetime, guidelines: str | None = None
) -> dict[str, Any]:
    """The columns of the table ``decisions``, without the ids that the store knows.

    Args:
        decision: What was decided.
        stored_at: When it is stored, by this machine's clock.
        guidelines: Which guidelines were in force: the digest of their text.
    """
    return {
        "event_uuid": decision.event_uuid,
        "reviewer": decision.reviewer,
        "kind": decision.kind,
        "payload": plain(decision.answer),
        "suggestion_shown": decision.suggestion_shown,
        "guideline_version": guidelines,
        "shown_at": utc_text(decision.shown_at),
        "revealed_at": utc_text(decision.revealed_at),
        "decided_at": utc_text(decision.decided_at),
        "duration_ms": decision.duration_ms,
        "note": decision.note,
        "target": decision.target,
        "created_at": utc_text(stored_at),
    }


def decision_of(row: Any) -> Decision:
    """The decision that a row holds; ``row`` also has ``item_key``."""
    decided_at = utc_moment(row.decided_at)
    if decided_at is None:  # pragma: no cover  # the column is NOT NULL
        raise ValueError(row.event_uuid)
    return Decision(
        event_uuid=row.event_uuid,
        item=row.item_key,
        reviewer=row.reviewer,
        kind=cast("Kind", row.kind),
        decided_at=decided_at,
        answer=answer_of(row.payload),
        suggestion_shown=row.suggestion_shown,
        shown_at=utc_moment(row.shown_at),
        revealed_at=utc_moment(row.revealed_at),
        duration_ms=row.duration_ms,
        note=row.note,
        target=row.target,
        seq=row.seq,
    )
