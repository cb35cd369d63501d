"""Labels and predictions of any origin: an id, a label or tags, and how sure or how drawn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from labkit.errors import InputError
from labkit.formats import rowrecords, tables
from labkit.formats.tables import listed
from labkit.parsed import Parsed, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from labkit.formats.rowrecords import Record

Which = Literal["first", "final"]
_ROUNDING = 0.005
"""How far two decimals may carry each probability, and so the sum of a distribution from 1."""
_OWN = frozenset({"id", "item", "label", "predicted", "tags", "confidence", "probabilities"})
_GOLD = ("label", "truth", "gold")
_GOLD_TAGS = ("tags", "truth_tags")
_SAID = ("predicted", "prediction", "label")
_SAID_TAGS = ("predicted_tags", "tags")
_BINARY_QUESTIONS = ("relevant", "valid")


@dataclass(frozen=True, slots=True)
class GoldLabel:
    """What somebody decided about one item."""

    item: str
    label: str | None
    tags: tuple[str, ...] | None = None
    unsure: bool = False
    """An answer without a label."""
    reviewer: str = ""
    stratum: str = ""
    inclusion_probability: float | None = None
    weight: float | None = None
    """For how many items the label stands, up to a factor that all labels share; above 0."""
    drawn: bool = True
    """False where the file says of others how they were drawn, and of this one nothing."""
    basis: str = ""
    arm: str = ""
    duration_ms: int | None = None
    own: bool = False
    """It is a label of labkit's: the basis says who saw what, and a first and a final answer."""
    revised: bool = False
    """The final answer is another one than the first."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What an AI said about one item."""

    item: str
    label: str | None
    tags: tuple[str, ...] | None = None
    confidence: float | None = None
    probabilities: Mapping[str, float] = field(default_factory=dict)
    stratum: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Everything else in the row, for figures by field."""
    line: int = 0


def _folded(text: str) -> str | None:
    """A label as it is compared: trimmed, and true and false in lower case."""
    word = text.strip()
    return (word.lower() if word.lower() in {"true", "false"} else word) or None


def _answered(record: Record, which: Which) -> tuple[Mapping[str, Any] | None, bool]:
    """A reviewer's answer by question, and whether the row is of that kind at all."""
    if isinstance(record.values.get(which), Mapping) or (
        which in record.values and "item" in record.values
    ):
        return record.mapping(which), True
    start = f"{which}."
    found = {k.removeprefix(start): v for k, v in record.values.items() if k.startswith(start)}
    if not found:
        return None, False
    given = {name: value for name, value in found.items() if value != ""}
    if "tags" in found and any(name in given for name in _BINARY_QUESTIONS):
        given["tags"] = found["tags"]
    return given or None, True


def _decided(answer: Mapping[str, Any]) -> tuple[str | None, tuple[str, ...] | None]:
    """The label and the tags of an answer by question."""
    inner = rowrecords.Record(0, answer)
    names = [name for name in answer if name != "tags"]
    name = next((name for name in _BINARY_QUESTIONS if name in answer), None)
    if name is None and len(names) == 1:
        name = names[0]
    return (_folded(inner.text(name)) if name else None), inner.tags("tags")


def _drawn(record: Record, source: str, problems: list[Problem]) -> float | None:
    """The chance with which a label was drawn."""
    if not record.text("inclusion_probability"):
        return None
    reading = record.probability("inclusion_probability")
    if reading.value == 0:
        reading = type(reading)(fault="is 0")
    if reading.fault or reading.note:
        problems.append(
            rowrecords.doubted(source, record, "inclusion_probability", reading, "not used")
        )
    return reading.value


def _weight(record: Record, source: str, problems: list[Problem]) -> float | None:
    """The weight, where the row does not say the chance itself."""
    if record.text("inclusion_probability") or not record.text("weight"):
        return None
    weight = record.number("weight").value
    if weight is not None and weight > 0:
        return weight
    message = f"weight {record.text('weight')!r} is not above 0; not used."
    problems.append(Problem(source, record.line, message))
    return None


def _gold(record: Record, which: Which, source: str, problems: list[Problem]) -> GoldLabel:
    answer, by_question = _answered(record, which)
    if by_question:
        label, tags = (None, None) if answer is None else _decided(answer)
        unsure = label is None and tags is None
    else:
        label, tags = _folded(record.text(*_GOLD)), record.tags(*_GOLD_TAGS)
        unsure = label is None and not record.has(*_GOLD_TAGS)
    duration = record.number("duration_ms").value
    return GoldLabel(
        item=record.text("item", "id"),
        label=label,
        tags=tags,
        unsure=unsure,
        reviewer=record.text("reviewer"),
        stratum=record.text("stratum"),
        inclusion_probability=_drawn(record, source, problems),
        weight=_weight(record, source, problems),
        basis=record.text("basis"),
        arm=record.text("arm"),
        duration_ms=None if duration is None else int(duration),
        own=by_question,
        revised=by_question and _answered(record, "first") != _answered(record, "final"),
        line=record.line,
    )


