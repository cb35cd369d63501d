"""From an act to the rows that are stored: signed, dated, held against protocol and codebook."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, cast
from uuid import NAMESPACE_URL, uuid5

from labkit.codebook import checked
from labkit.errors import ChoiceError
from labkit.model import Act, Decision, Kind
from labkit.protocol.words import ACTS, BlindAccept, UnknownItem

if TYPE_CHECKING:
    from datetime import datetime

    from labkit.protocol.passes import Pass

MAX_NOTE = 2_000
MAX_UUID = 64
A_DAY_MS = 86_400_000


def decide(done: Pass, act: Act, *, at: datetime, reviewer: str) -> tuple[Decision, ...]:
    """Sign and date an act; see ``Pass.decide``."""
    _believable(act)
    if done.seen(act.uuid):
        return ()
    if act.kind in {"undo", "redo"}:
        return _back(done, act, at, reviewer)
    if not done.offers(act.item):
        raise UnknownItem(act.item)
    signed = _signed(done, act, at, reviewer)
    match act.kind:
        case "answer" | "unsure":
            return _answer(done, act, signed)
        case "keep":
            return _keep(done, act, signed)
        case "revise" if done.final(act.item) is None:
            raise ChoiceError(f"item {act.item!r} has no answer to change yet; answer it.")
        case "revise":
            return (replace(signed, answer=checked(done.task, act.answer)),)
        case "skip" if done.final(act.item) is not None:
            raise ChoiceError(f"item {act.item!r} is answered; undo the answer to skip it.")
    return (signed,)


def _believable(act: Act) -> None:
    """Refuse what no card would send."""
    if act.kind not in ACTS:
        raise ChoiceError(f"{act.kind!r} is no act; use one of {', '.join(ACTS)}.")
    if not 0 < len(act.uuid) <= MAX_UUID:
        raise ChoiceError(f"an act needs an id of 1 to {MAX_UUID} characters.")
    if len(act.note) > MAX_NOTE:
        raise ChoiceError(f"a note has at most {MAX_NOTE} characters.")


def _signed(done: Pass, act: Act, at: datetime, reviewer: str) -> Decision:
    took = act.elapsed_ms
    if took is not None and not 0 <= took <= A_DAY_MS:
        took = None
    return Decision(
        event_uuid=act.uuid,
        item=act.item,
        reviewer=reviewer,
        kind=cast("Kind", act.kind),
        decided_at=at,
        suggestion_shown=done.shown(act.item),
        shown_at=None if took is None else at - timedelta(milliseconds=took),
        duration_ms=took,
        note=act.note.strip(),
    )


def _back(done: Pass, act: Act, at: datetime, reviewer: str) -> tuple[Decision, ...]:
    target = done.undo_target if act.kind == "undo" else done.redo_target
    if target is None:
        return ()
    signed = _signed(done, replace(act, item=target.item), at, reviewer)
    return (replace(signed, target=target.event_uuid, shown_at=None, duration_ms=None),)


def _answer(done: Pass, act: Act, signed: Decision) -> tuple[Decision, ...]:
    if done.final(act.item) is not None:
        raise ChoiceError(f"item {act.item!r} is answered; change the answer, or undo it.")
    if act.kind == "answer":
        signed = replace(signed, answer=checked(done.task, act.answer))
    return (signed, *_reveal(done, signed))


def _reveal(done: Pass, answer: Decision) -> tuple[Decision, ...]:
    """The row that says what the AI's answer was when it was shown; stored with the answer."""
    item = answer.item
    if done.mode(item) != "blind-first" or done.shown(item):
        return ()
    suggestion = done.suggestion(item)
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


def _keep(done: Pass, act: Act, signed: Decision) -> tuple[Decision, ...]:
    match done.phase(act.item):
        case "revealed":
            return (signed,)
        case "done":
            raise ChoiceError(f"item {act.item!r} is done; there is nothing to keep.")
    suggestion = done.suggestion(act.item) if done.shown(act.item) else None
    if suggestion is None:
        raise BlindAccept(act.item)
    return (replace(signed, kind="answer", answer=checked(done.task, suggestion)),)
