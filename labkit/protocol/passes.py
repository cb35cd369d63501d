"""One reviewer's pass over a queue, as a fold over the log of decisions.

``decide`` says what is to be stored and changes nothing; ``fold`` takes in what was stored. The
blind rules live here: what was never shown cannot be accepted, and an answer that was given blind
stays the first one, whatever is undone or revised later. No clock and no disk, so a pass can be
replayed from its decisions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from labkit.codebook import agrees
from labkit.protocol.agenda import Agenda
from labkit.protocol.deciding import decide
from labkit.protocol.standing import FRESH, History, Standing, Step
from labkit.protocol.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from datetime import datetime

    from labkit.model import Act, Answer, Decision, Task
    from labkit.protocol.words import Phase


def _no_suggestion(_item: str) -> Answer | None:
    return None


class Pass:
    """One reviewer's pass over a queue; every method costs the same at any size.

    Args:
        queue: The items in the order they are shown.
        task: The questions and the codebook.
        protocol: ``blind-first``, ``blind`` or ``assisted``; the arm of an item wins.
        reveal: ``always``, or ``disagreement`` to stop only where reviewer and AI differ.
        arms: The arm of each item under ``randomised``.
        suggestion: What the AI says of an item, or ``None``; asked only when it may be shown.
        offered: Every item that may be answered; the queue when left out.
        repeats: The item behind each second showing; these are blind and never counted.
    """

    def __init__(  # noqa: PLR0913  # the study's whole protocol, keyword only
        self,
        queue: Sequence[str],
        task: Task,
        *,
        protocol: str = "blind-first",
        reveal: str = "always",
        arms: Mapping[str, str] | None = None,
        suggestion: Callable[[str], Answer | None] = _no_suggestion,
        offered: Container[str] | None = None,
        repeats: Mapping[str, str] | None = None,
    ) -> None:
        """Start a pass in which nothing was decided yet."""
        self.task, self.protocol, self.reveal = task, protocol, reveal
        self.repeats = dict(repeats or {})
        """The item behind each second showing."""
        self.suggestion = suggestion
        self.agenda = Agenda(queue)
        self.tally = Tally()
        self._arms = arms or {}
        self._offered = self.agenda.place if offered is None else offered
        self._history = History()
        self._standings: dict[str, Standing] = {}
        self._first: dict[str, Decision | None] = {}
        """By revealed item: the answer that stood when the AI's was shown."""
        self._skip_number = 0
        self._flags: set[str] = set()
        self._notes: dict[str, str] = {}
        self._seen: set[str] = set()
        self._latest: str | None = None
        self.seq = 0
        """The last place of the log that was folded in."""
        self.last_at: datetime | None = None
        """When the last decision was made."""

    # what stands

    def offers(self, item: str) -> bool:
        """Whether an item may be answered."""
        return item in self._offered or item in self.repeats

    def mode(self, item: str) -> str:
        """``blind-first``, ``blind`` or ``assisted``: how this item is shown.

        An item without an arm is shown blind first under ``randomised``.
        """
        if item in self.repeats:
            return "blind"
        fallback = "blind-first" if self.protocol == "randomised" else self.protocol
        return self._arms.get(item, fallback)

    def arm(self, item: str) -> str | None:
        """The arm that an item was given at random, where it was."""
        return self._arms.get(item)

    def standing(self, item: str) -> Standing:
        """Where an item stands."""
        return self._standings.get(item, FRESH)

    def phase(self, item: str) -> Phase:
        """What the card shows of an item: ``answer``, ``revealed`` or ``done``."""
        standing = self.standing(item)
        if standing.answer is None:
            return "answer"
        return "done" if standing.settled else "revealed"

    def shown(self, item: str) -> bool:
        """Whether the AI's answer may be in view; once revealed it stays so."""
        return item in self._first or self.mode(item) == "assisted"

    def first(self, item: str) -> Decision | None:
        """The answer that metrics use: the one before the reveal, else the current one."""
        return self._first.get(item) or self.standing(item).answer

    def final(self, item: str) -> Decision | None:
        """The answer that exports use."""
        return self.standing(item).answer

    @property
    def touched(self) -> tuple[str, ...]:
        """Every item that ever had an answer of this pass, in order of the first decision."""
        return tuple(self._standings)

    def flagged(self, item: str) -> bool:
        """Whether the reviewer flagged the item."""
        return item in self._flags

    @property
    def flags(self) -> int:
        """Items that are flagged."""
        return len(self._flags)

    def note(self, item: str) -> str:
        """The latest note on the item."""
        return self._notes.get(item, "")

    def seen(self, uuid: str) -> bool:
        """Whether an act of that id was folded in already."""
        return uuid in self._seen

    # what is next

    @property
    def queue(self) -> tuple[str, ...]:
        """The items in the order they are shown."""
        return self.agenda.queue

    def next_open(self, after: str | None = None) -> str | None:
        """The first open item behind ``after``, then from the start; skipped ones at the end."""
        return self.agenda.next_open(after)

    @property
    def current(self) -> str | None:
        """The item to show: the one last worked on while it is not done, else the first open."""
        latest = self._latest
        if latest is not None and not self.standing(latest).closed:
            return latest
        return self.agenda.next_open()

    @property
    def latest(self) -> str | None:
        """The item last worked on."""
        return self._latest

    @property
    def saved(self) -> int:
        """Items with a stored current answer, unsure ones included."""
        return self.tally.saved

    @property
    def undo_target(self) -> Decision | None:
        """The decision that the next undo takes back."""
        return self._history.last

    @property
    def redo_target(self) -> Decision | None:
        """The decision that the next redo brings back."""
        return self._history.next

    def decide(self, act: Act, *, at: datetime, reviewer: str) -> tuple[Decision, ...]:
        """Sign and date an act; nothing is changed until the result is stored and folded.

        Returns:
            The rows to store, all in one transaction; none where there is nothing to do (an undo
            with nothing to undo, an act that was stored before).

        Raises:
            UnknownItem: The item is not on offer.
            BlindAccept: The act accepts an answer that was not shown.
            ChoiceError: The act is not possible now, or not in the codebook.
        """
        return decide(self, act, at=at, reviewer=reviewer)

    # taking in what was stored

    def fold(self, decision: Decision) -> None:
        """Take in one stored decision of this reviewer; a repeat changes nothing."""
        self.seq = max(self.seq, decision.seq)
        if self.seen(decision.event_uuid):
            return
        self._seen.add(decision.event_uuid)
        self.last_at = decision.decided_at
        self._latest = self._folded(decision)
        if decision.note:
            self._notes[decision.item] = decision.note

    def _folded(self, decision: Decision) -> str:
        """Change what a decision changes; the item it is about."""
        match decision.kind:
            case "undo" | "redo":
                return self._moved(decision)
            case "reveal":
                self._reveal(decision)
            case "flag":
                self._flags ^= {decision.item}
            case "answer" | "unsure" | "revise" | "keep" | "skip":
                after = self._after(decision)
                self._history.push(Step(decision, self.standing(decision.item), after))
                self._set(decision.item, after)
        return decision.item

    def _after(self, decision: Decision) -> Standing:
        match decision.kind:
            case "keep":
                return replace(self.standing(decision.item), settled=True)
            case "skip":
                self._skip_number += 1
                return Standing(skipped=self._skip_number)
        if decision.kind != "revise" and decision.item not in self.repeats:
            self.tally.took(decision.duration_ms)
        return Standing(answer=decision, settled=True)

    def _reveal(self, decision: Decision) -> None:
        item, standing = decision.item, self.standing(decision.item)
        given = standing.answer
        self._first.setdefault(item, given)
        alike = given is not None and agrees(self.task, given.answer, decision.answer)
        goes_on = self.reveal == "disagreement" and alike
        self._set(item, replace(standing, settled=standing.settled and goes_on))

    def _moved(self, decision: Decision) -> str:
        """Undo or redo the step that a decision names; the item that step is about."""
        if decision.kind == "undo":
            item = self._history.item_of(redo=False) or decision.item
            step = self._history.back(decision.target, self.standing(item))
            standing = FRESH if step is None else step.before
        else:
            step = self._history.forth(decision.target)
            standing = FRESH if step is None else step.after
        if step is None:
            return decision.item
        self._set(step.decision.item, standing)
        return step.decision.item

    def _set(self, item: str, new: Standing) -> None:
        if item not in self.repeats:
            self.tally.change(self.standing(item), new)
        self._standings[item] = new
        self.agenda.put(item, new)
