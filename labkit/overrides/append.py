"""New entries put behind the last one, however the list is written."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from labkit.overrides.splice import Splice, content_end, next_line
from labkit.yamlfile import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from labkit.overrides.change import Value
    from labkit.overrides.look import Look
    from labkit.yamlfile import YamlFile


def appended(
    file: YamlFile, entries: Sequence | None, new: list[dict[str, Value]], look: Look
) -> list[Splice]:
    """The pieces that add ``new`` at the end of the list of entries."""
    if not new:
        return []
    text = file.text
    if entries is not None and entries.items:
        if entries.style == "flow":
            return [_in_brackets(text, entries, new, look)]
        at = next_line(text, content_end(text, entries))
        apart = look.end if look.blank else ""
        return [_lines(text, at, "".join(apart + look.entry(values) for values in new), look)]
    if not isinstance(file.root, Mapping):
        written = "".join(look.entry(values) for values in new)
        return [_lines(text, len(text), "overrides:" + look.end + written, look)]
    return _first(text, file.root, new, look)


def _first(text: str, root: Mapping, new: list[dict[str, Value]], look: Look) -> list[Splice]:
    """The first entries of a file that has a root."""
    written = "".join(look.entry(values) for values in new)
    inline = f"[{', '.join(look.in_braces(values) for values in new)}]"
    flow = root.style == "flow"
    old = next((pair for pair in root.pairs if pair[0].text == "overrides"), None)
    if old is None:
        return [_new_key(text, root, inline if flow else written, look)]
    key, value = old
    gap = " " if value.place.start == value.place.end else ""
    if flow:
        return [Splice(value.place.start, value.place.end, gap + inline)]
    colon = text.index(":", key.place.end) + 1
    end = max(colon, value.place.end) if isinstance(value, Scalar) else value.place.end
    at = next_line(text, end)
    return [Splice(colon, end, ""), _lines(text, at, written, look)]


def _lines(text: str, at: int, lines: str, look: Look) -> Splice:
    """Whole lines at the start of a line, or behind a last line that has no end."""
    lead = look.end if at and text[at - 1] not in "\r\n" else ""
    return Splice(at, at, lead + lines)


def _new_key(text: str, root: Mapping, written: str, look: Look) -> Splice:
    """The key ``overrides`` at the end of a root that has others."""
    if root.style == "flow":
        at = root.place.end - 1
        return Splice(at, at, (", " if root.pairs else "") + look.key("overrides") + " " + written)
    at = next_line(text, content_end(text, root))
    indent = " " * (root.place.column - 1)
    return _lines(text, at, f"{indent}overrides:{look.end}{written}", look)


def _in_brackets(text: str, entries: Sequence, new: list[dict[str, Value]], look: Look) -> Splice:
    """Entries behind the last one of ``[...]``, in the layout of the ones before."""
    items = entries.items
    between = [text[a.place.end : b.place.start] for a, b in pairwise(items)]
    apart = between[-1] if between else ""
    if apart.strip() != ",":
        lead = text[entries.place.start + 1 : items[0].place.start]
        apart = "," + lead if lead and not lead.strip() else ", "
    written = apart.join(look.in_braces(values) for values in new)
    at = items[-1].place.end
    rest = text[at : entries.place.end - 1]
    if rest.lstrip().startswith(","):
        at += rest.index(",") + 1
        return Splice(at, at, apart.replace(",", "", 1) + written)
    return Splice(at, at, apart + written)
