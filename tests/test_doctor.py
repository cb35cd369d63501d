from __future__ import annotations

import json
from typing import TYPE_CHECKING

from builders import a_study
from click.testing import CliRunner

from labkit import doctor
from labkit.cli.doctor import command

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_it_says_one_line_a_thing_and_exits_with_zero() -> None:
    result = CliRunner().invoke(command, [], catch_exceptions=False)
    assert result.exit_code == 0
    areas = {line[9:].split(":")[0] for line in result.stdout.splitlines()}
    assert areas == {"versions", "offline", "browser", "store", "keys"}
    assert "ok       offline: no file asks another host" in result.stdout
    assert "ok       offline: static/review.js" in result.stdout


def test_a_study_is_looked_at_and_a_broken_one_is_a_finding(tmp_path: Path) -> None:
    study = a_study(tmp_path)
    study.close()
    before = sorted(path.name for path in study.folder.iterdir())
    data = json.loads(CliRunner().invoke(command, [str(study.folder), "--format", "json"]).stdout)
    assert {"area": "study", "name": "12 items", "state": "ok"}.items() <= next(
        check for check in data["checks"] if check["name"] == "12 items"
    ).items()
    assert sorted(path.name for path in study.folder.iterdir()) == before
    (study.folder / "study.yaml").write_text("predictionz: x\n", encoding="utf-8")
    broken = doctor.examine(study.folder)
    assert broken.data["works"] is False
    assert "predictionz" in doctor.lines(broken)


def test_a_file_that_asks_another_host_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "review.js").write_text('import("https://cdn.invalid/x.js")\n')
    monkeypatch.setattr(doctor, "_widgets", lambda: tmp_path)
    text = doctor.lines(doctor.examine())
    assert "PROBLEM  offline: no file asks another host  review.js" in text
