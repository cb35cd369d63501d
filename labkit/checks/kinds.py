"""What each kind of file has to count; each reader is loaded when its kind turns up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labkit.errors import InputError
from labkit.parsed import Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Count:
    """How much is in a file, and what is wrong with it."""

    items: int
    summary: dict[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def counted(count: Count) -> Count:
    """The count with its problems in the order of their lines."""
    ordered = sorted(count.problems, key=lambda problem: (problem.line or 0, problem.column or 0))
    return Count(count.items, count.summary, tuple(ordered))


def _predictions(path: Path) -> Count:
    from labkit.formats import methodatlas  # noqa: PLC0415  # only for files of this kind

    scan = methodatlas.read(path)
    found = methodatlas.items(scan)
    said = Counter(record.ai_security_relevant for record in found.by_id.values())
    return Count(
        len(found.by_id),
        {
            "rows": len(scan.records),
            "relevant": said[True],
            "notRelevant": said[False],
            "withoutAnswer": said[None],
            "withConfidence": sum(r.ai_confidence is not None for r in found.by_id.values()),
            "metadata": dict(scan.metadata),
        },
        (*scan.problems, *found.problems),
    )


def _overrides(path: Path) -> Count:
    from labkit.overrides.parse import read as read_overrides  # noqa: PLC0415
    from labkit.overrides.resolve import resolve  # noqa: PLC0415

    read = read_overrides(path)
    found = resolve(read)
    labels = [entry for entry in read.entries if entry.is_label]
    return Count(
        len(read.entries),
        {
            "entries": len(read.entries),
            "labels": len(labels),
            "relevance": sum(entry.security_relevant is not None for entry in labels),
            "tags": sum(entry.tags is not None for entry in labels),
            "classLevel": sum(entry.method is None for entry in read.entries),
        },
        tuple({str(p): p for p in (*read.problems, *found.problems)}.values()),
    )


def _corpus(path: Path) -> Count:
    from labkit.formats import planwerk  # noqa: PLC0415  # only for files of this kind

    cases = planwerk.read_corpus(path)
    seeded = sum(len(case.findings) for case in cases)
    clean = sum(case.clean for case in cases)
    return Count(len(cases), {"cases": len(cases), "clean": clean, "seededFindings": seeded})


def _reviews(path: Path) -> Count:
    from labkit.formats import planwerk  # noqa: PLC0415  # only for files of this kind

    files = [path] if path.is_file() else sorted(path.glob("*/*.json"))
    found = {file: planwerk.read_review(file) for file in files}
    cases = Counter(file.parent.name for file in files)
    findings = sum(len(review.findings) for review in found.values())
    return Count(findings, {"cases": len(cases), "reviews": len(files), "findings": findings})


def _eval_report(path: Path) -> Count:
    from labkit.formats import planwerk_report  # noqa: PLC0415  # only for files of this kind

    found = planwerk_report.read(path)
    return Count(len(found.cases), {"cases": len(found.cases), "runs": found.runs})


def _dataset(path: Path) -> Count:
    from labkit.formats.decguard import dataset  # noqa: PLC0415  # only for files of this kind
    from labkit.textfile import read_bytes  # noqa: PLC0415  # only for files of this kind

    raw, source = read_bytes(path), str(path)
    rows = list(dataset.rows(raw, source))
    expected = [row.value.get("expected") for row in rows if isinstance(row.value, dict)]
    labels = sorted({str(label) for label in expected if isinstance(label, str | int)})
    cases = dataset.build(rows, source, labels)
    labelled = Counter(case.expected for case in cases if case.expected is not None)
    return Count(
        len(cases),
        {
            "cases": len(cases),
            "labelled": labelled.total(),
            "labels": dict(sorted(labelled.items())),
        },
    )


def _contract(path: Path) -> Count:
    from labkit.formats.decguard import contract  # noqa: PLC0415  # only for files of this kind

    found = contract.read(path)
    labels = list(found.decision.labels)
    return Count(1, {"decision": found.decision.name, "labels": labels})


def _report(path: Path) -> Count:
    from labkit.formats import strict_json  # noqa: PLC0415  # only for files of this kind
    from labkit.formats.decguard import report  # noqa: PLC0415  # only for files of this kind

    raw = strict_json.read(path)
    if isinstance(raw, dict) and isinstance(raw.get("records"), list):
        return Count(len(raw["records"]), {"productionCheck": raw.get("status")})
    if isinstance(raw, dict) and "diff_version" in raw:
        return Count(1, {"diff": raw.get("status")})
    found = report.build(raw, str(path))
    records = found.run.records
    failed = sum(record.error is not None for record in records)
    return Count(
        len(records),
        {"decision": found.contract.decision.name, "cases": len(records), "errors": failed},
    )


def _answers(path: Path) -> Count:
    from labkit.formats.decguard import answers  # noqa: PLC0415  # only for files of this kind

    found = answers.read(path)
    failed = sum(answer.error is not None for answer in found)
    return Count(len(found), {"answers": len(found), "errors": failed})


def _production(path: Path) -> Count:
    """Counted without the contract, which alone knows the labels."""
    from labkit.formats.decguard import dataset  # noqa: PLC0415  # only for files of this kind
    from labkit.textfile import read_bytes  # noqa: PLC0415  # only for files of this kind

    rows = [row.value for row in dataset.rows(read_bytes(path), str(path), "record")]
    bad = next((r for r in rows if not isinstance(r, dict)), None)
    if bad is not None:
        raise InputError.at(str(path), None, "a record is not an object; mend the file.")
    selected = Counter(str(row.get("selected")) for row in rows)
    decisions = sorted({str(row.get("decision")) for row in rows})
    return Count(len(rows), {"decisions": decisions, "selected": dict(sorted(selected.items()))})


def _audit(path: Path) -> Count:
    from labkit.formats.godaudits import audit  # noqa: PLC0415  # only for files of this kind

    found = audit.read(path)
    severities = Counter(finding.severity for finding in found.active)
    return Count(
        len(found.findings),
        {
            "findings": len(found.findings),
            "active": dict(sorted(severities.items())),
            "evidence": len(found.evidence),
            "tasks": len(found.tasks),
        },
    )


def _expected(path: Path) -> Count:
    from labkit.formats.godaudits import audit  # noqa: PLC0415  # only for files of this kind

    found = audit.read_truth(path).expected
    severities = Counter(required.severity for required in found.required)
    return Count(
        len(found.required),
        {
            "required": dict(sorted(severities.items())),
            "cleanChecks": len(found.clean),
        },
    )


def _detectors(path: Path) -> Count:
    from labkit.formats.godaudits import detectors  # noqa: PLC0415  # only for files of this kind

    cases = detectors.read(path).corpus.cases
    provenance = Counter(case.provenance for case in cases)
    return Count(len(cases), {"cases": len(cases), **dict(sorted(provenance.items()))})


def _sarif(path: Path) -> Count:
    from labkit.formats import sarif  # noqa: PLC0415  # only for files of this kind
    from labkit.textfile import read_text  # noqa: PLC0415  # only for files of this kind

    found = sarif.report(read_text(path), str(path))
    levels = Counter(finding.level for finding in found.findings)
    runs = [
        {"tool": run.tool, "version": run.version or None, "results": run.results}
        for run in found.runs
    ]
    return Count(
        len(found.findings),
        {
            "runs": runs,
            "forReview": sum(finding.for_review for finding in found.findings),
            "suppressed": sum(finding.suppressed is True for finding in found.findings),
            "repeats": sum(bool(finding.same_as) for finding in found.findings),
            "levels": {level: levels[level] for level in sarif.LEVELS if levels[level]},
        },
        found.problems,
    )


def _table(path: Path) -> Count:
    from labkit.formats import records  # noqa: PLC0415  # only for files of this kind
    from labkit.formats.columns import NoIdColumn  # noqa: PLC0415

    try:
        found = records.read(path)
    except NoIdColumn as error:
        problem = Problem(str(path), error.line, error.fault, "warning")
        return Count(0, {"columns": list(error.found)}, (problem,))
    labels = Counter(
        records.as_text(record.label) for record in found.values if record.label is not None
    )
    shown = dict(sorted(labels.items())) if len(labels) <= records.MAX_CLASSES else len(labels)
    return Count(
        len(found.values),
        {
            "columns": dict(found.parts),
            "fields": [name for name in found.columns if name not in found.parts.values()],
            "labels": shown,
            "tagged": sum(record.tags is not None for record in found.values),
            "withConfidence": sum(record.confidence is not None for record in found.values),
        },
        found.problems,
    )


def plain(path: Path) -> Count:
    """JSON that is counted by its first list."""
    from labkit.formats import jsontext  # noqa: PLC0415  # only for files of this kind
    from labkit.textfile import read_text  # noqa: PLC0415  # only for files of this kind

    value = jsontext.parse(read_text(path), str(path)).value
    parts = value.items() if isinstance(value, dict) else [("items", value)]
    lists = {str(name): len(part) for name, part in parts if isinstance(part, list)}
    return Count(next(iter(lists.values()), 1), lists)


def _aacr_references(path: Path) -> Count:
    from labkit.formats import aacr_files  # noqa: PLC0415  # only for files of this kind

    found = aacr_files.read_references(path)
    by_side = Counter(
        str(comment.location.side) for pr in found.pull_requests for comment in pr.comments
    )
    summary = {"pullRequests": len(found.pull_requests), "sides": dict(sorted(by_side.items()))}
    return Count(found.comments, summary, found.problems)


def _aacr_comments(path: Path) -> Count:
    from labkit.formats import aacr_comments, aacr_v2  # noqa: PLC0415  # as above
    from labkit.textfile import read_text  # noqa: PLC0415  # as above

    text = read_text(path)
    tagged = not text.lstrip().startswith("{")
    found = (
        aacr_comments.parse(text, str(path)) if tagged else aacr_v2.parse_result(text, str(path))
    )
    by_file = Counter(comment.location.path for comment in found.values)
    return Count(len(found.values), {"files": len(by_file)}, found.problems)


def _study(path: Path) -> Count:
    from labkit.config import FILE_NAME, read  # noqa: PLC0415  # only for files of this kind

    found = read(path / FILE_NAME if path.is_dir() else path)
    summary = {
        "task": found.task,
        "predictions": found.predictions,
        "protocol": found.protocol,
        "design": found.design,
        "seed": found.seed,
    }
    return Count(1, summary)


BY_KIND: dict[str, Callable[[Path], Count]] = {
    "methodatlas-predictions": _predictions,
    "methodatlas-overrides": _overrides,
    "planwerk-corpus": _corpus,
    "planwerk-reviews": _reviews,
    "planwerk-report": _eval_report,
    "decguard-dataset": _dataset,
    "decguard-contract": _contract,
    "decguard-report": _report,
    "decguard-answers": _answers,
    "decguard-production": _production,
    "aacr-references": _aacr_references,
    "aacr-comments": _aacr_comments,
    "godaudits-audit": _audit,
    "godaudits-expected": _expected,
    "godaudits-detectors": _detectors,
    "sarif": _sarif,
    "labels": _table,
    "table": _table,
    "study": _study,
}
"""Each kind and the function that counts such a file."""
