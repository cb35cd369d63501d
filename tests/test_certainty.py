"""Labels imported before the draw: units that stand for themselves, in rows of their own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from builders import NO, YES, a_reviewer, a_study
from click.testing import CliRunner

from labkit.cli import cli

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.study import Study

WRONG = range(2, 30)
"""The imported items: the AI is wrong about every second of those that it did not flag."""


def truth(i: int) -> bool:
    """Flagged are the threes; the AI misses every seventh and is wrong on every fifth three."""
    return (i % 7 == 0) if i % 3 else i % 5 != 0


def overrides(tmp_path: Path, note: str = "", items: range = WRONG) -> Path:
    entries = [
        f"- {{fqcn: com.acme.Case{i // 10}Test, method: m{i}, "
        f"securityRelevant: {str(truth(i)).lower()}, note: {json.dumps(note)}}}\n"
        for i in items
    ]
    path = tmp_path / "known.yaml"
    path.write_text("overrides:\n" + "".join(entries), encoding="utf-8")
    return path


def reviewed(tmp_path: Path, n: int = 60, **options: Any) -> Study:
    """A study of 120 methods of which the first ``n`` drawn are answered truthfully."""
    study = a_study(tmp_path, 120, **options)
    reviewer = a_reviewer(study)
    for item in study.sample.items[:n]:
        reviewer.answer(YES if truth(int(item.rpartition("m")[2])) else NO, item)
    return study


def rows_of(study: Study, basis: str) -> dict[str, Any]:
    return {row.name: row for row in study.estimates(per_tag=False) if row.basis == basis}


def test_imported_labels_leave_the_headline_as_it_is_and_it_is_said(tmp_path: Path) -> None:
    without = reviewed(tmp_path / "a", sample=60)
    brought = overrides(tmp_path)
    with_them = reviewed(tmp_path / "b", sample=60, labels=brought)
    assert rows_of(with_them, "blind") == rows_of(without, "blind")
    (told,) = [w for w in with_them.estimated()[0].warnings if w.code == "left-out"]
    assert told.message.startswith("28 imported labels are not in the headline (weight 0)")


def test_labels_imported_before_the_draw_stand_for_themselves(tmp_path: Path) -> None:
    study = reviewed(tmp_path, n=40, sample=60, labels=overrides(tmp_path))
    answered = {int(item.rpartition("m")[2]) for item in study.sample.items[:40]}
    found = rows_of(study, "blind+imported")
    rest = [i for i in range(120) if i not in WRONG]
    tp = sum(truth(i) for i in WRONG if i % 3 == 0)
    fn = sum(truth(i) for i in WRONG if i % 3)
    share = {}
    for flagged in (True, False):
        side = [i for i in rest if (i % 3 == 0) is flagged]
        seen = [i for i in side if i in answered]
        share[flagged] = len(side) * sum(map(truth, seen)) / len(seen)
    tp, fn = tp + share[True], fn + share[False]
    assert found["recall"].value == pytest.approx(tp / (tp + fn), abs=1e-12)
    assert found["precision"].value == pytest.approx(tp / 40, abs=1e-12)
    assert found["f1"].value == pytest.approx(2 * tp / (40 + tp + fn), abs=1e-12)
    assert found["recall"].design == "simple, post-stratified by AI decision, certainty units"
    assert found["accuracy"].n == len(answered | {*WRONG})
    assert found["f1"].half_width < rows_of(study, "blind")["f1"].half_width


def test_every_item_imported_or_answered_is_a_census(tmp_path: Path) -> None:
    known = overrides(tmp_path, items=range(60))
    study = reviewed(tmp_path, n=120, labels=known)
    for row in rows_of(study, "blind+imported").values():
        assert row.low == row.value == row.high
        assert row.method == "census"


@pytest.mark.parametrize("drawn", ["all 30 of 120; seed 1", "targeted"])
def test_labels_that_may_depend_on_this_draw_are_no_certainty_units(
    tmp_path: Path, drawn: str
) -> None:
    clause = f"Reviewed 2026-11-29 by ines (labkit: blind; {drawn})"
    study = reviewed(tmp_path / "a", sample=60, labels=overrides(tmp_path, clause))
    assert rows_of(study, "blind+imported") == {}
    (told,) = [w for w in study.estimated()[0].warnings if w.code == "left-out"]
    assert "may depend on the draw" in told.message
    elsewhere = "Reviewed 2026-11-29 by ines (labkit: blind; all 30 of 120; seed 7)"
    other = reviewed(tmp_path / "b", sample=60, labels=overrides(tmp_path, elsewhere))
    assert rows_of(other, "blind+imported")


def test_gates_and_the_headline_of_a_report_stay_with_the_sample(tmp_path: Path) -> None:
    study = reviewed(tmp_path, sample=60, labels=overrides(tmp_path))
    study.close()
    done = CliRunner().invoke(
        cli, ["score", "--study", str(study.folder), "--format", "json", "--min-f1", "0.1"]
    )
    report = json.loads(done.stdout)
    first = next(row for row in report["metrics"] if row["name"] == "f1")
    assert first["basis"] == "blind"
    assert report["gates"][0]["value"] == first["value"]
    text = CliRunner().invoke(cli, ["score", "--study", str(study.folder)]).stdout
    assert "With labels imported before the draw" in text
