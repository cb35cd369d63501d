"""decguard through ``labkit score`` and ``labkit compare``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from labkit import gates
from labkit.comparison import Unit, pair
from labkit.errors import ComparisonError, InputError
from labkit.evaluate.decguard import production as live
from labkit.evaluate.decguard.diff import compare as diff_of
from labkit.evaluate.decguard.live import summarise as summarise_live
from labkit.evaluate.decguard.metrics import summarise
from labkit.evaluate.decguard.run import evaluate
from labkit.evaluate.decguard.segments import grouped, value_text
from labkit.formats import beside, kinds
from labkit.formats.decguard import answers, contract, dataset, production, report
from labkit.gates import Measured, Values
from labkit.parsed import Problem
from labkit.reports import decguard as golden
from labkit.reports import decguard_diff, decguard_production
from labkit.systems import detection, gating

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from labkit.evaluate.decguard.contract import Contract
    from labkit.evaluate.decguard.metrics import Metrics
    from labkit.formats.decguard.report import StoredRun
    from labkit.reports.document import Report
    from labkit.systems import Call

CHECKS_GATES = True
OPTIONS = gating.OPTIONS | {"by", "baseline", "contract", "fail_on_warn"}
COMPARE_OPTIONS = frozenset({"contract", "fail_on_regression", "by"})
_FORMS = "REPORT.json, CONTRACT DATASET ANSWERS, or CONTRACT PRODUCTION"


def _values(run: Mapping[str, float | None]) -> Values:
    names = (*gates.LIMITS,)
    return Values({name: (Measured(name[4:], run.get(name[4:])),) for name in names})


def _by_metadata(
    entries: Iterable[tuple[Mapping[str, Any], Any]], key: str
) -> dict[str, list[Any]]:
    """Records by a metadata value, values sorted.

    Raises:
        InputError: No record has the key.
    """
    every = list(entries)
    known = sorted({name for metadata, _ in every for name in metadata})
    if key not in known:
        there = f"there are {', '.join(known)}" if known else "the cases have no metadata"
        raise InputError(f"--by {key}: no such metadata key; {there}.")
    return dict(sorted(grouped((value_text(m, key), record) for m, record in every).items()))


def _golden(call: Call, stored: report.StoredRun, problems: tuple[Problem, ...] = ()) -> Report:
    asked = gating.asked(call)
    about = stored.contract
    records, by = stored.run.records, call.options.get("by")
    threshold = asked.confidence_threshold
    evaluation = about.evaluation
    if threshold is not None:
        evaluation = replace(evaluation, confidence_threshold=threshold)
    groups: dict[str, Metrics] | None = None
    if by is not None:
        parts = _by_metadata(((r.metadata, r) for r in records), by)
        groups = {v: summarise(part, about.decision, evaluation) for v, part in parts.items()}
    values = summarise(records, about.decision, evaluation).values()
    return golden.report(
        stored,
        fail_on_warn=bool(call.options.get("fail_on_warn")),
        asked=gates.check(asked, _values(values)),
        groups=groups,
        by=by or "",
        problems=problems,
    )


def _from_report(call: Call, path: Path) -> Report:
    if call.predictions:
        names = ", ".join(p.name for p in call.predictions)
        raise InputError(f"{path.name}: a report is scored alone; leave out {names}.")
    if "baseline" in call.options:
        raise InputError("--baseline belongs to a production check, not to a report.")
    stored = report.read(path)
    edited: Path | None = call.options.get("contract")
    if edited is not None:
        detection.expect(edited, ["decguard-contract"], "--contract")
        before = stored.contract.evaluation.max_concurrency
        stored = stored.with_contract(contract.read(edited))
        problems = _concurrency(before, stored.contract.evaluation.max_concurrency, path)
        return _golden(call, stored, problems)
    return _golden(call, stored)


def _concurrency(measured: int, wanted: int, path: Path) -> tuple[Problem, ...]:
    """A warning where latencies were measured under other settings than the contract's."""
    if measured == wanted:
        return ()
    message = (
        f"latency was measured with max_concurrency {measured}, the contract says {wanted}: "
        "its latency gates judge another setting."
    )
    return (Problem(str(path), None, message, "warning"),)


def _own_dataset(about: Contract, source: Path) -> Path:
    path = beside.find(about.dataset, source) if about.dataset else None
    if path is None:
        named = about.dataset or "no dataset"
        raise InputError(f"{source.name}: names {named}, which is not there; give {_FORMS}.")
    return path


def _run(about: Contract, cases: Path, given: Path) -> report.StoredRun:
    detection.expect(cases, ["decguard-dataset", "table", "labels"], "the dataset")
    detection.expect(given, ["decguard-answers", "table"], "the file of answers")
    data = dataset.read(cases, about.decision.labels)
    found = answers.read(given)
    records = answers.join(data.cases, found, about.decision, about.evaluation, str(given))
    head = {
        "path": data.path,
        "hash": data.hash,
        "n_cases": len(data.cases),
        "n_labeled": data.n_labeled,
    }
    named = {a.model for a in found} - {None}
    backend: dict[str, Any] = {
        "name": found[0].backend,
        "provider": found[0].provider,
        "model": next(iter(named)) if len(named) == 1 else None,
        "model_version": None,
        "details": {},
    }
    return report.StoredRun(about, evaluate(records, about), (), head, {"backend": backend})


