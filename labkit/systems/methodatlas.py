"""MethodAtlas: an override file as labels, a predictions file as answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from labkit import gates, overrides
from labkit.comparison import Unit
from labkit.errors import InputError
from labkit.evaluate.methodatlas import Evaluation, Sample, evaluate
from labkit.formats import methodatlas
from labkit.formats.methodatlas import ScanRecord
from labkit.formats.tables import listed
from labkit.gates import Measured, Values
from labkit.metrics.tags import normalised
from labkit.parsed import Problem
from labkit.reports.methodatlas import report
from labkit.systems import detection, gating

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.formats.methodatlas import Scan
    from labkit.overrides import Entry, Overrides
    from labkit.overrides.resolve import Resolution
    from labkit.reports import Report
    from labkit.systems import Call

OPTIONS = gating.OPTIONS | {"by"}
CHECKS_GATES = True
"""Gates are checked here: ``min_f1`` reads two values."""
_REVIEWED = re.compile(r"Reviewed \d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}( by .*)?")
_SUSPICIOUS = 2
"""From so many labelled methods on, a perfect score with confidences of 0 and 1 is doubted."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Predictions with the labels that hold for them."""

    by_id: Mapping[str, ScanRecord]
    samples: tuple[Sample, ...]
    stale: tuple[Entry, ...]


def _sample(key: str, record: ScanRecord, labels: Resolution) -> Sample:
    label = labels.label(record.fqcn, record.method)
    return Sample(
        item=key,
        labelled=label is not None,
        truth_relevant=label.relevant if label else None,
        truth_tags=label.tags if label else None,
        predicted_relevant=record.ai_security_relevant,
        predicted_tags=normalised(record.ai_tags),
        confidence=record.ai_confidence,
    )


def join(by_id: Mapping[str, ScanRecord], labels: Resolution) -> Joined:
    """Find the label of every method, and the entries that match none."""
    samples = tuple(_sample(key, record, labels) for key, record in by_id.items())
    classes = {record.fqcn for record in by_id.values()}
    methods = {(record.fqcn, record.method) for record in by_id.values()}
    stale = tuple(
        entry
        for entry in labels.entries
        if (
            entry.fqcn not in classes
            if entry.method is None
            else (entry.fqcn, entry.method) not in methods
        )
    )
    return Joined(by_id, samples, stale)


def _written_by_gui(labels: Overrides, scan: Scan) -> list[Problem]:
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


def _echo(samples: tuple[Sample, ...], scan: Scan) -> list[Problem]:
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


def _values(found: Evaluation) -> Values:
    relevance, micro = found.relevance, found.tags.micro
    part, stated = found.selective, found.calibration
    by_gate = {
        "min_f1": (
            Measured("relevance.f1", relevance.f1.value),
            Measured("tagsMicro.f1", micro.f1.value),
        ),
        "min_precision": (Measured("relevance.precision", relevance.precision.value),),
        "min_recall": (Measured("relevance.recall", relevance.recall.value),),
        "min_accuracy": (Measured("relevance.accuracy", relevance.accuracy.value),),
        "min_macro_f1": (Measured("tagsMacroF1", found.tags.macro_f1),),
        "max_ece": (Measured("calibration.ece", stated.ece if stated else None),),
        "max_brier": (Measured("calibration.brier", stated.brier if stated else None),),
        "max_nll": (Measured("calibration.nll", stated.nll if stated else None),),
        "min_coverage": (Measured("selective.coverage", part.coverage.value if part else None),),
        "max_abstention_rate": (
            Measured(
                "selective.abstentionRate",
                1 - part.coverage.value if part and part.coverage.value is not None else None,
            ),
        ),
        "min_selective_accuracy": (
            Measured("selective.accuracy", part.accuracy.value if part else None),
        ),
    }
    return Values(by_gate)


def _field(record: ScanRecord, by: str) -> str:
    value = record.extra.get(by, getattr(record, by, ""))
    if isinstance(value, bool):
        return "true" if value else "false"
    return ";".join(value) if isinstance(value, tuple) else str("" if value is None else value)


