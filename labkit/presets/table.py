"""Any table of predictions: is each label the right one, which tags apply?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.formats.records import MAX_CLASSES, as_text
from labkit.formats.tables import listed
from labkit.model import Item, Prediction, Question, Task
from labkit.parsed import Problem
from labkit.presets.filecode import FileCode
from labkit.presets.material import Material, hidden

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.formats.records import Record, Records

NAME = "table"
_GOLD_STARTS = ("truth", "true_", "gold", "human", "actual", "ground", "annot", "target", "review")
"""Columns that may hold somebody's answer; a reviewer must not see it first."""


def material(
    found: Records,
    *,
    tags: tuple[str, ...] = (),
    implied: tuple[str, ...] | None = None,
    show: tuple[str, ...] = (),
    source: Path | None = None,
) -> Material:
    """Items, predictions and task of a table.

    Labels that are true or false make a yes/no question, words a choice of the words in the
    file, tags a tag question. Which column was taken for what is the first of the problems, as a
    note.

    Args:
        found: The table.
        tags: The codebook: tags on offer, or classes where the table has no tags.
        implied: Tags that "yes" switches on.
        show: Columns to open that would be hidden.
        source: The folder with the code, where rows name a file and a line.

    Raises:
        InputError: No column says what the AI answered, or its labels are no classes.
    """
    task = _task(found, tags, implied or ())
    kind = task.questions[0].kind
    return Material(
        task=task,
        items={record.id: _item(record, found, show) for record in found.values},
        predictions={
            record.id: _prediction(record, answer, show)
            for record in found.values
            if (answer := _answer(record, task, words=kind == "choice"))
        },
        problems=(*((_guess(found),) if found.parts else ()), *found.problems),
        digests={record.id: _evidence(record, show) for record in found.values},
        code=FileCode(source).excerpt,
    )


def _guess(found: Records) -> Problem:
    parts = ", ".join(f"{part}={column!r}" for part, column in found.parts.items())
    others = [name for name in found.columns if name and name not in found.parts.values()]
    more = f"; kept as they are: {listed(others)}" if others else ""
    return Problem(found.source, None, f"columns taken as {parts}{more}.", "note")


def _task(found: Records, tags: tuple[str, ...], implied: tuple[str, ...]) -> Task:
    questions: list[Question] = []
    labelled = any(record.label is not None for record in found.values)
    tagged = any(record.tags is not None for record in found.values)
    if labelled:
        questions.append(_label_question(found, () if tagged else tags))
    if tagged:
        seen = {tag for record in found.values for tag in record.tags or ()}
        offered = (*dict.fromkeys(tags), *sorted(seen - set(tags)))
        questions.append(Question("tags", "tags", "Which tags apply?", offered))
    if not questions and found.values:
        raise InputError.at(
            found.source,
            None,
            f"no column says what the AI answered; found {listed(found.columns)}: "
            "name it with --columns label=COLUMN or tags=COLUMN.",
        )
    if not questions:
        questions.append(Question("label", "binary", "Is the answer yes?", ("yes", "no")))
    known = {tag for q in questions if q.kind == "tags" for tag in q.options}
    return Task(NAME, tuple(questions), tuple(tag for tag in implied if tag in known))


def _label_question(found: Records, more: tuple[str, ...]) -> Question:
    column = found.parts.get("label", "label")
    clash = any(record.label is False and record.tags for record in found.values)
    if found.binary and not clash:
        prompt = "Yes or no?" if column == "label" else f"{_heading(column)}: yes or no?"
        return Question("label", "binary", prompt, ("yes", "no"))
    seen = {as_text(record.label) for record in found.values if record.label is not None}
    if len(seen) > MAX_CLASSES:
        raise InputError.at(
            found.source,
            None,
            f"column {column!r} has {len(seen)} different values, more than {MAX_CLASSES} classes; "
            "name the label with --columns label=COLUMN.",
        )
    options = (*dict.fromkeys(more), *sorted(seen - set(more)))
    return Question("label", "choice", f"Which {_plain(column)} is right?", options)


def _plain(column: str) -> str:
    return column.replace("_", " ").strip()


def _heading(column: str) -> str:
    plain = _plain(column)
    return plain[:1].upper() + plain[1:]


def _answer(record: Record, task: Task, *, words: bool) -> dict[str, object]:
    answer: dict[str, object] = {}
    if record.label is not None:
        answer["label"] = as_text(record.label) if words else record.label
    if record.tags is not None and task.question("tags"):
        answer["tags"] = record.tags
    return answer


def _evidence(record: Record, show: tuple[str, ...]) -> str:
    """What a reviewer judged: the text and every field that is in view."""
    shown = [f"{name}={value}" for name, value in record.fields.items() if _open(name, show)]
    return "\n".join((record.text, *shown))


def _open(column: str, show: tuple[str, ...]) -> bool:
    gold = column.strip().lower().startswith(_GOLD_STARTS)
    return column in show or not (gold or hidden(column, show))


def _item(record: Record, found: Records, show: tuple[str, ...]) -> Item:
    fields = {name: value for name, value in record.fields.items() if _open(name, show)}
    stratum = found.parts.get("stratum", "")
    if record.stratum and _open(stratum, show):
        fields[stratum] = record.stratum
    place = record.file if record.place is None else f"{record.file}:{record.place}"
    return Item(
        id=record.id,
        title=record.id,
        subtitle=place if record.file else "",
        fields={name: value for name, value in fields.items() if value},
        file=record.file,
        line=record.place,
        text=record.text,
    )


def _prediction(record: Record, answer: dict[str, object], show: tuple[str, ...]) -> Prediction:
    return Prediction(
        answer=answer,
        confidence=record.confidence,
        probabilities=record.probabilities,
        reason=record.reason,
        fields={k: v for k, v in record.fields.items() if v and not _open(k, show)},
    )
