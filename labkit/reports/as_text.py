"""A report as plain text: for a terminal and for diffs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.reports.document import Bullets, Heading, Paragraph, Table

if TYPE_CHECKING:
    from labkit.reports.document import Block, Report


def _line(text: str) -> str:
    return " ".join(text.split())


def _table(table: Table) -> str:
    rows = [tuple(_line(cell) for cell in row) for row in (table.header, *table.rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.header))]
    lines = [
        "  ".join(
            cell.rjust(width) if i in table.right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([_line(table.caption), *lines] if table.caption else lines)


def _block(block: Block) -> str:
    match block:
        case Heading():
            text = _line(block.text)
            return f"{text}\n{('=' if block.level == 1 else '-') * len(text)}"
        case Paragraph():
            return _line(block.text)
        case Bullets():
            return "\n".join(f"- {_line(item)}" for item in block.items)
        case Table():
            return _table(block)


def render(report: Report) -> str:
    """The report's document as plain text, or the scored tool's own layout where it has one."""
    if report.text is not None:
        return report.text
    return "\n\n".join(_block(block) for block in report.document.blocks)