def _known(scan: Scan, by: str) -> None:
    own = [one.name for one in fields(ScanRecord) if one.name not in {"extra", "line"}]
    known = [*own, *dict.fromkeys(name for record in scan.records for name in record.extra)]
    if by not in known:
        raise InputError.at(scan.source, None, f"--by: no field {by!r}; there are {listed(known)}.")


def _groups(joined: Joined, by: str, *, confidences: bool) -> dict[str, Evaluation]:
    parts: dict[str, list[Sample]] = {}
    for sample in joined.samples:
        parts.setdefault(_field(joined.by_id[sample.item], by), []).append(sample)
    return {
        value: evaluate(part, prediction_rows=len(part), confidences=confidences)
        for value, part in sorted(parts.items())
    }


def score(call: Call) -> Report:
    """Score MethodAtlas predictions against an override file.

    Raises:
        InputError: A file is missing, of another kind or not to be trusted, or an option is
            unknown here or out of range.
    """
    call.only("methodatlas", OPTIONS)
    gold, predictions = call.pair("methodatlas", "an overrides YAML", "a predictions CSV or JSON")
    asked = gating.asked(call)
    detection.expect(gold, ["methodatlas-overrides"], "the first file")
    detection.expect(predictions, ["methodatlas-predictions"], "the second file")
    scan, labels = methodatlas.read(predictions), overrides.read(gold)
    items, resolved = methodatlas.items(scan), overrides.resolve(labels)
    joined = join(items.by_id, resolved)
    has_confidences = any(name.lower() == "ai_confidence" for name in scan.columns)
    found = evaluate(
        joined.samples,
        prediction_rows=len(scan.records),
        stale=len(joined.stale),
        confidences=has_confidences,
        threshold=asked.confidence_threshold,
    )
    by = call.options.get("by")
    if by is not None:
        _known(scan, by)
    problems = [
        *labels.problems,
        *resolved.problems,
        *_written_by_gui(labels, scan),
        *scan.problems,
        *items.problems,
        *_echo(joined.samples, scan),
    ]
    return report(
        found,
        problems=problems,
        checks=gates.check(asked, _values(found)),
        groups=None if by is None else _groups(joined, by, confidences=has_confidences),
        by=by or "",
    )


def units(call: Call) -> tuple[Unit, ...]:
    """What each answered and labelled method adds to each metric of relevance and of tags."""
    gold, predictions = call.pair("methodatlas", "an overrides YAML", "a predictions CSV or JSON")
    scan = methodatlas.read(predictions)
    by = call.options.get("by")
    if by is not None:
        _known(scan, by)
    joined = join(methodatlas.items(scan).by_id, overrides.resolve(overrides.read(gold)))
    return tuple(
        Unit(
            sample.item,
            _shares(sample),
            {} if by is None else {by: _field(joined.by_id[sample.item], by)},
        )
        for sample in joined.samples
        if sample.labelled and sample.predicted
    )


def _shares(sample: Sample) -> dict[str, tuple[int, int]]:
    shares: dict[str, tuple[int, int]] = {}
    if sample.truth_relevant is not None:
        truth, said = int(sample.truth_relevant), int(bool(sample.predicted_relevant))
        both = truth * said
        shares |= {
            "relevance.accuracy": (int(truth == said), 1),
            "relevance.precision": (both, said),
            "relevance.recall": (both, truth),
            "relevance.f1": (2 * both, truth + said),
        }
    if sample.truth_tags is not None:
        both = len(sample.truth_tags & sample.predicted_tags)
        truth, said = len(sample.truth_tags), len(sample.predicted_tags)
        shares |= {
            "tagsMicro.precision": (both, said),
            "tagsMicro.recall": (both, truth),
            "tagsMicro.f1": (2 * both, truth + said),
        }
    return shares


def provenance(path: Path) -> dict[str, str]:
    """Tool version, taxonomy, model and prompt, where the file's ``#`` lines say them."""
    try:
        said = methodatlas.read(path).metadata
    except InputError:
        return {}
    names = {
        "toolVersion": "tool_version",
        "model": "model",
        "prompt": "prompt",
        "taxonomy": "taxonomy",
    }
    return {ours: said[theirs] for ours, theirs in names.items() if said.get(theirs)}
