"""What counts as an answer: values by question, within the codebook, nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import ChoiceError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labkit.model import Answer, Question, Task

MAX_TEXT = 10_000


class BadChoice(ChoiceError):  # noqa: N818  # reads as the sentence it says
    """An answer is not in the codebook."""

    def __init__(self, question: str, fault: str) -> None:
        """Name the question and the fault."""
        self.question = question
        super().__init__(f"question {question!r}: {fault}")


def checked(task: Task, answer: Mapping[str, object] | None) -> Answer:
    """The answer as labkit keeps it, every value checked against the codebook.

    Tags lose their repeats and stand in the codebook's order. "No" to the first question, where
    it is binary, means that no tag applies, so tags may then be left out and must not be given;
    every other question may then be left out too, and is not kept.

    Raises:
        BadChoice: A question is missing, unknown, or its value is not on offer.
    """
    if not isinstance(answer, dict):
        raise BadChoice(task.questions[0].name, "no answer was given.")
    unknown = sorted(str(name) for name in answer if task.question(str(name)) is None)
    if unknown:
        asked = ", ".join(q.name for q in task.questions)
        raise BadChoice(unknown[0], f"it is not asked here; asked are {asked}.")
    first = task.questions[0]
    denied = first.kind == "binary" and answer.get(first.name) is False
    kept: dict[str, object] = {}
    for question in task.questions:
        value = answer.get(question.name)
        if question.kind == "tags" and denied:
            if value:
                raise BadChoice(question.name, "a tag was given with the answer no; take one back.")
            kept[question.name] = ()
        elif value is None and denied and question is not task.questions[0]:
            continue
        elif value is None and question.kind == "text":
            kept[question.name] = ""
        elif value is None:
            raise BadChoice(question.name, "it is not answered yet.")
        else:
            kept[question.name] = _value(question, value)
    return kept


def _value(question: Question, value: object) -> object:
    match question.kind:
        case "binary" if isinstance(value, bool):
            return value
        case "choice" | "scale" if isinstance(value, str) and value in question.options:
            return value
        case "text" if isinstance(value, str) and len(value) <= MAX_TEXT:
            return value
        case "tags" if isinstance(value, (list, tuple)):
            strange = [tag for tag in value if tag not in question.options]
            if strange:
                raise BadChoice(question.name, f"{strange[0]!r} is not in the codebook.")
            chosen = set(value)
            return tuple(tag for tag in question.options if tag in chosen)
        case "binary":
            raise BadChoice(question.name, f"{value!r} is neither true nor false.")
        case "text":
            raise BadChoice(question.name, f"give text of at most {MAX_TEXT} characters.")
        case "tags":
            raise BadChoice(question.name, f"{value!r} is no list of tags.")
    raise BadChoice(question.name, f"{value!r} is not in the codebook.")


def agrees(task: Task, answer: Answer | None, suggestion: Answer | None) -> bool:
    """Whether an answer says what the AI says: every question but free text, tags as sets."""
    if answer is None or suggestion is None:
        return False
    return all(
        _same(answer.get(q.name), suggestion.get(q.name))
        for q in task.questions
        if q.kind != "text" and q.name in suggestion
    )


def _same(left: object, right: object) -> bool:
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        return set(left) == set(right)
    return left == right
