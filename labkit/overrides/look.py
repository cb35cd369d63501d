"""How a file is written, learnt from its last entries, so that a new entry looks like its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from labkit.overrides.scalars import Quoting, scalar
from labkit.overrides.splice import content_end, line_end
from labkit.yamlfile import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Mapping as Dict

    from labkit.overrides.change import Value

_RECENT = 20


@dataclass(frozen=True, slots=True)
class Look:
    """The style of one override file."""

    end: str = "\n"
    """Line end."""
    dash: str = "  "
    """What stands before an entry's dash."""
    gap: str = " "
    """What stands between the dash and the first key."""
    blank: bool = False
    """An empty line between entries."""
    flow: bool = False
    """An entry in braces, on one line."""
    flow_tags: bool = True
    """Tags in brackets."""
    tag_indent: int = 2
    """Columns from a key to the dash of its list."""
    brace_gap: str = ""
    bracket_gap: str = ""
    keys: Quoting = "plain"
    strings: Quoting = "plain"
    tags: Quoting = "plain"
    fallback: Quoting = "double"
    """For text that cannot stand plain."""

    @property
    def column(self) -> str:
        """The indentation of an entry's keys."""
        return self.dash + " " * (1 + len(self.gap))

    def key(self, name: str) -> str:
        """A key with its colon."""
        return scalar(name, self.keys) + ":"

    def text(self, value: str, *, flow: bool = False) -> str:
        """A string."""
        return scalar(value, self.strings, flow=flow, fallback=self.fallback)

    def tag(self, value: str, *, flow: bool) -> str:
        """One tag in a list."""
        return scalar(value, self.tags, flow=flow, fallback=self.fallback)

    def flow_list(self, tags: Iterable[str]) -> str:
        """Tags in brackets; ``[]`` for none."""
        inner = ", ".join(self.tag(tag, flow=True) for tag in tags)
        return f"[{self.bracket_gap}{inner}{self.bracket_gap}]" if inner else "[]"

    def block_list(self, tags: Iterable[str], indent: str) -> str:
        """Tags one a line, each line led by a line end; ``indent`` is the key's."""
        lead = indent + " " * self.tag_indent + "- "
        return "".join(self.end + lead + self.tag(tag, flow=False) for tag in tags)

    def pair(self, name: str, value: Value, indent: str, *, flow: bool) -> str:
        """``key: value``, without indentation or line end of its own."""
        if isinstance(value, bool):
            written = " true" if value else " false"
        elif isinstance(value, str):
            written = " " + self.text(value, flow=flow)
        elif value and not flow and not self.flow_tags:
            written = self.block_list(value, indent)
        else:
            written = " " + self.flow_list(value)
        return self.key(name) + written

    def in_braces(self, values: Dict[str, Value]) -> str:
        """A whole entry on one line."""
        inner = ", ".join(self.pair(name, value, "", flow=True) for name, value in values.items())
        return f"{{{self.brace_gap}{inner}{self.brace_gap}}}"

    def entry(self, values: Dict[str, Value]) -> str:
        """A whole entry of a block list: dash, keys, line end."""
        if self.flow:
            return self.dash + "-" + self.gap + self.in_braces(values) + self.end
        pairs = [self.pair(name, value, self.column, flow=False) for name, value in values.items()]
        inner = (self.end + self.column).join(pairs)
        return self.dash + "-" + self.gap + inner + self.end


def learn(text: str, entries: Sequence | None) -> Look:
    """Learn the style of a file from its list of entries."""
    end = line_end(text)
    items = entries.items if entries else ()
    known = [item for item in items[-_RECENT:] if isinstance(item, Mapping) and not item.alias]
    if entries is None or not known:
        return Look(end=end)
    model = known[-1]
    first = model.pairs[0][0] if model.pairs else None
    strings = list(_strings(known))
    quoted = {node.style for node in strings} - {"plain"}
    fallback: Quoting = "single" if quoted == {"single"} else "double"
    name = model.value("fqcn")
    look = Look(
        end=end,
        dash=" " * (entries.place.column - 1),
        gap=_gap(text, model, entries),
        blank=_blank(text, items),
        flow=model.style == "flow",
        brace_gap=" " if text[model.place.start + 1 : model.place.start + 2] == " " else "",
        keys=_quoting(first, "plain"),
        strings=_quoting(name, "plain"),
        fallback=fallback,
    )
    return _with_tags(text, known, look)


def _with_tags(text: str, known: list[Mapping], look: Look) -> Look:
    for entry in reversed(known):
        tags = entry.value("tags")
        if not isinstance(tags, Sequence) or not tags.items or tags.alias:
            continue
        flow = tags.style == "flow"
        bracket = text[tags.place.start + 1 : tags.place.start + 2] if flow else ""
        key = next(key for key, _ in entry.pairs if key.text == "tags")
        return replace(
            look,
            flow_tags=flow,
            tag_indent=2 if flow else max(0, tags.place.column - key.place.column),
            bracket_gap=" " if bracket == " " else "",
            tags=_quoting(tags.items[-1], look.strings),
        )
    return look


def _strings(known: list[Mapping]) -> Iterator[Scalar]:
    for entry in known:
        for key, value in entry.pairs:
            if isinstance(value, Scalar) and key.text in {
                "method",
                "displayName",
                "reason",
                "note",
            }:
                yield value


def _quoting(node: Node | None, default: Quoting) -> Quoting:
    if isinstance(node, Scalar):
        if node.style == "single":
            return "single"
        if node.style == "double":
            return "double"
        return "plain"
    return default


def _gap(text: str, model: Mapping, entries: Sequence) -> str:
    start = model.place.start
    begin = start - (model.place.column - 1)
    between = text[begin + entries.place.column : start]
    return between if between and not between.strip(" ") else " "


def _blank(text: str, items: tuple[Node, ...]) -> bool:
    pairs = list(pairwise(items[-_RECENT:]))
    apart = sum(
        text[content_end(text, before) : after.place.start].replace("\r\n", "\n").count("\n") > 1
        and "#" not in text[content_end(text, before) : after.place.start]
        for before, after in pairs
    )
    return bool(pairs) and 2 * apart > len(pairs)
