"""One reviewer's pass over a queue, as a fold over the log of decisions.

``decide`` says what is to be stored and changes nothing; ``fold`` takes in what was stored. The
blind rules live here: what was never shown cannot be accepted, and an answer that was given blind
stays the first one, whatever is undone or revised later. No clock and no disk, so a pass can be
replayed from its decisions.
"""

from __future__ import annotations

import heapq
from bisect import insort
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, cast
from uuid import NAMESPACE_URL, uuid5

from labkit.codebook import agrees, checked
from labkit.errors import ChoiceError
from labkit.model import Act, Answer, Decision, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from datetime import datetime

    from labkit.model import Task

Phase = Literal["answer", "revealed", "done"]
PROTOCOLS = ("blind-first", "blind", "assisted", "randomised")
REVEALS = ("always", "disagreement")
ACTS = ("answer", "keep", "revise", "skip", "unsure", "flag", "undo", "redo")
MAX_NOTE = 2_000
MAX_UUID = 64
A_DAY_MS = 86_400_000


class UnknownItem(ChoiceError):  # noqa: N818  # reads as the sentence it says
    """The study has no such item, or it was not offered."""

    def __init__(self, item: str) -> None:
        """Name the item."""
        self.item = item
        super().__init__(f"item {item!r} is not part of this study; reload the page.")