def _from_contract(call: Call, path: Path) -> Report:
    about = contract.read(path)
    files = call.predictions
    if "contract" in call.options:
        raise InputError("--contract re-applies gates to a report; here the contract is GOLD.")
    if len(files) == 1 and kinds.of_path(files[0]).name == "decguard-production":
        return _production(call, about, files[0])
    if "baseline" in call.options:
        raise InputError("--baseline belongs to a production check: CONTRACT PRODUCTION.jsonl.")
    if len(files) == 1:
        return _golden(call, _run(about, _own_dataset(about, path), files[0]))
    if len(files) != 2:  # noqa: PLR2004  # dataset and answers
        raise InputError(f"{path.name}: with a contract, give {_FORMS}; not {len(files)} files.")
    return _golden(call, _run(about, *files))


def _production(call: Call, about: Contract, path: Path) -> Report:
    found = production.read(path, about)
    asked = gating.asked(call)
    against: Path | None = call.options.get("baseline")
    baseline = None if against is None else production.read_baseline(against, about)
    before = None if baseline is None else production.metrics_of(baseline, about.evaluation)
    by = call.options.get("by")
    groups: list[dict[str, Any]] = []
    if by is not None:
        parts = _by_metadata(((r.metadata, r) for r in found.records), by)
        pools = {v: summarise_live(part, about.evaluation) for v, part in parts.items()}
        groups = decguard_production.group_data(pools, by)
    checked = live.check(found.records, about, before)
    values = checked.metrics.values()
    values["coverage"] = values["threshold_coverage"]
    return decguard_production.report(
        checked,
        found,
        about,
        baseline=baseline,
        baseline_metrics=before,
        groups=groups,
        asked=gates.check(asked, _values(values)),
        fail_on_warn=bool(call.options.get("fail_on_warn")),
    )


def score(call: Call) -> Report:
    """Score decguard's files: a report alone, a dataset with answers, or production records.

    Raises:
        InputError: A file is missing, of another kind or not to be trusted, or an option means
            nothing here.
    """
    call.only("decguard", OPTIONS)
    if call.gold is None:
        raise InputError(f"decguard: give {_FORMS}.")
    detection.expect(call.gold, ["decguard-report", "decguard-contract"], "the first file")
    if kinds.of_path(call.gold).name == "decguard-report":
        return _from_report(call, call.gold)
    return _from_contract(call, call.gold)


def compare(call: Call) -> Report:
    """Decguard's diff of two reports; cases meet by id, in the candidate's order.

    ``--contract`` brings gates and evaluation settings, else the candidate's settings hold;
    ``--by`` names a metadata key whose segments are compared.

    Raises:
        InputError: A file is no decguard report, or was edited.
        ComparisonError: The two reports describe different decisions.
    """
    call.only("decguard", COMPARE_OPTIONS)
    for path in call.predictions:
        detection.expect(path, ["decguard-report"], "each run")
    first, second = (report.read(path) for path in call.predictions)
    names = tuple(path.name for path in call.predictions)
    _same(first.contract, second.contract, names[0], names[1])
    edited: Path | None = call.options.get("contract")
    used = second.contract
    if edited is not None:
        used = contract.read(edited)
        report.same_decision(used, second.contract, edited.name, names[1])
    rules = used.regression
    if "by" in call.options:
        every = (*first.run.records, *second.run.records)
        _by_metadata(((record.metadata, record) for record in every), call.options["by"])
        rules = replace(rules, segment_by=(call.options["by"],))
    found = diff_of(first.run.records, second.run.records, used.decision, used.evaluation, rules)
    about = replace(second.contract, evaluation=used.evaluation)
    by = call.options.get("by")
    sides = (_units(first), _units(second))
    paired = pair(*sides).checks if {u.key for u in sides[0]} & {u.key for u in sides[1]} else ()
    return decguard_diff.report(
        found, first, second, about, (names[0], names[1]), by=by, differences=paired
    )


def _same(one: Contract, other: Contract, left: str, right: str) -> None:
    try:
        report.same_decision(one, other, left, right)
    except InputError as error:
        raise ComparisonError(str(error)) from error


def demand(first: Path, other: Path) -> None:
    """Refuse two reports on different decisions."""
    _same(report.read(first).contract, report.read(other).contract, first.name, other.name)


def data_of(path: Path) -> Mapping[str, object]:
    """Decguard's own report file as the data of a labkit report."""
    return golden.report(report.read(path)).data


def units(call: Call) -> tuple[Unit, ...]:
    """What each case adds to accuracy and error rate; the contract names its dataset."""
    if call.gold is None or len(call.predictions) != 1:
        raise InputError("decguard: --gold names the contract, whose dataset the runs answered.")
    about = contract.read(call.gold)
    return _units(_run(about, _own_dataset(about, call.gold), call.predictions[0]))


def _units(stored: StoredRun) -> tuple[Unit, ...]:
    found = []
    for record in stored.run.records:
        result = record.result
        judged = result is not None and record.expected is not None
        right = result is not None and result.selected == record.expected
        shares = {
            "accuracy": (int(right and judged), int(judged)),
            "error_rate": (int(result is None), 1),
        }
        fields = {key: value_text(record.metadata, key) for key in record.metadata}
        found.append(Unit(record.case_id, shares, fields))
    return tuple(found)


def provenance(path: Path) -> dict[str, str]:
    """The model that a report names."""
    if kinds.of_path(path).name != "decguard-report":
        return {}
    backend = report.read(path).carried.get("backend") or {}
    named = [str(backend[key]) for key in ("model", "model_version") if backend.get(key)]
    return {"model": " ".join(named)} if named else {}
