"""Any table in which every row is a finding: a message, a file, a line, a severity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.formats import records
from labkit.presets import claims
from labkit.presets.claims import Claim
from labkit.presets.material import hidden

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.formats.records import Record
    from labkit.presets.material import Material

_ORDER = ("blocker", "blocking", "critical", "error", "severe", "high", "major", "warning",
          "medium", "moderate", "low", "minor", "note", "info", "none")  # fmt: skip
_SEVERITY = ("severity", "level", "priority")
_VERDICTS = ("verdict", "source_model", "is_ai", "confirmed", "valid", "rank", "status")
_FALSE = {"false", "0", "no"}


def material(
    path: Path,
    *,
    columns: Mapping[str, str] | None = None,
    show: tuple[str, ...] = (),
    source: Path | None = None,
) -> Material:
    """Items and claims of a table; severity, confidence, model and verdicts are hidden.

    Rows that ``is_ai...`` says people wrote are items without a prediction.

    Args:
        path: CSV, TSV, JSON, JSON Lines or Parquet.
        columns: Column by part, where it has another name.
        show: Hidden columns to open.
        source: The folder with the code.

    Raises:
        InputError: The file is no table, or has no id column.
    """
    found = records.read(path, columns=columns)
    made = [_row(record, show) for record in found.values]
    words = {claim.severity for claim in made if claim.severity}
    return claims.material(
        made, tuple(sorted(words, key=_gravity)), show=show, source=source, problems=found.problems
    )


def _gravity(word: str) -> tuple[int, str]:
    """The gravest first, unknown words by name behind them."""
    low = word.strip().lower()
    return (_ORDER.index(low) if low in _ORDER else len(_ORDER), word)


def _row(record: Record, show: tuple[str, ...]) -> Claim:
    lower = {name.lower(): value for name, value in record.fields.items()}
    kept = {k: v for k, v in record.fields.items() if _is_claim(k) or hidden(k, show)}
    severity = next((lower[name] for name in _SEVERITY if lower.get(name)), "")
    ai = next((v.lower() for k, v in lower.items() if k.startswith("is_ai")), "true")
    end = lower.get("to_line") or lower.get("end_line") or ""
    return Claim(
        id=record.id,
        message=record.text,
        file=record.file,
        line=record.place,
        end_line=int(end) if end.isdigit() else None,
        severity=severity,
        confidence=record.confidence,
        reason=record.reason,
        shown={k: v for k, v in record.fields.items() if k not in kept},
        hidden=kept,
        by_ai=ai not in _FALSE,
    )


def _is_claim(column: str) -> bool:
    """Whether a column tells what the AI, or somebody before, thinks of the finding."""
    low = column.strip().lower()
    return low in _SEVERITY or low.startswith(_VERDICTS)
