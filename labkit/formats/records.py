"""Any table of predictions: CSV, TSV, JSON, JSON Lines or Parquet, its columns found by name."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from labkit.formats import cells, jsonl, tables
from labkit.formats.columns import parts_of
from labkit.parsed import Problem
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MAX_CLASSES = 100
"""More different labels than this are text, not classes."""
_CLASS_WORDS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Record:
    """One row: what the AI said about one item, and what is known of it."""

    id: str
    line: int
    label: bool | str | None = None
    tags: tuple[str, ...] | None = None
    """``None`` where the row has no such value; empty where it says that none applies."""
    confidence: float | None = None
    probabilities: Mapping[str, float] = field(default_factory=dict)
    text: str = ""
    reason: str = ""
    file: str = ""
    place: int | None = None
    """The line in ``file``."""
    stratum: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Every other column, as text."""


@dataclass(frozen=True, slots=True)
class Records:
    """A whole table: its rows, which column plays which part, and what was doubted."""

    values: tuple[Record, ...]
    parts: Mapping[str, str] = field(default_factory=dict)
    """Column by part."""
    columns: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    source: str = "<text>"

    @property
    def binary(self) -> bool:
        """Whether every label is true or false."""
        labels = [record.label for record in self.values if record.label is not None]
        return bool(labels) and all(isinstance(label, bool) for label in labels)

    @property
    def classes(self) -> tuple[str, ...]:
        """The different text labels, by name."""
        found = {record.label for record in self.values if isinstance(record.label, str)}
        return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class _Raw:
    line: int
    values: Mapping[str, Any]


def parse(
    text: str,
    source: str = "<text>",
    *,
    columns: Mapping[str, str] | None = None,
    classes: Mapping[str, str] | None = None,
) -> Records:
    r"""Read a table of predictions from CSV, TSV, JSON or JSON Lines text.

    Args:
        text: The file's text.
        source: Its name in messages.
        columns: Column by part (``id label tags confidence probabilities text reason file line
            stratum``), where it has another name; the rest is found by ``columns.NAMES``.
        classes: What a label in the file stands for, where the labels it is held against have
            other names: ``{"Tie": "0"}``.

    Raises:
        InputError: Not a table, no id column, or a named column that is not there.

    >>> found = parse("item,predicted,conf\na,true,0.9\nb,false,\n")
    >>> dict(found.parts)
    {'id': 'item', 'label': 'predicted', 'confidence': 'conf'}
    >>> [(record.id, record.label, record.confidence) for record in found.values]
    [('a', True, 0.9), ('b', False, None)]
    """
    if text.lstrip()[:1] in {"{", "["}:
        found = _from_json(text, source, columns or {})
    else:
        found = _from_table(tables.parse(text, source), columns or {})
    return _renamed(found, classes or {})


def read(
    path: Path,
    *,
    columns: Mapping[str, str] | None = None,
    classes: Mapping[str, str] | None = None,
) -> Records:
    """Read a table of predictions; see ``parse``. Parquet is read too.

    Raises:
        InputError: The file cannot be read, or is no table that can be trusted.
    """
    if tables.is_parquet(path):
        return _renamed(_from_table(tables.read(path), columns or {}), classes or {})
    return parse(read_text(path), str(path), columns=columns, classes=classes)


def _renamed(found: Records, classes: Mapping[str, str]) -> Records:
    if not classes:
        return found
    values = (
        replace(one, label=_label(classes.get(as_text(one.label), one.label)))
        for one in found.values
    )
    return replace(found, values=tuple(values))


def _from_table(table: tables.Table, columns: Mapping[str, str]) -> Records:
    rows = [_Raw(row.line, dict(zip(table.header, row.cells, strict=True))) for row in table.rows]
    reader = _Reader(table.source, decimal_comma=table.decimal_comma)
    return reader.records(rows, table.header, columns, table.problems, line=table.header_line)


def _from_json(text: str, source: str, columns: Mapping[str, str]) -> Records:
    found = jsonl.parse(text, source, key=columns.get("id", "id"))
    rows = [_Raw(item.line, item.value) for item in found.values]
    names = tuple(dict.fromkeys(name for row in rows for name in row.values))
    return _Reader(source).records(rows, names, columns, found.problems, line=None)


