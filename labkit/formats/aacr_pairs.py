"""Human labels of candidate pairs: whether a generated comment and a reference say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.formats import jsonl, tables
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_ANSWERS = ("first", "value", "final", "label")
_WORDS = dict.fromkeys(("true", "yes", "1", "same", "same defect"), True)
_WORDS |= dict.fromkeys(("false", "no", "0", "different", "related", "related, not it"), False)


def _answer(record: Mapping[str, Any]) -> bool | None:
    """The label of a row: the first answer where there is one; unsure and skip are none."""
    for name in _ANSWERS:
        value = record.get(name)
        if isinstance(value, dict):
            value = next(iter(value.values()), None)
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().lower() in _WORDS:
            return _WORDS[value.strip().lower()]
    for name, value in record.items():
        if name.startswith("first.") and str(value).strip().lower() in _WORDS:
            return _WORDS[str(value).strip().lower()]
    return None


def labels_of(records: Iterable[Mapping[str, Any]], source: str) -> dict[str, bool]:
    """Labels by pair; one on which reviewers differ has none until it is adjudicated.

    Raises:
        InputError: No row names a pair, or one reviewer contradicts himself.
    """
    found: dict[str, dict[str, bool]] = {}
    named = False
    for record in records:
        pair = str(record.get("item") or record.get("id") or "")
        named = named or bool(pair)
        answer = _answer(record)
        if not pair or answer is None:
            continue
        own = found.setdefault(pair, {})
        if own.setdefault(str(record.get("reviewer") or ""), answer) != answer:
            raise InputError(
                f"{source}: pair {pair} is labelled both ways by one reviewer; keep one row."
            )
    if not named:
        raise InputError(f"{source}: no row has 'item' or 'id'; labels of pairs name the pair.")
    return {
        pair: next(iter(answers.values()))
        for pair, answers in found.items()
        if len(set(answers.values())) == 1
    }


def read(path: Path) -> dict[str, bool]:
    """Read labels of pairs from JSON Lines or a table with ``item`` or ``id``.

    An empty file is the export of a study that nobody has answered yet: no labels.
    """
    text = read_text(path)
    if not text.strip():
        return {}
    if text.lstrip()[:1] in {"{", "["}:
        key = "item" if '"item"' in text else "id"
        return labels_of(
            (item.value for item in jsonl.parse(text, path.name, key=key).values), path.name
        )
    table = tables.parse(text, path.name)
    rows = (dict(zip(table.header, row.cells, strict=False)) for row in table.rows)
    return labels_of(rows, path.name)
