"""decguard's files: contracts, datasets, answers and reports, read strictly and written back."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from labkit.errors import InputError
from labkit.evaluate.decguard.policy import route
from labkit.evaluate.decguard.records import Case
from labkit.formats.decguard import answers, contract, dataset, report, stored
from labkit.reports.plain import plain

if TYPE_CHECKING:
    from pathlib import Path

CONTRACT = """
schema_version: "0.1"
decision: {name: is_spam, type: noul, labels: [spam, ham]}
backend: {provider: mock}
requirements: {min_accuracy: 0.5}
warnings: {max_latency_p95_ms: 10}
"""
DATASET = b"""{"id": "a", "input": "win!", "expected": "spam"}
{"id": "b", "input": {"text": "lunch?"}, "expected": "ham", "metadata": {"locale": "en"}}
{"input": "hm"}
"""
ANSWERS = """{"id": "a", "probabilities": {"spam": 0.9, "ham": 0.1}, "latency_ms": 3}
{"id": "b", "error": "no route"}
{"id": "case-3", "probabilities": {"ham": 0.5, "spam": 0.5}}
"""


@pytest.fixture(scope="session")
def decguard(conformance: Path) -> Path:
    return conformance / "systems/decguard"


@pytest.fixture(scope="session")
def unit(decguard: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((decguard / "reference/unit_cases.json").read_text("utf-8"))
    return found


def test_contracts_are_accepted_and_refused_as_decguard_does(unit: dict[str, Any]) -> None:
    for case in unit["contract"]["cases"]:
        data = {**unit["contract"]["base"], **case["changes"]}
        if "error" in case:
            with pytest.raises(InputError):
                contract.build(data)
        else:
            assert list(contract.build(data).decision.labels) == case["labels"]


def test_datasets_are_accepted_and_refused_as_decguard_does(unit: dict[str, Any]) -> None:
    for case in unit["dataset_loader"]:
        raw, name = case["content"].encode(), "cases" + case["suffix"]
        if "error" in case:
            with pytest.raises(InputError, match="cases"):
                dataset.parse(raw, name, case["labels"])
        else:
            found = dataset.parse(raw, name, case["labels"])
            assert plain(found.cases) == case["cases"]
            assert (found.hash, found.n_labeled) == (case["hash"], case["n_labeled"])


def test_stored_answers_are_checked_as_decguard_does(unit: dict[str, Any]) -> None:
    base = unit["decision_result"]["base"]
    for case in unit["decision_result"]["cases"]:
        if "error" in case:
            with pytest.raises(InputError):
                stored.answer({**base, **case["changes"]}, "r", 0.001)
        else:
            assert plain(stored.answer({**base, **case["changes"]}, "r", 0.001)) == case["ok"]


def test_policies_route_as_decguard_does(unit: dict[str, Any]) -> None:
    for case in unit["policy"]:
        if "error" in case:
            with pytest.raises(InputError):
                contract.routes({"routes": case["routes"]}, "policy")
            continue
        routes = contract.routes({"routes": case["routes"]}, "policy")
        for result in case["results"]:
            confidence = result.pop("confidence")
            assert plain(route(routes, confidence)) == result


def test_every_stored_report_recomputes_and_is_written_back_byte_for_byte(decguard: Path) -> None:
    paths = sorted((decguard / "reference").glob("report_*.json"))
    assert len(paths) >= 5
    for path in paths:
        assert report.render(report.read(path)) == path.read_text("utf-8"), path.name


def _edited(data: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    found: Any = copy.deepcopy(data)
    target = found
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        target = target[step]
    target[last] = value
    return dict(found)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("metrics.classification.accuracy", 0.99, "metrics do not match"),
        ("metrics.calibration.ece", 0.139, "metrics do not match"),
        ("checks.0.threshold", 0.1, "checks do not match"),
        ("checks.0.message", "fine", "checks do not match"),
        ("status", "fail", "does not match the stored checks"),
        ("exit_code", 1, "does not match the stored checks"),
        ("dataset.n_labeled", 11, "dataset counts"),
        ("results.1.case_id", "r1", "answer to 'r2'"),
        ("results.0.expected", "reject", "metrics do not match"),
        ("results.0.expected", "maybe", "not one of the labels"),
        ("results.0.result.confidence", 0.9, "not the probability"),
        ("results.0.result.selected", "review", "most probable"),
        ("results.0.error", {"kind": "timeout", "message": ""}, "exactly one"),
        ("failures", [{}], "failures do not match"),
        ("report_version", "0.2", "expected one of 0.1"),
        ("surprise", 1, "unknown field 'surprise'"),
    ],
)
def test_an_edited_report_is_refused_in_one_sentence(
    decguard: Path, path: str, value: object, said: str
) -> None:
    text = (decguard / "reference/report_refund_default.json").read_text("utf-8")
    with pytest.raises(InputError, match=said) as caught:
        report.build(_edited(json.loads(text), path, value), "r.json")
    assert "\n" not in str(caught.value)


def test_a_case_that_stands_twice_in_a_report_is_refused(decguard: Path) -> None:
    data = json.loads((decguard / "reference/report_spam_default.json").read_text("utf-8"))
    data["results"].append(data["results"][0])
    with pytest.raises(InputError, match="duplicate case id 'case-1'"):
        report.build(data, "r.json")


def test_edited_gates_are_applied_again_without_the_model(decguard: Path) -> None:
    text = (decguard / "examples/refund/decguard.yaml").read_text("utf-8")
    edited = contract.parse(text.replace("max_ece: 0.15", "max_ece: 0.1"), "edited.yaml")
    kept = report.read(decguard / "reference/report_refund_default.json")
    again = report.as_data(kept.with_contract(edited))
    assert (again["status"], again["exit_code"]) == ("fail", 1)
    assert again["metrics"] == report.as_data(kept)["metrics"]
    spam = contract.read(decguard / "examples/spam/decguard.yaml")
    with pytest.raises(InputError, match="different decisions"):
        kept.with_contract(spam)


def _records(text: str = ANSWERS, raw: bytes = DATASET) -> Any:
    found = contract.parse(CONTRACT, "c.yaml")
    cases = dataset.parse(raw, "d.jsonl", found.decision.labels).cases
    return answers.join(
        cases, answers.parse(text, "a.jsonl"), found.decision, found.evaluation, "a.jsonl"
    )


def test_answers_join_their_cases_in_dataset_order() -> None:
    first, second, third = _records()
    assert first.result is not None
    assert (first.result.selected, first.result.latency_ms) == ("spam", 3.0)
    assert plain(second.error) == {"kind": "backend_error", "message": "no route"}
    assert third.result is not None
    assert (third.case_id, third.result.selected) == ("case-3", "spam")


def test_a_bad_distribution_is_an_error_of_its_case_and_a_missing_answer_too() -> None:
    text = '{"id": "a", "probabilities": {"spam": NaN, "ham": 1}}\n' + ANSWERS.splitlines()[2]
    first, second, _ = _records(text)
    assert first.error is not None
    assert first.error.kind == "invalid_response"
    assert "not finite" in first.error.message
    assert second.error is not None
    assert second.error.kind == "unavailable"


def test_a_stated_choice_must_be_the_most_probable_label() -> None:
    rest = "\n".join(ANSWERS.splitlines()[1:])
    for stated, said in (
        ('"selected": "spam", "confidence": 0.9', None),
        ('"selected": "ham"', "not the most probable label"),
        ('"confidence": 0.8', "not the probability"),
    ):
        row = f'{{"id": "a", "probabilities": {{"spam": 0.9, "ham": 0.1}}, {stated}}}\n'
        error = _records(row + rest)[0].error
        assert (error is None) == (said is None)
        assert error is None or str(said) in error.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "zz", "error": "x"}', r"a\.jsonl:1: no case 'zz'"),
        ('{"id": "a", "error": "x"}\n{"id": "a", "error": "y"}', r"a\.jsonl:2: .* answered twice"),
        ('{"id": "a"}', "exactly one of"),
        ('{"id": "a", "error": "x", "probabilities": {}}', "exactly one of"),
        ('{"id": "a", "error": {"kind": "bored"}}', "expected one of timeout"),
        ('{"id": "a", "probability": 1}', "did you mean 'probabilities'"),
        ('{"id": "a", "err', r"a\.jsonl:1: invalid JSON"),
        ('{"id": "a", "error": "x"}', "every case is an error"),
        ("", "no answers"),
        ("[]", "expected named fields"),
    ],
)
def test_answers_that_do_not_fit_are_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        _records(text)


@pytest.mark.parametrize(
    ("raw", "name", "said"),
    [
        (b"", "d.jsonl", "no cases"),
        (b"[]", "d.json", "no cases"),
        (b'{"input": "\xff"}', "d.jsonl", "not UTF-8"),
        (b'{"input": "x"}\n{"id": "case-1", "input": "y"}', "D.JSONL", "duplicate case id"),
        (b'{"input": "x", "Expected": "spam"}', "d.jsonl", "did you mean 'expected'"),
        (b'{"input": NaN}', "d.jsonl", "NaN is not a JSON number"),
        (b'{"input": "x", "expected": true}', "d.jsonl", "expected a label"),
        (b'[{"input": "x"}, {"input": null}]', "d.json", "case 2: input"),
    ],
)
def test_datasets_that_do_not_fit_are_refused(raw: bytes, name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        dataset.parse(raw, name, ("spam", "ham"))


def test_a_written_dataset_reads_back_the_same() -> None:
    cases = (
        Case("a", "two\nlines, \u2028 and ü", "spam", {"locale": "it", "n": [1, None]}),
        Case("b", {"text": "x"}, None),
    )
    text = dataset.render(cases)
    assert dataset.parse(text.encode(), "d.jsonl", ("spam", "ham")).cases == cases


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"0.1"', "0.1", "quoted text"),
        ("min_accuracy: 0.5", "min_acuracy: 0.5", "did you mean 'min_accuracy'"),
        ("min_accuracy: 0.5", "min_accuracy: yes", "expected a number"),
        ("min_accuracy: 0.5", "min_accuracy: .nan", "finite"),
        ("[spam, ham]", "[yes, no]", "quote"),
        ("type: noul", "type: bool", "one of choice, noul, score"),
        ("requirements", "decision", "duplicate key"),
        ("backend", "\tbackend", "tab"),
    ],
)
def test_contracts_with_a_fault_name_it(old: str, new: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        contract.parse(CONTRACT.replace(old, new), "c.yaml")


def test_a_contract_may_be_json_and_has_decguards_defaults() -> None:
    found = contract.parse(
        '{"schema_version": "0.1", "decision": {"name": "d", "type": "noul"}}', "c.json"
    )
    assert found.decision.labels == ("yes", "no")
    assert plain(found.evaluation) == {
        "confidence_threshold": None,
        "calibration_bins": 10,
        "probability_tolerance": 0.001,
        "max_concurrency": 4,
    }


def test_a_contract_larger_than_a_million_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(CONTRACT + "#" * 1_000_000)
    with pytest.raises(InputError, match="1000000 bytes"):
        contract.read(path)
