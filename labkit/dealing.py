"""Who was dealt which item, and what comes back when somebody stays away."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from labkit.labels import IMPORTED
from labkit.queue import assign
from labkit.store.leasing import LEASE, claim, leases

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from labkit.config import StudyConfig
    from labkit.protocol import Pass
    from labkit.store import Store, StudyRow

HANDFUL = 5
"""So many items are lent at a time."""


class Dealing:
    """The queues of a study's reviewers.

    Args:
        items: The sample in show order.
        config: Names the reviewers and what they share.
        seed: The sample's.
    """

    def __init__(self, items: Sequence[str], config: StudyConfig, seed: int) -> None:
        """Deal."""
        self._items, self._named = tuple(items), config.reviewers
        self._queues = assign(self._items, self._named, overlap=config.overlap, seed=seed)
        count = Counter(item for queue in self._queues.values() for item in queue)
        self.owner: Mapping[str, str] = {
            item: name
            for name, queue in self._queues.items()
            for item in queue
            if count[item] == 1 and len(self._named) > 1
        }
        """Who was dealt an item that nobody else was."""

    def queue(self, reviewer: str) -> tuple[str, ...]:
        """A reviewer's own items; everybody gets all where no reviewer is named."""
        if not self._named or reviewer == IMPORTED:
            return self._items
        return self._queues.get(reviewer, ())

    def away(self, passes: Mapping[str, Pass], since: datetime, now: datetime) -> set[str]:
        """Reviewers who decided nothing for so long that their items are lent on.

        Args:
            passes: Every reviewer's pass.
            since: When the study was made: the last sign of those who never began.
            now: The moment.
        """
        return {
            name
            for name in self._named
            if (
                (seen := passes[name].last_at if name in passes else None) is None
                and now - since > LEASE
            )
            or (seen is not None and now - seen > LEASE)
        }

    def waiting(self, passes: Mapping[str, Pass], away: set[str], reviewer: str) -> list[str]:
        """Open items of those who are away, in show order."""
        return [
            item
            for item in self._items
            if (owner := self.owner.get(item)) in away
            and owner != reviewer
            and not any(done.final(item) for done in passes.values())
        ]


def take_over(  # noqa: PLR0913  # who takes what from whom, when
    dealing: Dealing,
    passes: Mapping[str, Pass],
    store: Store,
    study: StudyRow,
    *,
    reviewer: str,
    since: datetime,
    now: datetime,
) -> tuple[str, ...]:
    """A handful of items of those who stay away, lent to a reviewer who has nothing left."""
    away = dealing.away(passes, since, now) - {reviewer}
    wanted = dealing.waiting(passes, away, reviewer) if away else []
    if not wanted:
        return ()
    return claim(store, study, wanted, reviewer=reviewer, most=HANDFUL, now=now)


def lent(store: Store, study: StudyRow, dealing: Dealing, *, now: datetime) -> Mapping[str, str]:
    """Who holds which item of somebody else at this moment."""
    return leases(store, study, now=now) if dealing.owner else {}
