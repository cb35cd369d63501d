"""AACR-Bench's review comments as items: is each one right, and at the right place?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.formats.aacr_files import read_generated
from labkit.model import Item, Prediction
from labkit.presets import finding
from labkit.presets.filecode import FileCode
from labkit.presets.material import Material

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.evaluate.aacr import Comment

_TITLE = 200
_HIDDEN = ("source_model", "is_ai_comment", "severity")
"""Who wrote it and how grave it is said to be."""


def material(path: Path, *, show: tuple[str, ...] = (), source: Path | None = None) -> Material:
    """Items and claims of a file of comments; ids are ``url#index``, from 0.

    Args:
        path: The dataset's form, or ``comments_*.txt``.
        show: Hidden fields to open, by name.
        source: The folder with the code.

    Raises:
        InputError: The file cannot be read, or holds no comment.
    """
    generated = read_generated((path,), ())
    items: dict[str, Item] = {}
    predictions: dict[str, Prediction] = {}
    for url, comments in generated.comments.items():
        for comment in comments:
            if not comment.blank:
                name = f"{url}#{comment.index}"
                items[name] = _item(name, url, comment, show)
                predictions[name] = _prediction(comment, show)
    if not items:
        raise InputError.at(str(path), None, "no comment in this file; nothing to review.")
    return Material(
        task=finding.task(()),
        items=items,
        predictions=predictions,
        problems=tuple(p for p in generated.problems if "fits no pull request" not in p.message),
        code=FileCode(source).excerpt,
    )


def place(comment: Comment) -> str:
    """``path:from-to``, as far as it is said."""
    at = comment.location
    lines = [str(line) for line in (at.start, at.end) if line is not None]
    return ":".join(part for part in (at.path, "-".join(dict.fromkeys(lines))) if part)


def _item(name: str, url: str, comment: Comment, show: tuple[str, ...]) -> Item:
    first, _, more = comment.note.strip().partition("\n")
    fields = {
        "pull_request": url,
        **{k: v for k, v in comment.fields.items() if k not in _HIDDEN or k in show},
    }
    at = comment.location.ordered()
    lines = None if at.start is None or at.end is None else at.end - at.start + 1
    return Item(
        id=name,
        title=first[:_TITLE],
        subtitle=place(comment),
        fields={key: value for key, value in fields.items() if value},
        file=comment.location.path,
        line=at.start,
        lines=lines,
        text=comment.note if more or len(first) > _TITLE else "",
    )


def _prediction(comment: Comment, show: tuple[str, ...]) -> Prediction:
    hidden = {k: v for k, v in comment.fields.items() if k in _HIDDEN and v and k not in show}
    return Prediction(answer={"valid": True, "place": True}, fields=hidden)
