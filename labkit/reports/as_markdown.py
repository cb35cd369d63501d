"""A report as Markdown: GitHub tables, every cell escaped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from labkit.reports.document import Bullets, Heading, Paragraph, Table

if TYPE_CHECKING:
    from labkit.reports.document import Block, Report

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def escape(text: str) -> str:
    r"""Text that Markdown shows as it is, on one line.

    >>> print(escape("a|b_c <i>"))
    a\|b\_c \<i\>
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _table(table: Table) -> str:
    ruler = ["---:" if i in table.right else "---" for i in range(len(table.header))]
    rows = [table.header, *table.rows]
    lines = ["| " + " | ".join(escape(cell) for cell in row) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join(ruler) + " |")
    if table.caption:
        lines = [escape(table.caption), "", *lines]
    return "\n".join(lines)


def _block(block: Block) -> str:
    match block:
        case Heading():
            return "#" * block.level + " " + escape(block.text)
        case Paragraph():
            return escape(block.text)
        case Bullets():
            return "\n".join(f"* {escape(item)}" for item in block.items)
        case Table():
            return _table(block)


def render(report: Report) -> str:
    """The report's document as Markdown text."""
    return "\n\n".join(_block(block) for block in report.document.blocks)
