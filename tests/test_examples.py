from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from labkit import examples
from labkit.cli import COMMANDS, cli
from labkit.cli.example import command
from labkit.errors import InputError
from labkit.study import Study
from labkit.studyoptions import StudyOptions

if TYPE_CHECKING:
    from pathlib import Path


def test_an_example_is_copied_and_the_next_command_fits_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, ["relevance"], catch_exceptions=False)
    assert result.exit_code == 0
    program, verb, predictions, option, source = shlex.split(result.stdout)
    assert (program, verb, option) == ("labkit", "review", "--source")
    assert "TP, FP, FN, TN" in (tmp_path / "relevance" / "README.md").read_text(encoding="utf-8")
    options = StudyOptions(source=tmp_path / source)
    with Study.create(tmp_path / predictions, tmp_path / "s", options=options) as study:
        view = study.review("me").view(study.sample.items[0])
        assert view["code"]["lines"]
        assert len(study.items) == 60


def test_any_empty_place_will_do_and_nothing_is_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "a b" / "c"
    result = CliRunner().invoke(command, ["relevance", "--to", str(place)], catch_exceptions=False)
    assert shlex.split(result.stdout)[2] == str(place / "predictions.csv")
    with pytest.raises(InputError, match="there already"):
        examples.copy("relevance", place)
    with pytest.raises(InputError, match="no example 'other'; there is relevance"):
        examples.copy("other")


@pytest.mark.parametrize("name", examples.NAMES)
def test_the_command_after_an_example_names_files_that_are_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, [name], catch_exceptions=False)
    program, verb, *words = shlex.split(result.stdout)
    assert program == "labkit"
    assert verb in COMMANDS
    assert all((tmp_path / word).exists() for word in words if not word.startswith("--"))


@pytest.mark.parametrize("name", ["agreement", "findings"])
def test_the_command_after_an_example_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = CliRunner().invoke(command, [name], catch_exceptions=False).stdout
    result = CliRunner().invoke(cli, shlex.split(line)[1:], catch_exceptions=False)
    assert (result.exit_code, result.stdout[:2]) == (0, "# ")
