"""Any result of a live cell as something that is drawn as text: a table, or plain lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labkit.estimation.estimates import Estimate
from labkit.reports.document import Report, four, render


def shown(value: object) -> dict[str, Any]:
    """The message that draws a value.

    >>> shown({"kappa": 0.5})["rows"]
    [{'name': 'kappa', 'value': 0.5, 'text': '0.5000'}]
    >>> shown("done")
    {'type': 'text', 'text': 'done'}
    """
    match value:
        case Mapping() if value.get("type") == "results":
            return {str(key): part for key, part in value.items()}
        case Mapping():
            rows = [{"name": str(name), **_cell(cell)} for name, cell in value.items()]
            return {"type": "table", "header": [], "rows": rows}
        case Estimate() | [Estimate(), *_]:
            rows = [_estimate(row) for row in (value if isinstance(value, Sequence) else [value])]
            return {"type": "table", "header": ["", "Value", "95 % interval"], "rows": rows}
    return {"type": "text", "text": _text(value)}


def _text(value: object) -> str:
    if isinstance(value, Report):
        return render(value, "text")
    frame = getattr(value, "to_string", None)  # a data frame
    return str(frame()) if callable(frame) else str(_cell(value)["text"])


def _cell(value: object) -> dict[str, Any]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        text = "n/a" if value is None else str(value)
        return {"value": None if value is None else text, "text": text}
    return {"value": value, "text": four(value) if isinstance(value, float) else str(value)}


def _estimate(row: Any) -> dict[str, Any]:
    known = row.value is not None and row.low is not None
    return {
        "name": row.name,
        "value": row.value,
        "text": four(row.value),
        "low": row.low,
        "high": row.high,
        "n": row.n,
        "basis": row.basis,
        "range": f"{four(row.low)} to {four(row.high)}" if known else row.reason or "",
    }
