"""Several reviewers' answers: a row an answer (long), or a column a reviewer (wide)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.formats import cells, labels, rowrecords
from labkit.formats.tables import listed
from labkit.parsed import Parsed, Problem
from labkit.textfile import read_text

if TYPE_CHECKING:
    from labkit.formats.labels import Which
    from labkit.formats.rowrecords import Record

_LONG = frozenset({"label", "truth", "gold", "tags", "truth_tags", "first", "final", "value"})
_BESIDE = frozenset(
    {
        "id",
        "item",
        "stratum",
        "weight",
        "inclusion_probability",
        "basis",
        "arm",
        "seed",
        "confidence",
        "probabilities",
        "predicted",
        "prediction",
        "predicted_tags",
        "duration_ms",
        "file",
        "line",
        "text",
        "note",
    }
)
"""Columns of a wide table that are no reviewer."""


@dataclass(frozen=True, slots=True)
class Rated:
    """One reviewer's answer about one item."""

    item: str
    reviewer: str
    label: str | None
    """``None`` where only tags were asked for."""
    tags: frozenset[str] | None = None
    line: int = 0


def parse(
    text: str, source: str = "<text>", *, which: Which = "first", reviewer: str = ""
) -> Parsed[Rated]:
    r"""Read answers; the form is found from the names of the columns.

    Long: ``id`` (or ``item``), ``reviewer``, and ``label`` or ``tags``, or the labels that labkit
    exports. Wide: ``id`` and one column a reviewer; an empty cell is "not reviewed". Cells that
    hold ``;`` are sets of tags.

    Args:
        text: The file's text: a table, JSON Lines or a JSON list.
        source: Its name in messages.
        which: Which answer of labkit's own labels counts.
        reviewer: Who answered in rows that do not say so.

    Raises:
        InputError: The same item twice for one reviewer, or a file that cannot be trusted.

    >>> [(r.reviewer, r.label) for r in parse("id,ines,omar\na,yes,no\nb,,no\n").values]
    [('ines', 'yes'), ('omar', 'no'), ('omar', 'no')]
    """
    rows = rowrecords.parse(text, source)
    names = list(dict.fromkeys(name for record in rows.values for name in record.values))
    long = any(name.split(".")[0] in _LONG for name in names)
    found = _long(text, source, which, reviewer) if long else _wide(rows, names, source)
    _once(found.values, source)
    return found


def read(path: Path, *, which: Which = "first") -> Parsed[Rated]:
    """Read answers from a file; the reviewer of rows without one is the file's name."""
    return parse(read_text(path), str(path), which=which, reviewer=Path(path).stem)


def _long(text: str, source: str, which: Which, reviewer: str) -> Parsed[Rated]:
    found = labels.parse_labels(text, source, which=which)
    rated = tuple(
        Rated(
            one.item,
            one.reviewer or reviewer,
            one.label,
            None if one.tags is None else frozenset(one.tags),
            one.line,
        )
        for one in found.values
        if one.label is not None or one.tags is not None
    )
    return Parsed(rated, found.problems)


def _wide(rows: Parsed[Record], names: list[str], source: str) -> Parsed[Rated]:
    reviewers = [name for name in names if name and name not in _BESIDE]
    if rows.values and not ({"id", "item"} & set(names) and reviewers):
        raise InputError.at(
            source,
            rows.values[0].line,
            f"no id with a label, and no id with one column a reviewer; found {listed(names)}.",
        )
    values = [record.text(name) for record in rows.values for name in reviewers]
    as_tags = any(";" in value for value in values)
    problems = list(rows.problems)
    rated = []
    for record in rows.values:
        item = record.text("item", "id")
        if not item:
            problems.append(Problem(source, record.line, "no id; the row is left out."))
            continue
        for name in reviewers:
            answer = record.text(name)
            listing = isinstance(record.values.get(name), (list, tuple))
            if not answer and not listing:
                continue
            tags = record.tags(name) if as_tags or listing else None
            label = _folded(answer) if tags is None else None
            rated.append(
                Rated(item, name, label, None if tags is None else frozenset(tags), record.line)
            )
    return Parsed(tuple(rated), tuple(problems))


def _folded(text: str) -> str:
    """A label as it is compared: true and false in lower case."""
    return text.lower() if text.lower() in cells.TRUE | cells.FALSE else text


def _once(rated: tuple[Rated, ...], source: str) -> None:
    seen: dict[tuple[str, str], int] = {}
    for one in rated:
        key = (one.item, one.reviewer)
        if key in seen:
            raise InputError.at(
                source,
                one.line,
                f"{one.item!r} is answered twice by {one.reviewer or 'the same reviewer'} "
                f"(first in line {seen[key]}); keep one of the two.",
            )
        seen[key] = one.line
