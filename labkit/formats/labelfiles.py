"""Labels as files, with everything that is known of how they came about: JSONL and CSV.

The JSONL keeps every text byte for byte. The CSV is for spreadsheets: a text that a spreadsheet
would run as a formula gets an apostrophe in front, and reading takes it off again.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.model import Answer, Basis, Label, answer_of, plain, utc_moment, utc_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from labkit.model import Question, Task

_FORMULA = re.compile(r"'*(?:\s*[=+\-@＝＋－＠]|[\t\r])")  # noqa: RUF001  # full width runs too
_NUMBER = re.compile(r"-\d+(\.\d+)?")
_QUOTED = re.compile(r'[",\r\n]')
_HEAD = ("item", "reviewer")
_ANSWERS = ("value", "first", "final")
_TAIL = (
    "basis",
    "stratum",
    "inclusion_probability",
    "arm",
    "seed",
    "shown_at",
    "decided_at",
    "duration_ms",
    "note",
)


def guard(text: str) -> str:
    """Keep a spreadsheet from running the text; a negative number is no formula.

    >>> guard("=1+1"), guard("'=already"), guard("plain"), guard("-2+3"), guard("-0.5")
    ("'=1+1", "''=already", 'plain', "'-2+3", '-0.5')
    """
    return "'" + text if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unguard(text: str) -> str:
    """The text that ``guard`` was given.

    >>> unguard("'=1+1"), unguard("''=already"), unguard("'tis"), unguard("plain")
    ('=1+1', "'=already", "'tis", 'plain')
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text


def render_jsonl(labels: Iterable[Label]) -> str:
    """One object a line, keys in the order of the contract."""
    return "".join(
        json.dumps(label.as_dict(), ensure_ascii=False, allow_nan=False) + "\n" for label in labels
    )


def parse_jsonl(text: str, source: str = "<text>") -> tuple[Label, ...]:
    """Read labels that ``render_jsonl`` wrote.

    Raises:
        InputError: A line is not such an object.
    """
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(_label(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError.at(source, number, "not a label as labkit exports it.") from error
    return tuple(found)


def _label(row: dict[str, Any]) -> Label:
    first, final = answer_of(row["first"]), answer_of(row["final"])
    return Label(
        item=row["item"],
        reviewer=row["reviewer"],
        first=first,
        final=final,
        basis=Basis(row["basis"]),
        stratum=row["stratum"],
        inclusion_probability=row["inclusion_probability"],
        arm=row["arm"],
        seed=row["seed"],
        shown_at=utc_moment(row["shown_at"]),
        decided_at=utc_moment(row["decided_at"]),
        duration_ms=row["duration_ms"],
        note=row["note"],
        unsure=first is None,
    )


def render_csv(labels: Iterable[Label], task: Task) -> str:
    """One row a label; answers in columns such as ``first.relevant``, tags joined by ``;``."""
    lines: list[str] = []
    names = [question.name for question in task.questions]
    asked = [f"{answer}.{name}" for answer in _ANSWERS for name in names]
    lines.append(_row([*_HEAD, *asked, *_TAIL]))
    for label in labels:
        answers = (label.final, label.first, label.final)
        cells = [_cell(answer, name) for answer in answers for name in names]
        lines.append(_row([guard(label.item), guard(label.reviewer), *cells, *_provenance(label)]))
    return "".join(lines)


def _row(cells: Sequence[str]) -> str:
    """One line; the csv module would leave a lone carriage return without quotes."""
    return (
        ",".join(
            '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell for cell in cells
        )
        + "\n"
    )


def _provenance(label: Label) -> Iterator[str]:
    yield label.basis.value
    yield guard(label.stratum or "")
    yield "" if label.inclusion_probability is None else repr(label.inclusion_probability)
    yield guard(label.arm or "")
    yield "" if label.seed is None else str(label.seed)
    yield utc_text(label.shown_at) or ""
    yield utc_text(label.decided_at) or ""
    yield "" if label.duration_ms is None else str(label.duration_ms)
    yield guard(label.note)


def _cell(answer: Answer | None, name: str) -> str:
    value = (plain(answer) or {}).get(name)
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case list() if not value:
            return "[]"
        case list():
            texts = [str(part) for part in value]
            whole = any(";" in text or text != text.strip() for text in texts)
            odd = whole or texts[0].startswith("[")
            return guard(json.dumps(texts, ensure_ascii=False) if odd else ";".join(texts))
        case _:
            return guard(str(value))


def parse_csv(text: str, task: Task, source: str = "<text>") -> tuple[Label, ...]:
    """Read labels that ``render_csv`` wrote, also after a spreadsheet has saved them.

    Raises:
        InputError: A column is missing, or a cell is not what the column holds.
    """
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(rows, [])
    missing = [name for name in (*_HEAD, *_TAIL) if name not in header]
    if missing:
        raise InputError.at(source, 1, f"no column {missing[0]!r}; labkit export writes it.")
    found = []
    for cells in rows:
        row = dict(zip(header, cells, strict=False))
        try:
            found.append(_label(_typed(row, task.questions)))
        except (ValueError, KeyError) as error:
            raise InputError.at(source, rows.line_num, f"not a label: {error}.") from error
    return tuple(found)


def _typed(row: dict[str, str], questions: Sequence[Question]) -> dict[str, Any]:
    typed: dict[str, Any] = {
        "item": unguard(row["item"]),
        "reviewer": unguard(row["reviewer"]),
        "note": unguard(row["note"]),
        "basis": row["basis"],
        "stratum": unguard(row["stratum"]) or None,
        "arm": unguard(row["arm"]) or None,
        "shown_at": row["shown_at"] or None,
        "decided_at": row["decided_at"] or None,
        "seed": int(row["seed"]) if row["seed"] else None,
        "duration_ms": int(row["duration_ms"]) if row["duration_ms"] else None,
    }
    chance = row["inclusion_probability"]
    typed["inclusion_probability"] = float(chance) if chance else None
    for answer in ("first", "final"):
        values = {q.name: _value(row.get(f"{answer}.{q.name}", ""), q) for q in questions}
        given = {name: value for name, value in values.items() if value is not None}
        typed[answer] = given or None
    return typed


def _value(cell: str, question: Question) -> Any:
    if cell == "":
        return None
    if question.kind == "binary" and cell.lower() in {"true", "false"}:
        return cell.lower() == "true"
    if question.kind == "tags":
        text = unguard(cell)
        if text.startswith("["):
            return [str(tag) for tag in json.loads(text)]
        return text.split(";")
    if question.kind == "scale":
        return float(cell) if "." in cell else int(cell)
    return unguard(cell)