class _Reader:
    """Reads rows; each fault keeps its line."""

    def __init__(self, source: str, *, decimal_comma: bool = False) -> None:
        self.source, self.decimal_comma = source, decimal_comma
        self.problems: list[Problem] = []

    def records(
        self,
        rows: list[_Raw],
        header: tuple[str, ...],
        columns: Mapping[str, str],
        before: tuple[Problem, ...],
        line: int | None,
    ) -> Records:
        if not rows and not header:
            return Records((), problems=before, source=self.source)
        parts = parts_of(header, columns, self.source, line)
        found = [record for row in rows if (record := self.record(row, parts)) is not None]
        kept = _alike(self.once(found))
        return Records(tuple(kept), parts, tuple(header), (*before, *self.problems), self.source)

    def once(self, found: list[Record]) -> list[Record]:
        """Each id once: the last row counts."""
        counts = Counter(record.id for record in found)
        last = {record.id: record for record in found}
        for name, count in counts.items():
            if count > 1:
                message = f"id {name!r} stands in {count} rows; the last one counts."
                self.problems.append(Problem(self.source, last[name].line, message, "warning"))
        return list(last.values())

    def record(self, row: _Raw, parts: Mapping[str, str]) -> Record | None:
        given = {part: row.values.get(column) for part, column in parts.items()}
        identity = as_text(given["id"]).strip()
        if not identity:
            self.say(row.line, "no id; the row is left out.")
            return None
        label = given.get("label")
        tags = given.get("tags")
        if isinstance(label, list) and tags is None:
            label, tags = None, label
        place = given.get("line")
        own = set(parts.values())
        probabilities = self.probabilities(given.get("probabilities"), row.line)
        value = _label(label)
        confidence = self.confidence(given.get("confidence"), row.line)
        if confidence is None and probabilities and value is not None:
            confidence = probabilities.get(as_text(value))
        return Record(
            id=identity,
            line=row.line,
            label=value,
            tags=_tags(tags),
            confidence=confidence,
            probabilities=probabilities,
            text=as_text(given.get("text")),
            reason=as_text(given.get("reason")),
            file=as_text(given.get("file")).strip(),
            place=_whole(place),
            stratum=as_text(given.get("stratum")).strip(),
            fields={k: as_text(v) for k, v in row.values.items() if k and k not in own},
        )

    def confidence(self, value: Any, line: int) -> float | None:
        if value is None:
            return None
        reading = (
            cells.within_unit(float(value))
            if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53
            else cells.probability(as_text(value), decimal_comma=self.decimal_comma)
        )
        if reading.fault:
            self.say(line, f"confidence {reading.fault}; it counts as missing.")
        elif reading.note:
            self.problems.append(Problem(self.source, line, f"confidence {reading.note}.", "note"))
        return reading.value

    def probabilities(self, value: Any, line: int) -> dict[str, float]:
        if isinstance(value, str) and value.strip():
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                self.say(line, "probabilities are not a JSON object; they count as missing.")
                return {}
        if value is None or value == "":
            return {}
        if not isinstance(value, dict) or not all(map(_is_probability, value.values())):
            self.say(line, "probabilities are not numbers from 0 to 1; they count as missing.")
            return {}
        return {str(name): float(part) for name, part in value.items()}

    def say(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.source, line, message))


def _alike(found: list[Record]) -> list[Record]:
    """Where some labels are words and some true or false, all are words."""
    if not any(isinstance(record.label, str) for record in found):
        return found
    return [
        replace(record, label=as_text(record.label)) if isinstance(record.label, bool) else record
        for record in found
    ]


def _is_probability(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _label(value: Any) -> bool | str | None:
    if isinstance(value, bool):
        return value
    text = as_text(value).strip()
    if not text:
        return None
    return _CLASS_WORDS.get(text.lower(), text)


def _tags(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, list):
        return tuple(dict.fromkeys(t for part in value if (t := as_text(part).strip())))
    return tuple(dict.fromkeys(cells.tags(as_text(value), ";|,")))


def _whole(value: Any) -> int | None:
    text = as_text(value).strip()
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) and int(text) > 0 else None


def as_text(value: Any) -> str:
    """A JSON value as a cell: text as it is, numbers as digits, the rest as JSON.

    >>> as_text(9007199254740993), as_text(True), as_text(None), as_text(["a"])
    ('9007199254740993', 'true', '', '["a"]')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False)
