"""Which items are shown with the AI's answer is left to chance: balanced blocks of four."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ARMS = ("blind-first", "assisted")
BLOCK = 4


def assign_arms(items: Iterable[str], stratum: Mapping[str, str], *, seed: int) -> dict[str, str]:
    """An arm for every item: of four neighbours in a stratum two are shown blind first.

    Args:
        items: The sample in show order; an extension is appended and changes nothing before it.
        stratum: AI decision x confidence band of each item.
        seed: What decides within a block.

    >>> arms = assign_arms(["a", "b", "c", "d"], dict.fromkeys("abcd", "flagged"), seed=1)
    >>> sorted(arms.values())
    ['assisted', 'assisted', 'blind-first', 'blind-first']
    """
    count: Counter[str] = Counter()
    arms: dict[str, str] = {}
    for item in items:
        name = stratum.get(item, "")
        block, place = divmod(count[name], BLOCK)
        count[name] += 1
        arms[item] = ARMS[place not in _blind(name, block, seed)]
    return arms


def _blind(stratum: str, block: int, seed: int) -> frozenset[int]:
    """The two places of a block that are shown blind first."""

    def key(place: int) -> str:
        text = f"{seed}:arm:{stratum}:{block}:{place}"
        return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()

    return frozenset(sorted(range(BLOCK), key=key)[: BLOCK // 2])
