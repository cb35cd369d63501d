"""godaudits through ``labkit score`` and ``labkit compare``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from labkit import gates
from labkit.comparison import Unit
from labkit.errors import InputError
from labkit.evaluate.godaudits import program as programs
from labkit.evaluate.godaudits.audit import evaluate
from labkit.formats import beside, kinds, strict_json
from labkit.formats.godaudits import audit as audits
from labkit.formats.godaudits import blind, detectors, runs, truth
from labkit.gates import Measured, Values
from labkit.parsed import Problem
from labkit.reports import godaudits, godaudits_blind, godaudits_corpus, godaudits_paired
from labkit.systems import detection, gating

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from labkit.evaluate.godaudits.audit import Audit, Evaluation, Expected
    from labkit.reports.document import Report
    from labkit.systems import Call

CHECKS_GATES = True
OPTIONS = gating.OPTIONS | {"by"}
_FORMS = (
    "expected.json AUDIT.json, detectors.json alone, or accuracy-ground-truth.json paired-runs.json"
)
_FIELDS = ("severity", "check", "path")


def _values(ratios: Mapping[str, float | None]) -> Values:
    named = {
        "min_precision": ratios.get("precision"),
        "min_recall": ratios.get("recall"),
        "min_accuracy": ratios.get("severity_accuracy"),
    }
    metrics = {"min_accuracy": "severity_accuracy"}
    return Values({k: (Measured(metrics.get(k, k[4:]), v),) for k, v in named.items()})


def _evaluated(gold: Path, prediction: Path) -> tuple[audits.Truth, Audit, Evaluation]:
    known = audits.read_truth(gold)
    audit = audits.read(prediction)
    return known, audit, evaluate(audit, known.expected)


def _audit(call: Call, gold: Path) -> Report:
    if len(call.predictions) != 1:
        raise InputError(f"{gold.name}: name one AUDIT.json; give {_FORMS}.")
    detection.expect(call.predictions[0], ["godaudits-audit"], "the second file")
    known, audit, found = _evaluated(gold, call.predictions[0])
    by = call.options.get("by")
    if by is not None and by not in _FIELDS:
        raise InputError(f"--by {by}: no such field; there are {', '.join(_FIELDS)}.")
    checks = gates.check(gating.asked(call), _values(dict(found.values)))
    return godaudits.report(
        audit,
        found,
        adjudication=known.adjudication,
        grouped=godaudits.groups(known.expected, found, by) if by else (),
        asked=checks,
    )


def _corpus(call: Call, gold: Path) -> Report:
    if call.predictions:
        names = ", ".join(path.name for path in call.predictions)
        raise InputError(f"{gold.name}: a corpus is scored alone; leave out {names}.")
    _no_groups(call)
    found = detectors.read(gold)
    recalls = [case.evaluation.ratios["recall"] for case in found.corpus.cases]
    total = sum(ratio.denominator for ratio in recalls)
    recall = sum(ratio.numerator for ratio in recalls) / total if total else None
    checks = gates.check(gating.asked(call), _values({"recall": recall}))
    return godaudits_corpus.report(found, asked=checks)


def _no_groups(call: Call) -> None:
    if "by" in call.options:
        raise InputError("--by groups the findings of one audit; leave it out here.")


def _given(paths: tuple[Path, ...], key: str) -> Path | None:
    """The extra file that holds a key, where one was named."""
    for path in paths:
        value = strict_json.read(path)
        if isinstance(value, dict) and key in value:
            return path
    return None


def _paired(call: Call, gold: Path) -> Report:
    _no_groups(call)
    if not call.predictions:
        raise InputError(f"{gold.name}: name the file of runs too; give {_FORMS}.")
    path, *others = call.predictions
    for role, file in (("the second file", path), *(("a further file", file) for file in others)):
        detection.expect(file, ["godaudits-paired"], role)
    if _given((gold,), "repos"):
        return _blind(call, gold)
    extra = tuple(others)
    ledger = _given(extra, "attempts") or beside.find("run-attempts.json", path)
    plan = _given(extra, "targets") or beside.find("accuracy-program.json", path)
    odd = [p.name for p in extra if p not in {ledger, plan}]
    if odd:
        raise InputError(f"{', '.join(odd)}: neither run-attempts.json nor accuracy-program.json.")
    known = truth.read(gold)
    found = runs.read(path, known)
    program = truth.read_program(plan)
    if program.version is None:
        program = replace(program, version=found.program_version)
    figures = programs.evaluate(
        found.runs, known.suites.values(), runs.read_attempts(ledger), program.runs_per_arm
    )
    arm = figures.contrast.arms["skill"].sums
    ratios = {name: arm.ratio(name).value for name in ("recall", "precision", "severity_accuracy")}
    return godaudits_paired.report(
        figures,
        known,
        program,
        asked=gates.check(gating.asked(call), _values(ratios)),
        problems=_regrading(found, path),
    )


def _blind(call: Call, gold: Path) -> Report:
    if len(call.predictions) != 1:
        raise InputError(f"{gold.name}: name blind-runs.json alone.")
    found = blind.read(gold, call.predictions[0])
    recall = _values({"recall": found.blind.recall.value})
    return godaudits_blind.report(found, asked=gates.check(gating.asked(call), recall))


def _regrading(found: runs.Runs, path: Path) -> tuple[Problem, ...]:
    problems: list[Problem] = []
    for run in found.runs:
        place = f"pair {run.pair_id}, {run.arm} arm"
        changed = runs.differences(run)
        if changed:
            said = ", ".join(f"{name} {a} is {b}" for name, (a, b) in changed.items())
            message = f"{place}: graded again, {said}; the new grade counts."
            problems.append(Problem(str(path), None, message, "warning"))
        if run.regraded is None:
            message = f"{place}: {run.artifact} is not there; the recorded counts are taken."
            problems.append(Problem(str(path), None, message, "note"))
    return tuple(problems)


def score(call: Call) -> Report:
    """Score godaudits' files: one audit, a detector corpus, or paired runs.

    Raises:
        InputError: A file is missing, of another kind or not to be trusted, or a pairing rule is
            broken.
    """
    call.only("godaudits", OPTIONS)
    gold = call.gold
    if gold is None:
        raise InputError(f"godaudits: give {_FORMS}.")
    wanted = ["godaudits-expected", "godaudits-detectors", "godaudits-paired"]
    detection.expect(gold, wanted, "the first file")
    kind = kinds.of_path(gold).name
    if kind == "godaudits-detectors":
        return _corpus(call, gold)
    if kind == "godaudits-paired":
        return _paired(call, gold)
    return _audit(call, gold)


def units(call: Call) -> tuple[Unit, ...]:
    """What each expected finding adds to recall and severity, and each clean check to its rate."""
    if call.gold is None or len(call.predictions) != 1:
        raise InputError("godaudits: --gold names expected.json, the runs are AUDIT.json files.")
    known, audit, found = _evaluated(call.gold, call.predictions[0])
    severities = {finding.id: finding.severity for finding in audit.active}
    made = _expected_units(known.expected, found, severities)
    for check in known.expected.clean:
        clean = int(check not in found.violated)
        made.append(Unit(f"clean {check}", {"clean_control_rate": (clean, 1)}, {"check": check}))
    return tuple(made)


def _expected_units(
    expected: Expected, found: Evaluation, severities: Mapping[str, str]
) -> list[Unit]:
    made: list[Unit] = []
    for required, match in zip(expected.required, found.matched, strict=True):
        same = match is not None and severities.get(match) == required.severity
        shares = {"recall": (int(match is not None), 1), "severity_accuracy": (int(same), 1)}
        fields = {name: getattr(required, name) for name in _FIELDS}
        made.append(Unit(f"{required.check} {required.path}", shares, fields))
    return made
