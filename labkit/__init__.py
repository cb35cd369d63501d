"""Find out how good an AI's answers really are: review blind, measure with intervals, export.

``import labkit`` loads nothing heavy: each name below is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labkit import metrics
    from labkit.api import (
        agreement,
        check,
        compare,
        example,
        export,
        read_overrides,
        read_predictions,
        score,
    )
    from labkit.errors import InputError, LabkitError
    from labkit.estimation.whole import estimate_all as estimate
    from labkit.model import Basis, Label
    from labkit.reports import render
    from labkit.study import Study
    from labkit.studyoptions import StudyOptions

__version__ = "0.1.0"

_HOME = {
    "read_predictions": "labkit.api",
    "read_overrides": "labkit.api",
    "score": "labkit.api",
    "compare": "labkit.api",
    "agreement": "labkit.api",
    "check": "labkit.api",
    "export": "labkit.api",
    "example": "labkit.api",
    "estimate": "labkit.estimation.whole",
    "render": "labkit.reports",
    "Study": "labkit.study",
    "StudyOptions": "labkit.studyoptions",
    "Label": "labkit.model",
    "Basis": "labkit.model",
    "LabkitError": "labkit.errors",
    "InputError": "labkit.errors",
}
_INSIDE = {"estimate": "estimate_all"}
"""Names that are other ones where they live."""
__all__ = [
    "Basis",
    "InputError",
    "Label",
    "LabkitError",
    "Study",
    "StudyOptions",
    "agreement",
    "check",
    "compare",
    "estimate",
    "example",
    "export",
    "metrics",
    "read_overrides",
    "read_predictions",
    "render",
    "score",
]


def __getattr__(name: str) -> Any:
    """Load a name when it is first used (PEP 562)."""
    if name == "metrics":
        return importlib.import_module("labkit.metrics")
    if name not in _HOME:
        raise AttributeError(f"module 'labkit' has no attribute {name!r}")
    module = importlib.import_module(_HOME[name])
    value = getattr(module, _INSIDE.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Every name, loaded or not."""
    return sorted({*globals(), *__all__})
