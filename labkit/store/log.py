"""The store itself: studies, their items, and the append-only log of decisions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select, update

from labkit.store import schema
from labkit.store.connect import retried
from labkit.store.database import Database
from labkit.store.problems import StoreError, told
from labkit.store.rows import ExportRow, ItemRow, StudyRow, decision_of, decision_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection, Row

    from labkit.model import Decision

_SPARE = "5f1d3b0e"
"""Part of a key that no item has, for the moment in which keys change places."""
_STUDY_LOCK = 0x6C61626B
"""The first key of PostgreSQL's advisory lock; the second is the study."""


class Store(Database):
    """A database of studies; safe for several processes, durable when a call returns."""

    guidelines: str | None = None
    """The digest of the guidelines in force; every decision is stored with it."""

    # studies and items

    def studies(self) -> tuple[StudyRow, ...]:
        """Every study of the database, by name."""
        query = select(schema.studies).order_by(schema.studies.c.name)
        with self.reading() as connection:
            return tuple(
                StudyRow(r.id, r.name, r.config, r.created_at) for r in connection.execute(query)
            )

    def add_study(self, name: str, config: Mapping[str, Any], items: Sequence[ItemRow]) -> StudyRow:
        """Write a study and its items in one transaction.

        Raises:
            StoreError: A study of that name is there already.
        """

        def work() -> StudyRow:
            with self.writing() as connection:
                taken = select(schema.studies.c.id).where(schema.studies.c.name == name)
                if connection.scalar(taken) is not None:
                    raise StoreError(f"{self.place}: a study named {name!r} is there already.")
                now = _now()
                row = {"name": name, "config": dict(config), "created_at": now}
                found = connection.execute(insert(schema.studies), row).inserted_primary_key
                study = StudyRow(int(found[0]) if found else 0, name, config, now)
                self._insert_items(connection, study.id, items)
                return study

        with told(self.place):
            return retried(work)

    def extend(self, study: StudyRow, config: Mapping[str, Any], items: Sequence[ItemRow]) -> None:
        """Give every item its place and chance anew, add those that are new, keep the log."""

        def work() -> None:
            with self.writing() as connection:
                self._place(connection, study, config, items)

        with told(self.place):
            retried(work)

    def _place(
        self,
        connection: Connection,
        study: StudyRow,
        config: Mapping[str, Any],
        items: Sequence[ItemRow],
    ) -> None:
        known = self._ids(connection, study.id)
        table = schema.items
        for item in items:
            if item.key in known:
                connection.execute(
                    update(table).where(table.c.id == known[item.key]).values(item.as_row())
                )
        self._insert_items(connection, study.id, [i for i in items if i.key not in known])
        connection.execute(
            update(schema.studies)
            .where(schema.studies.c.id == study.id)
            .values(config=dict(config))
        )

    def retake(
        self,
        study: StudyRow,
        config: Mapping[str, Any],
        renamed: Mapping[str, str],
        items: Sequence[ItemRow],
    ) -> None:
        """Rename items, then let exactly the given ones be drawn; the log stays as it is."""

        def work() -> None:
            with self.writing() as connection:
                self.lock(connection, study.id)
                known, table = self._ids(connection, study.id), schema.items
                moved = [(known[o], new) for o, new in renamed.items() if o in known and o != new]
                for spare in (True, False):  # two steps, so that no two have one key for a moment
                    for key, new in moved:
                        name = f"moving {key} {study.id} {_SPARE}" if spare else new
                        where = update(table).where(table.c.id == key)
                        connection.execute(where.values(item_key=name))
                drop = {"position": None, "incl_prob": None, "draw_order": None, "stratum": None}
                outside = update(table).where(table.c.study_id == study.id).values(drop)
                connection.execute(outside)
                self._place(connection, study, config, items)

        with told(self.place):
            retried(work)

    def _insert_items(
        self, connection: Connection, study_id: int, items: Sequence[ItemRow]
    ) -> None:
        rows = [{"study_id": study_id, **item.as_row()} for item in items]
        if rows:
            connection.execute(insert(schema.items), rows)

    def _ids(self, connection: Connection, study_id: int) -> dict[str, int]:
        query = select(schema.items.c.item_key, schema.items.c.id).where(
            schema.items.c.study_id == study_id
        )
        return {row.item_key: row.id for row in connection.execute(query)}

    def items(self, study: StudyRow) -> tuple[ItemRow, ...]:
        """The items of a study: the drawn ones in show order, then the others."""
        c = schema.items.c
        query = (
            select(
                c.item_key,
                c.position,
                c.batch,
                c.draw_order,
                c.stratum,
                c.incl_prob,
                c.arm,
                c.prediction,
                c.content_sha256,
            )
            .where(c.study_id == study.id)
            .order_by(c.position.is_(None), c.position, c.id)
        )
        with self.reading() as connection:
            return tuple(ItemRow(*row) for row in connection.execute(query))

    # the log

    def record(
        self,
        study: StudyRow,
        after: int,
        decide: Callable[[Sequence[Decision]], Sequence[Decision]],
    ) -> tuple[tuple[Decision, ...], tuple[Decision, ...]]:
        """Append what ``decide`` says, given everything that was stored behind ``after``.

        The log cannot grow between the two: what others stored a moment ago is seen first, so two
        windows of one reviewer cannot both answer an item. When this returns, the rows are on disk.

        Returns:
            What others had stored behind ``after``, and what was appended, both with their places.

        Raises:
            StoreError: Nothing was stored; whatever ``decide`` raises goes through as it is.
        """

        def work() -> tuple[tuple[Decision, ...], tuple[Decision, ...]]:
            with self.writing() as connection:
                self.lock(connection, study.id)
                missed = tuple(self._since(connection, study.id, after))
                made = tuple(decide(missed))
                return missed, self._append(connection, study.id, made)

        with told(self.place):
            return retried(work)

    def append(self, study: StudyRow, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
        """Append decisions as they are, those whose ``event_uuid`` is stored already left out."""

        def work() -> tuple[Decision, ...]:
            with self.writing() as connection:
                self.lock(connection, study.id)
                known: set[str] = set()
                uuids = [d.event_uuid for d in decisions]
                column = schema.decisions.c.event_uuid
                for start in range(0, len(uuids), 500):
                    part = uuids[start : start + 500]
                    known.update(connection.scalars(select(column).where(column.in_(part))))
                fresh = [d for d in decisions if d.event_uuid not in known]
                return self._append(connection, study.id, fresh)

        with told(self.place):
            return retried(work)

    def lock(self, connection: Connection, study_id: int) -> None:
        """Let writers of one study wait in line, until the transaction ends."""
        if not self._sqlite:
            # places are given in the order of commits only when writers of a study wait in line
            connection.execute(select(func.pg_advisory_xact_lock(_STUDY_LOCK, study_id)))

    def _append(
        self, connection: Connection, study_id: int, decisions: Iterable[Decision]
    ) -> tuple[Decision, ...]:
        stored = []
        now = datetime.now(UTC)
        for decision in decisions:
            row = decision_row(decision, stored_at=now, guidelines=self.guidelines)
            row |= {
                "study_id": study_id,
                "item_id": self._item_id(connection, study_id, decision.item),
            }
            key = connection.execute(insert(schema.decisions), row).inserted_primary_key
            stored.append(replace(decision, seq=int(key[0]) if key else 0))
        return tuple(stored)

    def _item_id(self, connection: Connection, study_id: int, item: str) -> int:
        c = schema.items.c
        found = connection.scalar(
            select(c.id).where(c.study_id == study_id).where(c.item_key == item)
        )
        if found is not None:
            return int(found)
        # found by search, not drawn
        row = {"study_id": study_id, **ItemRow(item).as_row()}
        key = connection.execute(insert(schema.items), row).inserted_primary_key
        return int(key[0]) if key else 0

    def _since(self, connection: Connection, study_id: int, after: int) -> Iterator[Decision]:
        d, i = schema.decisions, schema.items
        query = (
            select(d, i.c.item_key)
            .join(i, i.c.id == d.c.item_id)
            .where(d.c.study_id == study_id)
            .where(d.c.seq > after)
            .order_by(d.c.seq)
        )
        row: Row[Any]
        for row in connection.execute(query):
            yield decision_of(row)

    def decisions(self, study: StudyRow, after: int = 0) -> list[Decision]:
        """The log of a study behind a place, in its order."""
        with self.reading() as connection:
            return list(self._since(connection, study.id, after))

    def last_seq(self, study: StudyRow) -> int:
        """The last place of the log; cheap enough to ask every second."""
        query = select(func.max(schema.decisions.c.seq)).where(
            schema.decisions.c.study_id == study.id
        )
        with self.reading() as connection:
            return connection.scalar(query) or 0

    # exports

    def add_export(self, study: StudyRow, export: ExportRow) -> None:
        """Remember that a file was written from the log."""

        def work() -> None:
            with self.writing() as connection:
                row = {
                    "study_id": study.id,
                    "upto_seq": export.upto_seq,
                    "sha256": export.sha256,
                    "target": export.target,
                    "created_by": export.created_by,
                    "created_at": export.created_at,
                }
                connection.execute(insert(schema.exports), row)

        with told(self.place):
            retried(work)

    def exports(self, study: StudyRow) -> tuple[ExportRow, ...]:
        """Every file that was written from the log, oldest first."""
        c = schema.exports.c
        query = (
            select(c.upto_seq, c.sha256, c.target, c.created_by, c.created_at)
            .where(c.study_id == study.id)
            .order_by(c.id)
        )
        with self.reading() as connection:
            return tuple(ExportRow(*row) for row in connection.execute(query))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
