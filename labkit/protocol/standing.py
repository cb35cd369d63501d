"""Where one item stands for one reviewer, and the steps that led there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labkit.model import Decision


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one item stands."""

    answer: Decision | None = None
    """The current answer: an ``answer``, an ``unsure`` or a ``revise``."""
    settled: bool = False
    """Nothing more is asked about the item."""
    skipped: int = 0
    """The number of the skip that moved it to the end; 0 for none."""

    @property
    def closed(self) -> bool:
        """Whether the card goes on to another item."""
        return self.settled or bool(self.skipped)


FRESH = Standing()


@dataclass(frozen=True, slots=True)
class Step:
    """One undoable decision and what it changed."""

    decision: Decision
    before: Standing
    after: Standing


class History:
    """The steps of a pass, newest last; undo and redo without limit."""

    def __init__(self) -> None:
        """Begin without steps."""
        self._done: list[Step] = []
        self._undone: list[Step] = []

    @property
    def last(self) -> Decision | None:
        """What the next undo takes back."""
        return self._done[-1].decision if self._done else None

    @property
    def next(self) -> Decision | None:
        """What the next redo brings back."""
        return self._undone[-1].decision if self._undone else None

    def push(self, step: Step) -> None:
        """A new step; it ends the redo chain."""
        self._done.append(step)
        self._undone.clear()

    def back(self, target: str | None, now: Standing) -> Step | None:
        """Take back the last step, where it is the target.

        Args:
            target: The ``event_uuid`` that the undo names.
            now: Where the item stands; a redo brings that back.
        """
        if not self._done or self._done[-1].decision.event_uuid != target:
            return None
        step = replace(self._done.pop(), after=now)
        self._undone.append(step)
        return step

    def forth(self, target: str | None) -> Step | None:
        """Bring back the step that was taken back last, where it is the target."""
        if not self._undone or self._undone[-1].decision.event_uuid != target:
            return None
        step = self._undone.pop()
        self._done.append(step)
        return step

    def item_of(self, *, redo: bool) -> str | None:
        """The item that the next undo, or redo, is about."""
        found = self.next if redo else self.last
        return None if found is None else found.item
