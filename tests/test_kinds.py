from __future__ import annotations

from pathlib import Path

import pytest

from labkit.errors import InputError
from labkit.formats import kinds
from labkit.systems import detection

CASES = Path(__file__).parent / "conformance" / "cases"

REAL = [
    ("systems/methodatlas/docs_csv/*.csv", "methodatlas-predictions"),
    ("systems/methodatlas/test_csv/*.csv", "methodatlas-predictions"),
    ("systems/methodatlas/*/*.yaml", "methodatlas-overrides"),
    ("real/methodatlas_self/predictions.csv", "methodatlas-predictions"),
    ("systems/planwerk/corpus_expected", "planwerk-corpus"),
    ("systems/planwerk/corpus_expected/*/expected.json", "planwerk-corpus"),
    ("systems/planwerk/report_fixtures", "planwerk-reviews"),
    ("systems/planwerk/report_fixtures/*/canonical.json", "planwerk-reviews"),
    ("systems/planwerk/baseline/baseline.json", "planwerk-report"),
    ("systems/decguard/examples/*/cases.json*", "decguard-dataset"),
    ("systems/decguard/examples/*/decguard.yaml", "decguard-contract"),
    ("systems/decguard/examples/*/production*.jsonl", "decguard-production"),
    ("systems/decguard/reference/report_*.json", "decguard-report"),
    ("systems/decguard/reference/check_*.json", "decguard-report"),
    ("systems/aacr/raw/*_samples.json", "aacr-references"),
    ("systems/aacr/comments_txt/*.txt", "aacr-comments"),
    ("systems/godaudits/benchmarks/detectors/*.audit.json", "godaudits-audit"),
    ("systems/godaudits/benchmarks/detectors.json", "godaudits-detectors"),
    ("systems/godaudits/benchmarks/accuracy-ground-truth.json", "godaudits-paired"),
    ("systems/godaudits/benchmarks/paired-runs.json", "godaudits-paired"),
    ("real/sarif/*.sarif", "sarif"),
    ("real/sklearn_toy/*.jsonl", "table"),
    ("real/aacr_triage/findings.jsonl", "table"),
]


@pytest.mark.parametrize(("pattern", "kind"), REAL)
def test_real_files_are_told_apart(conformance: Path, pattern: str, kind: str) -> None:
    found = {path.name: kinds.of_path(path).name for path in conformance.glob(pattern)}
    assert found
    assert {name: other for name, other in found.items() if other != kind} == {}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "unknown"),
        ("hello", "unknown"),
        ("# nothing\noverrides:\n", "methodatlas-overrides"),
        ("- fqcn: A\n", "methodatlas-overrides"),
        ("overrides: [\n", "methodatlas-overrides"),
        ("\ufefffqcn;method\nA;m\n".removeprefix("\ufeff"), "methodatlas-predictions"),
        ('[{"fqcn": "A", "method": "m"}]', "methodatlas-predictions"),
        ("id,label,reviewer\n1,true,x\n", "labels"),
        ("id,label,confidence\n1,true,.5\n", "table"),
        ('{"item": "A#m", "reviewer": "x", "value": {}, "first": {}}', "labels"),
        ('{"predictions": {"a": {"label": "yes"}}}', "table"),
        ('{"id": "a", "probabilities": {"x": 1}, "latency_ms": 3}\n', "decguard-answers"),
        ('{"id": "a", "error": "timeout"}\n{"id": "b"}', "decguard-answers"),
        ('{"required_findings": [], "clean_checks": []}', "godaudits-expected"),
        ('{"Clean": false, "FINDINGS": [{"File": "a"}]}', "planwerk-corpus"),
        ('{"Findings": null}', "planwerk-reviews"),
        ('{"outcome": "pass", "findings": []}', "godaudits-paired"),
        ('{"findings": 3, "valid": 2}', "unknown"),
        ('{"cases": 17, "schema_version": "1.0"}', "unknown"),
        ('[{"idx": 0, "input": "x", "response1": "y"}]', "unknown"),
        ('[{"input": "x", "expcted": "y"}]', "decguard-dataset"),
        ("schema_version: '0.1'\ndecision: {name: x}\n", "decguard-contract"),
        ("task: methodatlas\npredictions: p.csv\n", "study"),
        ('{"version": "2.1.0", "runs": []}', "sarif"),
        ("[" * 100_000, "unknown"),
        ('{"instance_id": "o__n@1", "reference_comments": []}\n', "aacr-references"),
        ("[1, 2]", "unknown"),
    ],
)
def test_a_kind_is_known_by_its_keys(text: str, kind: str) -> None:
    assert kinds.of_text(text) == kind


def test_a_system_is_found_from_the_file_that_says_most(tmp_path: Path) -> None:
    table, overrides = tmp_path / "t.csv", tmp_path / "o.yaml"
    table.write_text("id,label\n1,true\n", encoding="utf-8")
    overrides.write_text("", encoding="utf-8")
    assert detection.system_of([table]) == "labkit"
    assert detection.system_of([table, overrides]) == "methodatlas"
    scan = CASES / "c01_bom.csv"
    assert detection.system_of([table, scan]) == "labkit"
    assert detection.system_of([overrides, scan]) == "methodatlas"
    with pytest.raises(InputError, match=r"nothing that labkit knows.*--system"):
        detection.system_of([CASES / "y11_hostile_names.json"])
    with pytest.raises(InputError, match=r"sarif"):
        detection.system_of([CASES / "s09_no_runs.sarif"])
