"""Predictions as MethodAtlas writes them: one test method a row, as CSV or as a JSON array."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.formats import cells, jsonl, tables
from labkit.parsed import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.formats.cells import Reading

COLUMNS = (
    "fqcn",
    "method",
    "loc",
    "tags",
    "display_name",
    "source_root",
    "content_hash",
    "ai_security_relevant",
    "ai_display_name",
    "ai_tags",
    "ai_reason",
    "ai_interaction_score",
    "ai_confidence",
    "tag_ai_drift",
    "tags_added",
    "tags_removed",
)
"""Every column that MethodAtlas writes, in its order."""


@dataclass(frozen=True, slots=True)
class ScanRecord:
    """One scanned test method and, where there is one, the AI's answer."""

    fqcn: str
    method: str
    loc: int | None = None
    tags: tuple[str, ...] = ()
    display_name: str = ""
    source_root: str = ""
    content_hash: str = ""
    ai_security_relevant: bool | None = None
    """``None`` where the AI gave no answer for this row."""
    ai_display_name: str = ""
    ai_tags: tuple[str, ...] | None = None
    """As written; ``None`` where the file has no such column or the row no such value."""
    ai_reason: str = ""
    ai_interaction_score: float | None = None
    ai_confidence: float | None = None
    """P(security-relevant), 0..1: not how sure the AI is of its answer."""
    tag_ai_drift: str = ""
    tags_added: str = ""
    tags_removed: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)
    """Cells of columns that MethodAtlas does not write."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """A predictions file: every row that could be read, and what was left out or doubted."""

    records: tuple[ScanRecord, ...]
    metadata: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    source: str = "<text>"


@dataclass(slots=True)
class _Row:
    """Cells by name, and the problems met while reading them."""

    source: str
    line: int
    named: Mapping[str, str]
    decimal_comma: bool
    tag_marks: str
    problems: list[Problem]

    def text(self, name: str) -> str:
        return self.named.get(name, "")

    def _taken(self, name: str, reading: Reading[Any], doing: str) -> Any:
        if reading.fault:
            message = f"{name} {reading.fault}; {doing}."
            self.problems.append(Problem(self.source, self.line, message))
        elif reading.note:
            message = f"{name} {reading.note}."
            self.problems.append(Problem(self.source, self.line, message, "note"))
        return reading.value

    def boolean(self, name: str) -> bool | None:
        reading = cells.boolean(self.text(name))
        value: bool | None = self._taken(name, reading, "the row counts as without an AI answer")
        return value

    def probability(self, name: str) -> float | None:
        reading = cells.probability(self.text(name), decimal_comma=self.decimal_comma)
        value: float | None = self._taken(name, reading, "it counts as missing")
        return value

    def tags(self, name: str) -> tuple[str, ...] | None:
        return cells.tags(self.named[name], self.tag_marks) if name in self.named else None

    def whole(self, name: str) -> int | None:
        reading = cells.number(self.text(name), decimal_comma=self.decimal_comma)
        value: float | None = self._taken(name, reading, "it counts as missing")
        return None if value is None else int(value)

    def record(self) -> ScanRecord | None:
        fqcn, method = self.text("fqcn").strip(), self.text("method").strip()
        if not fqcn or not method:
            missing = "method" if fqcn else "fqcn"
            message = f"no {missing}; the row is left out."
            self.problems.append(Problem(self.source, self.line, message))
            return None
        return ScanRecord(
            fqcn=fqcn,
            method=method,
            loc=self.whole("loc"),
            tags=self.tags("tags") or (),
            display_name=self.text("display_name"),
            source_root=self.text("source_root").strip(),
            content_hash=self.text("content_hash").strip(),
            ai_security_relevant=self.boolean("ai_security_relevant"),
            ai_display_name=self.text("ai_display_name"),
            ai_tags=self.tags("ai_tags"),
            ai_reason=self.text("ai_reason"),
            ai_interaction_score=self.probability("ai_interaction_score"),
            ai_confidence=self.probability("ai_confidence"),
            tag_ai_drift=self.text("tag_ai_drift").strip(),
            tags_added=self.text("tags_added"),
            tags_removed=self.text("tags_removed"),
            extra={name: cell for name, cell in self.named.items() if name not in COLUMNS},
            line=self.line,
        )


def _unknown(names: tuple[str, ...], source: str, line: int) -> list[Problem]:
    if not names:
        return []
    what = "column" if len(names) == 1 else "columns"
    message = (
        f"{len(names)} {what} that MethodAtlas does not write ({tables.listed(names, 3)}); "
        "kept, not scored."
    )
    return [Problem(source, line, message, "note")]


def _without_ai(header: tuple[str, ...]) -> bool:
    """An inventory without AI columns may leave out its last cells, as MethodAtlas reads it."""
    return not any(name.lower().startswith("ai_") for name in header)


def parse(text: str, source: str = "<text>") -> Scan:
    r"""Read predictions from CSV text; columns are found by name.

    A row without a class or a method name is left out, a bad boolean or number counts as missing;
    each is a ``Problem``.

    Raises:
        InputError: No table that can be trusted, or no ``fqcn`` or ``method`` column.

    >>> scan = parse("fqcn,method,ai_tags\nA,login,Auth;crypto\nA,,x\n", "p.csv")
    >>> scan.records[0].ai_tags
    ('Auth', 'crypto')
    >>> print(scan.problems[0])
    p.csv:3: no method; the row is left out.
    """
    table = tables.parse(text, source, fill=_without_ai)
    table.require("fqcn")
    table.require("method")
    known = {name: table.column(name) for name in COLUMNS}
    unknown = table.unknown(COLUMNS)
    columns = {i: name for name, i in known.items() if i is not None}
    columns |= {i: table.header[i] for i in unknown}
    problems = [*table.problems]
    problems += _unknown(tuple(table.header[i] for i in unknown), source, table.header_line)
    # where the semicolon parts the cells, tags are parted by a bar
    marks = ";" if table.delimiter != ";" else ";|"
    records = []
    for row in table.rows:
        named = {name: row.cells[i] for i, name in columns.items()}
        read = _Row(source, row.line, named, table.decimal_comma, marks, problems).record()
        if read is not None:
            records.append(read)
    problems.sort(key=lambda problem: problem.line or 0)
    return Scan(tuple(records), table.metadata, table.header, tuple(problems), source)


def _as_cell(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ";".join(str(part) for part in value)
    return "" if value is None else str(value)


def parse_json(text: str, source: str = "<text>") -> Scan:
    """Read predictions from MethodAtlas's JSON output: an array of objects with the same names.

    Raises:
        InputError: Not JSON, or not an array of objects with ``fqcn`` and ``method``.

    >>> parse_json('[{"fqcn": "A", "method": "m", "ai_tags": ["auth"]}]').records[0].ai_tags
    ('auth',)
    """
    found = jsonl.parse(text, source, key="fqcn")
    if found.values and not any("fqcn" in item.value for item in found.values):
        raise InputError.at(source, 1, "no object has a key 'fqcn'; MethodAtlas predictions have.")
    problems = list(found.problems)
    records, names = [], dict.fromkeys(name for item in found.values for name in item.value)
    unknown = tuple(name for name in names if name not in COLUMNS)
    problems += _unknown(unknown, source, 1)
    for item in found.values:
        named = {name: _as_cell(value) for name, value in item.value.items() if value is not None}
        read = _Row(source, item.line, named, decimal_comma=False, tag_marks=";", problems=problems)
        record = read.record()
        if record is not None:
            records.append(record)
    problems.sort(key=lambda problem: problem.line or 0)
    return Scan(tuple(records), {}, tuple(names), tuple(problems), source)


def read(path: Path) -> Scan:
    """Read a predictions file, CSV or JSON by its first character.

    Raises:
        InputError: The file cannot be read, or holds no MethodAtlas predictions.
    """
    text = tables.text_of(path)
    as_json = text.lstrip()[:1] in {"[", "{"}
    return parse_json(text, str(path)) if as_json else parse(text, str(path))


def item_ids(scan: Scan) -> tuple[str, ...]:
    r"""The id of each record: ``fqcn#method``, and ``@source_root`` where roots share the pair.

    >>> [*item_ids(parse("fqcn,method,source_root\nA,m,x\nA,m,y\nA,n,x\n"))]
    ['A#m@x', 'A#m@y', 'A#n']
    """
    roots: dict[tuple[str, str], set[str]] = {}
    for record in scan.records:
        roots.setdefault((record.fqcn, record.method), set()).add(record.source_root)
    return tuple(
        f"{r.fqcn}#{r.method}" + (f"@{r.source_root}" if len(roots[r.fqcn, r.method]) > 1 else "")
        for r in scan.records
    )


@dataclass(frozen=True, slots=True)
class Items:
    """One record an item, in the order of first appearance."""

    by_id: Mapping[str, ScanRecord]
    problems: tuple[Problem, ...] = ()


def items(scan: Scan) -> Items:
    r"""Each item once: of rows with the same key the last wins, and one ``Problem`` names them.

    >>> kept = items(parse("fqcn,method,ai_tags\nA,m,x\nA,m,y\n", "p.csv"))
    >>> kept.by_id["A#m"].ai_tags, kept.problems[0].message
    (('y',), "'A#m' stands in 2 rows; the last one is scored.")
    """
    ids = item_ids(scan)
    by_id = dict(zip(ids, scan.records, strict=True))
    problems = tuple(
        Problem(
            scan.source,
            by_id[key].line,
            f"{key!r} stands in {count} rows; the last one is scored.",
            "warning",
        )
        for key, count in Counter(ids).items()
        if count > 1
    )
    return Items(by_id, problems)
