"""MethodAtlas: an override file as labels, a predictions file as answers."""

from __future__ import annotations

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
from labkit.reports.methodatlas import report
from labkit.systems import detection, gating
from labkit.systems.echoes import echo, left_out, written_by_window
from labkit.systems.sampled import estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from labkit.estimation.estimates import Estimate
    from labkit.formats.methodatlas import Scan
    from labkit.overrides import Entry
    from labkit.overrides.resolve import Resolution
    from labkit.reports import Report
    from labkit.systems import Call

OPTIONS = gating.OPTIONS | {"by"}
CHECKS_GATES = True
"""Gates are checked here: ``min_f1`` reads two values."""


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


def _entries(joined: Joined, labels: Resolution) -> dict[str, Entry]:
    """The entry that holds for each labelled method."""
    found = {
        item: labels.entry(record.fqcn, record.method) for item, record in joined.by_id.items()
    }
    return {item: entry for item, entry in found.items() if entry is not None}


_READS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "min_f1": (("relevance.f1", "f1"), ("tagsMicro.f1", "tags.micro.f1")),
    "min_precision": (("relevance.precision", "precision"),),
    "min_recall": (("relevance.recall", "recall"),),
    "min_accuracy": (("relevance.accuracy", "accuracy"),),
    "min_macro_f1": (("tagsMacroF1", "tags.macro.f1"),),
    "max_ece": (("calibration.ece", "ece"),),
    "max_brier": (("calibration.brier", "brier"),),
    "max_nll": (("calibration.nll", "nll"),),
    "min_coverage": (("selective.coverage", ""),),
    "min_selective_accuracy": (("selective.accuracy", ""),),
}
"""The counted value that each gate reads, and the estimate whose interval belongs to it."""


def _counted(found: Evaluation) -> dict[str, float | None]:
    relevance, stated, part = found.relevance, found.calibration, found.selective
    return {
        "relevance.f1": relevance.f1.value,
        "tagsMicro.f1": found.tags.micro.f1.value,
        "relevance.precision": relevance.precision.value,
        "relevance.recall": relevance.recall.value,
        "relevance.accuracy": relevance.accuracy.value,
        "tagsMacroF1": found.tags.macro_f1,
        "calibration.ece": stated.ece if stated else None,
        "calibration.brier": stated.brier if stated else None,
        "calibration.nll": stated.nll if stated else None,
        "selective.coverage": part.coverage.value if part else None,
        "selective.accuracy": part.accuracy.value if part else None,
    }


def _values(found: Evaluation, rows: Sequence[Estimate]) -> Values:
    """What each gate reads: the counted value, and where notes allow it an interval."""
    counted, by_name = _counted(found), {row.name: row for row in reversed(rows)}

    def read(metric: str, name: str) -> Measured:
        row = by_name.get(name)
        ends = (None, None) if row is None or row.value is None else (row.low, row.high)
        return Measured(metric, counted[metric], *ends)

    return Values({gate: tuple(read(*pair) for pair in pairs) for gate, pairs in _READS.items()})


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
    sampled = estimate(joined.samples, _entries(joined, resolved), labels.source)
    problems = [
        *labels.problems,
        *resolved.problems,
        *written_by_window(labels, scan),
        *sampled.problems,
        *scan.problems,
        *items.problems,
        *echo(joined.samples, scan),
        *left_out(scan, joined.stale),
    ]
    return report(
        found,
        problems=problems,
        checks=gates.check(asked, _values(found, sampled.rows)),
        estimates=sampled.rows,
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
