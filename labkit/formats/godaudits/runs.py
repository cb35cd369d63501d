"""godaudits' paired-runs.json, the models' retained outputs, and the ledger of attempts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from labkit.evaluate.godaudits.grade import (
    COUNTS,
    Citation,
    Grade,
    Output,
    grade,
    hits_by_severity,
)
from labkit.evaluate.godaudits.paired import ARMS, COSTS, PINNED, Attempt, PairedRun
from labkit.formats import beside, strict_json
from labkit.formats.fields import (
    Fields,
    anything,
    flag,
    listed,
    mapping,
    one_of,
    optional,
    refuse,
    some_text,
    text,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.evaluate.godaudits.paired import Suite
    from labkit.formats.godaudits.truth import GroundTruth

OUTCOMES = ("pass", "fail", "unknown")
MODEL = ("provider", "id", "snapshot", "snapshot_kind", "catalog_fetched_at")
HARNESS = ("name", "version", "config_sha256")


@dataclass(frozen=True, slots=True)
class Runs:
    """Paired runs in file order."""

    runs: tuple[PairedRun, ...]
    program_version: str | None


def _attributed(value: Any, place: str, names: tuple[str, ...]) -> dict[str, Any]:
    fields = Fields(value, place)
    for name in names:
        if not fields.take(name, anything, None):
            raise refuse(place, f"{name} is not recorded; a run without attribution cannot count.")
    return dict(value)


def _result(value: Any, place: str) -> Grade:
    fields = Fields(value, place)
    outcome = fields.take("outcome", one_of(*OUTCOMES))
    return Grade(outcome, *(fields.take(name, whole()) for name in COUNTS))


def _case_of(repo: str, truth: GroundTruth, place: str) -> tuple[Suite, Any]:
    suite_id, _, case_id = repo.rpartition("/")
    suite = truth.suites.get(suite_id)
    if suite is None or case_id not in suite.cases:
        raise refuse(place, f"the ground truth has no case {repo!r}.")
    return suite, suite.cases[case_id]


def _pinned(fields: Fields, place: str) -> dict[str, Any]:
    model = _attributed(fields.take("model", mapping), f"{place}: model", MODEL)
    harness = _attributed(fields.take("harness", mapping), f"{place}: harness", HARNESS)
    found = {
        "repo": fields.take("repo", some_text),
        "check": fields.take("check", some_text),
        "repetition": fields.take("repetition", whole(1)),
        "model": model,
        "harness": harness,
        "fixture_commit": fields.take("fixture_commit", some_text),
        "grading_revision": fields.take("grading_revision", whole(1)),
        "eligible_for_lift": fields.take("eligible_for_lift", flag),
        "capabilities": fields.take("capabilities", listed(some_text)),
    }
    if not found["capabilities"]:
        raise refuse(place, "capabilities are not recorded.")
    return {name: found[name] for name in PINNED}


def _run(value: Any, place: str, truth: GroundTruth) -> PairedRun:
    fields = Fields(value, place)
    pair_id = fields.take("pair_id", some_text)
    arm = fields.take("arm", one_of(*ARMS))
    place = f"{place} (pair {pair_id}, {arm} arm)"
    pinned = _pinned(fields, place)
    suite, case = _case_of(pinned["repo"], truth, place)
    cost = Fields(fields.take("cost", mapping), f"{place}: cost")
    artifacts = Fields(fields.take("artifacts", mapping), f"{place}: artifacts")
    return PairedRun(
        pair_id,
        arm,
        pinned,
        suite,
        case,
        fields.take("skill_installed", flag),
        fields.take("skill_commit", optional(some_text)),
        _result(fields.take("result", mapping), f"{place}: result"),
        {name: cost.take(name, optional(whole())) for name in COSTS},
        artifacts.take("audit", some_text),
    )


def build_output(raw: Any, source: str) -> Output:
    """What a model returned for one repository; without ``findings`` it found nothing.

    Raises:
        InputError: The outcome is none of pass, fail and unknown, or the findings are no list.
    """
    fields = Fields(raw, source)

    def citation(value: Any, place: str) -> Citation:
        one = Fields(value, place)
        path, line, severity = (
            one.take(name, anything, None) for name in ("path", "line", "severity")
        )
        return Citation(path, line, severity)

    def citations(value: Any, place: str) -> tuple[Citation, ...]:
        return () if value is None else listed(citation)(value, place)

    return Output(
        fields.take("outcome", one_of(*OUTCOMES)),
        fields.take("findings", citations, ()),
        fields.take("confidence", optional(text), None),
    )


def _regraded(run: PairedRun, source: Path) -> PairedRun:
    path = beside.find(run.artifact, source)
    if path is None:
        return run
    output = build_output(strict_json.read(path), str(path))
    severities = hits_by_severity(run.case, output)
    return replace(run, regraded=grade(run.case, output), severities=severities)


def read(path: Path, truth: GroundTruth) -> Runs:
    """Paired runs from a file, each graded again where its output is beside the file or above.

    Raises:
        InputError: It is another file, an attribution is missing, a count is not a whole number
            of at least 0, or a case is not in the ground truth.
    """
    source = str(path)
    fields = Fields(strict_json.read(path), source)
    if "suites" in fields:
        raise refuse(source, "this is the ground truth; swap the two files.")
    entries = fields.take("runs", listed(mapping))
    runs = [_run(value, f"{source}: runs[{i}]", truth) for i, value in enumerate(entries)]
    version = fields.take("program_version", optional(text), None)
    return Runs(tuple(_regraded(run, path) for run in runs), version)


def read_attempts(path: Path | None) -> tuple[Attempt, ...] | None:
    """The ledger of attempts, or ``None`` where there is none."""
    if path is None:
        return None

    def one(value: Any, place: str) -> Attempt:
        entry = Fields(value, place)
        return Attempt(
            entry.take("attempt_id", some_text),
            entry.take("pair_id", some_text),
            entry.take("arm", one_of(*ARMS)),
            entry.take("status", one_of("recorded", "technical-failure")),
            entry.take("transcript", optional(text), None),
            entry.take("error", optional(text), None),
        )

    fields = Fields(strict_json.read(path), str(path))
    return fields.take("attempts", listed(one))


def differences(run: PairedRun) -> Mapping[str, tuple[int, int]]:
    """Counts that differ between the stored result and the grade under the current truth."""
    if run.regraded is None:
        return {}
    pairs = {n: (getattr(run.recorded, n), getattr(run.regraded, n)) for n in COUNTS}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
