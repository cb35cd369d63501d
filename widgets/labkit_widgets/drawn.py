"""What the page draws of a task and of an item's view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit_widgets.highlight import highlight

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labkit.model import Task

_APART = {"ai", "answers", "questions", "implied"}


def questions_of(task: Task) -> dict[str, Any]:
    """The questions with their codebook, the same for every item."""
    return {
        "questions": [
            {"name": q.name, "kind": q.kind, "prompt": q.prompt, "options": list(q.options)}
            for q in task.questions
        ],
        "implied": list(task.implied),
    }


def evidence(view: Mapping[str, Any]) -> dict[str, Any]:
    """The view without anybody's answer but the reviewer's own, its code in colour."""
    kept = {key: value for key, value in view.items() if key not in _APART}
    if kept.get("code"):
        kept["code"] = coloured(kept["code"])
    return kept


def coloured(code: Mapping[str, Any]) -> dict[str, Any]:
    """An excerpt with every line in pieces."""
    return {**code, "lines": highlight(code["file"], code["lines"])}
