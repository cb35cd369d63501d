"""Labels of an existing override file, as decisions of nobody: basis ``imported``."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

from labkit import overrides
from labkit.labels import IMPORTED
from labkit.model import Decision
from labkit.parsed import Parsed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from labkit.model import Answer, Item
    from labkit.overrides import Label


def read(path: Path, items: Mapping[str, Item], *, at: datetime) -> Parsed[Decision]:
    """One decision for every item that an entry of the file decides, by MethodAtlas's rules.

    Args:
        path: The override file.
        items: The items of a study of MethodAtlas predictions.
        at: When the labels are taken over.

    Raises:
        InputError: The file cannot be read or trusted.
    """
    found = overrides.read(path)
    resolution = overrides.resolve(found)
    decisions = []
    for key, item in items.items():
        label = resolution.label(item.subtitle, item.title)
        if label is not None:
            decisions.append(_decision(key, label, at))
    return Parsed(tuple(decisions), (*found.problems, *resolution.problems))


def _decision(key: str, label: Label, at: datetime) -> Decision:
    answer = _answer(label)
    written = f"labkit:imported:{key}:{sorted(answer.items())!r}:{label.entry.note}"
    return Decision(
        event_uuid=str(uuid5(NAMESPACE_URL, written)),
        item=key,
        reviewer=IMPORTED,
        kind="answer",
        decided_at=at,
        answer=answer,
        note=label.entry.note or "",
    )


def _answer(label: Label) -> Answer:
    answer: dict[str, object] = {}
    if label.relevant is not None:
        answer["relevant"] = label.relevant
    if label.tags is not None:
        answer["tags"] = tuple(sorted(label.tags))
    return answer
