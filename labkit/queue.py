"""Who is shown what: everyone everything, or the sample split, with a share that all get."""

from __future__ import annotations

import hashlib
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def assign(
    items: Sequence[str], reviewers: Sequence[str], *, overlap: float | None, seed: int
) -> dict[str, tuple[str, ...]]:
    """Each reviewer's queue, in show order.

    Args:
        items: The sample in show order; an extension is appended, which keeps what was assigned.
        reviewers: Everybody who reviews.
        overlap: The share of items that everybody gets; the others are dealt out in turn.
            ``None`` gives everything to everyone.
        seed: Decides which items everybody gets, independent of the sample's keys.

    >>> assign(["a", "b", "c", "d"], ["x", "y"], overlap=0.0, seed=1)
    {'x': ('a', 'c'), 'y': ('b', 'd')}
    """
    if overlap is None:
        return {reviewer: tuple(items) for reviewer in reviewers}
    queues: dict[str, list[str]] = {reviewer: [] for reviewer in reviewers}
    turn = 0
    for item in items:
        if is_shared(item, overlap, seed=seed):
            for queue in queues.values():
                queue.append(item)
        elif reviewers:
            queues[reviewers[turn % len(reviewers)]].append(item)
            turn += 1
    return {reviewer: tuple(queue) for reviewer, queue in queues.items()}


def is_shared(item: str, overlap: float, *, seed: int) -> bool:
    """Whether everybody gets the item: its key is among the lowest share of all keys."""
    return _key(f"{seed}:overlap:{item}") < overlap


AGAIN = "~again"
"""What the second showing of an item is called behind the item's id."""
GAP = 10
"""At least so many other items stand between the two showings, where there are as many."""


def with_repeats(
    items: Sequence[str], share: float, *, seed: int
) -> tuple[tuple[str, ...], dict[str, str]]:
    """A queue in which a share of the items is shown a second time.

    Args:
        items: One reviewer's queue.
        share: How many of the items are repeated, from 0 to 1.
        seed: Decides which, independent of the sample's keys.

    Returns:
        The longer queue, and the item behind each second showing.

    >>> with_repeats(["a", "b", "c"], 1.0, seed=1)[0]
    ('a', 'b', 'c', 'a~again', 'b~again', 'c~again')
    """
    there = set(items)
    queue: list[str] = []
    repeats: dict[str, str] = {}
    waiting: deque[tuple[int, str]] = deque()
    for place, item in enumerate(items):
        while waiting and waiting[0][0] <= place:
            queue.append(waiting.popleft()[1])
        queue.append(item)
        again = item + AGAIN
        if again not in there and _key(f"{seed}:again:{item}") < share:
            repeats[again] = item
            waiting.append((place + GAP + 1, again))
    return (*queue, *(again for _, again in waiting)), repeats


def _key(text: str) -> float:
    digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    return int(digest[:13], 16) / 16**13
