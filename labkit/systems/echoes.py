"""Scores that may mean nothing: labels that echo the AI, scans that miss rows; said as warnings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from labkit.parsed import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.evaluate.methodatlas import Sample
    from labkit.formats.methodatlas import Scan
    from labkit.overrides import Entry, Overrides

_REVIEWED = re.compile(r"Reviewed \d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}( by .*)?")
_SUSPICIOUS = 2
"""From so many labelled methods on, a perfect score with confidences of 0 and 1 is doubted."""
_MANY = 10
"""From so many answered rows on, a scan without any unlikely one looks filtered by itself."""
_UNLIKELY = 0.5
"""P(relevant) below which a row is one that the AI holds for not relevant."""


def written_by_window(labels: Overrides, scan: Scan) -> list[Problem]:
    """A warning where entries come from MethodAtlas's own window, which shows the AI's answer."""
    found = [
        entry
        for entry in labels.entries
        if entry.is_label and entry.note and _REVIEWED.fullmatch(entry.note.strip())
    ]
    if not found:
        return []
    reasons = {(r.fqcn, r.method): r.ai_reason.strip() for r in scan.records if r.ai_reason}
    echoed = sum(
        bool(entry.reason)
        and reasons.get((entry.fqcn, entry.method or "")) == (entry.reason or "").strip()
        for entry in found
    )
    message = (
        f"{len(found)} of {len(labels.entries)} entries were saved from MethodAtlas's window "
        f"(note 'Reviewed ...'), {echoed} with the AI's own reason: such labels start from the "
        "AI's answer, and agreement with them is no evidence of accuracy."
    )
    return [Problem(labels.source, found[0].line, message, "warning")]


def echo(samples: Sequence[Sample], scan: Scan) -> list[Problem]:
    """A warning where every answer is the label and every confidence 0 or 1."""
    scored = [s for s in samples if s.labelled and s.predicted]
    if len(scored) < _SUSPICIOUS:
        return []
    for sample in scored:
        same = sample.truth_relevant in {None, sample.predicted_relevant}
        tags = sample.truth_tags in {None, sample.predicted_tags}
        sure = sample.confidence == float(bool(sample.predicted_relevant))
        if not (same and tags and sure):
            return []
    message = (
        f"all {len(scored)} labelled answers equal their labels with a confidence of exactly 0 or "
        "1: if the scan was made with -override-file, this is agreement with itself and the 100 % "
        "mean nothing."
    )
    return [Problem(scan.source, None, message, "warning")]


def left_out(scan: Scan, stale: Sequence[Entry]) -> list[Problem]:
    """A warning where the rows that the AI thinks not relevant seem to be missing.

    Args:
        scan: The predictions.
        stale: Labels without a row: with one of them, two answered rows are enough to doubt.
    """
    rows = [record for record in scan.records if record.ai_security_relevant is not None]
    if len(rows) < (_SUSPICIOUS if stale else _MANY):
        return []
    sure = [row.ai_confidence for row in rows if row.ai_confidence is not None]
    signs = []
    if all(row.ai_security_relevant for row in rows):
        signs.append("is answered 'not relevant' (-security-only?)")
    if len(sure) == len(rows) and min(sure) >= _UNLIKELY:
        signs.append(f"has a confidence below {min(sure):g} (-min-confidence?)")
    if not signs:
        return []
    message = (
        f"none of the {len(rows)} answered rows {' and none '.join(signs)}: if the scan left rows "
        "out, false and true negatives are missing and recall is too high."
    )
    return [Problem(scan.source, None, message, "warning")]
