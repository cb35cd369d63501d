"""The receipt of a scan: kept in the study, and read for a sign that answers were replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.formats import jsontext
from labkit.parsed import Problem
from labkit.textfile import decode, read_bytes

if TYPE_CHECKING:
    from pathlib import Path

FILE = "receipt.json"
"""Its name in the study's folder."""


def read(path: Path) -> tuple[bytes, tuple[Problem, ...]]:
    """The bytes of a receipt, and a warning where the scan had an override file.

    Raises:
        InputError: The file cannot be read, or is no JSON object.
    """
    data = read_bytes(path)
    value = jsontext.parse(decode(data, str(path)), str(path)).value
    if not isinstance(value, dict):
        raise InputError.at(str(path), None, "a receipt is a JSON object; check --receipt.")
    if not _override_file(value):
        return data, ()
    message = (
        "the scan was made with an override file, so its answers are not the AI's alone: scan "
        "again without -override-file."
    )
    return data, (Problem(str(path), None, message, "warning"),)


def _override_file(receipt: dict[str, Any]) -> bool:
    inputs = receipt.get("inputs")
    named = inputs.get("overrideFile") if isinstance(inputs, dict) else None
    return (
        bool(named.get("sha256") or named.get("path")) if isinstance(named, dict) else bool(named)
    )
