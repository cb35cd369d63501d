"""Reports: one document, four ways to write it."""

from __future__ import annotations

from labkit.reports.document import (
    Bullets,
    Document,
    Heading,
    Paragraph,
    Report,
    Table,
    four,
    render,
)

__all__ = ["Bullets", "Document", "Heading", "Paragraph", "Report", "Table", "four", "render"]
