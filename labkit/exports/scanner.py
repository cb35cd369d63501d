"""A study's verdicts as SARIF: into the scan they were made on, or as a new log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from labkit import __version__
from labkit.errors import InputError
from labkit.exports.overridefile import provenance_of
from labkit.formats import sarif as sarif_files
from labkit.formats.sarif import Judgement
from labkit.formats.sarif.finding import LEVELS
from labkit.overrides import notes
from labkit.textfile import read_text

if TYPE_CHECKING:
    from labkit.exports.source import Exportable
    from labkit.model import Item, Label

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_GRAVE = {"blocking": "error", "blocker": "error", "critical": "error", "high": "error",
          "major": "error", "warning": "warning", "medium": "warning", "low": "note",
          "minor": "note", "info": "note"}  # fmt: skip
"""Other tools' words for SARIF's levels; any other word is a warning."""


def sarif(study: Exportable) -> tuple[str, int]:
    """Every settled verdict in SARIF, and how many there are.

    A scan in SARIF is written again with the verdicts in it: false positives as accepted
    suppressions of kind ``external`` whose justification says who judged them and how. Findings
    of other tools become a new log.

    Raises:
        InputError: The study has no findings, or its scan cannot be read any more.
    """
    if study.task.question("valid") is None:
        raise InputError(
            f"a {study.task.preset} study is not exported as sarif, it has no findings; "
            "use --format csv or jsonl for its labels."
        )
    judged: dict[str, Judgement] = {}
    for key, label in study.settled().items():
        valid = label.final.get("valid") if label.final is not None else None
        if key in study.items and isinstance(valid, bool):
            judged[key] = _judgement(study, label, valid=valid)
    path = study.predictions_path
    text = "" if path.is_dir() else read_text(path)
    if sarif_files.is_sarif(text):
        return sarif_files.render(text, judged, str(path)), len(judged)
    items = list(study.items.values())
    places = {item.id: f"0/{index}" for index, item in enumerate(items)}
    log = json.dumps(_log(study, items), ensure_ascii=False, indent=2) + "\n"
    return sarif_files.render(log, {places[key]: one for key, one in judged.items()}), len(judged)


def _judgement(study: Exportable, label: Label, *, valid: bool) -> Judgement:
    provenance = provenance_of(study, label)
    clause = "" if provenance is None else notes.render(provenance)
    said = "; ".join(part for part in (label.note.strip(), clause) if part)
    answer = label.final or {}
    place = answer.get("place")
    return Judgement(
        valid=valid,
        justification=said,
        severity=str(answer.get("severity") or ""),
        place=place if isinstance(place, bool) else None,
    )


def _log(study: Exportable, items: list[Item]) -> dict[str, Any]:
    """A log of findings that came in another format."""
    results = [_result(study, item) for item in items]
    driver = {"name": "labkit", "version": __version__}
    run = {"tool": {"driver": driver}, "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(study: Exportable, item: Item) -> dict[str, Any]:
    said = study.predictions.get(item.id)
    severity = str(said.answer.get("severity") or "") if said is not None else ""
    level = severity if severity in LEVELS else _GRAVE.get(severity.lower(), "warning")
    found: dict[str, Any] = {
        "level": level,
        "message": {"text": item.text or item.title},
        "properties": {"item": item.id},
    }
    if item.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": quote(item.file)}}
        if item.line:
            place["region"] = {"startLine": item.line}
            if item.lines:
                place["region"]["endLine"] = item.line + item.lines - 1
        found["locations"] = [{"physicalLocation": place}]
    return found
