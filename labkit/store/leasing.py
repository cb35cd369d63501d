"""Items lent to a reviewer for a time; the database sees to it that nobody else gets them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from sqlalchemy import insert, select, update

from labkit.model import utc_text
from labkit.store import schema
from labkit.store.connect import retried
from labkit.store.problems import told

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from labkit.store.log import Store
    from labkit.store.rows import StudyRow

LEASE = timedelta(hours=24)
"""How long an item is lent; and how long a reviewer may stay away before items are lent on."""
SECOND_HAND = 1
"""The slot of an item that was dealt to somebody else first."""


def claim(  # noqa: PLR0913  # who wants what, when
    store: Store, study: StudyRow, wanted: Sequence[str], *, reviewer: str, most: int, now: datetime
) -> tuple[str, ...]:
    """Lend up to ``most`` of the wanted items, those that nobody else holds at this moment.

    Args:
        store: The store.
        study: The study.
        wanted: Items in the order in which they are wanted.
        reviewer: Who wants them.
        most: How many.
        now: The moment, UTC; a lease that ended before it is free again.

    Raises:
        StoreError: Nothing was lent.
    """

    def work() -> tuple[str, ...]:
        with store.writing() as connection:
            store.lock(connection, study.id)
            given: list[str] = []
            for item in wanted:
                if len(given) >= most:
                    break
                if _lend(connection, study, item, reviewer, now):
                    given.append(item)
            return tuple(given)

    with told(store.place):
        return retried(work)


def _lend(connection: Connection, study: StudyRow, item: str, reviewer: str, now: datetime) -> bool:
    items, table = schema.items, schema.assignments
    key = connection.execute(
        select(items.c.id, items.c.position)
        .where(items.c.study_id == study.id)
        .where(items.c.item_key == item)
    ).first()
    if key is None:
        return False
    lease = {
        "state": "leased",
        "reviewer": reviewer,
        "lease_token": str(uuid4()),
        "lease_until": utc_text(now + LEASE),
    }
    held = connection.execute(
        select(table).where(table.c.item_id == key.id).where(table.c.slot == SECOND_HAND)
    ).first()
    if held is None:
        row = {
            "study_id": study.id,
            "item_id": key.id,
            "slot": SECOND_HAND,
            "priority": key.position or 0,
        }
        connection.execute(insert(table), row | lease)
        return True
    if held.reviewer != reviewer and (held.lease_until or "") > (utc_text(now) or ""):
        return False
    connection.execute(update(table).where(table.c.id == held.id).values(lease))
    return True


def leases(store: Store, study: StudyRow, *, now: datetime) -> dict[str, str]:
    """Who holds which item at this moment."""
    items, table = schema.items, schema.assignments
    query = (
        select(items.c.item_key, table.c.reviewer)
        .join(items, items.c.id == table.c.item_id)
        .where(table.c.study_id == study.id)
        .where(table.c.slot == SECOND_HAND)
        .where(table.c.lease_until > (utc_text(now) or ""))
        .order_by(table.c.priority, table.c.id)
    )
    with store.reading() as connection:
        return {row.item_key: row.reviewer for row in connection.execute(query)}
