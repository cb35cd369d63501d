"""A report as one self-contained HTML page: no script, no link, light and dark."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from labkit.reports.document import Bullets, Heading, Paragraph, Table

if TYPE_CHECKING:
    from labkit.reports.document import Block, Report

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid #8886; text-align: left; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; }
"""


def _cells(row: tuple[str, ...], table: Table, tag: str) -> str:
    return "".join(
        f"<{tag}{' class=n' if i in table.right else ''}>{escape(cell)}</{tag}>"
        for i, cell in enumerate(row)
    )


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
        case Paragraph():
            return f"<p>{escape(block.text)}</p>"
        case Bullets():
            return "<ul>" + "".join(f"<li>{escape(i)}</li>" for i in block.items) + "</ul>"
        case Table():
            caption = f"<caption>{escape(block.caption)}</caption>" if block.caption else ""
            body = "\n".join(f"<tr>{_cells(row, block, 'td')}</tr>" for row in block.rows)
            head = f"<thead><tr>{_cells(block.header, block, 'th')}</tr></thead>"
            return f"<table>{caption}{head}<tbody>\n{body}\n</tbody></table>"


def render(report: Report) -> str:
    """The report's document as an HTML page."""
    blocks = report.document.blocks
    title = next((b.text for b in blocks if isinstance(b, Heading)), "labkit report")
    body = "\n".join(_block(block) for block in blocks)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n{body}\n"
        "</body></html>"
    )
