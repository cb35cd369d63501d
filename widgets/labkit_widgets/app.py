"""The review app: the card with its tabs, opened on the study that the environment names."""

from __future__ import annotations

import os
from pathlib import Path

from labkit.errors import InputError
from labkit.study import Study
from labkit_widgets.environment import STUDY, reviewer_name
from labkit_widgets.review import ReviewWidget


class ReviewApp(ReviewWidget):
    """Review, Results and Export on one page; which of them depends on who is looking."""


def from_environment() -> ReviewApp:
    """The app on the study in ``$LABKIT_STUDY``.

    Raises:
        InputError: The variable is not set, or the study cannot be opened.
    """
    folder = os.environ.get(STUDY, "")
    if not folder:
        raise InputError(f"no study was named: set {STUDY} to a study's folder.")
    return ReviewApp(Study.open(Path(folder)), reviewer_name())
