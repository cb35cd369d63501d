"""labkit score and labkit compare on godaudits' files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from labkit.errors import InputError
from labkit.reports import render
from labkit.systems import Call, godaudits
from labkit.systems.compare import compare as compare_all

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "labkit", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )


@pytest.fixture(scope="session")
def folder(conformance: Path) -> Path:
    return conformance / "systems/godaudits"


def _json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def _write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


def scored(gold: Path, *predictions: Path, **options: Any) -> dict[str, Any]:
    return godaudits.score(Call(gold, predictions, options)).data


def test_one_audit_gives_the_evaluators_keys(folder: Path, tmp_path: Path) -> None:
    for case in _json(folder / "reference/evaluate_edge_cases.json"):
        expected = _write(tmp_path / "expected.json", case["expected"])
        audit = _write(tmp_path / "AUDIT.json", case["audit"])
        if "error" in case:
            with pytest.raises(InputError):
                scored(expected, audit)
            continue
        report = godaudits.score(Call(expected, (audit,)))
        assert report.data.items() >= case["metrics"].items(), case["name"]
        assert list(report.data)[:3] == ["schemaVersion", "system", "report"]
        assert report.data["report"] == "evaluate"
        assert report.exit_code == 0
        order = [key for key in report.data if key in case["metrics"]]
        assert order == list(case["metrics"])


def test_vacuous_ratios_stand_beside_not_available(folder: Path, tmp_path: Path) -> None:
    audit = _json(folder / "reference/evaluate_edge_cases.json")[0]["audit"]
    empty = _write(tmp_path / "AUDIT.json", {**audit, "findings": []})
    expected = _write(tmp_path / "expected.json", {"required_findings": [], "clean_checks": []})
    report = godaudits.score(Call(expected, (empty,)))
    assert report.data["recall"] == 1
    assert report.data["recall_by_severity"] == {"Critical": None, "High": None}
    vacuous: Any = report.data["vacuous"]
    assert "recall" in vacuous
    assert "n/a: vacuous, nothing to count" in render(report, "text")


def test_a_corpus_gives_the_originals_cases_and_rates_with_their_source(folder: Path) -> None:
    report = godaudits.score(Call(folder / "benchmarks/detectors.json"))
    data = report.data
    wanted = _json(folder / "reference/aggregate_corpus.json")
    assert data["checks"] == wanted["checks"]
    assert (data["passed"], data["missed"], data["false_alarms"]) == (True, [], [])
    assert (data["recorded_cases"], data["authored_cases"]) == (6, 11)
    cases: Any = data["cases"]
    for case, row in zip(cases, wanted["results"], strict=True):
        assert case.items() >= row.items()
    attribution: Any = data["attribution"]
    assert attribution["model"] is None
    text = render(report, "markdown")
    assert "not recorded" in text
    assert "No control" in text


def test_without_recorded_runs_beside_it_everything_is_not_recorded(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copy(folder / "benchmarks/detectors.json", tmp_path)
    shutil.copytree(folder / "benchmarks/detectors", tmp_path / "detectors")
    attribution = scored(tmp_path / "detectors.json")["attribution"]
    assert attribution["source"] is None
    assert {attribution[key] for key in ("model", "harness", "fixture_commit")} == {None}


def test_paired_runs_give_the_originals_summary(folder: Path) -> None:
    benchmarks = folder / "benchmarks"
    data = scored(benchmarks / "accuracy-ground-truth.json", benchmarks / "paired-runs.json")
    wanted = _json(folder / "reference/accuracy_check.json")
    errors = wanted.pop("errors")
    assert errors == []
    for name, arm in wanted.pop("arms").items():
        assert data["arms"][name].items() >= arm.items()
    assert {key: data[key] for key in wanted} == wanted
    assert data["lift"] == {"recall": 0.0, "precision": 0.0}
    assert len(data["runs"]) == 37
    assert data["arms"]["skill"]["recall_by_severity"] == {"Critical": 1.0, "High": 1.0}
    assert data["problems"] == []
    recall = data["arms"]["control"]["repetitions"]["severity_accuracy"]
    assert (recall["worst"], len(recall["values"])) == (0.8, 3)
    assert recall["mean"] == pytest.approx(14 / 15)
    assert recall["variance"] == pytest.approx(1 / 75)


def _program(folder: Path, tmp_path: Path) -> tuple[Path, Path]:
    benchmarks = folder / "benchmarks"
    for name in ("accuracy-ground-truth.json", "paired-runs.json"):
        shutil.copy(benchmarks / name, tmp_path)
    shutil.copytree(benchmarks / "runs", tmp_path / "benchmarks" / "runs")
    return tmp_path / "accuracy-ground-truth.json", tmp_path / "paired-runs.json"


def test_a_recorded_count_that_its_output_does_not_give_is_a_problem(
    folder: Path, tmp_path: Path
) -> None:
    truth, path = _program(folder, tmp_path)
    path.chmod(0o644)
    data = _json(path)
    run_of = next(r for r in data["runs"] if r["pair_id"] == "P-A-SEC-6-CASE-02-R1")
    run_of["result"]["hits"] = 7
    _write(path, data)
    found = scored(truth, path)
    assert [p["severity"] for p in found["problems"]] == ["warning"]
    assert "hits 7 is 1" in found["problems"][0]["message"]
    assert found["arms"]["control"]["hits"] == 15
    assert found["technical_failures"] is None
    assert found["skill_lift_measured"] is True


def test_without_outputs_the_recorded_counts_are_taken(folder: Path, tmp_path: Path) -> None:
    truth, path = _program(folder, tmp_path)
    shutil.rmtree(tmp_path / "benchmarks")
    found = scored(truth, path)
    assert found["arms"]["skill"]["hits"] == 15
    assert {p["severity"] for p in found["problems"]} == {"note"}
    assert not any(r["regraded"] for r in found["runs"])


def test_an_incomplete_suite_has_no_lift(folder: Path, tmp_path: Path) -> None:
    truth, path = _program(folder, tmp_path)
    path.chmod(0o644)
    data = _json(path)
    data["runs"] = [r for r in data["runs"] if r["pair_id"] != "P-A-SEC-6-CASE-02-R1"]
    _write(path, data)
    report = godaudits.score(Call(truth, (path,)))
    assert report.data["complete_suites"] == []
    assert report.data["lift"] == {"recall": None, "precision": None}
    assert "n/a: incomplete" in render(report, "text")


def test_blind_runs_find_every_seed_and_leave_the_control_clean(folder: Path) -> None:
    benchmarks = folder / "benchmarks"
    data = scored(benchmarks / "seeded-ground-truth.json", benchmarks / "blind-runs.json")
    assert data["counts"]["recall"] == {"numerator": 5, "denominator": 5}
    assert data["counts"]["severity_accuracy"] == {"numerator": 5, "denominator": 5}
    assert data["clean_control_rate"] == 1.0
    words = [(row["word"], row["n"]) for row in data["byConfidenceWord"]]
    assert words == [("Certain", 4), ("Firm", 2)]


def test_a_match_and_a_persons_verdict_stand_side_by_side(folder: Path) -> None:
    case = folder / "dogfood/node-jsonwebtoken-cve-2015-9235"
    report = godaudits.score(
        Call(case / "GROUND-TRUTH.json", (case / ".godaudits/AUDIT.json",), {"by": "severity"})
    )
    assert report.data["recall"] == 1
    assert report.data["adjudication"] == {"hits": 0, "misses": 1, "false_positives": 0}
    assert report.data["groups"] == [
        {"key": "severity", "value": "Critical", "expected": 1, "detected": 1, "recall": 1.0}
    ]


def test_audits_are_paired_by_expected_finding(folder: Path, tmp_path: Path) -> None:
    case = _json(folder / "reference/evaluate_edge_cases.json")[0]
    gold = _write(tmp_path / "expected.json", case["expected"])
    good = _write(tmp_path / "good.json", case["audit"])
    bad = _write(tmp_path / "bad.json", {**case["audit"], "findings": []})
    data = compare_all(Call(gold, (good, bad))).data
    assert data["verdict"] == "REGRESSED"
    same = compare_all(Call(gold, (good, good))).data
    assert same["verdict"] == "HELD"


def test_gates_read_recall_and_precision(folder: Path) -> None:
    case = folder / "dogfood/node-jsonwebtoken-cve-2015-9235"
    call = ("score", case / "GROUND-TRUTH.json", case / ".godaudits/AUDIT.json")
    assert run(*call).returncode == 0
    assert run(*call, "--min-precision", "0.5").returncode == 0
    assert run(*call, "--min-precision", "0.6").returncode == 1
    assert run(*call, "--min-f1", "0.1").returncode == 1


def test_every_fault_is_one_sentence_and_exit_two(folder: Path, tmp_path: Path) -> None:
    benchmarks = folder / "benchmarks"
    truth, runs = benchmarks / "accuracy-ground-truth.json", benchmarks / "paired-runs.json"
    case = folder / "dogfood/node-jsonwebtoken-cve-2015-9235"
    gold, audit = case / "GROUND-TRUTH.json", case / ".godaudits/AUDIT.json"
    torn = tmp_path / "torn.json"
    torn.write_text(audit.read_text("utf-8")[:1000], "utf-8")
    alone = tmp_path / "detectors.json"
    shutil.copy(benchmarks / "detectors.json", alone)
    overrides = tmp_path / "o.yaml"
    overrides.write_text("overrides: []\n", "utf-8")
    for arguments in (
        (audit, gold),
        (runs, truth),
        (gold,),
        (gold, audit, audit),
        (gold, torn),
        (gold, overrides),
        (gold, runs),
        (truth,),
        (truth, audit),
        (truth, runs, audit),
        (alone,),
        (benchmarks / "detectors.json", audit),
        (gold, audit, "--by", "colour"),
        (gold, audit, "--ids", "inject"),
        (gold, audit, "--contract", gold),
    ):
        done = run("score", *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert 0 < len(done.stderr.strip().splitlines()) <= 2, done.stderr
        assert "Traceback" not in done.stderr, done.stderr


@pytest.mark.parametrize("entry", [None, 0, "A-SEC-3", [], {}, {"check": "A-SEC-3"}])
def test_a_required_finding_that_is_none_is_refused(
    folder: Path, tmp_path: Path, entry: object
) -> None:
    expected = tmp_path / "expected.json"
    expected.write_text(json.dumps({"required_findings": [entry], "clean_checks": []}))
    with pytest.raises(InputError, match="a required finding needs"):
        godaudits.score(
            Call(expected, (folder / "benchmarks/detectors/blind-obvious-lookup.audit.json",))
        )


@pytest.mark.parametrize(
    "strange",
    [
        "systems/methodatlas/constructed_accuracy_example/predictions.csv",
        "systems/planwerk/corpus_expected",
        "systems/decguard/reference/report_refund_default.json",
        "systems/aacr/raw/negative_samples.json",
        "systems/godaudits/benchmarks/detectors.json",
        "real/sarif/bandit_real.sarif",
    ],
)
def test_what_is_no_file_of_paired_runs_is_named(conformance: Path, strange: str) -> None:
    truth = conformance / "systems/godaudits/benchmarks/accuracy-ground-truth.json"
    with pytest.raises(InputError, match=r"this is [a-z-]+, but the second file must be"):
        godaudits.score(Call(truth, (conformance / strange,)))
