"""What a study is not made of is said, and nothing of anybody is written over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from labkit.errors import InputError
from labkit.study import Study
from labkit.studyoptions import StudyOptions, tags_on_offer

if TYPE_CHECKING:
    from pathlib import Path

SCAN = "fqcn,method,loc,ai_security_relevant,ai_reason,owner\na.T,m,3,true,said,\na.T,n,3,false,,\n"
TABLE = "id,label,text\n1,true,one\n2,false,two\n"


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        (SCAN, {"show": ("nope",)}, "nope"),
        (SCAN, {"strata": "nope"}, "nope"),
        (SCAN, {"strata": "loc", "design": "simple"}, "--strata"),
        (SCAN, {"columns": (("id", "method"),)}, "--columns"),
        (TABLE, {"columns": (("id", "nope"),)}, "nope"),
        (TABLE, {"columns": (("nope", "id"),)}, "nope"),
        (TABLE, {"show": ("nope",)}, "nope"),
    ],
)
def test_an_option_that_names_what_is_not_there_is_refused(
    tmp_path: Path, text: str, options: dict[str, Any], says: str
) -> None:
    path = written(tmp_path / "p.csv", text)
    with pytest.raises(InputError, match=says):
        Study.create(path, tmp_path / "s", options=StudyOptions(**options))
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("show", ["ai_reason", "owner", "loc"])
def test_a_column_of_the_file_may_be_shown_also_where_it_is_blank(
    tmp_path: Path, show: str
) -> None:
    path = written(tmp_path / "p.csv", SCAN)
    Study.create(path, tmp_path / "s", options=StudyOptions(show=(show,))).close()


def test_strata_alone_make_a_stratified_design(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", SCAN)
    made = Study.create(path, tmp_path / "s", options=StudyOptions(strata="folder"))
    assert made.config.design == "stratified"
    made.close()


@pytest.mark.parametrize("name", ["tags.txt", "taxonomy.yaml", "dir/tags"])
def test_a_file_of_tags_that_is_not_there_is_no_tag(name: str) -> None:
    with pytest.raises(InputError, match="no such file"):
        tags_on_offer(name)
    assert tags_on_offer("node.js,auth") == ("node.js", "auth")


@pytest.mark.parametrize("text", ["[]", '[{"fqcn": "a.T", "method": "m"}]', "{", ""])
def test_a_scan_json_of_somebody_else_is_never_written_over(tmp_path: Path, text: str) -> None:
    path = written(tmp_path / "p.csv", SCAN)
    theirs = written(tmp_path / "scan.json", text)
    with pytest.raises(InputError, match=r"scan\.json"):
        Study.create(path, tmp_path, options=StudyOptions())
    assert theirs.read_text() == text
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.csv", "scan.json"]


def test_review_never_opens_the_study_of_another_file(tmp_path: Path) -> None:
    from labkit.cli.review import command  # noqa: PLC0415  # it needs the app's packages

    path = written(tmp_path / "p.csv", SCAN)
    Study.create(path, tmp_path / "p.study", options=StudyOptions()).close()
    rows = [{"fqcn": "b.U", "method": "x", "ai_security_relevant": True}]
    other = written(tmp_path / "p.json", json.dumps(rows))
    result = CliRunner().invoke(command, [str(other), "--no-browser"])
    assert isinstance(result.exception, InputError)
    assert "the study of ../p.csv" in str(result.exception)
