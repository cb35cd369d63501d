"""The Reviewers tab: who has done what, and how far they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.errors import LabkitError
from labkit.reports.document import Bullets, Heading, Paragraph, Table
from labkit.systems.agreement import agree

if TYPE_CHECKING:
    from labkit.reports.document import Block
    from labkit.study import Study


def team_of(study: Study) -> dict[str, Any]:
    """The message of type ``team``: progress by reviewer, disputes, agreement as a document."""
    try:
        blocks = [_block(block) for block in agree((study.folder,)).document.blocks[1:]]
    except LabkitError as error:
        blocks = [{"kind": "paragraph", "text": str(error)}]
    return {
        "type": "team",
        "reviewers": study.people(),
        "disputed": len(study.disputed),
        "blocks": blocks,
    }


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Heading(text, _):
            return {"kind": "heading", "text": text}
        case Paragraph(text):
            return {"kind": "paragraph", "text": text}
        case Bullets(items):
            return {"kind": "bullets", "items": list(items)}
        case Table(header, rows, right, caption):
            return {
                "kind": "table",
                "header": list(header),
                "rows": [list(row) for row in rows],
                "right": sorted(right),
                "caption": caption,
            }
