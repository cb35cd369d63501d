"""Who is shown what: everyone everything, or the sample split, with a share that all get."""

from __future__ import annotations

import hashlib
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
    key = hashlib.md5(f"{seed}:overlap:{item}".encode(), usedforsecurity=False).hexdigest()
    return int(key[:13], 16) < overlap * 16**13
