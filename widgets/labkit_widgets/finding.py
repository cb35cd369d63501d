"""The list of items: by state, by words, by place in the queue."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from labkit.model import Item
    from labkit.study import Review, Study

STATES = ("all", "open", "answered", "skipped", "unsure", "flagged")
MAX_FOUND = 60
MAX_DIGITS = 10


def found(study: Study, review: Review, text: str, state: str) -> dict[str, Any]:
    """The items whose names hold every word, in show order; those outside the sample last.

    A number alone puts the item at that place of the queue first. What the AI said is never
    looked at, so that a search cannot tell it.
    """
    words = text.lower().split()
    rows = _at(study, review, text.strip())
    total = len(rows)
    first = rows[0]["item"] if rows else None
    for place, item in _all(study, review):
        if not _fits(review, item, words, state) or item.id == first:
            continue
        total += 1
        if len(rows) < MAX_FOUND:
            rows.append(_row(review, item, place))
    return {"type": "found", "text": text, "state": state, "items": rows, "total": total}


def _all(study: Study, review: Review) -> Iterator[tuple[int | None, Item]]:
    queue = review.queue
    inside = frozenset(queue)
    queued = ((i, study.items[item]) for i, item in enumerate(queue, start=1))
    others = ((None, item) for name, item in study.items.items() if name not in inside)
    yield from chain(queued, others)


def _at(study: Study, review: Review, text: str) -> list[dict[str, Any]]:
    """The item at a place of the queue, when the text is nothing but a number."""
    place = int(text) if text.isdecimal() and len(text) < MAX_DIGITS else 0
    if not 0 < place <= len(review.queue):
        return []
    return [_row(review, study.items[review.queue[place - 1]], place)]


def _fits(review: Review, item: Item, words: list[str], state: str) -> bool:
    if state == "flagged":
        wanted = review.flagged(item.id)
    else:
        wanted = state == "all" or review.state(item.id) == state
    if not wanted:
        return False
    names = f"{item.title} {item.subtitle} {item.file}".lower() if words else ""
    return all(word in names for word in words)


def _row(review: Review, item: Item, place: int | None) -> dict[str, Any]:
    return {
        "item": item.id,
        "title": item.title,
        "subtitle": item.subtitle,
        "place": place,
        "state": review.state(item.id),
        "flagged": review.flagged(item.id),
    }
