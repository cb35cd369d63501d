"""What may be said when a study is made."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from labkit import config as study_config
from labkit.errors import InputError
from labkit.textfile import read_text

_TAG_FILES = (".txt", ".md", ".csv", ".yaml", ".yml", ".json", ".list")


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """What may be said when a study is made; ``None`` leaves the default."""

    task: str | None = None
    labels: Path | None = None
    source: Path | None = None
    sample: int | None = None
    design: str | None = None
    strata: str | None = None
    take_all: tuple[str, ...] = ()
    seed: int | None = None
    protocol: str | None = None
    reveal: str | None = None
    reviewers: tuple[str, ...] = ()
    lead: str | None = None
    overlap: float | None = None
    store: str | None = None
    tags: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    receipt: Path | None = None
    show: tuple[str, ...] = ()

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the options that were given."""
        return tuple(
            name for name in self.__dataclass_fields__ if getattr(self, name) not in (None, ())
        )


def tags_on_offer(written: str) -> tuple[str, ...]:
    """Tags from ``a,b,c``, or from a file: one a line, or ``Tag: name`` lines of a taxonomy.

    Raises:
        InputError: The file cannot be read, or names no tag.
    """
    path = Path(written)
    named = os.sep in written or (path.suffix.lower() in _TAG_FILES and "," not in written)
    if not written or not (path.is_file() or named):
        return study_config.split_words(written)
    lines = [line.strip() for line in read_text(path).splitlines()]
    marked = [line.partition(":")[2] for line in lines if line.lower().startswith("tag:")]
    plain = [line.removeprefix("- ") for line in lines if not line.startswith("#")]
    found = study_config.split_words(",".join(marked or plain))
    if not found:
        raise InputError(f"{path}: no tag in it; write one a line.")
    return found
