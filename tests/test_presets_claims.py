from __future__ import annotations

import json
from typing import TYPE_CHECKING

from labkit import scanfile
from labkit.presets.choosing import material_of, preset_of

if TYPE_CHECKING:
    from pathlib import Path

ROW = {
    "id": "p-1",
    "path": "src/a.cpp",
    "from_line": 3,
    "to_line": 5,
    "note": "Leaks the handle.\nClose it.",
    "severity": "major",
    "source_model": "Model-X",
    "verdict_valid": True,
    "is_ai": True,
    "confidence": 0.9,
    "category": "defect",
}


def test_any_table_of_findings_is_reviewed_with_its_claims_hidden(tmp_path: Path) -> None:
    rows = [ROW, {**ROW, "id": "p-2", "severity": "blocker"}, {**ROW, "id": "p-3", "is_ai": False}]
    path = tmp_path / "f.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = material_of(path, "finding")
    severity = found.task.question("severity")
    assert severity is not None
    assert severity.options == ("blocker", "major")
    item = found.items["p-1"]
    assert (item.title, item.subtitle, item.lines) == ("Leaks the handle.", "src/a.cpp:3", 3)
    assert item.fields == {"to_line": "5", "category": "defect"}
    assert set(found.predictions) == {"p-1", "p-2"}
    said = found.predictions["p-1"]
    assert said.answer == {"valid": True, "severity": "major", "place": True}
    assert said.confidence == 0.9
    assert said.fields["source_model"] == "Model-X"
    opened = material_of(path, "finding", show=("source_model",))
    assert opened.items["p-1"].fields["source_model"] == "Model-X"


def test_findings_without_a_file_are_not_asked_for_their_place(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("id,message\n1,Something is wrong\n")
    assert [q.name for q in material_of(path, "finding").task.questions] == ["valid"]


def test_an_audit_is_reviewed_finding_by_finding(conformance: Path) -> None:
    folder = conformance / "systems" / "godaudits" / "benchmarks" / "detectors"
    path = folder / "scheduling-uses-utc.audit.json"
    assert preset_of(path) == "finding"
    found = material_of(path, "finding")
    item = found.items["F-CODE-1"]
    assert item.subtitle == "src/schedule.js:8"
    shown = json.dumps([item.title, item.text, dict(item.fields)])
    for word in ("Medium", "Certain", "open"):
        assert word not in shown
        assert word in found.predictions["F-CODE-1"].fields.values()


def test_numbered_findings_are_known_again_by_what_they_say(conformance: Path) -> None:
    path = conformance / "systems" / "aacr" / "comments_txt"
    scan = scanfile.of(material_of(path, "finding"), "")
    keys = [known.key for known in scan.items.values()]
    assert len(set(keys)) == len(keys) == 56
    assert all(key.startswith("ctx:") for key in keys)