def _identified(
    found: Parsed[Record], source: str, wanted: Sequence[str], what: str
) -> tuple[list[Record], list[Problem]]:
    """The records with an id, and a ``Problem`` for each without.

    Raises:
        InputError: No record has an id or any of the wanted keys.
    """
    rows = found.values
    names = list(dict.fromkeys(name for record in rows for name in record.values))
    heads = {name.split(".")[0] for name in names}
    for keys in (("id", "item"), wanted):
        if rows and not heads & set(keys):
            raise InputError.at(
                source, rows[0].line, f"no {' or '.join(keys)} in {what}; found {listed(names)}."
            )
    problems = list(found.problems)
    kept = []
    for record in rows:
        if record.text("item", "id"):
            kept.append(record)
        else:
            problems.append(Problem(source, record.line, "no id; the row is left out."))
    return kept, problems


def parse_labels(text: str, source: str = "<text>", *, which: Which = "first") -> Parsed[GoldLabel]:
    r"""Read labels: ``id`` with ``label`` or ``tags``, or the labels that labkit exports.

    Args:
        text: The file's text: JSON Lines, a JSON list, or a table.
        source: Its name in messages.
        which: Which answer of labkit's own labels counts.

    Raises:
        InputError: No id or no label in it, or a file that cannot be trusted.

    >>> parse_labels("id,label\n1,TRUE\n2,\n").values[1].unsure
    True
    """
    wanted = (*_GOLD, *_GOLD_TAGS, which)
    rows, problems = _identified(rowrecords.parse(text, source), source, wanted, "labels")
    found = [_gold(record, which, source, problems) for record in rows]
    if any(one.inclusion_probability is not None or one.weight is not None for one in found):
        found = [_with_draw(one) for one in found]
    problems.sort(key=lambda problem: problem.line or 0)
    return Parsed(tuple(found), tuple(problems))


def _with_draw(one: GoldLabel) -> GoldLabel:
    if one.inclusion_probability is not None or one.weight is not None:
        return one
    values = {name: getattr(one, name) for name in GoldLabel.__dataclass_fields__}
    return GoldLabel(**{**values, "drawn": False})


def _distribution(record: Record, source: str, problems: list[Problem]) -> dict[str, float]:
    found = record.mapping("probabilities")
    if found is None:
        return {}
    values = {}
    for name, value in found.items():
        reading = rowrecords.Record(record.line, {"p": value}).probability("p")
        if reading.value is None:
            message = f"probability of {name!r} {reading.fault or 'is missing'}; not used."
            problems.append(Problem(source, record.line, message))
            return {}
        values[_folded(name) or ""] = reading.value
    total = math.fsum(values.values())
    if values and abs(total - 1) > _ROUNDING * len(values):
        message = f"the probabilities sum to {total:.6g}, not to 1; not used."
        problems.append(Problem(source, record.line, message))
        return {}
    return values


def _answer(record: Record, source: str, problems: list[Problem]) -> Answer:
    confidence = record.probability("confidence")
    if confidence.fault or confidence.note:
        problems.append(
            rowrecords.doubted(source, record, "confidence", confidence, "it counts as missing")
        )
    probabilities = _distribution(record, source, problems)
    label = _folded(record.text(*_SAID))
    if label is None and probabilities and not record.has(*_SAID):
        label = max(sorted(probabilities), key=probabilities.__getitem__)
    top = max(probabilities.values(), default=None)
    if label in probabilities and top is not None and probabilities[label] < top:
        message = f"label {label!r} is not the most probable one; it is scored as stated."
        problems.append(Problem(source, record.line, message, "warning"))
    return Answer(
        item=record.text("item", "id"),
        label=label,
        tags=record.tags(*_SAID_TAGS),
        confidence=confidence.value,
        probabilities=probabilities,
        stratum=record.text("stratum"),
        fields={k: rowrecords.spelled(v) for k, v in record.values.items() if k not in _OWN},
        line=record.line,
    )


def parse_predictions(text: str, source: str = "<text>") -> Parsed[Answer]:
    r"""Read predictions: ``id`` with ``label`` or ``tags``, and how sure the AI is.

    Of rows with the same id the last wins, and one ``Problem`` names them.

    Raises:
        InputError: No id or no answer in it, or a file that cannot be trusted.

    >>> parse_predictions('{"id": 7, "label": true, "confidence": 0.9}').values[0].label
    'true'
    """
    wanted = (*_SAID, *_SAID_TAGS, "probabilities")
    rows, problems = _identified(rowrecords.parse(text, source), source, wanted, "predictions")
    found = [_answer(record, source, problems) for record in rows]
    by_id = {one.item: one for one in found}
    for item, count in Counter(one.item for one in found).items():
        if count > 1:
            message = f"{item!r} stands in {count} rows; the last one is scored."
            problems.append(Problem(source, by_id[item].line, message, "warning"))
    problems.sort(key=lambda problem: problem.line or 0)
    return Parsed(tuple(by_id.values()), tuple(problems))


def read_labels(path: Path, *, which: Which = "first") -> Parsed[GoldLabel]:
    """Read a labels file; see ``parse_labels``."""
    return parse_labels(tables.text_of(path), str(path), which=which)


def read_predictions(path: Path) -> Parsed[Answer]:
    """Read a predictions file; see ``parse_predictions``."""
    return parse_predictions(tables.text_of(path), str(path))
