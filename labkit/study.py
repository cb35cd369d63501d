"""One study: made, opened, reviewed; its numbers come from its log."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from labkit import config as study_config
from labkit import studyfiles, studymaking
from labkit.errors import InputError
from labkit.protocol import Pass, UnknownItem
from labkit.reviewing import WINDOW, Acted, Review
from labkit.studyoptions import StudyOptions
from labkit.studyresults import StudyResults
from labkit.view import code_of, view_of

if TYPE_CHECKING:
    from labkit.parsed import Problem
    from labkit.studyupdate import Updated

__all__ = ["WINDOW", "Acted", "Review", "Study"]


class Study(StudyResults):
    """A study that is open; ``create`` makes one, ``open`` opens what was made."""

    @classmethod
    def create(
        cls, predictions: Path | str, folder: Path | str, *, options: StudyOptions | None = None
    ) -> Study:
        """Make a study of a predictions file: draw the sample, write study.yaml and the store.

        Raises:
            InputError: The predictions cannot be read, or the folder holds a study already.
        """
        place = Path(folder)
        told = studymaking.create(
            Path(predictions), place, options or StudyOptions(), at=datetime.now(UTC)
        )
        return cls(*studyfiles.opened(place), told=told)

    @classmethod
    def open(cls, folder: Path | str) -> Study:
        """Open the study of a folder (or of its study.yaml).

        Raises:
            InputError: No study, a key that is unknown, or a file that cannot be read.
        """
        return cls(*studyfiles.opened(Path(folder)))

    @staticmethod
    def update(
        folder: Path | str, predictions: Path | str, *, at: datetime | None = None
    ) -> Updated:
        """Take a new scan into a study that nobody has open; see ``labkit.studyupdate``.

        Raises:
            InputError: No study, or the file is of another kind or cannot be read.
        """
        from labkit.studyupdate import update  # noqa: PLC0415  # seldom needed

        return update(Path(folder), Path(predictions), at=at or datetime.now(UTC))

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Self:
        """Use the study in a ``with`` block."""
        return self

    def __exit__(self, *_exc: object) -> None:
        """Close it."""
        self.close()

    # what is under review

    @property
    def predictions_path(self) -> Path:
        """Where the predictions file is."""
        return studyfiles.beside(self.folder, self.config.predictions)

    @property
    def guidelines(self) -> str:
        """The text that folds out on the card; empty where there is none."""
        return studyfiles.guidelines(self.folder, self.config)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was left out or doubted when the files were read."""
        changed = studyfiles.changed(self.folder, self.config, self._row)
        again = studyfiles.asked_again(self.folder, self.second_look)
        more = [problem for problem in (changed, again) if problem is not None]
        return (*self._material.problems, *self._told, *more)

    @property
    def lead(self) -> str | None:
        """Who sees everything: the named lead, or the only reviewer."""
        if self.config.lead is not None:
            return self.config.lead
        reviewers = self.reviewers
        return reviewers[0] if len(reviewers) == 1 else None

    # reviewing

    def review(self, reviewer: str) -> Review:
        """One reviewer's live pass.

        Raises:
            InputError: The study names its reviewers, and this is none of them.
        """
        study_config.checked_name(reviewer)
        named = self.config.reviewers
        if named and reviewer not in named and reviewer != self.config.lead:
            raise InputError(
                f"{reviewer!r} is not a reviewer of this study ({', '.join(named)}); "
                f"add the name under reviewers in {self.folder / study_config.FILE_NAME}."
            )
        with self._lock:
            return Review(self, reviewer, self._pass(reviewer))

    def context(self, item: str, lines: int) -> dict[str, Any] | None:
        """The source of an item with so many lines around it, as in its view."""
        found = self.items.get(item)
        code = None if found is None else self._material.code(found, max(0, lines))
        return None if code is None else code_of(code)

    def view(self, done: Pass, item: str) -> dict[str, Any]:
        """The JSON of one item for one reviewer; used by ``Review``."""
        found = self.items.get(done.repeats.get(item, item))
        if found is None:
            raise UnknownItem(item)
        code = self._material.code(found)
        shown = replace(found, id=item)
        return view_of(shown, self.predictions.get(found.id), done, code=code)
