"""The gates of a call: its options and, where it names one, a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit import gates
from labkit.textfile import read_text

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.systems import Call

OPTIONS = frozenset({*gates.LIMITS, "confidence_threshold", "gates", "gate_on"})
"""The options of a call that concern gates."""


def asked(call: Call) -> gates.Asked:
    """The gates of a call.

    Raises:
        InputError: A threshold is outside its range, or the file of gates cannot be read.
    """
    path: Path | None = call.options.get("gates")
    file = None if path is None else gates.parse(read_text(path), str(path))
    return gates.asked(call.options, file)
