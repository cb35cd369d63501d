"""The review app: the card with its tabs, on the study that is named or chosen."""

from __future__ import annotations

import gc
import os
from pathlib import Path

from labkit.errors import InputError
from labkit.study import Study
from labkit_widgets.environment import STUDY, reviewer_name
from labkit_widgets.review import ReviewWidget


class ReviewApp(ReviewWidget):
    """Review, Results and Export on one page; which of them depends on who is looking.

    Args:
        study: A study or its folder; the one that ``labkit lab`` or ``labkit review`` chose
            when left out.
        reviewer: Whose answers these are; ``$LABKIT_REVIEWER`` or the login name when left out.

    Raises:
        InputError: No study was named or chosen, or it cannot be opened.
    """

    tabbed = True

    def __init__(
        self, study: Study | Path | str | None = None, reviewer: str | None = None
    ) -> None:
        """Open the study and make the page."""
        super().__init__(chosen_study(study), reviewer or reviewer_name())
        gc.freeze()  # a study of 20,000 items is not searched for garbage between two keys


def chosen_study(study: Study | Path | str | None = None) -> Study:
    """The study that ``labkit lab STUDY`` or ``$LABKIT_STUDY`` chose, unless one is given.

    Raises:
        InputError: None was named, or it cannot be opened.
    """
    if isinstance(study, Study):
        return study
    folder = study or os.environ.get(STUDY, "")
    if not folder:
        raise InputError(
            f"no study was named: give its folder, start with labkit lab STUDY, or set {STUDY}."
        )
    return Study.open(Path(folder))
