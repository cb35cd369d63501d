"""The nouns: what is under review, what the AI said about it, what a reviewer answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Literal

Answer = Mapping[str, object]
"""Values by question: ``{"relevant": True, "tags": ("auth",)}``. Tags are tuples of text."""


class Basis(StrEnum):
    """How independent of the AI a label is."""

    BLIND = "blind"
    """Answered before the AI's answer was shown."""
    REVEALED = "revealed"
    """Answered, or revised, after it was shown."""
    ASSISTED = "assisted"
    """Answered with the AI's answer in view."""
    IMPORTED = "imported"
    """Taken from a file; how it came about is not known."""


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that is asked of every item."""

    name: str
    kind: Literal["binary", "choice", "tags", "scale", "text"]
    prompt: str
    options: tuple[str, ...] = ()
    """The codebook: choices, tags on offer or scale points; the same for every item."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the AI said about one item."""

    answer: Answer
    confidence: float | None = None
    """0..1; for MethodAtlas P(relevant), elsewhere of the answer given."""
    probabilities: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Everything else that is hidden until the first answer, by column."""


@dataclass(frozen=True, slots=True)
class Item:
    """The unit under review; nothing in it comes from the AI."""

    id: str
    title: str
    subtitle: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What may be shown before the answer, by column."""
    file: str = ""
    """Where the evidence lies, relative to the source folder; empty when it is not known."""
    line: int | None = None
    lines: int | None = None
    """How many lines the evidence has, where it is known."""
    text: str = ""
    """The evidence itself where it came with the predictions."""


Kind = Literal[
    "answer",
    "reveal",
    "keep",
    "revise",
    "skip",
    "unsure",
    "flag",
    "undo",
    "redo",
    "adjudicate",
]


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked of every item of a study."""

    preset: str
    questions: tuple[Question, ...]
    implied: tuple[str, ...] = ()
    """Tags that the card switches on when a binary question is answered with yes."""

    def question(self, name: str) -> Question | None:
        """The question of that name."""
        return next((q for q in self.questions if q.name == name), None)


@dataclass(frozen=True, slots=True)
class Act:
    """What a reviewer wants: unsigned, undated, not yet believed."""

    uuid: str
    """Made by the client, so that a repeat of the same act is known for what it is."""
    item: str
    kind: str
    """One of ``answer keep revise skip unsure flag undo redo``."""
    answer: Answer | None = None
    note: str = ""
    elapsed_ms: int | None = None
    """Milliseconds from painting the item to the act, by the client's clock."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An act signed and dated: one row of the log, never edited."""

    event_uuid: str
    item: str
    reviewer: str
    kind: Kind
    decided_at: datetime
    answer: Answer | None = None
    """What was answered; for ``reveal`` what the AI had said."""
    suggestion_shown: bool = False
    """Whether the AI's answer was in view, or had been, when this was decided."""
    shown_at: datetime | None = None
    revealed_at: datetime | None = None
    duration_ms: int | None = None
    note: str = ""
    target: str | None = None
    """The ``event_uuid`` that an undo takes back or a redo brings back."""
    seq: int = 0
    """The place in the log, from 1; 0 before it is stored. The order of truth, not the clock."""


@dataclass(frozen=True, slots=True)
class Label:
    """The value that stands for one item and one reviewer."""

    item: str
    reviewer: str
    first: Answer | None
    """The answer that metrics use; ``None`` for unsure."""
    final: Answer | None
    """The answer that exports use; the same where nothing was revised."""
    basis: Basis
    """How independent ``first`` is; where there is none, how ``final`` came about."""
    stratum: str | None = None
    inclusion_probability: float | None = None
    """``None`` for an item that was not drawn: a targeted label, weight 0 in estimates."""
    arm: str | None = None
    seed: int | None = None
    shown_at: datetime | None = None
    decided_at: datetime | None = None
    duration_ms: int | None = None
    note: str = ""
    unsure: bool = False
    """The first answer was "unsure": an answer without a label."""
    adjudicated: bool = False
    """It settles what reviewers differed on; ``reviewer`` is who settled it."""

    @property
    def value(self) -> Answer | None:
        """The same as ``final``."""
        return self.final

    @property
    def revised(self) -> bool:
        """Whether the final answer is another one than the first."""
        return self.first != self.final

    def as_dict(self) -> dict[str, object]:
        """One line of a labels file: the keys in their order, times in UTC."""
        return {
            "item": self.item,
            "reviewer": self.reviewer,
            "value": plain(self.final),
            "first": plain(self.first),
            "final": plain(self.final),
            "basis": self.basis.value,
            "stratum": self.stratum,
            "inclusion_probability": self.inclusion_probability,
            "arm": self.arm,
            "seed": self.seed,
            "shown_at": utc_text(self.shown_at),
            "decided_at": utc_text(self.decided_at),
            "duration_ms": self.duration_ms,
            "note": self.note,
        }


def plain(answer: Answer | None) -> dict[str, object] | None:
    """An answer as JSON has it: tags are a list.

    >>> plain({"relevant": True, "tags": ("auth",)})
    {'relevant': True, 'tags': ['auth']}
    """
    if answer is None:
        return None
    return {name: list(v) if isinstance(v, tuple) else v for name, v in answer.items()}


def answer_of(values: Mapping[str, object] | None) -> Answer | None:
    """An answer as labkit holds it, from JSON: lists become tuples.

    >>> answer_of({"relevant": True, "tags": ["auth"]})
    {'relevant': True, 'tags': ('auth',)}
    """
    if values is None:
        return None
    return {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}


def utc_text(moment: datetime | None) -> str | None:
    """A moment as every labkit file writes it: UTC, ISO 8601, milliseconds, ``Z``.

    >>> utc_text(datetime.fromisoformat("2026-10-25T02:30:00+02:00"))
    '2026-10-25T00:30:00.000Z'
    """
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def utc_moment(text: str | None) -> datetime | None:
    """The moment that ``utc_text`` wrote."""
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC)
