"""One value of an entry replaced, or one key added, as pieces of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit import yamlfile
from labkit.errors import InputError
from labkit.overrides.parse import KEYS
from labkit.overrides.scalars import double, scalar
from labkit.overrides.slot import Slot
from labkit.overrides.splice import Splice, next_line
from labkit.overrides.tags import set_tags
from labkit.textfile import LINE_END
from labkit.yamlfile import Mapping, Scalar

if TYPE_CHECKING:
    from labkit.overrides.change import Value
    from labkit.overrides.look import Look


def set_value(text: str, entry: Mapping, name: str, value: Value, look: Look) -> list[Splice]:
    """Replace the value of a key that is there; nothing where it says that already."""
    slot = next(Slot(text, entry, key, node, look) for key, node in entry.pairs if key.text == name)
    if isinstance(value, bool):
        return _set_boolean(slot, value=value)
    if isinstance(value, str):
        return _set_text(slot, value)
    return set_tags(slot, value)


def add_key(text: str, entry: Mapping, name: str, value: Value, look: Look) -> list[Splice]:
    """Add a key behind the ones that come before it in the schema."""
    before = KEYS[: KEYS.index(name)]
    there = {key.text: Slot(text, entry, key, node, look) for key, node in entry.pairs}
    last = Slot(text, entry, *entry.pairs[-1], look)
    slot = next((there[other] for other in reversed(before) if other in there), last)
    if slot.flow:
        return [Splice(slot.end, slot.end, ", " + look.pair(name, value, "", flow=True))]
    indent = " " * (entry.place.column - 1)
    at = next_line(text, slot.end)
    lead = "" if text[at - 1] in "\r\n" else look.end
    pair = look.pair(name, value, indent, flow=False)
    return [Splice(at, at, lead + indent + pair + look.end)]


def _set_boolean(slot: Slot, *, value: bool) -> list[Splice]:
    old, new = slot.value, "true" if value else "false"
    if not isinstance(old, Scalar):
        return slot.replace(new)
    if old.boolean is value and not old.alias:
        return []
    if old.boolean is not None:
        new = new.upper() if old.text.isupper() else new.title() if old.text.istitle() else new
    return slot.fill(new)


def _set_text(slot: Slot, value: str) -> list[Splice]:
    old, look = slot.value, slot.look
    if not isinstance(old, Scalar):
        return slot.replace(look.text(value, flow=slot.flow))
    if old.alias or old.is_null:
        return slot.fill(look.text(value, flow=slot.flow))
    if old.text == value:
        return []
    match old.style:
        case "literal" | "folded":
            tail = _block_tail(slot, old, value)
            return [tail or Splice(old.place.start, slot.end, double(value))]
        case "double" | "single" as quotes:
            return slot.fill(scalar(value, quotes))
        case _:
            return slot.fill(scalar(value, "plain", flow=slot.flow, fallback=look.fallback))


def _block_tail(slot: Slot, old: Scalar, value: str) -> Splice | None:
    """Change the end of a ``|`` or ``>`` text on its last line; ``None`` where that says else."""
    text = slot.text
    before, after = old.text.rstrip("\n"), value.rstrip("\n")
    pairs = enumerate(zip(before, after, strict=False))
    same = next((at for at, (a, b) in pairs if a != b), min(len(before), len(after)))
    gone, come = before[same:], after[same:]
    end = len(text[: old.place.end].rstrip("\r\n"))
    start = end - len(gone)
    if text[start:end] != gone or LINE_END.search(gone + come):
        return None
    changed = text[old.place.start : start] + come + text[end : old.place.end]
    indent = " " * (slot.key.place.column - 1)
    try:
        read = yamlfile.parse(f"{indent}k: {changed}").root
    except InputError:
        return None
    found = read.value("k") if isinstance(read, Mapping) else None
    if not isinstance(found, Scalar) or found.text.rstrip("\n") != after:
        return None
    return Splice(start, end, come)
