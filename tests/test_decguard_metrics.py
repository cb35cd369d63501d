"""decguard's metrics and gates, against the values that decguard itself gives."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from labkit.evaluate.decguard import measures
from labkit.evaluate.decguard.contract import Contract
from labkit.evaluate.decguard.gates import GOLDEN, Judge, exit_code, status_of
from labkit.evaluate.decguard.metrics import summarise
from labkit.evaluate.decguard.probabilities import (
    ProbabilityError,
    js_divergence,
    redact,
    select,
    tv_distance,
    validate,
)
from labkit.evaluate.decguard.records import CaseError, Decision, Evaluation, Record, Result
from labkit.evaluate.decguard.run import evaluate
from labkit.formats.decguard import stored
from labkit.metrics import calibration
from labkit.reports.plain import plain

if TYPE_CHECKING:
    from pathlib import Path

SPAM = Decision("is_spam", "noul", ("spam", "ham"))


def a_result(case_id: str, p: float) -> Result:
    chances = {"spam": p, "ham": 1 - p}
    best = select(SPAM.labels, chances)
    return Result(
        case_id,
        SPAM.name,
        SPAM.type,
        SPAM.labels,
        chances,
        best,
        chances[best],
        "default",
        "mock",
        None,
        None,
        1.0,
    )


def a_record(case_id: str, p: float | None, expected: str | None = None) -> Record:
    if p is None:
        return Record(case_id, "x", expected, {}, None, CaseError("timeout", "too slow"))
    return Record(case_id, "x", expected, {}, a_result(case_id, p), None)


@pytest.fixture(scope="session")
def unit(conformance: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (conformance / "systems/decguard/reference/unit_cases.json").read_text("utf-8")
    )
    return found


def test_bins_and_ece_are_decguards_bit_for_bit(unit: dict[str, Any]) -> None:
    for case in unit["reliability_bins"]:
        pairs = list(zip(case["confidences"], case["correct"], strict=True))
        bins = calibration.reliability(pairs, case["n_bins"], slack=0.001)
        assert plain(bins) == case["bins"]
        assert calibration.expected_error(bins) == case["ece"]


def test_percentiles_are_decguards_and_numpys(unit: dict[str, Any]) -> None:
    for case in unit["percentile"]:
        found = measures.percentile(case["values"], case["q"])
        assert found == case["result"]
        if case["values"]:
            assert found == pytest.approx(np.percentile(case["values"], case["q"]))


def test_classification_is_decguards(unit: dict[str, Any]) -> None:
    for case in unit["classification"]:
        expected, predicted = case["expected"], case["predicted"]
        scores = measures.per_label(expected, predicted, case["labels"])
        assert plain(scores) == case["per_label"]
        assert measures.macro_f1(scores, expected, predicted) == case["macro_f1"]
        assert measures.accuracy(expected, predicted) == case["accuracy"]


def test_losses_are_decguards(unit: dict[str, Any]) -> None:
    for case in unit["nll_brier"]:
        chances = case["probabilities"]
        rows = [(p, max(p, key=p.get), e) for p, e in zip(chances, case["expected"], strict=True)]
        found = calibration.multiclass(rows)
        assert (found.nll, found.brier) == (case["nll"], case["brier"])
    for case in unit["ordinal_mae"]:
        found = measures.ordinal_mae(case["expected"], case["predicted"], case["levels"])
        assert found == case["result"]


def test_distances_between_distributions_are_decguards(unit: dict[str, Any]) -> None:
    for case in unit["distribution"]:
        p, q, labels = case["p"], case["q"], case["labels"]
        assert tv_distance(p, q, labels) == case["tv"]
        assert js_divergence(p, q, labels) == case["js_bits"]
    for case in unit["select_label"]:
        assert select(case["labels"], case["probabilities"]) == case["selected"]


def test_probabilities_are_accepted_and_refused_as_decguard_does(unit: dict[str, Any]) -> None:
    for case in unit["validate_probabilities"]:
        raw = case["raw"]
        if case.get("raw_is_repr"):
            raw = {key: float(value) for key, value in raw.items()}
        if "error" in case:
            with pytest.raises(ProbabilityError):
                validate(case["labels"], raw, case["tolerance"])
        else:
            found = validate(case["labels"], raw, case["tolerance"])
            assert list(found.items()) == list(case["result"].items())


def test_whole_runs_give_decguards_metrics_and_checks(conformance: Path) -> None:
    path = conformance / "systems/decguard/reference/metrics_cases.json"
    for case in json.loads(path.read_text("utf-8")):
        spec = case["spec"]
        decision = Decision(spec["name"], spec["type"], tuple(spec["labels"]))
        evaluation = Evaluation(**case["evaluation"])
        tolerance = evaluation.probability_tolerance
        records = [stored.record(r, case["name"], decision, tolerance) for r in case["records"]]
        for gates in case["gates"]:
            contract = Contract(decision, evaluation, gates["requirements"], gates["warnings"])
            run = evaluate(records, contract)
            assert plain(run.metrics) == case["metrics"], case["name"]
            assert plain(run.checks) == gates["checks"], case["name"]
            assert run.status == gates["status"]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"spam": 0.5005, "ham": 0.5005}, None),
        ({"spam": 0.4995, "ham": 0.4995}, "sum to 0.999"),
        ({"spam": 1.2, "ham": -0.2}, "negative"),
        ({"spam": True, "ham": 0.0}, "not a number"),
        ({"spam": math.inf, "ham": 0.0}, "not finite"),
        ({"spam": 10**400, "ham": 0.0}, "not finite"),
        ({"spam": 1.0}, "missing"),
        ({"spam": 1.0, "ham": 0.0, "eggs": 0.0}, "unknown"),
        ([0.5, 0.5], "object by label"),
    ],
)
def test_a_distribution_is_taken_as_it_is_or_refused(raw: object, said: str | None) -> None:
    if said is None:
        assert validate(SPAM.labels, raw, 0.001) == raw
    else:
        with pytest.raises(ProbabilityError, match=said):
            validate(SPAM.labels, raw, 0.001)


def test_a_confidence_above_one_lands_in_the_last_bin() -> None:
    chances = {"spam": 1.0005, "ham": 0.0}
    result = Result(
        "a", "is_spam", "noul", SPAM.labels, chances, "spam", 1.0005, "b", "p", None, None, None
    )
    record = Record("a", "x", "spam", {}, result, None)
    found = summarise([record], SPAM, Evaluation()).calibration
    assert [entry.count for entry in found.reliability] == [0] * 9 + [1]


def test_unlabelled_and_failed_cases_count_where_decguard_counts_them() -> None:
    records = [
        a_record("a", 0.9, "spam"),
        a_record("b", 0.6, "ham"),
        a_record("c", 0.95),
        a_record("d", None, "spam"),
    ]
    found = summarise(records, SPAM, Evaluation(confidence_threshold=0.8))
    assert (found.counts.labeled, found.counts.error_rate) == (2, 0.25)
    assert found.classification.accuracy == 0.5
    assert found.selective is not None
    assert found.selective.coverage == 2 / 3
    assert (found.selective.selective_accuracy, found.selective.n_covered_labeled) == (1.0, 1)
    assert found.counts.errors_by_kind == {"timeout": 1}
    failures = evaluate(records, Contract(SPAM)).failures
    assert [(f.case_id, f.kind, f.error) for f in failures] == [
        ("b", "mismatch", None),
        ("d", "error", "timeout: too slow"),
    ]


def test_nothing_measured_is_none_and_never_holds() -> None:
    found = evaluate([], Contract(SPAM, requirements={"min_accuracy": 0.0}))
    assert found.metrics.classification.accuracy is None
    assert [(c.gate, c.status) for c in found.checks] == [
        ("min_accuracy", "fail"),
        ("max_error_rate", "pass"),
    ]
    assert "no eligible cases" in found.checks[0].message


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_macro_f1_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    expected, predicted = [e for e, _ in pairs], [p for _, p in pairs]
    scores = measures.per_label(expected, predicted, ["a", "b", "c", "never"])
    oracle = f1_score(expected, predicted, average="macro", zero_division=0)
    assert measures.macro_f1(scores, expected, predicted) == pytest.approx(oracle)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans())), st.randoms())
def test_the_order_of_cases_changes_no_bit(rows: list[tuple[float, bool]], random: Any) -> None:
    records = [a_record(str(i), p, "spam" if y else "ham") for i, (p, y) in enumerate(rows)]
    once = summarise(records, SPAM, Evaluation(confidence_threshold=0.5))
    random.shuffle(records)
    assert summarise(records, SPAM, Evaluation(confidence_threshold=0.5)) == once


def test_requirements_fail_warnings_warn_and_the_bound_is_included() -> None:
    values = {"accuracy": 0.9, "ece": 0.2, "error_rate": 0.0}
    checks = Judge().all(
        GOLDEN, {"min_accuracy": 0.9}, {"max_ece": 0.1}, values, implicit="max_error_rate"
    )
    assert [(c.gate, c.level, c.status) for c in checks] == [
        ("min_accuracy", "requirement", "pass"),
        ("max_error_rate", "requirement", "pass"),
        ("max_ece", "warning", "warn"),
    ]
    assert checks[2].message == "ece 0.2 violates <= 0.1"
    assert status_of(checks) == "warn"
    assert (exit_code("warn"), exit_code("warn", fail_on_warn=True), exit_code("fail")) == (0, 1, 1)


def test_an_explicit_error_rate_replaces_the_implicit_one() -> None:
    checks = Judge().all(
        GOLDEN, {"max_error_rate": 0.5}, {}, {"error_rate": 0.4}, implicit="max_error_rate"
    )
    assert [(c.threshold, c.status) for c in checks] == [(0.5, "pass")]


def test_secrets_in_metadata_are_redacted_at_any_depth() -> None:
    found = redact({"API-Key": "s", "deep": [{"Token": "t", "ok": 1}]})
    assert found == {"API-Key": "[REDACTED]", "deep": [{"Token": "[REDACTED]", "ok": 1}]}
