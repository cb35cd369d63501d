"""Labels leave a study as golden files: decguard's dataset and planwerk's expected.json."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from builders import a_reviewer, a_study

from labkit.errors import InputError
from labkit.evaluate.planwerk import Case, Expected
from labkit.exports import export_to, plan_export
from labkit.formats import planwerk, planwerk_expected
from labkit.formats.decguard import dataset
from labkit.study import Study

if TYPE_CHECKING:
    from pathlib import Path

ANSWERS = [
    {"id": "a", "input": "win!", "probabilities": {"spam": 0.9, "ham": 0.1}, "latency_ms": 1},
    {
        "id": "b",
        "input": {"text": "hi"},
        "probabilities": {"spam": 0.6, "ham": 0.4},
        "latency_ms": 1,
    },
    {"id": "c", "input": "hm", "probabilities": {"spam": 0.2, "ham": 0.8}, "latency_ms": 1},
]


def a_choice_study(tmp_path: Path) -> Study:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ANSWERS), "utf-8")
    return Study.create(path, tmp_path / "answers.study")


def a_finding_study(tmp_path: Path, cases: tuple[str, ...] = ("leak",)) -> Study:
    found = [
        {"file": "db.go", "line": 11, "severity": "BLOCKING", "title": "SQL from input"},
        {"file": "db.go", "line": 40, "severity": "INFO", "title": "A long function"},
    ]
    more = {"id": "B-1", "problem": "p", "action": "a"}
    for case in cases:
        (tmp_path / "runs" / case).mkdir(parents=True)
        for run in ("1", "2"):
            path = tmp_path / "runs" / case / f"{run}.json"
            path.write_text(json.dumps({"findings": [{**more, **f} for f in found]}), "utf-8")
    return Study.create(tmp_path / "runs", tmp_path / "runs.study")


def test_settled_labels_become_a_dataset_that_decguards_reader_takes(tmp_path: Path) -> None:
    study = a_choice_study(tmp_path)
    reviewer = a_reviewer(study)
    reviewer.answer({"label": "spam"}, "a")
    reviewer.answer({"label": "ham"}, "b")
    out = tmp_path / "golden.jsonl"
    export_to(study, out, "decguard")
    cases = dataset.read(out, ("spam", "ham")).cases
    assert [(case.id, case.input, case.expected) for case in cases] == [
        ("a", "win!", "spam"),
        ("b", {"text": "hi"}, "ham"),
    ]
    with pytest.raises(InputError, match="--force"):
        export_to(study, out, "decguard")
    assert plan_export(study, out, "decguard", force=True).diff == ""


def test_a_report_is_reviewed_under_its_case_ids(conformance: Path, tmp_path: Path) -> None:
    path = conformance / "systems/decguard/reference/report_refund_default.json"
    study = Study.create(path, tmp_path / "refund.study")
    assert set(study.items) == {f"r{i}" for i in range(1, 12)}


def test_confirmed_findings_become_one_case_once_each(tmp_path: Path) -> None:
    study = a_finding_study(tmp_path)
    reviewer = a_reviewer(study)
    for run in ("0", "1"):
        real = {"valid": True, "severity": "CRITICAL", "place": True}
        reviewer.answer(real, f"leak/{run}/0")
        reviewer.answer({**real, "valid": False}, f"leak/{run}/1")
    out = tmp_path / "expected.json"
    export_to(study, out)
    case = planwerk.parse_case(out.read_text("utf-8"), "leak")
    assert case.findings == (Expected("db.go", 11, "CRITICAL", ("sql from input",)),)
    assert not case.clean


def test_when_nothing_is_confirmed_the_case_is_clean(tmp_path: Path) -> None:
    study = a_finding_study(tmp_path)
    wrong = {"valid": False, "severity": "INFO", "place": False}
    a_reviewer(study).answer(wrong, "leak/0/0")
    out = tmp_path / "expected.json"
    export_to(study, out)
    assert planwerk.parse_case(out.read_text("utf-8"), "leak").clean


def test_a_study_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    methods = a_study(tmp_path / "m")
    for form in ("decguard", "planwerk"):
        with pytest.raises(InputError, match="use --format csv or jsonl"):
            plan_export(methods, tmp_path / "x.json", form)
    study = a_finding_study(tmp_path / "f", ("one", "two"))
    with pytest.raises(InputError, match="no answered case"):
        plan_export(study, tmp_path / "x.json")
    reviewer = a_reviewer(study)
    answer: dict[str, Any] = {"valid": True, "severity": "INFO", "place": True}
    reviewer.answer(answer, "one/0/0")
    reviewer.answer(answer, "two/0/0")
    with pytest.raises(InputError, match=r"2 cases \(one, two\)"):
        plan_export(study, tmp_path / "x.json")


def test_a_written_case_is_read_back_the_same() -> None:
    case = Case("c", "ü", clean=False, findings=(Expected("a.go", 3, "INFO", ("x", "y")),))
    assert planwerk.parse_case(planwerk_expected.render(case), "c") == case
    with pytest.raises(InputError, match="a clean case has no findings"):
        planwerk_expected.render(Case("c", "x"))
    with pytest.raises(InputError, match="needs a file and keywords"):
        planwerk_expected.render(Case("c", "x", findings=(Expected("a.go"),)))
