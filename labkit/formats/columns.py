"""Which column of a table plays which part: as told, else by the usual names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.formats.tables import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class NoIdColumn(InputError):  # noqa: N818  # reads as the sentence it says
    """No column looks like the id."""

    def __init__(self, source: str, line: int | None, found: tuple[str, ...]) -> None:
        """Name the file and the columns that are there."""
        self.line, self.found = line, found
        self.fault = (
            f"no column for the id; found {listed(found)}: name it with --columns id=COLUMN."
        )
        super().__init__(str(InputError.at(source, line, self.fault)))


NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "item", "item_id", "case_id", "example_id", "sample_id", "uid", "uuid", "key",
           "idx", "index"),
    "label": ("label", "prediction", "predicted", "pred", "ai_label", "predicted_label",
              "model_label", "selected", "decision", "verdict"),
    "tags": ("tags", "labels", "ai_tags", "predicted_tags", "categories"),
    "confidence": ("confidence", "ai_confidence", "conf", "probability", "prob", "score"),
    "probabilities": ("probabilities", "probs", "distribution"),
    "text": ("text", "input", "content", "message", "prompt", "body", "question", "note"),
    "reason": ("reason", "ai_reason", "rationale", "explanation", "justification"),
    "file": ("file", "path", "filename", "file_path", "uri"),
    "line": ("line", "line_number", "lineno", "start_line", "from_line"),
    "stratum": ("stratum", "strata", "language", "segment"),
}  # fmt: skip
"""Each part and the column names it is known by, the surest first; case does not count."""


def parts_of(
    header: Iterable[str], columns: Mapping[str, str], source: str, line: int | None = None
) -> dict[str, str]:
    """Which column plays which part: as told, else by name.

    Raises:
        InputError: A part or a column that there is none of.
        NoIdColumn: No column for the id.
    """
    names = tuple(header)
    unknown = [part for part in columns if part not in NAMES]
    if unknown:
        raise InputError.at(
            source, None, f"no part {unknown[0]!r}; a column can be {', '.join(NAMES)}."
        )
    for column in columns.values():
        if column not in names:
            raise InputError.at(source, line, f"no column {column!r}; found {listed(names)}.")
    taken = dict(columns)
    lower = {name.lower(): name for name in reversed(names)}
    for part, known in NAMES.items():
        free = (lower[name] for name in known if name in lower)
        found = next((name for name in free if name not in taken.values()), None)
        if part not in taken and found is not None:
            taken[part] = found
    if "id" not in taken:
        raise NoIdColumn(source, line, names)
    return {part: taken[part] for part in NAMES if part in taken}
