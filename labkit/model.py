"""The nouns: what is under review, what the AI said about it, what a reviewer answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