class BlindAccept(ChoiceError):  # noqa: N818  # reads as the sentence it says
    """A choice accepts what was never shown."""

    def __init__(self, item: str) -> None:
        """Name the item."""
        self.item = item
        super().__init__(
            f"item {item!r}: nothing to accept, the AI's answer is hidden. "
            "Choose the answer yourself, or skip."
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one item stands."""

    answer: Decision | None = None
    """The current answer: an ``answer``, an ``unsure`` or a ``revise``."""
    settled: bool = False
    """Nothing more is asked about the item."""
    skipped: int = 0
    """The number of the skip that moved it to the end; 0 for none."""


_FRESH = Standing()


@dataclass(frozen=True, slots=True)
class _Step:
    """One undoable decision and what it changed."""

    decision: Decision
    before: Standing
    after: Standing


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
        self._arms = arms or {}
        self.repeats = dict(repeats or {})
        """The item behind each second showing."""
        self._suggestion = suggestion
        self._place = {item: i for i, item in enumerate(queue)}
        self.queue = tuple(queue)
        self._offered = self._place if offered is None else offered
        self._open = (1 << len(self.queue)) - 1
        """Bit i is set while queue item i is neither settled nor skipped."""
        self._settled = 0
        """Bit i is set while queue item i is settled."""
        self._standings: dict[str, Standing] = {}
        self._first: dict[str, Decision | None] = {}
        """By revealed item: the answer that stood when the AI's was shown."""
        self._undo: list[_Step] = []
        self._redo: list[_Step] = []
        self._skips: list[tuple[int, str]] = []
        self._skip_number = 0
        self._flags: set[str] = set()
        self._notes: dict[str, str] = {}
        self._seen: dict[str, str] = {}
        self._durations: list[int] = []
        self._counts = {"saved": 0, "unsure": 0, "skipped": 0, "settled": 0}
        self._latest: str | None = None
        self.seq = 0
        """The last place of the log that was folded in."""

    # what stands

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
        return self._standings.get(item, _FRESH)

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
        if item in self._first:
            return self._first[item] or self.standing(item).answer
        return self.standing(item).answer

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

    def note(self, item: str) -> str:
        """The latest note on the item."""
        return self._notes.get(item, "")

    def seen(self, uuid: str) -> bool:
        """Whether an act of that id was folded in already."""
        return uuid in self._seen

    # what is next

    def next_open(self, after: str | None = None) -> str | None:
        """The first open item behind ``after``, then from the start; skipped ones at the end."""
        ahead = self._lowest(self._place.get(after, -1) + 1 if after is not None else 0)
        if ahead is None:
            ahead = self._lowest(0)
        return self._oldest_skip() if ahead is None else self.queue[ahead]

    def _lowest(self, start: int) -> int | None:
        rest = self._open >> start
        return start + (rest & -rest).bit_length() - 1 if rest else None

    def _oldest_skip(self) -> str | None:
        while self._skips:
            number, item = self._skips[0]
            if self.standing(item).skipped == number:
                return item
            heapq.heappop(self._skips)
        return None

    @property
    def current(self) -> str | None:
        """The item to show: the one last worked on while it is not done, else the first open."""
        latest = self._latest
        if latest is not None:
            standing = self.standing(latest)
            if not standing.settled and not standing.skipped:
                return latest
        return self.next_open()

    @property
    def latest(self) -> str | None:
        """The item last worked on."""
        return self._latest

    def previous(self, item: str) -> str | None:
        """The item before this one in the queue."""
        place = self._place.get(item, 0)
        return self.queue[place - 1] if place > 0 else None

    def following(self, item: str, n: int = 1) -> tuple[str, ...]:
        """The next ``n`` open items behind this one, without going round."""
        found: list[str] = []
        start = self._place.get(item, -1) + 1
        while len(found) < n and (ahead := self._lowest(start)) is not None:
            found.append(self.queue[ahead])
            start = ahead + 1
        return tuple(found)

    def position(self, item: str) -> int | None:
        """The place in the queue, from 1."""
        place = self._place.get(item)
        return None if place is None else place + 1

    # how much

    @property
    def saved(self) -> int:
        """Items with a stored current answer, unsure ones included."""
        return self._counts["saved"]

    @property
    def unsure(self) -> int:
        """Items whose current answer is "unsure"."""
        return self._counts["unsure"]

    @property
    def skipped(self) -> int:
        """Items that wait at the end."""
        return self._counts["skipped"]

    @property
    def flags(self) -> int:
        """Items that are flagged."""
        return len(self._flags)

    @property
    def settled(self) -> int:
        """Items about which nothing more is asked."""
        return self._counts["settled"]

    @property
    def left(self) -> int:
        """Items of the queue about which something is still asked, skipped ones included."""
        return len(self.queue) - self._settled.bit_count()

    @property
    def durations(self) -> tuple[int, ...]:
        """How long each answer took, in milliseconds, sorted."""
        return tuple(self._durations)

    @property
    def median_seconds(self) -> float | None:
        """The median time an answer took, in seconds."""
        d = self._durations
        if not d:
            return None
        return (d[(len(d) - 1) // 2] + d[len(d) // 2]) / 2000

    @property
    def undo_target(self) -> Decision | None:
        """The decision that the next undo takes back."""
        return self._undo[-1].decision if self._undo else None

    @property
    def redo_target(self) -> Decision | None:
        """The decision that the next redo brings back."""
        return self._redo[-1].decision if self._redo else None

    # what is to be stored

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
        if act.kind not in ACTS:
            raise ChoiceError(f"{act.kind!r} is no act; use one of {', '.join(ACTS)}.")
        if not 0 < len(act.uuid) <= MAX_UUID:
            raise ChoiceError(f"an act needs an id of 1 to {MAX_UUID} characters.")
        if self.seen(act.uuid):
            return ()
        if act.kind in {"undo", "redo"}:
            return self._decide_back(act, at, reviewer)
        if act.item not in self._offered and act.item not in self.repeats:
            raise UnknownItem(act.item)
        signed = self._signed(act, at, reviewer)
        match act.kind:
            case "answer" | "unsure":
                return self._decide_answer(act, signed)
            case "keep":
                return self._decide_keep(act, signed)
            case "revise":
                self._needs_answer(act)
                return (replace(signed, answer=checked(self.task, act.answer)),)
            case "skip" if self.standing(act.item).answer is not None:
                raise ChoiceError(f"item {act.item!r} is answered; undo the answer to skip it.")
            case _:
                return (signed,)

    def _signed(self, act: Act, at: datetime, reviewer: str) -> Decision:
        if len(act.note) > MAX_NOTE:
            raise ChoiceError(f"a note has at most {MAX_NOTE} characters.")
        took = act.elapsed_ms
        if took is not None and not 0 <= took <= A_DAY_MS:
            took = None
        return Decision(
            event_uuid=act.uuid,
            item=act.item,
            reviewer=reviewer,
            kind=cast("Kind", act.kind),
            decided_at=at,
            suggestion_shown=self.shown(act.item),
            shown_at=None if took is None else at - timedelta(milliseconds=took),
            duration_ms=took,
            note=act.note.strip(),
        )

    def _decide_back(self, act: Act, at: datetime, reviewer: str) -> tuple[Decision, ...]:
        target = self.undo_target if act.kind == "undo" else self.redo_target
        if target is None:
            return ()
        signed = self._signed(replace(act, item=target.item), at, reviewer)
        return (replace(signed, target=target.event_uuid, shown_at=None, duration_ms=None),)

    def _decide_answer(self, act: Act, signed: Decision) -> tuple[Decision, ...]:
        if self.standing(act.item).answer is not None:
            raise ChoiceError(f"item {act.item!r} is answered; change the answer, or undo it.")
        if act.kind == "answer":
            signed = replace(signed, answer=checked(self.task, act.answer))
        return (signed, *self._revealing(signed))

    def _revealing(self, answer: Decision) -> tuple[Decision, ...]:
        item = answer.item
        if self.mode(item) != "blind-first" or item in self._first:
            return ()
        suggestion = self._suggestion(item)
        if suggestion is None:
            return ()
        return (
            Decision(
                event_uuid=str(uuid5(NAMESPACE_URL, f"labkit:reveal:{answer.event_uuid}")),
                item=item,
                reviewer=answer.reviewer,
                kind="reveal",
                decided_at=answer.decided_at,
                revealed_at=answer.decided_at,
                answer=suggestion,
            ),
        )

    def _decide_keep(self, act: Act, signed: Decision) -> tuple[Decision, ...]:
        match self.phase(act.item):
            case "revealed":
                return (signed,)
            case "done":
                raise ChoiceError(f"item {act.item!r} is done; there is nothing to keep.")
        suggestion = self._suggestion(act.item) if self.shown(act.item) else None
        if suggestion is None:
            raise BlindAccept(act.item)
        return (replace(signed, kind="answer", answer=checked(self.task, suggestion)),)

    def _needs_answer(self, act: Act) -> None:
        if self.standing(act.item).answer is None:
            raise ChoiceError(f"item {act.item!r} has no answer to change yet; answer it.")

    # taking in what was stored

    def fold(self, decision: Decision) -> None:
        """Take in one stored decision of this reviewer; a repeat changes nothing."""
        self.seq = max(self.seq, decision.seq)
        if self.seen(decision.event_uuid):
            return
        self._seen[decision.event_uuid] = decision.item
        match decision.kind:
            case "answer" | "unsure" | "revise" | "keep" | "skip":
                self._step(decision, self._after(decision))
            case "reveal":
                self._reveal(decision)
            case "flag":
                self._flags ^= {decision.item}
            case "undo":
                self._latest = self._back(decision)
                return
            case "redo":
                self._latest = self._forth(decision)
                return
        if decision.note:
            self._notes[decision.item] = decision.note
        if decision.kind != "adjudicate":
            self._latest = decision.item

    def _after(self, decision: Decision) -> Standing:
        match decision.kind:
            case "keep":
                return replace(self.standing(decision.item), settled=True)
            case "skip":
                self._skip_number += 1
                return Standing(skipped=self._skip_number)
        counts = decision.kind != "revise" and decision.item not in self.repeats
        if decision.duration_ms is not None and counts:
            insort(self._durations, decision.duration_ms)
        return Standing(answer=decision, settled=True)

    def _step(self, decision: Decision, after: Standing) -> None:
        before = self.standing(decision.item)
        self._undo.append(_Step(decision, before, after))
        self._redo.clear()
        self._set(decision.item, after)

    def _reveal(self, decision: Decision) -> None:
        item, standing = decision.item, self.standing(decision.item)
        given = standing.answer
        self._first.setdefault(item, given)
        alike = given is not None and agrees(self.task, given.answer, decision.answer)
        goes_on = self.reveal == "disagreement" and alike
        self._set(item, replace(standing, settled=standing.settled and goes_on))

    def _back(self, decision: Decision) -> str:
        """Take back the step that an undo names; the item it was about."""
        if not self._undo or self._undo[-1].decision.event_uuid != decision.target:
            return decision.item
        step = self._undo.pop()
        item = step.decision.item
        self._redo.append(replace(step, after=self.standing(item)))
        self._set(item, step.before)
        return item

    def _forth(self, decision: Decision) -> str:
        """Bring back the step that a redo names; the item it was about."""
        if not self._redo or self._redo[-1].decision.event_uuid != decision.target:
            return decision.item
        step = self._redo.pop()
        self._undo.append(step)
        self._set(step.decision.item, step.after)
        return step.decision.item

    def _set(self, item: str, new: Standing) -> None:
        old = self.standing(item)
        self._standings[item] = new
        for sign, standing in () if item in self.repeats else ((-1, old), (1, new)):
            answer = standing.answer
            self._counts["saved"] += sign * (answer is not None)
            self._counts["unsure"] += sign * (answer is not None and answer.kind == "unsure")
            self._counts["skipped"] += sign * bool(standing.skipped)
            self._counts["settled"] += sign * standing.settled
        if new.skipped and new.skipped != old.skipped:
            heapq.heappush(self._skips, (new.skipped, item))
        place = self._place.get(item)
        if place is not None:
            bit = 1 << place
            closed = new.settled or bool(new.skipped)
            self._open = self._open & ~bit if closed else self._open | bit
            self._settled = self._settled | bit if new.settled else self._settled & ~bit
