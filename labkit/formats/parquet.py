"""Parquet tables as text cells, read through DuckDB."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.formats.tables import Row, Table, listed

if TYPE_CHECKING:
    from pathlib import Path

MAX_CELLS = 20_000_000
"""More cells than this do not fit in memory as text."""
TAG_MARK = ";"
"""What parts the members of a list column."""


def read(path: Path) -> Table:
    """Read a Parquet file as a table; ``line`` of a row is its number plus one, as in a CSV.

    Lists become texts with ``;`` between their members, missing values empty cells, everything
    else what DuckDB writes for it.

    Raises:
        InputError: No such file, not Parquet, a column twice, or more than ``MAX_CELLS`` cells.
    """
    import duckdb  # noqa: PLC0415  # heavy: only where a Parquet file is read

    source = str(path)
    if not path.is_file():
        raise InputError.at(source, None, "no such file; check the path.")
    connection = duckdb.connect(":memory:", config={"threads": 2, "memory_limit": "400MB"})
    try:
        columns = _rows(connection, "DESCRIBE SELECT * FROM read_parquet(?)", source)
        header = tuple(name.strip() for name, *_ in columns)
        if len(set(header)) < len(header):
            raise InputError.at(source, None, f"a column stands twice: {listed(header)}.")
        count = _rows(connection, "SELECT count(*) FROM read_parquet(?)", source)[0][0]
        if count * len(header) > MAX_CELLS:
            raise InputError.at(source, None, f"{count} rows are too many for a table; split it.")
        texts = ", ".join(_as_text(name, kind) for name, kind, *_ in columns)
        records = _rows(connection, f"SELECT {texts} FROM read_parquet(?)", source)  # noqa: S608  # quoted names only
        rows = [Row(number, tuple(record)) for number, record in enumerate(records, start=2)]
    except duckdb.Error as error:
        fault = str(error).splitlines()[0].rstrip(".")
        raise InputError.at(
            source, None, f"not a Parquet file that can be read: {fault}."
        ) from error
    finally:
        connection.close()
    return Table(source, header, 1, tuple(rows))


def _rows(connection: Any, sql: str, source: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = connection.execute(sql, [_literal(source)]).fetchall()
    return found


def _literal(path: str) -> str:
    """A path in which DuckDB sees no pattern."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _as_text(name: str, kind: object) -> str:
    """SQL for one column as text."""
    quoted = '"' + name.replace('"', '""') + '"'
    if str(kind).endswith("[]"):
        return f"coalesce(array_to_string({quoted}::VARCHAR[], '{TAG_MARK}'), '') AS {quoted}"
    return f"coalesce({quoted}::VARCHAR, '') AS {quoted}"
