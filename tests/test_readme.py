"""README names everything that there is, and nothing that there is not; its examples run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import labkit
from labkit.cli import COMMANDS, cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def named_commands() -> set[str]:
    rows = re.findall(r"^\| (`labkit .*?) \| ", README, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`labkit ([a-z-]+)", row)}


def test_every_command_is_in_the_readme_and_every_command_of_it_is_there() -> None:
    assert named_commands() == set(COMMANDS)


def test_every_name_of_the_package_is_in_the_readme() -> None:
    named = set(re.findall(r"`labkit\.([A-Za-z_]+)`", README))
    assert named == set(labkit.__all__)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_helps_with_one_example(name: str) -> None:
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0
    assert result.stdout.count("Example: labkit ") == 1


def test_every_option_in_the_readmes_commands_is_there() -> None:
    blocks = "".join(re.findall(r"```console\n(.*?)```", README, re.DOTALL))
    lines = re.findall(r"^labkit .*$", blocks, re.MULTILINE)
    assert len(lines) == 5
    for line in lines:
        words = line.split()
        command = cli.get_command(click.Context(cli), words[1])
        assert command is not None
        there = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= there


def test_the_readmes_commands_run_one_after_the_other_where_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "sample_data" / "relevance", tmp_path / "files")
    monkeypatch.chdir(tmp_path / "files")
    monkeypatch.setenv("LABKIT_REVIEWER", "ada")
    monkeypatch.setattr("labkit.cli.review.become", lambda _command: None)
    blocks = "".join(re.findall(r"```console\n(.*?)```", README, re.DOTALL))
    for line in re.findall(r"^labkit (.*)$", blocks, re.MULTILINE):
        result = CliRunner().invoke(cli, line.split(), standalone_mode=False)
        assert result.exception is None, line
        assert (result.return_value or 0) == (1 if "--min-f1" in line else 0), line


def test_the_python_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})  # noqa: S102  # our own example
    assert capsys.readouterr().out.startswith("0.8235294117647058\n")


def test_links_lead_somewhere() -> None:
    for page in ("README.md", "CONTRIBUTING.md", "sample_data/README.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)\)|src(?:set)?=\"([^\"]+)\"", text):
            path = "".join(target)
            assert "://" in path or ((ROOT / page).parent / path).exists(), path
