"""A study copied from one store into another, with its whole log in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from labkit.store import schema
from labkit.store.connect import retried
from labkit.store.problems import StoreError, told

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from labkit.store.log import Store
    from labkit.store.rows import StudyRow


def copy(source: Store, study: StudyRow, target: Store, name: str) -> int:
    """Copy a study; the target gets all of it in one transaction, or nothing.

    Ids and places in the log are given anew, in the same order; everything that points at them
    follows.

    Args:
        source: The store that holds the study.
        study: Which one.
        target: Another store.
        name: What it is called there.

    Returns:
        How many decisions were copied.

    Raises:
        StoreError: The target holds a study of that name already, or cannot be written.
    """
    tables = {table.name: _rows(source, table, study) for table in _OWN}

    def work() -> int:
        with target.writing() as connection:
            taken = select(schema.studies.c.id).where(schema.studies.c.name == name)
            if connection.scalar(taken) is not None:
                raise StoreError(f"{target.place}: a study named {name!r} is there already.")
            return _write(connection, tables, study, name)

    with told(target.place):
        return retried(work)


_OWN = (schema.items, schema.assignments, schema.decisions, schema.exports)


def _rows(source: Store, table: Table, study: StudyRow) -> list[dict[str, Any]]:
    key = next(iter(table.primary_key.columns))
    query = select(table).where(table.c.study_id == study.id).order_by(key)
    with source.reading() as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


def _write(
    connection: Connection, tables: dict[str, list[dict[str, Any]]], study: StudyRow, name: str
) -> int:
    created = {"name": name, "config": dict(study.config), "created_at": study.created_at}
    key = connection.execute(insert(schema.studies), created).inserted_primary_key
    here = {"study_id": key[0] if key else 0}
    items = _insert(connection, schema.items, tables["items"], here)
    slots = _insert(
        connection,
        schema.assignments,
        [{**row, "item_id": items[row["item_id"]]} for row in tables["assignments"]],
        here,
    )
    log = _insert(
        connection,
        schema.decisions,
        [
            {
                **row,
                "item_id": items[row["item_id"]],
                "assignment_id": slots.get(row["assignment_id"]),
            }
            for row in tables["decisions"]
        ],
        here,
    )
    _insert(
        connection,
        schema.exports,
        [{**row, "upto_seq": _place(log, row["upto_seq"])} for row in tables["exports"]],
        here,
    )
    config = dict(study.config)
    if config.get("updates"):
        config["updates"] = [
            {**entry, "seq": _place(log, entry.get("seq", 0))} for entry in config["updates"]
        ]
        connection.execute(
            update(schema.studies)
            .where(schema.studies.c.id == here["study_id"])
            .values(config=config)
        )
    return len(log)


def _place(log: dict[int, int], seq: int) -> int:
    """The new place of the last decision up to an old place."""
    return max((new for old, new in log.items() if old <= seq), default=0)


def _insert(
    connection: Connection, table: Table, rows: list[dict[str, Any]], here: dict[str, Any]
) -> dict[int, int]:
    """Insert rows one after the other; the new key of each old one."""
    key = next(iter(table.primary_key.columns)).name
    found: dict[int, int] = {}
    for row in rows:
        values = {name: value for name, value in row.items() if name != key} | here
        made = connection.execute(insert(table), values).inserted_primary_key
        found[row[key]] = int(made[0]) if made else 0
    return found
