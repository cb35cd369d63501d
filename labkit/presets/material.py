"""What a study is made of: items without the AI, and beside them what the AI said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from labkit.model import Item, Prediction, Task
    from labkit.parsed import Problem

HIDDEN_STARTS = ("ai_", "pred", "model", "score", "conf", "prob", "label", "expected")
"""A column whose name starts so is taken for the AI's until ``show`` opens it."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a source file."""

    file: str
    """Relative to the source folder."""
    first: int
    """The number of the first line, from 1."""
    lines: tuple[str, ...]
    mark: tuple[int, int]
    """First and last line of what is under review."""
    numbers: tuple[int | None, ...] = ()
    """Each line's number where they do not simply count up; ``None`` for a removed line."""


def no_code(_item: Item, _context: int = 0) -> Excerpt | None:
    """No source is known."""
    return None


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that is known before anybody answers."""

    task: Task
    items: Mapping[str, Item]
    """Every item of the file, by id."""
    predictions: Mapping[str, Prediction]
    """The items with an AI answer: the sampling frame."""
    problems: tuple[Problem, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    """What tells a changed item from an unchanged one, by id, where the file says it."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """By id a key that stays the same in the next scan, where the id does not."""
    code: Callable[..., Excerpt | None] = no_code
    """Finds the source of an item; a second argument asks for so many lines around it."""


def hidden(column: str, show: tuple[str, ...]) -> bool:
    """Whether a column that no preset names stays hidden until the answer.

    >>> hidden("Predicted_by", ()), hidden("owner", ()), hidden("ai_note", ("ai_note",))
    (True, False, False)
    """
    return column not in show and column.strip().lower().startswith(HIDDEN_STARTS)
