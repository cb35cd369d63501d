from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from labkit.errors import InputError
from labkit.exports import export_to, plan_export
from labkit.formats import sarif
from labkit.overrides import notes
from labkit.study import Study
from labkit.studyoptions import StudyOptions
from tests.builders import a_reviewer, a_study
from tests.test_sarif import a_log, a_result, strictly_valid

if TYPE_CHECKING:
    from pathlib import Path

VALID = {"valid": True, "severity": "note", "place": False}
FALSE = {"valid": False}


def a_scan_study(tmp_path: Path, *results: Any) -> Study:
    path = tmp_path / "scan.sarif"
    path.write_text(a_log(*results), encoding="utf-8")
    options = StudyOptions(protocol="blind")
    return Study.create(path, tmp_path / "scan.study", options=options)


def test_a_false_positive_becomes_a_suppression_that_says_who_judged_it(tmp_path: Path) -> None:
    with a_scan_study(tmp_path, a_result("A"), a_result("B"), a_result("C")) as study:
        person = a_reviewer(study, "ines")
        person.act("answer", "0/1", answer=FALSE, note="only constants get here")
        person.answer(VALID, "0/2")
        to = tmp_path / "vetted.sarif"
        planned = export_to(study, to)
    assert planned.summary == "vetted.sarif: 2 entries."
    text = to.read_text(encoding="utf-8")
    assert not strictly_valid(text)
    found = {finding.id: finding for finding in sarif.parse(text).values}
    assert found["0/0"].suppressed is None
    assert found["0/1"].suppressed is True
    assert found["0/2"].suppressed is None
    (verdict,) = found["0/1"].verdicts
    assert (verdict.kind, verdict.status) == ("external", "accepted")
    assert verdict.justification.startswith("only constants get here; Reviewed 2026-11-29 by ines")
    provenance = notes.parse(verdict.justification)
    assert provenance is not None
    assert provenance.basis == "blind"
    judged = sarif.judgements(text)
    assert judged["0/1"].valid is False
    assert (judged["0/2"].severity, judged["0/2"].place) == ("note", False)


def test_what_was_exported_is_the_scan_again_and_starts_a_study(tmp_path: Path) -> None:
    with a_scan_study(tmp_path, a_result("A"), a_result("B")) as study:
        a_reviewer(study).answer(FALSE, "0/0")
        to = tmp_path / "vetted.sarif"
        export_to(study, to)
        keys = [finding.key for finding in sarif.read(study.predictions_path).values]
    assert [finding.key for finding in sarif.read(to).values] == keys
    with Study.create(to, tmp_path / "again.study", options=StudyOptions()) as again:
        shown = json.dumps([again.review("r").view(item) for item in again.items])
        assert "external" not in shown
        assert again.predictions["0/0"].fields["suppression"].startswith("external accepted")


def test_a_dry_run_shows_the_suppression_and_writes_nothing(tmp_path: Path) -> None:
    with a_scan_study(tmp_path, a_result("A")) as study:
        a_reviewer(study).answer(FALSE, "0/0")
        to = tmp_path / "vetted.sarif"
        assert '"suppressions"' in plan_export(study, to).diff
        assert not to.exists()


def test_findings_of_another_tool_become_a_log_of_their_own(tmp_path: Path) -> None:
    rows = [
        {"id": "f1", "message": "leak", "file": "src/a b.c", "line": 3, "severity": "critical"},
        {"id": "f2", "message": "typo", "file": "x.c", "line": 1, "severity": "low"},
    ]
    path = tmp_path / "f.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = StudyOptions(task="finding", protocol="blind")
    with Study.create(path, tmp_path / "f.study", options=options) as study:
        a_reviewer(study).answer(FALSE, "f2")
        export_to(study, tmp_path / "out.sarif")
    text = (tmp_path / "out.sarif").read_text()
    assert not strictly_valid(text)
    one, two = sarif.parse(text).values
    assert (str(one.spot), one.level, one.suppressed) == ("src/a b.c:3", "error", None)
    assert (str(two.spot), two.level, two.suppressed) == ("x.c:1", "note", True)


def test_a_study_without_findings_is_not_exported_as_sarif(tmp_path: Path) -> None:
    with a_study(tmp_path) as study, pytest.raises(InputError, match="no findings"):
        plan_export(study, tmp_path / "o.sarif")
