"""The tags of an entry: a set in people's own order and spelling, changed tag by tag."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from labkit.overrides.splice import Splice, content_end, next_line
from labkit.yamlfile import Node, Scalar, Sequence

if TYPE_CHECKING:
    from labkit.overrides.slot import Slot


def normal(tag: str) -> str:
    """A tag as it is compared: trimmed, lower-case.

    >>> normal(" Crypto ")
    'crypto'
    """
    return tag.strip().lower()


def _items(node: Node | None) -> tuple[Scalar, ...] | None:
    """The tags of a list that holds nothing but text; ``None`` for anything else."""
    if not isinstance(node, Sequence) or node.alias:
        return None
    items = tuple(item for item in node.items if isinstance(item, Scalar) and not item.is_null)
    return items if len(items) == len(node.items) else None


def _kept(items: tuple[Scalar, ...], wanted: tuple[str, ...]) -> list[Scalar]:
    """What stays: the wanted tags, and every tag as it is where the set does not change."""
    targets = {normal(tag) for tag in wanted}
    if {normal(item.text) for item in items} == targets:
        return list(items)
    return [item for item in items if normal(item.text) in targets]


def tags_after(old: Node | None, wanted: tuple[str, ...]) -> list[str]:
    """The list as it will stand: what stays, in its old place and spelling, then what is new."""
    kept = [item.text for item in _kept(_items(old) or (), wanted)]
    there = {normal(tag) for tag in kept}
    return kept + [tag for tag in wanted if normal(tag) not in there]


def set_tags(slot: Slot, wanted: tuple[str, ...]) -> list[Splice]:
    """Take out the tags that go, add the ones that come; nothing where the set stays the same."""
    old = slot.value
    items = _items(old)
    if items is None or not isinstance(old, Sequence):
        return slot.replace(slot.look.flow_list(wanted))
    kept = _kept(items, wanted)
    new = tags_after(old, wanted)[len(kept) :]
    if len(kept) == len(items) and not new:
        return []
    if old.style == "flow":
        return slot.fill(_in_brackets(slot, old, kept, new))
    return _in_lines(slot, old, kept, new)


def _spelled(slot: Slot, kept: list[Scalar], new: list[str]) -> list[str]:
    text = slot.text
    own = [text[item.place.start : item.place.end] for item in kept]
    return own + [slot.look.tag(tag, flow=True) for tag in new]


def _in_brackets(slot: Slot, old: Sequence, kept: list[Scalar], new: list[str]) -> str:
    """The brackets again, in their own layout."""
    tags = _spelled(slot, kept, new)
    if not tags or not old.items:
        return slot.look.flow_list(new)
    text, items = slot.text, old.items
    lead = text[old.place.start + 1 : items[0].place.start]
    tail = text[items[-1].place.end : old.place.end - 1]
    between = [text[a.place.end : b.place.start] for a, b in pairwise(items)]
    apart = between[0] if between else ", "
    if lead.strip() or tail.strip(", \r\n") or apart.strip() != ",":
        lead, apart, tail = "", ", ", ""
    return f"[{lead}{apart.join(tags)}{tail}]"


def _in_lines(slot: Slot, old: Sequence, kept: list[Scalar], new: list[str]) -> list[Splice]:
    """Lines taken out of a block list, and lines added at its end."""
    text = slot.text
    first = old.items[0].place
    before = text[first.start - first.column + 1 : first.start]
    if not (kept or new) or before.strip(" -"):
        tags = ", ".join(_spelled(slot, kept, new))
        return slot.replace(f"[{tags}]")
    pieces: list[Splice] = []
    for item in old.items:
        if item not in kept:
            begin = item.place.start - item.place.column + 1
            pieces.append(Splice(begin, next_line(text, content_end(text, item)), ""))
    at = next_line(text, slot.end)
    lead = "" if text[at - 1] in "\r\n" else slot.look.end
    indent = " " * (old.place.column - 1)
    lines = "".join(f"{indent}- {slot.look.tag(tag, flow=False)}{slot.look.end}" for tag in new)
    return [*pieces, Splice(at, at, lead + lines)] if lines else pieces
