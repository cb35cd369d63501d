"""Answers of a classifier to decguard's cases: which label is right?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.formats import jsonl
from labkit.formats.records import as_text
from labkit.model import Item, Prediction, Question, Task
from labkit.parsed import Problem
from labkit.presets.material import Material
from labkit.textfile import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAME = "choice"
_HIDDEN = ("selected", "confidence", "backend", "provider", "model", "model_version", "expected",
           "correct", "action", "stages", "latency_ms", "error", "probabilities")  # fmt: skip
_TITLE = 120


def read(path: Path) -> tuple[tuple[Mapping[str, Any], ...], tuple[str, ...], tuple[Problem, ...]]:
    """Records of a decguard report, production log or answers file, and the decision's labels.

    Returns:
        The records, the labels in the contract's order (empty where the file names none), and
        what was left out.

    Raises:
        InputError: The file cannot be read, or holds no records.
    """
    text = read_text(path)
    if text.lstrip()[:1] == "{":
        found = _report(text, str(path))
        if found is not None:
            return (*found, ())
    lines = jsonl.parse(text, str(path))
    return tuple(item.value for item in lines.values), (), lines.problems


def _report(text: str, source: str) -> tuple[tuple[Mapping[str, Any], ...], tuple[str, ...]] | None:
    """The records and labels of a report; ``None`` where the text is JSON Lines."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    records = value.get("records", value.get("cases"))
    if not isinstance(records, list) or not all(isinstance(r, dict) for r in records):
        return None
    contract = value.get("contract")
    decision = contract.get("decision") if isinstance(contract, dict) else None
    labels = decision.get("labels") if isinstance(decision, dict) else None
    if not records:
        raise InputError.at(source, None, "the report holds no records; nothing to review.")
    return tuple(records), tuple(map(as_text, labels)) if isinstance(labels, list) else ()


def material(path: Path, *, tags: tuple[str, ...] = (), show: tuple[str, ...] = ()) -> Material:
    """Items, predictions and task of a decguard file.

    Input and metadata are in view; label, probabilities, confidence, backend, model and the
    expected label are hidden until the answer.

    Args:
        path: A report, a production log or an answers file.
        tags: More labels on offer, in front.
        show: Hidden fields to open.

    Raises:
        InputError: The file cannot be read, or names no label.
    """
    records, labels, problems = read(path)
    items: dict[str, Item] = {}
    predictions: dict[str, Prediction] = {}
    found = list(problems)
    seen: dict[str, None] = dict.fromkeys((*tags, *labels))
    for index, record in enumerate(records, 1):
        key = as_text(record.get("id", record.get("case_id"))) or f"case-{index}"
        if key in items:
            message = f"id {key!r} stands twice; the last record counts."
            found.append(Problem(str(path), None, message, "warning"))
        result = record.get("result")
        said = {**record, **result} if isinstance(result, dict) else dict(record)
        chances = _chances(said.get("probabilities"))
        items[key] = _item(key, said, show)
        for label in chances:
            seen.setdefault(label)
        chosen = as_text(said.get("selected", said.get("label")))
        if not chosen and chances:
            chosen = max(chances, key=lambda label: chances[label])
        if chosen:
            seen.setdefault(chosen)
            predictions[key] = _prediction(chosen, chances, said, show)
        else:
            predictions.pop(key, None)
    if not seen:
        raise InputError.at(str(path), None, "no record names a label; nothing to choose from.")
    task = Task(NAME, (Question("label", "choice", "Which label is right?", tuple(seen)),))
    return Material(
        task=task,
        items=items,
        predictions=predictions,
        problems=tuple(found),
        digests={key: item.text for key, item in items.items()},
    )


def _chances(value: Any) -> dict[str, float]:
    if not isinstance(value, dict):
        return {}
    return {
        as_text(name): float(part)
        for name, part in value.items()
        if isinstance(part, int | float) and not isinstance(part, bool) and 0 <= part <= 1
    }


def _item(key: str, said: Mapping[str, Any], show: tuple[str, ...]) -> Item:
    given = said.get("input")
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, indent=2)
    metadata = said.get("metadata")
    fields = {str(k): as_text(v) for k, v in metadata.items()} if isinstance(metadata, dict) else {}
    fields |= {name: as_text(said[name]) for name in show if name in said}
    first = text.strip().partition("\n")[0] if given is not None else ""
    return Item(
        id=key,
        title=first[:_TITLE] or key,
        subtitle=key,
        fields={name: value for name, value in fields.items() if value},
        text="" if given is None else text,
    )


def _prediction(
    chosen: str, chances: dict[str, float], said: Mapping[str, Any], show: tuple[str, ...]
) -> Prediction:
    confidence = chances.get(chosen)
    fields = {name: as_text(said.get(name)) for name in _HIDDEN if name != "probabilities"}
    return Prediction(
        answer={"label": chosen},
        confidence=confidence,
        probabilities=chances,
        reason=as_text(said.get("reason")),
        fields={name: value for name, value in fields.items() if value and name not in show},
    )
