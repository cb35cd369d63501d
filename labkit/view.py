"""What a browser may draw of one item; before the first answer it holds nothing of the AI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.codebook import agrees
from labkit.model import plain

if TYPE_CHECKING:
    from labkit.model import Item, Prediction, Task
    from labkit.presets.material import Excerpt
    from labkit.protocol import Pass


def view_of(
    item: Item, prediction: Prediction | None, done: Pass, *, code: Excerpt | None
) -> dict[str, Any]:
    """The JSON of one item's card.

    Args:
        item: The evidence; nothing of it comes from the AI.
        prediction: What the AI said; used only where the pass says that it may be shown.
        done: The reviewer's pass.
        code: The source of the item, where it was found.
    """
    task, answer = done.task, done.final(item.id)
    said = prediction if done.shown(item.id) else None
    return {
        "item": item.id,
        "phase": done.phase(item.id),
        "title": item.title,
        "subtitle": item.subtitle,
        "fields": [[name, value] for name, value in item.fields.items()],
        "text": item.text,
        "code": None if code is None else code_of(code),
        "questions": _questions(task),
        "implied": list(task.implied),
        "answer": None if answer is None else plain(answer.answer),
        "unsure": answer is not None and answer.kind == "unsure",
        "skipped": bool(done.standing(item.id).skipped),
        "flagged": done.flagged(item.id),
        "note": done.note(item.id),
        "ai": None if said is None else _ai(task, said, done, item.id),
        "position": done.agenda.position(item.id),
        "of": len(done.queue),
    }


def code_of(code: Excerpt) -> dict[str, Any]:
    """The JSON of an excerpt."""
    return {
        "file": code.file,
        "first": code.first,
        "lines": list(code.lines),
        "mark": list(code.mark),
        **({"numbers": list(code.numbers)} if code.numbers else {}),
    }


def _questions(task: Task) -> list[dict[str, Any]]:
    return [
        {"name": q.name, "kind": q.kind, "prompt": q.prompt, "options": list(q.options)}
        for q in task.questions
    ]


def _ai(task: Task, said: Prediction, done: Pass, item: str) -> dict[str, Any]:
    answer = done.final(item)
    return {
        "answer": plain(said.answer),
        "confidence": said.confidence,
        "reason": said.reason,
        "fields": [[name, value] for name, value in said.fields.items()],
        "agrees": answer is not None and agrees(task, answer.answer, said.answer),
        "suggested": done.mode(item) == "assisted",
    }
