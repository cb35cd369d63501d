"""The names under which the app is told, through the environment, what to open and for whom."""

from __future__ import annotations

import getpass
import os

STUDY = "LABKIT_STUDY"
REVIEWER = "LABKIT_REVIEWER"


def reviewer_name() -> str:
    """Who is reviewing: ``$LABKIT_REVIEWER``, else the login name."""
    named = os.environ.get(REVIEWER, "").strip()
    if named:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "reviewer"
