"""A study's labels as MethodAtlas overrides: which entries come, which change, which stay."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.model import Basis
from labkit.overrides.change import Change
from labkit.overrides.edit import apply_changes, size_warning
from labkit.overrides.notes import Draw, Provenance
from labkit.overrides.parse import Overrides
from labkit.overrides.parse import parse as parse_overrides
from labkit.overrides.resolve import label_of
from labkit.overrides.tags import normal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from labkit.exports.source import Exportable
    from labkit.model import Answer, Label

Key = tuple[str, str | None]
Decided = tuple[bool | None, frozenset[str] | None]
"""Relevance and tags as they count in an evaluation."""
_MARK = "\ufeff"
_FORMS = (
    ("utf-8", b""),
    ("utf-8", b"\xef\xbb\xbf"),
    ("utf-16-le", b"\xff\xfe"),
    ("utf-16-be", b"\xfe\xff"),
)


@dataclass(frozen=True, slots=True)
class Edited:
    """The new text of an override file, and what became of its entries."""

    text: str
    changed: int = 0
    added: int = 0
    same: int = 0
    warnings: tuple[str, ...] = ()


def edited(  # noqa: PLR0913  # what there is, what was, and three switches of the command
    study: Exportable,
    text: str,
    base: str | None,
    name: str,
    *,
    disagreements: bool,
    outside: bool,
) -> Edited:
    """The file with the study's labels in it.

    Args:
        study: Where the labels come from.
        text: The file as it is; empty for a new one.
        base: The file as this study last wrote it, where it is known.
        name: The file's name, for messages.
        disagreements: Leave out new entries that only restate what the AI said; what is written
            is then marked as targeted, so that nobody takes it for the sample.
        outside: The file was changed by others since the study last wrote it: an entry of which
            both have a new opinion is refused.

    Raises:
        InputError: The file is no override file, or others changed an entry that changes here.
    """
    now = parse_overrides(text, name)
    there = {(entry.fqcn, entry.method): entry for entry in now.entries}
    before = _decided(parse_overrides(base, name)) if base is not None else {}
    changes: list[Change] = []
    added = same = 0
    for key, label in _by_key(study):
        wanted = _wanted(study, label)
        entry = there.get(key)
        found = None if entry is None else _of(label_of(entry))
        if found == wanted:
            same += 1
            continue
        if entry is not None and outside and found != before.get(key):
            raise _conflict(name, entry.line, key, found, wanted)
        if entry is None and disagreements and _agrees(study, label):
            continue
        added += entry is None
        changes.append(_change(study, key, label, chosen=disagreements))
    # MethodAtlas refuses an empty file
    new = apply_changes(text, changes, name) or "overrides: []\n"
    warning = size_warning(new)
    return Edited(
        new,
        changed=len(changes) - added,
        added=added,
        same=same,
        warnings=(*_stale(study), *([f"{name}: {warning}"] if warning else [])),
    )


def text_of(data: bytes, text: str) -> tuple[str, bytes]:
    """How a text was encoded: the codec and the mark in front of it."""
    for codec, mark in _FORMS:
        if mark + text.encode(codec, "surrogatepass") == data:
            return codec, mark
    return "utf-8", b""


def _by_key(study: Exportable) -> Iterator[tuple[Key, Label]]:
    """Settled labels by class and method, in the order of the predictions file."""
    settled = study.settled()
    seen: dict[Key, Label] = {}
    for item in study.items:
        label = settled.get(item)
        if label is None or label.final is None:
            continue
        key = _key(study, item)
        other = seen.setdefault(key, label)
        if other is label:
            yield key, label
        elif _wanted(study, other) != _wanted(study, label):
            raise InputError(
                f"{other.item} and {item} have different answers, and an override file cannot "
                "tell source roots apart; make the answers the same, or export to .jsonl."
            )


def _key(study: Exportable, item: str) -> Key:
    found = study.items[item]
    return (found.subtitle, found.title) if found.subtitle else (found.title, None)


def _wanted(study: Exportable, label: Label) -> Decided:
    final: Answer = label.final or {}
    return _relevant(final), _tags(study, final)


def _relevant(answer: Answer) -> bool | None:
    value = answer.get("relevant")
    return value if isinstance(value, bool) else None


def _tags(study: Exportable, answer: Answer) -> frozenset[str] | None:
    given = answer.get("tags")
    if isinstance(given, (tuple, list)):
        return frozenset(normal(str(tag)) for tag in given)
    asked = study.task.question("tags") is not None
    return frozenset() if asked and _relevant(answer) is False else None


def _agrees(study: Exportable, label: Label) -> bool:
    said = study.predictions.get(label.item)
    if said is None:
        return False
    return _wanted(study, label) == (_relevant(said.answer), _tags(study, said.answer))


def _of(label: object) -> Decided:
    relevant = getattr(label, "relevant", None)
    return relevant, getattr(label, "tags", None)


def _decided(overrides: Overrides) -> Mapping[Key, Decided]:
    return {(entry.fqcn, entry.method): _of(label_of(entry)) for entry in overrides.entries}


def _change(study: Exportable, key: Key, label: Label, *, chosen: bool) -> Change:
    final: Answer = label.final or {}
    tags = _tags(study, final)
    given = final.get("tags")
    ordered = given if isinstance(given, (tuple, list)) else ()
    return Change(
        *key,
        security_relevant=_relevant(final),
        tags=None if tags is None else tuple(dict.fromkeys(normal(str(tag)) for tag in ordered)),
        reason=label.note.strip() or None,
        note=provenance_of(study, label, chosen=chosen),
    )


def provenance_of(study: Exportable, label: Label, *, chosen: bool = False) -> Provenance | None:
    """How a label came about, for the clause in a note.

    Args:
        study: Where the label comes from.
        label: The label.
        chosen: It is written because of what it says; a file of such labels is no random sample.
    """
    if label.decided_at is None:
        return None
    sizes = {size.name: size for size in study.sample.strata}
    size = sizes.get(label.stratum or "")
    draw = None
    if size is not None and label.inclusion_probability is not None and not chosen:
        draw = Draw(size.name, size.drawn, size.population, study.sample.seed)
    basis = Basis.REVEALED if label.revised and label.basis is Basis.BLIND else label.basis
    return Provenance(label.decided_at.astimezone(UTC).date(), label.reviewer, basis, draw)


def _stale(study: Exportable) -> tuple[str, ...]:
    gone = [item for item in study.settled() if item not in study.items]
    if not gone:
        return ()
    message = (
        f"{len(gone)} labelled items are not in the predictions any more and were left out, "
        f"{gone[0]} first."
    )
    return (message,)


def _conflict(name: str, line: int, key: Key, found: Decided | None, wanted: Decided) -> InputError:
    what = "#".join(part for part in key if part is not None)
    return InputError.at(
        name,
        line,
        f"{what} was changed here since the last export: the file says {_said(found)}, the study "
        f"says {_said(wanted)}; settle it in the file or in the study, or use --force.",
    )


def _said(decided: Decided | None) -> str:
    relevant, tags = decided or (None, None)
    word = "nothing" if relevant is None else str(relevant).lower()
    return word if tags is None else f"{word} [{', '.join(sorted(tags))}]"
