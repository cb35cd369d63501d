"""What an export needs of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.model import Item, Label, Prediction, Task
    from labkit.sampling import Sample


class Exportable(Protocol):
    """A study, as far as an export looks at it."""

    folder: Path
    sample: Sample

    @property
    def task(self) -> Task:
        """What is asked."""

    @property
    def items(self) -> Mapping[str, Item]:
        """Every item by id."""

    @property
    def predictions(self) -> Mapping[str, Prediction]:
        """What the AI said, by item."""

    @property
    def predictions_path(self) -> Path:
        """Where the predictions are."""

    @property
    def disputed(self) -> tuple[str, ...]:
        """Items on which reviewers differ."""

    def labels(self, *, answer: Literal["any", "first", "final"] = "final") -> tuple[Label, ...]:
        """Every label."""

    def settled(self) -> Mapping[str, Label]:
        """The label that stands for each item."""

    def exported(self, target: Path) -> str | None:
        """SHA-256 of the file as this study last wrote it; ``None`` where it never did."""

    def remember_export(self, target: Path, sha256: str, *, by: str) -> None:
        """Note that the file was written from the log as it is now."""
