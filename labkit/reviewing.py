"""One reviewer, live: what is shown, and what is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labkit.model import Act, Decision
    from labkit.protocol import Pass
    from labkit.study import Study

WINDOW = 5


@dataclass(frozen=True, slots=True)
class Acted:
    """What an act led to; everything in it is on disk."""

    decisions: tuple[Decision, ...]
    item: dict[str, Any] | None
    """The view of the item acted on; ``None`` where there was nothing to do."""
    next: str | None
    """The item to show now: the same one while it is not done; ``None`` at the end."""
    saved: int
    """Items with a stored current answer of this reviewer."""
    duplicate: bool = False
    """The act was stored before; nothing was stored now."""


class Review:
    """One reviewer, live: what is shown, and what is stored."""

    def __init__(self, study: Study, reviewer: str, done: Pass) -> None:
        """Use ``Study.review``."""
        self.study, self.reviewer = study, reviewer
        self._pass = done

    @property
    def blind(self) -> bool:
        """Whether the AI's answer is hidden until the first answer."""
        return self.study.config.protocol != "assisted"

    @property
    def current(self) -> str | None:
        """The item to show; ``None`` when nothing is left."""
        return self._pass.current

    @property
    def queue(self) -> tuple[str, ...]:
        """The reviewer's items in show order."""
        return self._pass.queue

    def phase(self, item: str) -> str:
        """``answer``, ``revealed`` or ``done``."""
        return self._pass.phase(item)

    def state(self, item: str) -> str:
        """``open``, ``skipped``, ``unsure`` or ``answered``."""
        standing = self._pass.standing(item)
        if standing.answer is None:
            return "skipped" if standing.skipped else "open"
        return "unsure" if standing.answer.kind == "unsure" else "answered"

    def flagged(self, item: str) -> bool:
        """Whether this reviewer flagged the item."""
        return self._pass.flagged(item)

    def next_open(self, after: str | None = None) -> str | None:
        """The first open item behind another one; skipped ones at the end."""
        return self._pass.next_open(after)

    def beside(self, item: str, step: int) -> str | None:
        """The item ``step`` places further in the queue, done or not."""
        place = self._pass.agenda.position(item)
        at = (place or 0) - 1 + step
        return self.queue[at] if place is not None and 0 <= at < len(self.queue) else None

    def view(self, item: str) -> dict[str, Any]:
        """The JSON of one item's card; before the first answer nothing of the AI is in it.

        Raises:
            UnknownItem: The study has no such item.
        """
        return self.study.view(self._pass, item)

    def window(self, n: int = WINDOW) -> list[dict[str, Any]]:
        """The current item and the open ones behind it, at most ``n``."""
        current = self.current
        if current is None and self.take_over():
            current = self.current
        if current is None:
            return []
        following = self._pass.agenda.following(current, n - 1) if n > 1 else ()
        return [self.view(item) for item in (current, *following)]

    def take_over(self, *, now: datetime | None = None) -> bool:
        """Take over items of reviewers who stayed away for a day; whether any came.

        Called when nothing is left; an item is never lent to two people at a time.
        """
        return self.study.take_over(self._pass, self.reviewer, now=now or datetime.now(UTC))

    def act(self, act: Act, *, now: datetime | None = None) -> Acted:
        """Store what the reviewer wants; when this returns it is on disk.

        Raises:
            ChoiceError: It cannot be recorded; the message is fit for the card.
            StoreError: It was not stored; the same act may be sent again.
        """
        done = self._pass
        duplicate = done.seen(act.uuid)
        made = self.study.stored(done, act, self.reviewer, now or datetime.now(UTC))
        item = made[0].item if made else act.item
        if made and act.kind in {"undo", "redo"}:
            item = done.latest or item
        known = item in self.study.items or item in done.repeats
        if done.current is None:
            self.take_over(now=now)
        return Acted(
            decisions=made,
            item=self.view(item) if known else None,
            next=self._after(item, act.kind) if known else done.current,
            saved=done.saved,
            duplicate=duplicate or (not made and done.seen(act.uuid)),
        )

    def _after(self, item: str, kind: str) -> str | None:
        done = self._pass
        if kind in {"undo", "redo"}:
            return done.current
        passed = done.phase(item) == "done" or done.standing(item).skipped
        return done.next_open(item) if passed and kind != "flag" else item

    def progress(self) -> dict[str, Any]:
        """How far this reviewer is, as numbers."""
        done = self._pass
        return {
            "reviewer": self.reviewer,
            "saved": done.saved,
            "answered": done.saved,
            "skipped": done.tally.skipped,
            "unsure": done.tally.unsure,
            "flagged": done.flags,
            "settled": done.tally.settled,
            "sampled": len(done.queue),
            "left": done.agenda.left,
            "medianSeconds": done.tally.median_seconds,
            "canUndo": done.undo_target is not None,
            "canRedo": done.redo_target is not None,
        }
