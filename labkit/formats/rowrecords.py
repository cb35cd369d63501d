"""Rows of a table, of JSON Lines or of a JSON list as records: values by name, with their lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.formats import cells, jsonl, tables
from labkit.parsed import Parsed, Problem

if TYPE_CHECKING:
    from labkit.formats.cells import Reading

TAG_MARKS = ";|"
KNOWN = frozenset(
    {
        "id",
        "item",
        "label",
        "truth",
        "gold",
        "predicted",
        "prediction",
        "tags",
        "truth_tags",
        "predicted_tags",
        "confidence",
        "probabilities",
        "stratum",
        "weight",
        "inclusion_probability",
        "basis",
        "reviewer",
        "arm",
        "duration_ms",
    }
)
"""Column names whose case does not matter."""


@dataclass(frozen=True, slots=True)
class Record:
    """One row: text cells from a table, JSON values from JSON."""

    line: int
    values: Mapping[str, Any]
    """By name, in lower case where the file is a table."""
    decimal_comma: bool = False

    def text(self, *names: str) -> str:
        """The first of these values that is there, as text without spaces around it.

        >>> Record(1, {"id": 9007199254740993}).text("item", "id")
        '9007199254740993'
        """
        for name in names:
            value = self.values.get(name)
            if value is not None and value != "":
                return spelled(value).strip()
        return ""

    def has(self, *names: str) -> bool:
        """Whether one of these names is in the row, whatever its value."""
        return any(name in self.values for name in names)

    def tags(self, *names: str) -> tuple[str, ...] | None:
        """Tags from a list or from text parted by semicolons or bars; ``None`` without any."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, (list, tuple)):
                return tuple(spelled(tag) for tag in value if tag is not None)
            if isinstance(value, str):
                return () if value.strip() == "[]" else cells.tags(value, TAG_MARKS)
        return None

    def probability(self, name: str) -> Reading[float]:
        """A number from 0 to 1, or why there is none."""
        value = self.values.get(name)
        if isinstance(value, bool):
            return cells.Reading(fault=f"{value} is not a number")
        if isinstance(value, (int, float)):
            return cells.within_unit(float(value) if abs(value) < 1e300 else 1e300)  # noqa: PLR2004  # any huge number is as wrong
        return cells.probability(spelled(value), decimal_comma=self.decimal_comma)

    def number(self, name: str) -> Reading[float]:
        """A finite number, or why there is none."""
        return cells.number(spelled(self.values.get(name)), decimal_comma=self.decimal_comma)

    def mapping(self, name: str) -> Mapping[str, Any] | None:
        """An object, given as one or as JSON text in a cell."""
        value = self.values.get(name)
        if isinstance(value, str) and value.strip().startswith("{"):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return None
        return value if isinstance(value, Mapping) else None


def spelled(value: object) -> str:
    """A JSON value as the text that a table would hold.

    >>> [spelled(v) for v in (True, None, 1, 0.5, "x")]
    ['true', '', '1', '0.5', 'x']
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def parse(text: str, source: str = "<text>") -> Parsed[Record]:
    r"""Read records from JSON Lines, a JSON list or a table, by the first character.

    Raises:
        InputError: None of them, or a file that cannot be trusted.

    >>> [record.text("id") for record in parse("ID,label\n007,x\n").values]
    ['007']
    """
    if text.lstrip("\ufeff \t\r\n")[:1] in {"{", "["}:
        found = jsonl.parse(text, source, key="item" if '"item"' in text[:4096] else "id")
        return Parsed(tuple(Record(item.line, item.value) for item in found.values), found.problems)
    table = tables.parse(text, source)
    names = [name.lower() if name.lower() in KNOWN else name for name in table.header]
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise InputError.at(source, table.header_line, f"column {twice!r} stands twice.")
    rows = tuple(
        Record(row.line, dict(zip(names, row.cells, strict=True)), table.decimal_comma)
        for row in table.rows
    )
    return Parsed(rows, table.problems)


def doubted(source: str, record: Record, name: str, reading: Reading[Any], effect: str) -> Problem:
    """What a reading says, as a ``Problem`` of its row."""
    if reading.fault:
        return Problem(source, record.line, f"{name} {reading.fault}; {effect}.")
    return Problem(source, record.line, f"{name} {reading.note}.", "note")
