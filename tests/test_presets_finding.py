from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.formats import sarif
from labkit.model import Item
from labkit.presets import finding
from labkit.presets.filecode import FileCode
from tests.test_sarif import a_log, a_result

if TYPE_CHECKING:
    from pathlib import Path

    from labkit.presets.material import Material


def material_of(*results: object, source: Path | None = None, **more: object) -> Material:
    log = a_log(*results, tool={"driver": {"name": "Model-X"}})  # type: ignore[arg-type]  # dicts
    return finding.material(sarif.report(log), source=source, **more)  # type: ignore[arg-type]


def everything_shown(item: Item) -> str:
    return " ".join([item.title, item.subtitle, item.text, *item.fields, *item.fields.values()])


def test_what_the_tool_claims_is_hidden_until_the_answer() -> None:
    loud = a_result(
        level="error",
        rank=88.5,
        properties={"issue_confidence": "HIGH", "confidence": 0.91},
        suppressions=[{"kind": "external", "justification": "seen before"}],
        baselineState="unchanged",
    )
    found = material_of(loud)
    shown = everything_shown(found.items["0/0"])
    for word in ("error", "88.5", "HIGH", "0.91", "seen before", "unchanged", "Model-X"):
        assert word not in shown
    said = found.predictions["0/0"]
    assert said.answer == {"valid": True, "severity": "error", "place": True}
    assert said.confidence == 0.91
    assert said.fields["rank"] == "88.5"
    assert said.fields["suppression"] == "external accepted seen before"
    assert said.fields["tool"] == "Model-X"


def test_a_hidden_field_can_be_opened_by_name() -> None:
    found = material_of(a_result(level="error"), show=("level",))
    assert found.items["0/0"].fields["level"] == "error"
    assert "level" not in found.predictions["0/0"].fields


def test_only_what_a_person_can_settle_is_asked() -> None:
    found = material_of(a_result(), a_result(), a_result(kind="pass"), a_result("Q"))
    assert list(found.items) == ["0/0", "0/3"]


def test_the_code_is_found_in_the_source_folder_by_its_last_parts(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("".join(f"line {n}\n" for n in range(1, 41)))
    for uri in ("src/a.py", "file:///home/ci/repo/src/a.py", "file:///C:/ci/src/a.py"):
        found = material_of(a_result(line=20, uri=uri), source=tmp_path)
        excerpt = found.code(found.items["0/0"])
        assert excerpt is not None, uri
        assert (excerpt.first, excerpt.mark) == (8, (20, 20))
        assert excerpt.lines[12] == "line 20"


def test_no_file_outside_the_source_folder_is_opened(tmp_path: Path) -> None:
    inside = tmp_path / "repo"
    inside.mkdir()
    (tmp_path / "secret.py").write_text("secret\n")
    (inside / "link.py").symlink_to(tmp_path / "secret.py")
    code = FileCode(inside)
    for file in ("../secret.py", "link.py", str(tmp_path / "secret.py"), "\0", "x/../../secret.py"):
        assert code.excerpt(Item("i", "t", file=file, line=1)) is None, file


def test_the_snippet_of_the_report_stands_in_for_a_file_that_is_not_here() -> None:
    result = a_result(line=30)
    region = result["locations"][0]["physicalLocation"]["region"]
    region["snippet"] = {"text": "danger()\nmore()\n"}
    found = material_of(result)
    excerpt = found.code(found.items["0/0"])
    assert excerpt is not None
    assert (excerpt.first, excerpt.lines, excerpt.mark) == (30, ("danger()", "more()"), (30, 30))
