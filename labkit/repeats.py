"""How the second showing of an item stands in the log: the same item, and a mark."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from labkit.queue import AGAIN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labkit.model import Decision


def as_stored(decision: Decision, repeats: Mapping[str, str]) -> Decision:
    """The row that is stored; ``target`` says of an answer that it was given again.

    Args:
        decision: What a pass decided.
        repeats: The item behind each second showing.
    """
    item = repeats.get(decision.item)
    if item is None:
        return decision
    return replace(decision, item=item, target=decision.target or AGAIN)


def as_shown(decision: Decision) -> Decision:
    """The decision as a pass knows it."""
    if decision.target != AGAIN:
        return decision
    return replace(decision, item=decision.item + AGAIN)
