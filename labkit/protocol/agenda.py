"""The queue of one pass, and what in it is still open; one step costs the same at any length."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from labkit.protocol.standing import Standing


class Agenda:
    """Items in the order they are shown; skipped ones come back at the end, the oldest first.

    Two whole numbers hold a bit an item, so that the next open one is found without a search.
    """

    def __init__(self, queue: Sequence[str]) -> None:
        """Take the queue; everything is open."""
        self.queue = tuple(queue)
        self.place = {item: i for i, item in enumerate(self.queue)}
        self._open = (1 << len(self.queue)) - 1
        """Bit i is set while item i is neither settled nor skipped."""
        self._settled = 0
        """Bit i is set while item i is settled."""
        self._skips: list[tuple[int, str]] = []
        self._numbers: dict[str, int] = {}

    def put(self, item: str, standing: Standing) -> None:
        """Note where an item stands now."""
        if standing.skipped:
            self._numbers[item] = standing.skipped
            heapq.heappush(self._skips, (standing.skipped, item))
        else:
            self._numbers.pop(item, None)
        place = self.place.get(item)
        if place is not None:
            bit = 1 << place
            self._open = self._open & ~bit if standing.closed else self._open | bit
            self._settled = self._settled | bit if standing.settled else self._settled & ~bit

    def add(self, items: Iterable[str]) -> None:
        """Append open items that are not there yet."""
        for item in items:
            if item not in self.place:
                self.place[item] = len(self.place)
                self.queue = (*self.queue, item)
                self._open |= 1 << self.place[item]

    def withdraw(self, item: str) -> None:
        """Ask nothing more about an item: somebody else answers it."""
        place = self.place.get(item)
        if place is not None:
            self._open &= ~(1 << place)
            self._settled |= 1 << place

    def next_open(self, after: str | None = None) -> str | None:
        """The first open item behind ``after``, then from the start; skipped ones at the end."""
        ahead = self._lowest(self.place.get(after, -1) + 1 if after is not None else 0)
        if ahead is None:
            ahead = self._lowest(0)
        return self._oldest_skip() if ahead is None else self.queue[ahead]

    def _lowest(self, start: int) -> int | None:
        rest = self._open >> start
        return start + (rest & -rest).bit_length() - 1 if rest else None

    def _oldest_skip(self) -> str | None:
        while self._skips:
            number, item = self._skips[0]
            if self._numbers.get(item) == number:
                return item
            heapq.heappop(self._skips)
        return None

    def previous(self, item: str) -> str | None:
        """The item before this one."""
        place = self.place.get(item, 0)
        return self.queue[place - 1] if place > 0 else None

    def following(self, item: str, n: int = 1) -> tuple[str, ...]:
        """The next ``n`` open items behind this one, without going round."""
        found: list[str] = []
        start = self.place.get(item, -1) + 1
        while len(found) < n and (ahead := self._lowest(start)) is not None:
            found.append(self.queue[ahead])
            start = ahead + 1
        return tuple(found)

    def position(self, item: str) -> int | None:
        """The place of an item, from 1."""
        place = self.place.get(item)
        return None if place is None else place + 1

    @property
    def left(self) -> int:
        """Items about which something is still asked, skipped ones included."""
        return len(self.queue) - self._settled.bit_count()
