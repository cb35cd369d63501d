"""How often a study was held against a gate while its labels came in.

Looking at the same labels again is the same look; more labels and another look give chance one more
try to pass.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILE = "looks.jsonl"


def remember(folder: Path, labels: int) -> int:
    """Note a look at so many labels, and say how many different looks there were.

    A folder that cannot be written keeps no count; that is no reason to fail.
    """
    seen = _read(folder)
    if labels not in seen:
        with contextlib.suppress(OSError), (folder / FILE).open("a", encoding="utf-8") as out:
            out.write(json.dumps({"labels": labels}) + "\n")
    return len(seen | {labels})


def looked(folder: Path) -> int:
    """How many different looks there were."""
    return len(_read(folder))


def _read(folder: Path) -> set[int]:
    """The label counts looked at; lines that say something else are left out."""
    try:
        lines = (folder / FILE).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return set()
    found: set[int] = set()
    for line in lines:
        with contextlib.suppress(ValueError, TypeError, KeyError):
            found.add(int(json.loads(line)["labels"]))
    return found
