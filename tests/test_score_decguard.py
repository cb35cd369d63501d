"""labkit score and labkit compare on decguard's files: its numbers, its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from labkit.comparison import lower_is_better
from labkit.errors import ComparisonError, InputError
from labkit.reports import render
from labkit.reports.decguard import base_names
from labkit.systems import Call, decguard
from labkit.systems.compare import compare as compare_all

if TYPE_CHECKING:
    from pathlib import Path

CONTRACT = """
schema_version: "0.1"
decision: {name: is_spam, type: noul, labels: [spam, ham]}
backend: {provider: mock}
dataset: cases.jsonl
evaluation: {confidence_threshold: 0.8}
requirements: {min_accuracy: 0.5, max_error_rate: 0.5}
warnings: {max_ece: 0.01}
regression: {max_answer_flip_rate: 0.1}
policy:
  routes:
    - {when: {confidence_gte: 0.9}, action: accept}
    - {action: human_review}
"""
CASES = [
    {"id": "a", "input": "win!", "expected": "spam", "metadata": {"locale": "en"}},
    {"id": "b", "input": {"text": "lunch?"}, "expected": "ham", "metadata": {"locale": "it"}},
    {"id": "c", "input": "hm", "metadata": {"locale": "it"}},
    {"id": "d", "input": "prize", "expected": "spam"},
]
ANSWERS = [
    {"id": "a", "probabilities": {"spam": 0.9, "ham": 0.1}, "latency_ms": 3, "model": "m1"},
    {"id": "b", "probabilities": {"spam": 0.6, "ham": 0.4}, "latency_ms": 5, "model": "m1"},
    {"id": "c", "probabilities": {"spam": 0.2, "ham": 0.8}, "latency_ms": 4, "model": "m1"},
    {"id": "d", "error": {"kind": "timeout", "message": "too slow"}},
]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "labkit", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    contract = tmp_path / "contract.yaml"
    contract.write_text(CONTRACT, "utf-8")
    return contract, lines(tmp_path / "cases.jsonl", CASES), lines(tmp_path / "a.jsonl", ANSWERS)


def scored(gold: Path, *predictions: Path, **options: Any) -> dict[str, Any]:
    return decguard.score(Call(gold, predictions, options)).data


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("report_refund_default", 0),
        ("report_refund_order_sensitive", 1),
        ("report_refund_order_sensitive_all", 1),
        ("report_severity_default", 0),
        ("report_spam_default", 0),
    ],
)
def test_a_report_alone_gives_decguards_objects_and_its_exit_code(
    conformance: Path, name: str, code: int
) -> None:
    path = conformance / f"systems/decguard/reference/{name}.json"
    wanted = json.loads(path.read_text("utf-8"))
    report = decguard.score(Call(path))
    assert report.exit_code == code == wanted["exit_code"]
    for key in ("metrics", "checks", "failures", "status", "exit_code", "results"):
        assert report.data[key] == wanted[key], key
    assert list(report.data)[:2] == ["schemaVersion", "system"]
    assert "created_at" not in report.data


def test_the_written_report_is_read_back_and_scores_the_same(
    conformance: Path, tmp_path: Path
) -> None:
    path = conformance / "systems/decguard/reference/report_spam_default.json"
    once = decguard.score(Call(path))
    again = tmp_path / "again.json"
    again.write_text(render(once, "json"), "utf-8")
    assert decguard.score(Call(again)).data == once.data


@pytest.mark.parametrize(
    ("contract", "wanted"),
    [
        (True, "diff_refund_stable_vs_order_sensitive_contract"),
        (False, "diff_refund_stable_vs_order_sensitive_nocontract"),
    ],
)
def test_a_diff_is_decguards(conformance: Path, wanted: str, *, contract: bool) -> None:
    folder = conformance / "systems/decguard"
    reference = folder / "reference"
    runs = tuple(
        reference / f"report_refund_{name}.json" for name in ("default", "order_sensitive")
    )
    options = {"contract": folder / "examples/refund/decguard.yaml"} if contract else {}
    report = compare_all(Call(None, runs, options))
    expected = base_names(json.loads((reference / f"{wanted}.json").read_text("utf-8")))
    del expected["decguard_version"]
    assert {key: report.data[key] for key in expected} == expected
    assert report.exit_code == expected["exit_code"]


@pytest.mark.parametrize(
    ("records", "baseline", "wanted"),
    [
        ("production", None, "check_production"),
        ("production-drift", None, "check_production_drift_nobaseline"),
        (
            "production-drift",
            "examples/refund/production.jsonl",
            "check_production_drift_vs_baseline",
        ),
    ],
)
def test_a_production_check_is_decguards(
    conformance: Path, records: str, baseline: str | None, wanted: str
) -> None:
    folder = conformance / "systems/decguard"
    options = {"baseline": folder / baseline} if baseline else {}
    refund = folder / "examples/refund"
    report = decguard.score(Call(refund / "decguard.yaml", (refund / f"{records}.jsonl",), options))
    raw = json.loads((folder / f"reference/{wanted}.json").read_text("utf-8"))
    expected = base_names(raw)
    del expected["decguard_version"]
    expected["contract"]["hash"] = None
    assert {key: report.data[key] for key in expected} == expected
    assert report.exit_code == expected["exit_code"]


def test_a_check_report_serves_as_baseline(conformance: Path, tmp_path: Path) -> None:
    folder = conformance / "systems/decguard"
    refund = folder / "examples/refund"
    call = (refund / "decguard.yaml", refund / "production-drift.jsonl")
    baseline = folder / "reference/check_production.json"
    data = scored(*call, baseline=baseline)
    assert data["drift"]["confidence_tv_distance"] == 0.75
    assert data["baseline"]["source"] == "check_report"
    edited = json.loads(baseline.read_text("utf-8"))
    edited["metrics"]["outcomes"]["accuracy"] = 0.5
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(edited), "utf-8")
    with pytest.raises(InputError, match="metrics do not match"):
        scored(*call, baseline=wrong)


def test_contract_dataset_and_answers_are_scored_from_scratch(
    files: tuple[Path, Path, Path],
) -> None:
    contract, cases, answers = files
    report = decguard.score(Call(contract, (cases, answers)))
    data = report.data
    counts: Any = data["metrics"]
    assert counts["counts"] == {
        "total": 4,
        "succeeded": 3,
        "errored": 1,
        "labeled": 2,
        "errors_by_kind": {"timeout": 1},
        "error_rate": 0.25,
    }
    assert counts["classification"]["accuracy"] == 0.5
    assert counts["selective"]["coverage"] == 2 / 3
    assert (data["status"], report.exit_code) == ("warn", 0)
    assert [(f["case_id"], f["kind"]) for f in data["failures"]] == [
        ("b", "mismatch"),
        ("d", "error"),
    ]
    assert [(row["action"], row["n"]) for row in data["policy"]] == [
        ("accept", 1),
        ("human_review", 2),
    ]
    text = render(report, "text")
    assert "lunch?" in text
    assert "timeout: too slow" in text


def test_the_contracts_own_dataset_is_found_beside_it(files: tuple[Path, Path, Path]) -> None:
    contract, cases, answers = files
    assert scored(contract, answers) == scored(contract, cases, answers)


def test_warnings_fail_only_when_asked(files: tuple[Path, Path, Path]) -> None:
    report = decguard.score(Call(files[0], files[1:], {"fail_on_warn": True}))
    assert (report.exit_code, report.data["exit_code"], report.data["status"]) == (1, 0, "warn")


def test_gate_options_read_decguards_own_metrics(files: tuple[Path, Path, Path]) -> None:
    data = scored(*files, min_accuracy=0.6, min_coverage=0.5, confidence_threshold=0.85)
    rows = {row["gate"]: (row["value"], row["held"]) for row in data["gates"]}
    assert rows == {"min-accuracy": (0.5, False), "min-coverage": (1 / 3, False)}
    assert decguard.score(Call(files[0], files[1:], {"min_accuracy": 0.6})).exit_code == 1
    assert decguard.score(Call(files[0], files[1:], {"min_accuracy": 0.5})).exit_code == 0


def test_groups_follow_any_metadata_key(files: tuple[Path, Path, Path]) -> None:
    groups = scored(*files, by="locale")["groups"]
    assert [(row["value"], row["n"], row["accuracy"]) for row in groups] == [
        ("(missing)", 1, None),
        ("en", 1, 1.0),
        ("it", 2, 0.0),
    ]
    with pytest.raises(InputError, match="there are locale"):
        scored(*files, by="country")


def test_flips_errors_and_recoveries_are_listed(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    contract, cases, answers = files
    changed = [dict(row) for row in ANSWERS]
    changed[1] = {"id": "b", "probabilities": {"spam": 0.1, "ham": 0.9}}
    changed[2] = {"id": "c", "error": "no route"}
    changed[3] = {"id": "d", "probabilities": {"spam": 0.7, "ham": 0.3}}
    reports = []
    for name, rows in (("before", ANSWERS), ("after", changed)):
        path = tmp_path / f"{name}.json"
        found = decguard.score(Call(contract, (cases, lines(answers, rows))))
        path.write_text(render(found, "json"), "utf-8")
        reports.append(path)
    report = decguard.compare(Call(None, tuple(reports), {"contract": contract}))
    data = report.data
    assert [(c["case_id"], c["kind"]) for c in data["changes"]] == [
        ("b", "flip"),
        ("c", "newly_errored"),
        ("d", "recovered"),
    ]
    counts: Any = data["counts"]
    assert (counts["newly_correct"], counts["newly_wrong"], counts["answer_flips"]) == (1, 0, 1)
    assert (counts["newly_errored"], counts["recovered"], counts["still_errored"]) == (1, 1, 0)
    back = decguard.compare(Call(None, (reports[1], reports[0]))).data["counts"]
    assert (back["newly_correct"], back["newly_wrong"]) == (0, 1)  # type: ignore[index]  # counts
    assert data["status"] == "fail"
    assert report.exit_code == 1
    by = decguard.compare(Call(None, tuple(reports), {"by": "locale"})).data["segments"]
    assert [(s["value"], s["matched"], s["gated"]) for s in by] == [
        ("(missing)", 1, False),
        ("en", 1, False),
        ("it", 2, False),
    ]
    third = tmp_path / "third.json"
    third.write_text(reports[0].read_text("utf-8"), "utf-8")
    rows: Any = compare_all(Call(None, (*reports, third), {})).data["runs"]
    assert [row["name"] for row in rows] == ["before.json", "after.json", "third.json"]
    assert rows[0]["metrics"]["metrics.classification.accuracy"] == 0.5
    assert rows[0]["model"] == "m1"


def test_latencies_of_different_settings_are_marked(conformance: Path, tmp_path: Path) -> None:
    path = conformance / "systems/decguard/reference/report_spam_default.json"
    data = json.loads(path.read_text("utf-8"))
    data["evaluation"]["max_concurrency"] = 8
    other = tmp_path / "eight.json"
    other.write_text(json.dumps(data), "utf-8")
    report = decguard.compare(Call(None, (path, other)))
    assert report.data["latency_comparable"] is False
    assert "max_concurrency was 4" in report.problems[0].message
    assert "not comparable" in render(report, "markdown")
    assert decguard.compare(Call(None, (path, path))).data["latency_comparable"] is True


def test_a_latency_gate_of_another_setting_is_marked(conformance: Path, tmp_path: Path) -> None:
    folder = conformance / "systems/decguard"
    text = (folder / "examples/spam/decguard.yaml").read_text("utf-8")
    edited = tmp_path / "edited.yaml"
    edited.write_text(text + "\nevaluation: {max_concurrency: 8}\n", "utf-8")
    data = scored(folder / "reference/report_spam_default.json", contract=edited)
    assert "max_concurrency 4, the contract says 8" in data["problems"][0]["message"]
    assert data["metrics"]["latency"]["p95_ms"] == 26.375000000007276


def test_runs_of_different_decisions_are_not_compared(conformance: Path) -> None:
    folder = conformance / "systems/decguard/reference"
    paths = (folder / "report_spam_default.json", folder / "report_severity_default.json")
    with pytest.raises(ComparisonError, match="different decisions"):
        decguard.compare(Call(None, paths))


def test_a_larger_ordinal_error_is_a_regression() -> None:
    assert lower_is_better("metrics.classification.ordinal_mae")
    assert not lower_is_better("metrics.selective.coverage")


def test_answers_are_paired_by_case_with_an_interval(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    contract, _, answers = files
    better = [dict(row) for row in ANSWERS]
    better[1] = {"id": "b", "probabilities": {"spam": 0.1, "ham": 0.9}}
    other = lines(tmp_path / "b.jsonl", better)
    data = compare_all(Call(contract, (answers, other))).data
    checks: Any = data["checks"]
    accuracy = next(row for row in checks if row["metric"] == "accuracy")
    assert (accuracy["baseline"], accuracy["candidate"], accuracy["held"]) == (0.5, 1.0, True)
    assert accuracy["low"] <= 0.5 <= accuracy["high"]


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (("cases", "contract", "answers"), "the first file must be"),
        (("contract", "answers", "cases"), "this is decguard-answers, but the dataset must be"),
        (("contract", "cases", "cases"), "this is decguard-dataset, but the file of answers"),
        (("contract",), "with a contract, give"),
        (("contract", "cases", "answers", "answers"), "with a contract, give"),
    ],
)
def test_swapped_files_are_named(
    files: tuple[Path, Path, Path], order: tuple[str, ...], said: str
) -> None:
    by_name = dict(zip(("contract", "cases", "answers"), files, strict=True))
    with pytest.raises(InputError, match=said):
        scored(*(by_name[name] for name in order))


def test_every_fault_is_one_sentence_and_exit_two(
    files: tuple[Path, Path, Path], conformance: Path, tmp_path: Path
) -> None:
    contract, cases, answers = files
    report = conformance / "systems/decguard/reference/report_spam_default.json"
    torn = tmp_path / "torn.json"
    torn.write_text(report.read_text("utf-8")[:-500], "utf-8")
    planwerk = tmp_path / "expected.json"
    planwerk.write_text('{"description": "x", "findings": []}', "utf-8")
    check = conformance / "systems/decguard/reference/check_production.json"
    refund = conformance / "systems/decguard/examples/refund/decguard.yaml"
    for arguments in (
        ("score", "--system", "decguard", torn),
        ("score", "--system", "decguard", planwerk),
        ("score", check),
        ("score", report, cases),
        ("score", report, "--baseline", report),
        ("score", report, "--contract", refund),
        ("score", report, "--matcher", "exact"),
        ("score", contract, cases, report),
        ("score", contract, tmp_path / "absent.jsonl", answers),
        ("score", report, "--min-coverage", "0.5"),
        ("score", report, "--min-accuracy", "1.5"),
        ("compare", report, answers, "--system", "decguard"),
    ):
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert 0 < len(done.stderr.strip().splitlines()) <= 2, done.stderr
        assert "Traceback" not in done.stderr


def test_the_command_line_detects_decguard_and_returns_its_exit_code(conformance: Path) -> None:
    folder = conformance / "systems/decguard/reference"
    good = run("score", folder / "report_refund_default.json", "--format", "json")
    assert good.returncode == 0
    assert json.loads(good.stdout)["system"] == "decguard"
    bad = run("score", folder / "report_refund_order_sensitive.json")
    assert (bad.returncode, bad.stderr) == (1, "")
    diff = run(
        "compare", folder / "report_refund_default.json", folder / "report_refund_default.json"
    )
    assert diff.returncode == 0


def test_unmet_warnings_of_a_gates_file_fail_only_when_asked(
    conformance: Path, tmp_path: Path
) -> None:
    stored = conformance / "systems/decguard/reference/report_refund_default.json"
    wanted = tmp_path / "gates.yaml"
    wanted.write_text("warnings: {max_brier: 0.01}\nrequirements: {min_accuracy: 0.9}\n")
    asked = {"gates": wanted}
    assert decguard.score(Call(stored, (), asked)).exit_code == 0
    assert decguard.score(Call(stored, (), {**asked, "fail_on_warn": True})).exit_code == 1


def test_a_sentence_on_an_endless_value_stays_readable(conformance: Path, tmp_path: Path) -> None:
    value = json.loads(
        (conformance / "systems/decguard/reference/report_refund_default.json").read_text()
    )
    value["results"][0]["result"]["selected"] = "a" * 100_000
    edited = tmp_path / "report.json"
    edited.write_text(json.dumps(value))
    with pytest.raises(InputError) as caught:
        decguard.score(Call(edited))
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("number", ["1e400", "NaN", "9" * 400, "-" + "9" * 400])
def test_numbers_past_every_bound_are_refused_in_a_sentence(
    conformance: Path, tmp_path: Path, number: str
) -> None:
    folder = conformance / "systems/decguard/examples/refund"
    rows = (folder / "production.jsonl").read_text().splitlines()
    rows[0] = rows[0][:-1] + f', "cost": {number}}}'
    (tmp_path / "p.jsonl").write_text("\n".join(rows).replace('"cost": 0', '"price": 0'))
    with pytest.raises(InputError):
        decguard.score(Call(folder / "decguard.yaml", (tmp_path / "p.jsonl",)))
