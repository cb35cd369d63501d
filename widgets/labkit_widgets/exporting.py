"""The app's way out: preview an export as a diff, then write exactly what was shown."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from labkit.errors import LabkitError

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.exports import Planned
    from labkit.study import Study

_LABELS = {
    "methodatlas": ("Override file (YAML)", "overrides.yaml"),
    "csv": ("Labels, one row each (CSV)", "labels.csv"),
    "jsonl": ("Labels with everything known (JSON lines)", "labels.jsonl"),
}


class Exports:
    """Where decisions go. The browser names a format, never a file."""

    def __init__(self, study: Study) -> None:
        """Offer what the study's task can be written as."""
        self.study = study
        own = ["methodatlas"] if study.task.preset == "methodatlas" else []
        self.formats = [*own, "csv", "jsonl"]
        self._planned: dict[str, tuple[str, Planned]] = {}

    def offered(self) -> list[dict[str, str]]:
        """The formats with their words, and the file's name."""
        return [
            {"format": kind, "label": _LABELS[kind][0], "path": self.path(kind).name}
            for kind in self.formats
        ]

    def path(self, kind: str) -> Path:
        """The file of a format: the labels file that the study began with, else one beside it."""
        labels = self.study.config.labels
        if kind == "methodatlas" and labels and labels.endswith((".yaml", ".yml")):
            return self.study.folder / labels
        return self.study.folder / _LABELS[kind][1]

    def preview(self, kind: str) -> dict[str, Any]:
        """What an export would change, and the token under which it may be written."""
        from labkit.exports import plan_export  # noqa: PLC0415  # not on the way to the first paint

        if kind not in self.formats:
            return {"type": "preview", "problem": "this study cannot be written in that format."}
        try:
            # labels files are the study's own; an override file may hold what others wrote
            planned = plan_export(
                self.study,
                self.path(kind),
                kind,
                skip_disputed=True,
                force=kind != "methodatlas",
            )
        except LabkitError as error:
            return {"type": "preview", "problem": str(error)}
        token = secrets.token_hex(8)
        self._planned = {token: (kind, planned)}
        return {
            "type": "preview",
            "token": token,
            "path": str(planned.path),
            "changed": planned.before != planned.after,
            "summary": _summary(planned),
            "diff": planned.diff,
        }

    def write(self, kind: str, token: str) -> dict[str, Any]:
        """Write what the preview showed, whole or not at all."""
        from labkit.exports import write  # noqa: PLC0415  # not on the way to the first paint

        wanted, planned = self._planned.get(token, (None, None))
        if planned is None or wanted != kind:
            return {"type": "preview", "problem": "preview the changes first."}
        try:
            write(planned)
        except (LabkitError, OSError) as error:
            return {"type": "preview", "problem": str(error)}
        self._planned = {}
        return {"type": "written", "path": str(planned.path)}


def _summary(planned: Planned) -> str:
    lines = planned.diff.splitlines()
    added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
    new = "A new file" if planned.before is None else "The file"
    return f"{new}: {added} lines are added, {removed} removed."
