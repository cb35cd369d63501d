"""A study's predictions and labels as estimation reads them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.estimation.allocation import bands, crossed_strata
from labkit.estimation.units import WHOLE, Labelled, Predicted, Use, complement
from labkit.model import Answer, Basis

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from labkit.model import Item, Label, Prediction, Task

MAX_STRATA = 50
FOLDER = "folder"
"""The stratum that every item has: its package, or the folder of its file."""
TAG = "tag"
"""The stratum of an item is the first of the AI's tags, those aside that "yes" implies."""


def yes_no(task: Task) -> str | None:
    """The question whose answer is the AI's decision: the first, where it is binary."""
    first = task.questions[0]
    return first.name if first.kind == "binary" else None


def is_flagged(task: Task, prediction: Prediction) -> bool:
    """The AI's decision; where something else than yes or no is asked, every answer is a claim."""
    question = yes_no(task)
    return bool(prediction.answer.get(question)) if question else True


def is_positive(task: Task, answer: Answer | None, prediction: Prediction | None) -> bool | None:
    """What a label says: yes, or that the AI's claim holds; ``None`` where it says nothing."""
    if answer is None:
        return None
    question = yes_no(task)
    if question is not None:
        value = answer.get(question)
        return value if isinstance(value, bool) else None
    asked = task.questions[0]
    if asked.kind == "tags" or prediction is None or asked.name not in answer:
        return None
    return answer[asked.name] == prediction.answer.get(asked.name)


def chance_of(task: Task, prediction: Prediction) -> float | None:
    """The AI's P(positive): MethodAtlas says it, elsewhere the confidence is of the answer."""
    p = prediction.confidence
    if p is None or task.preset == "methodatlas" or is_flagged(task, prediction):
        return p
    return complement(p)


def tags_of(answer: Answer | None) -> frozenset[str] | None:
    """The tags of an answer, or ``None`` where they were not asked."""
    found = None if answer is None else answer.get("tags")
    return frozenset(map(str, found)) if isinstance(found, (tuple, list)) else None


def severity_right(answer: Answer | None, prediction: Prediction | None) -> bool | None:
    """Whether the AI's severity is the reviewer's; ``None`` where it was not asked."""
    if answer is None or prediction is None or "severity" not in answer:
        return None
    return answer["severity"] == prediction.answer.get("severity")


def population(
    task: Task,
    items: Mapping[str, Item],
    predictions: Mapping[str, Prediction],
    strata: str | None = None,
) -> tuple[Predicted, ...]:
    """Every item with an AI answer, in its own stratum.

    Args:
        task: What is asked.
        items: Every item.
        predictions: What the AI said.
        strata: The field whose value is the stratum, ``folder`` or ``tag``; all alike when
            ``None``.

    Raises:
        InputError: No item has such a field, or it has more than 50 values.
    """
    return tuple(
        Predicted(
            item=item,
            flagged=is_flagged(task, prediction),
            stratum=WHOLE if strata is None else _own(task, items[item], prediction, strata),
            confidence=chance_of(task, prediction),
            tags=tags_of(prediction.answer),
        )
        for item, prediction in predictions.items()
    )


def _own(task: Task, item: Item, prediction: Prediction, strata: str) -> str:
    if strata == TAG:
        return min((tags_of(prediction.answer) or set()) - {*task.implied}, default="none")
    if strata == FOLDER:
        if item.file:
            return str(PurePosixPath(item.file).parent)
        return item.subtitle.rpartition(".")[0] or "none"
    told = item.fields.get(strata) or prediction.fields.get(strata, "")
    return told.partition(",")[0].strip() or "none"


def strata_of(units: Iterable[Predicted], strata: str | None) -> Mapping[str, str]:
    """The stratum of each unit of a stratified design, crossed with the AI's decision.

    Args:
        units: The population.
        strata: The field the units' own strata come from; ``None`` makes confidence bands.

    Raises:
        InputError: The field is nowhere, or has more than 50 values.
    """
    if strata is None:
        return bands(units)
    found = crossed_strata(units)
    names = {name.rpartition("/")[0] for name in found.values()}
    if names == {"none"}:
        raise InputError(
            f"strata {strata!r}: no item has such a field; name another one, "
            f"or {FOLDER!r} or {TAG!r}."
        )
    if len(names) > MAX_STRATA:
        raise InputError(
            f"strata {strata!r} has {len(names)} values, more than {MAX_STRATA}; choose a field "
            "with fewer, or leave strata out for confidence bands."
        )
    return found


def labelled(
    task: Task, label: Label, prediction: Prediction | None, *, final: bool = False
) -> Labelled:
    """A label as estimation reads it: the first answer, or the final one.

    A label that was not drawn has weight 0: nobody knows whether its choice was finished before
    the draw.
    """
    answer = label.final if final else label.first
    return Labelled(
        item=label.item,
        positive=is_positive(task, answer, prediction),
        tags=tags_of(answer),
        severity_right=severity_right(answer, prediction),
        basis=Basis.REVEALED if final and label.revised else label.basis,
        use=Use.TARGETED if label.inclusion_probability is None else Use.SAMPLED,
        duration_ms=label.duration_ms,
    )
