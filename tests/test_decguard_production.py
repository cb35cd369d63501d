"""decguard's production check: what is known, what stays unknown, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from labkit.errors import InputError
from labkit.evaluate.decguard import live
from labkit.evaluate.decguard import production as checks
from labkit.evaluate.decguard.contract import Contract, Production
from labkit.evaluate.decguard.records import Decision, Evaluation
from labkit.formats.decguard import contract, production
from labkit.reports.plain import plain

if TYPE_CHECKING:
    from pathlib import Path

DECISION = Decision("d", "choice", ("a", "b"))
ABOUT = Contract(DECISION, Evaluation(confidence_threshold=0.8))


def a_record(**changes: Any) -> dict[str, Any]:
    base = {"decision": "d", "probabilities": {"a": 0.9, "b": 0.1}, "selected": "a"}
    return {**base, **changes}


def read(*records: dict[str, Any], about: Contract = ABOUT) -> production.Production:
    text = "".join(json.dumps(record) + "\n" for record in records)
    return production.parse(text.encode(), "p.jsonl", about)


def measured(*records: dict[str, Any]) -> live.LiveMetrics:
    return live.summarise(read(*records).records, ABOUT.evaluation)


def test_records_are_accepted_and_refused_as_decguard_does(conformance: Path) -> None:
    folder = conformance / "systems/decguard"
    about = contract.read(folder / "examples/refund/decguard.yaml")
    unit = json.loads((folder / "reference/unit_cases.json").read_text("utf-8"))
    for case in unit["production_loader"]:
        raw = json.dumps(case["record"]).encode()
        if "error" in case:
            with pytest.raises(InputError, match=r"p\.jsonl:1"):
                production.parse(raw, "p.jsonl", about)
        else:
            found = production.parse(raw, "p.jsonl", about).records[0]
            assert plain(found) == case["normalized"]


@pytest.mark.parametrize(
    ("changes", "rate"),
    [
        ({}, None),
        ({"action": "accept"}, 0.0),
        ({"action": "fallback"}, 1.0),
        ({"fallback": True}, 1.0),
        ({"fallback": False}, 0.0),
    ],
)
def test_a_fallback_is_known_from_either_field(changes: dict[str, Any], rate: float | None) -> None:
    assert measured(a_record(**changes)).routing.fallback_rate == rate


def test_unknown_outcomes_stay_unknown() -> None:
    found = measured(
        a_record(outcome="b"), a_record(outcome_correct=True), a_record(), a_record(cost=2)
    )
    assert (found.outcomes.n, found.outcomes.accuracy, found.outcomes.error_rate) == (2, 0.5, 0.5)
    assert (found.calibration.n, found.calibration.n_label_outcomes) == (2, 1)
    assert found.calibration.brier == pytest.approx(1.62)
    assert (found.cost.n, found.cost.total, found.latency_ms.total) == (1, 2.0, None)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"outcome": "b", "outcome_correct": True}, "contradicts outcome 'b'"),
        ({"outcome": "z"}, "not one of the labels"),
        ({"selected": "b"}, "most probable"),
        ({"decision": "e"}, "not the contract's 'd'"),
        ({"probabilities": {"a": 0.9}}, "missing"),
        ({"latency_ms": -1}, "latency_ms"),
        ({"cost": "1"}, "expected a number"),
        ({"id": ""}, "must not be empty"),
        ({"timestamp": "2026-09-24"}, "time zone"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(a_record(**changes))


def test_ids_are_unique_also_against_defaults() -> None:
    with pytest.raises(InputError, match="duplicate record id 'record-2'"):
        read(a_record(id="record-2"), a_record())
    with pytest.raises(InputError, match="no production records"):
        production.parse(b"\n", "p.jsonl", ABOUT)


def test_segments_stand_by_type_then_value_and_absent_ones_are_named() -> None:
    rules = Production(("k",), segment_requirements={"min_accuracy": 0.5})
    about = Contract(DECISION, ABOUT.evaluation, production=rules)
    records = [a_record(metadata={"k": value}) for value in ("x", 3, True, None)]
    found = checks.check(read(*records, a_record(), about=about).records, about)
    assert [segment.value for segment in found.segments] == [None, True, 3, "x"]
    assert found.segments[0].metrics.counts.total == 2
    assert found.checks[0].gate == "segment[k=<missing>].min_accuracy"
    assert "could not be computed" in found.checks[0].message
    assert found.status == "fail"
    with pytest.raises(InputError, match="has no segment"):
        checks.check(read(a_record(metadata={"k": []}), about=about).records, about)


def test_drift_gates_fail_without_a_baseline_and_no_gate_passes() -> None:
    rules = Production(requirements={"max_accuracy_drop": 0.1})
    about = Contract(DECISION, ABOUT.evaluation, production=rules)
    records = read(a_record(outcome="a"), about=about).records
    found = checks.check(records, about)
    assert found.checks[0].message == (
        "accuracy_drop could not be computed (no baseline was provided or the metric is "
        "unavailable)"
    )
    assert checks.check(records, ABOUT).status == "pass"
    same = checks.check(records, about, live.summarise(records, about.evaluation))
    assert same.status == "pass"
    assert same.drift.confidence_tv_distance == 0.0
