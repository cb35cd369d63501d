"""The notebook side of labkit: the review card, live numbers and the app."""

from __future__ import annotations

import importlib
from typing import Any

_WHERE = {
    "LiveWidget": "livecells",
    "ReviewApp": "app",
    "ReviewWidget": "review",
    "chosen_study": "app",
    "live": "livecells",
    "scorecard": "livecells",
}

__all__ = [  # loaded when first asked for
    "LiveWidget",
    "ReviewApp",
    "ReviewWidget",
    "chosen_study",
    "live",
    "scorecard",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for; the launcher needs none of them."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
