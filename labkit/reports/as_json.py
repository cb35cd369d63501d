"""A report as JSON: two-space indent, UTF-8, keys in the order of the contract, never NaN."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labkit.reports.document import Report


def render(report: Report) -> str:
    """The report's data as JSON text."""
    return json.dumps(report.data, ensure_ascii=False, indent=2, allow_nan=False)
