"""godaudits' evaluator, corpus, grading and pairs, against the original's own numbers."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import InputError
from labkit.evaluate.godaudits import paired
from labkit.evaluate.godaudits.audit import (
    Audit,
    Evidence,
    Expected,
    Finding,
    Required,
    Task,
    evaluate,
)
from labkit.evaluate.godaudits.corpus import wilson_lower
from labkit.evaluate.godaudits.grade import (
    COUNTS,
    Case,
    Citation,
    Defect,
    Output,
    grade,
    hits_by_severity,
)
from labkit.formats import beside
from labkit.formats.godaudits import audit, detectors, runs, truth
from labkit.metrics.rounding import JS_FIXED_4
from labkit.reports.plain import plain

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def godaudits(conformance: Path) -> Path:
    return conformance / "systems/godaudits"


def _json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_the_evaluator_gives_the_originals_numbers(godaudits: Path) -> None:
    for case in _json(godaudits / "reference/evaluate_edge_cases.json"):
        if "error" in case:
            with pytest.raises(InputError):
                audit.build_expected(case["expected"], case["name"])
            continue
        found = evaluate(
            audit.build(case["audit"], "A"), audit.build_expected(case["expected"], "E")
        )
        wanted = case["metrics"]
        strata = {name: JS_FIXED_4(r.value) for name, r in found.recall_by_severity.items()}
        assert found.values == {name: wanted[name] for name in found.values}, case["name"]
        assert strata == wanted["recall_by_severity"], case["name"]
        assert [r.raw for r in found.missed] == wanted["missed"], case["name"]
        assert found.false_positives == wanted["false_positives"], case["name"]
        assert found.active_findings == wanted["active_findings"], case["name"]
        assert found.passed == wanted["passed"], case["name"]


def test_the_detector_corpus_gives_the_originals_rates(godaudits: Path) -> None:
    found = detectors.read(godaudits / "benchmarks/detectors.json")
    wanted = _json(godaudits / "reference/aggregate_corpus.json")
    rows = [
        {
            "check": row.check,
            "seeded": row.seeded,
            "detected": row.detected,
            "cases": row.cases,
            "recorded_cases": row.recorded_cases,
            "detection_rate": row.rate,
            "detection_rate_lower_bound": row.lower,
            "sample": row.sample,
        }
        for row in found.corpus.checks
    ]
    assert rows == wanted["checks"]
    assert found.corpus.passed == wanted["passed"]
    assert found.attribution["model"] is None
    assert found.attribution["fixture_commit"] == "37ea52e"
    assert found.source == "blind-runs.json"
    details = _json(godaudits / "reference/evaluate_detectors.json")
    for case, detail in zip(found.corpus.cases, details, strict=True):
        assert case.name == detail["name"]
        assert case.evaluation.values.items() <= detail["metrics"].items()


def test_wilsons_lower_bound_is_the_originals(godaudits: Path) -> None:
    for case in _json(godaudits / "reference/wilson.json"):
        assert wilson_lower(case["successes"], case["trials"], case["z"]) == case["lower"]


def test_grades_are_the_originals(godaudits: Path) -> None:
    for case in _json(godaudits / "reference/grade_edge_cases.json"):
        found = grade(
            truth.build_case(case["case"], "case"), runs.build_output(case["audit"], "audit")
        )
        assert plain(found) == case["result"], case["name"]


def _program(godaudits: Path) -> tuple[truth.GroundTruth, runs.Runs]:
    known = truth.read(godaudits / "benchmarks/accuracy-ground-truth.json")
    return known, runs.read(godaudits / "benchmarks/paired-runs.json", known)


def test_every_recorded_run_is_graded_again_to_its_recorded_counts(godaudits: Path) -> None:
    _, found = _program(godaudits)
    wanted = _json(godaudits / "reference/grade_runs.json")
    for run, row in zip(found.runs, wanted, strict=True):
        assert (run.pair_id, run.arm) == (row["pair_id"], row["arm"])
        assert plain(run.regraded) == row["grade"]
        assert not runs.differences(run)


def test_arms_are_summed_as_the_original_does(godaudits: Path) -> None:
    known, found = _program(godaudits)
    paired.check_pairs(found.runs)
    eligible = [run for run in found.runs if run.eligible]
    wanted = _json(godaudits / "reference/accuracy_check.json")["arms"]
    for name in paired.ARMS:
        arm = paired.arm([run for run in eligible if run.arm == name])
        figures = {
            "runs": arm.runs,
            **arm.counts,
            "clean_controls": arm.clean_controls,
            "clean_controls_without_false_positive": arm.clean_controls_without_false_positive,
            **arm.costs,
            **{ratio: JS_FIXED_4(arm.ratio(ratio).value) for ratio in paired.RATIOS},
        }
        assert figures == wanted[name]
    assert [suite.check for suite in known.suites.values() if paired.complete(suite, eligible)] == [
        "A-SEC-6"
    ]


def test_technical_failures_stay_in_their_ledger(godaudits: Path) -> None:
    _, found = _program(godaudits)
    attempts = runs.read_attempts(godaudits / "benchmarks/run-attempts.json")
    assert attempts is not None
    paired.check_attempts(attempts, found.runs)
    states = [entry.status for entry in attempts]
    assert (states.count("recorded"), states.count("technical-failure")) == (37, 37)
    with pytest.raises(InputError, match="technical failure has an error text"):
        paired.check_attempts([replace(attempts[0], error=None)], found.runs)
    with pytest.raises(InputError, match="id stands twice"):
        paired.check_attempts([attempts[0], attempts[0]], found.runs)
    recorded = next(entry for entry in attempts if entry.status == "recorded")
    with pytest.raises(InputError, match="has no control run"):
        paired.check_attempts([replace(recorded, pair_id="P-X", arm="control")], found.runs)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"arm": "control"}, "duplicate control arm"),
        ({"repetition": 2}, "repetition differs"),
        ({"fixture_commit": "0000000"}, "fixture_commit differs"),
        ({"capabilities": ["static", "sandbox"]}, "capabilities differs"),
        ({"skill_commit": None}, "needs skill_installed true"),
        ({"grading_revision": 2}, "graded under revision 2"),
        ({"check": "A-SEC-7"}, "is not the suite's"),
        ({"eligible_for_lift": False}, "differs from the ground truth"),
        ({"repo": "a-sec-6/case-99"}, "no case"),
        ({"capabilities": []}, "capabilities are not recorded"),
        ({"model.snapshot": ""}, "snapshot is not recorded"),
        ({"harness.version": None}, "version is not recorded"),
        ({"result.hits": -1}, "at least 0"),
        ({"result.hits": 1.0}, "whole number"),
    ],
)
def test_a_pair_that_is_no_fair_comparison_is_refused_by_name(
    godaudits: Path, tmp_path: Path, changes: dict[str, Any], rule: str
) -> None:
    data = _json(godaudits / "benchmarks/paired-runs.json")
    pair = [run for run in data["runs"] if run["pair_id"] == "P-A-SEC-6-CASE-02-R1"]
    skill = next(run for run in pair if run["arm"] == "skill")
    if "arm" in changes:
        skill.update({"skill_installed": False, "skill_commit": None})
    for key, value in changes.items():
        *outer, last = key.split(".")
        (skill[outer[0]] if outer else skill)[last] = value
    path = tmp_path / "paired-runs.json"
    path.write_text(json.dumps({"runs": pair}), "utf-8")
    known = truth.read(godaudits / "benchmarks/accuracy-ground-truth.json")
    with pytest.raises(InputError, match=rule) as caught:
        paired.check_pairs(runs.read(path, known).runs)
    assert "P-A-SEC-6-CASE-02-R1" in str(caught.value)


def test_an_eligible_pair_needs_both_arms(godaudits: Path) -> None:
    _, found = _program(godaudits)
    alone = [run for run in found.runs if run.pair_id == "P-A-SEC-6-CASE-02-R1"][:1]
    with pytest.raises(InputError, match="no skill arm"):
        paired.check_pairs(alone)


def test_corrections_are_appended_never_edited(godaudits: Path, tmp_path: Path) -> None:
    data = _json(godaudits / "benchmarks/accuracy-ground-truth.json")
    path = tmp_path / "truth.json"
    for index, key, value, rule in (
        (1, "from_revision", 1, "only append"),
        (1, "to_revision", 4, "corrections end at 4"),
        (0, "suite", "elsewhere", "no suite"),
    ):
        edited = json.loads(json.dumps(data))
        edited["corrections"][index][key] = value
        path.write_text(json.dumps(edited), "utf-8")
        with pytest.raises(InputError, match=rule):
            truth.read(path)


def a_finding(**changes: Any) -> Finding:
    return replace(Finding("F-SEC-1", "High", "open", ("A-SEC-3",), ("E-1",)), **changes)


SOURCE = Evidence("E-1", "source", "a.js", {"quote": "q", "line": 3, "sha256": "a" * 64})


@pytest.mark.parametrize(
    ("evidence", "valid"),
    [
        (SOURCE, True),
        (replace(SOURCE, fields={**SOURCE.fields, "line": 0}), False),
        (replace(SOURCE, fields={**SOURCE.fields, "line": True}), False),
        (replace(SOURCE, fields={**SOURCE.fields, "sha256": "A" * 64}), False),
        (replace(SOURCE, fields={**SOURCE.fields, "quote": ""}), False),
        (replace(SOURCE, path=None), False),
        (Evidence("E-1", "absence", None, {"quote": "q", "scope": "s", "command": "c"}), True),
        (Evidence("E-1", "absence", None, {"quote": "q", "scope": "s"}), False),
        (Evidence("E-1", "tool", None, {"quote": "q", "command": "c", "tool": "t"}), False),
        (Evidence("E-1", "human", None, {"quote": "q", "recorded_by": "ann"}), True),
        (Evidence("E-1", "rumour", None, {"quote": "q"}), False),
    ],
)
def test_a_citation_is_valid_only_with_its_types_provenance(
    evidence: Evidence, *, valid: bool
) -> None:
    found = evaluate(Audit((a_finding(),), (evidence,)), Expected())
    assert found.values["citation_validity"] == float(valid)


@pytest.mark.parametrize(("status", "closed"), [("open", 1.0), ("done", 1.0), ("superseded", 0.0)])
def test_a_grave_finding_is_closed_by_a_living_task(status: str, closed: float) -> None:
    task = Task("GA-101", status, ("F-SEC-1",))
    found = evaluate(Audit((a_finding(),), (SOURCE,), (task,)), Expected())
    assert found.values["remediation_closure"] == closed


def test_a_right_citation_without_a_failing_outcome_is_a_miss_and_a_duplicate() -> None:
    case = Case("c", "seeded", defects=(Defect("a", "High", (5,)),))
    found = grade(case, Output("pass", (Citation("a", 5, "High"),)))
    assert (found.hits, found.misses, found.duplicate_findings) == (0, 1, 1)
    assert found.false_positives == 0
    assert hits_by_severity(case, Output("pass", ())) == {"High": (0, 1)}
    assert hits_by_severity(case, Output("fail", (Citation("a", 7, "Low"),))) == {"High": (1, 1)}


def test_a_lift_needs_the_ratio_in_both_arms() -> None:
    counts = dict.fromkeys(COUNTS, 0)
    some = paired.Arm(1, {**counts, "hits": 1, "misses": 1}, 0, 0, {})
    none = paired.Arm(0, counts, 0, 0, {})
    full = paired.Arm(1, {**counts, "hits": 2}, 0, 0, {})
    assert paired.lift(some, full, "recall") == 0.5
    assert paired.lift(none, full, "recall") is None
    assert paired.lift(full, none, "recall") is None


def test_variance_is_that_of_a_sample() -> None:
    found = paired.spread([1.0, 0.5, None])
    assert (found.mean, found.worst, found.variance) == (0.75, 0.5, 0.125)
    assert paired.spread([1.0]).variance is None
    assert paired.spread([None]).mean is None


def test_nothing_to_count_is_one_and_named_as_vacuous() -> None:
    found = evaluate(Audit(), Expected())
    assert set(found.values.values()) == {1.0}
    assert set(found.vacuous) == set(found.values)
    assert {name: r.value for name, r in found.recall_by_severity.items()} == {
        "Critical": None,
        "High": None,
    }
    assert found.passed


def test_one_finding_may_answer_many_expectations() -> None:
    required = tuple(Required(check, "High", "") for check in ("A-SEC-3", "A-SEC-4"))
    both = a_finding(checks=("A-SEC-3", "A-SEC-4"))
    found = evaluate(Audit((both,), (SOURCE,)), Expected(required))
    assert (found.values["recall"], found.values["precision"]) == (1.0, 1.0)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 30)), max_size=8))
def test_every_finding_of_a_run_is_counted_once(places: list[tuple[str, int]]) -> None:
    case = Case("c", "seeded", defects=(Defect("a", "High", (5,)), Defect("a", "Low", (9,), False)))  # noqa: FBT003  # eligible_for_metrics
    output = Output("fail", tuple(Citation(path, line, "High") for path, line in places))
    found = grade(case, output)
    counted = found.hits + found.unscored_true_findings + found.duplicate_findings
    assert counted + found.false_positives == len(places)
    assert found.hits + found.misses == 1


def test_a_named_file_is_found_beside_or_above_and_never_by_climbing(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "a" / "x.json").write_text("{}")
    source = deep / "list.json"
    assert beside.find("x.json", source) == (tmp_path / "a" / "x.json").resolve()
    assert beside.find("a/x.json", source) == (tmp_path / "a" / "x.json").resolve()
    for odd in ("../x.json", str(tmp_path / "a" / "x.json"), "", "C:/x.json", "b"):
        assert beside.find(odd, source) is None


def test_ten_thousand_findings_meet_two_thousand_expectations_in_two_seconds() -> None:
    findings = tuple(
        a_finding(id=f"F-SEC-{i}", checks=(f"A-SEC-{i % 3000}",)) for i in range(10_000)
    )
    required = tuple(Required(f"A-SEC-{i}", "High", "a.js") for i in range(2_000))
    start = time.perf_counter()
    found = evaluate(Audit(findings, (SOURCE,)), Expected(required))
    assert time.perf_counter() - start < 2
    assert found.values["recall"] == 1.0


def test_swapped_files_are_named(godaudits: Path) -> None:
    folder = godaudits / "benchmarks"
    known = truth.read(folder / "accuracy-ground-truth.json")
    with pytest.raises(InputError, match="swap the two files"):
        truth.read(folder / "paired-runs.json")
    with pytest.raises(InputError, match="swap the two files"):
        runs.read(folder / "accuracy-ground-truth.json", known)
    with pytest.raises(InputError, match="swap the two files"):
        audit.build({"required_findings": [], "clean_checks": []}, "expected.json")
    with pytest.raises(InputError, match="swap the two files"):
        audit.build_expected({"findings": [], "evidence": []}, "AUDIT.json")


@pytest.mark.parametrize("name", ["a" * 5000, "a/" * 4000, "a\0b", "..", "", "C:/x", "//x"])
def test_a_file_that_cannot_be_is_not_found_beside_another(tmp_path: Path, name: str) -> None:
    assert beside.find(name, tmp_path / "detectors.json") is None
