"""Pieces of text replaced by place, and where a piece of YAML really ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.textfile import LINE_END
from labkit.yamlfile import Mapping, Node, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Splice:
    """``text[start:end]`` becomes ``new``; with ``start == end`` it is inserted."""

    start: int
    end: int
    new: str


def splice(text: str, splices: Iterable[Splice]) -> str:
    """Replace every piece; pieces at the same place keep their order.

    >>> splice("abc", [Splice(1, 2, "X"), Splice(3, 3, "!")])
    'aXc!'
    """
    parts: list[str] = []
    at = 0
    for piece in sorted(splices, key=lambda piece: piece.start):
        parts += (text[at : piece.start], piece.new)
        at = max(at, piece.end)
    return "".join([*parts, text[at:]])


def line_end(text: str) -> str:
    r"""The line end that the text uses most; ``\n`` where it has none.

    >>> line_end("a\r\nb\r\nc\n")
    '\r\n'
    """
    crlf = text.count("\r\n")
    lf, cr = text.count("\n") - crlf, text.count("\r") - crlf
    best = max(lf, crlf, cr)
    return "\n" if best == lf else "\r\n" if best == crlf else "\r"


def content_end(text: str, node: Node) -> int:
    """Where the node's own content ends: before blank lines and comments that follow it.

    A block collection ends with its last child; a block scalar before its last line break, unless
    it says ``+``, which makes the blank lines after it content.
    """
    if node.alias or node.style == "flow":
        return node.place.end
    if isinstance(node, Sequence):
        return content_end(text, node.items[-1]) if node.items else node.place.start
    if isinstance(node, Mapping):
        return content_end(text, node.pairs[-1][1]) if node.pairs else node.place.start
    if node.style in {"literal", "folded"}:
        header = LINE_END.split(text[node.place.start : node.place.end], maxsplit=1)[0]
        if "+" in header.split("#", 1)[0]:
            return node.place.end
        return len(text[: node.place.end].rstrip("\r\n"))
    return node.place.end


def next_line(text: str, at: int) -> int:
    """Where the line after the one with ``at`` starts; the text's end where there is none."""
    if at and text[at - 1] in "\r\n":
        return at
    found = LINE_END.search(text, at)
    return found.end() if found else len(text)


def shared(text: str, node: Node) -> bool:
    """Whether the node, or a part of it, is given by an alias or may be used by one."""
    if node.alias or text.startswith("&", node.place.start):
        return True
    if isinstance(node, Sequence):
        return any(shared(text, item) for item in node.items)
    if isinstance(node, Mapping):
        return any(shared(text, value) for _, value in node.pairs)
    return False
