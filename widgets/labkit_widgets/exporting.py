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
    "sarif": ("Findings with your verdicts (SARIF)", "reviewed.sarif"),
    "decguard": ("Golden dataset (decguard)", "golden.jsonl"),
    "csv": ("Labels, one row each (CSV)", "labels.csv"),
    "jsonl": ("Labels with everything known (JSON lines)", "labels.jsonl"),
}
_KEPT = 4
"""Previews that may still be written: one that is asked for twice does not undo the first."""
_MAX_LINES = 2_000
"""Lines of a diff that the page shows."""
_LONG = 2_000
"""A line of a scan so long holds the scan itself."""


class Exports:
    """Where decisions go. The browser names a format, never a file."""

    def __init__(self, study: Study) -> None:
        """Offer what the study's task can be written as."""
        self.study = study
        self.formats = [*_own(study), "csv", "jsonl"]
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
        self._planned[token] = (kind, planned)
        for old in list(self._planned)[:-_KEPT]:
            del self._planned[old]
        return {
            "type": "preview",
            "token": token,
            "path": str(planned.path),
            "changed": planned.before != planned.after,
            **self._told(kind, planned),
        }

    def _told(self, kind: str, planned: Planned) -> dict[str, str]:
        """What changes; of a scan the verdicts alone: the rest holds what is not reviewed yet."""
        if kind != "sarif":
            return {"summary": _summary(planned), "diff": _shortened(planned.diff)}
        from labkit.exports.diff import unified  # noqa: PLC0415  # not on the way to the first paint
        from labkit.textfile import read_text  # noqa: PLC0415  # not on the way to the first paint

        scan = read_text(self.study.predictions_path)
        changes = unified(scan, planned.after.decode(), planned.path.name).splitlines()
        shown = [line for line in changes if not line.startswith(" ")]
        shown = [line if len(line) < _LONG else f"{line[0]} (a long line)" for line in shown]
        summary = f"{planned.summary} Shown is what differs from the scan."
        return {"summary": summary, "diff": _shortened("\n".join(shown))}

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


def _own(study: Study) -> list[str]:
    """The format of the tool that the predictions came from, offered first."""
    match study.task.preset:
        case "methodatlas":
            return ["methodatlas"]
        case "choice":
            return ["decguard"]
        case "finding" if _is_sarif(study.predictions_path):
            return ["sarif"]
    return []


def _is_sarif(path: Path) -> bool:
    from labkit.formats import kinds, tables  # noqa: PLC0415  # only for findings

    try:
        return not tables.is_parquet(path) and kinds.of_path(path).name == "sarif"
    except LabkitError:
        return False  # the study was made from a file that is gone since


def _shortened(diff: str) -> str:
    lines = diff.splitlines()
    if len(lines) <= _MAX_LINES:
        return diff
    more = f"… {len(lines) - _MAX_LINES:,} more lines; they are written, too"
    return "\n".join([*lines[:_MAX_LINES], more])


def _summary(planned: Planned) -> str:
    lines = planned.diff.splitlines()
    added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
    new = "A new file" if planned.before is None else "The file"
    return f"{new}: {added} lines are added, {removed} removed."
