"""``labkit review`` before a server is started: what it makes, and what it refuses."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from labkit.cli import main, review
from labkit.study import Study
from labkit_widgets.server import launch, places

if TYPE_CHECKING:
    from collections.abc import Callable

ROW = "fqcn,method,ai_security_relevant,ai_tags,ai_confidence\na.T,m1,true,security,0.9\n"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The command lines that would have become the server."""
    found: list[list[str]] = []
    monkeypatch.setattr(review, "become", found.append)
    return found


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "scan.csv"
    path.write_text(ROW, encoding="utf-8")
    return path


def run(*arguments: object) -> object:
    with pytest.raises(SystemExit) as ended:
        main(["review", *(str(a) for a in arguments)])
    return ended.value.code


def test_a_predictions_file_gets_a_study_beside_it_and_the_second_time_it_is_opened(
    predictions: Path, started: list[list[str]]
) -> None:
    for _ in range(2):
        assert run(predictions, "--no-browser", "--reviewer", "ada", "--port", "9000") == 0
    study = predictions.with_suffix(".study")
    assert (study / "study.yaml").is_file()
    assert started[0] == started[1]
    assert started[0][3:] == [str(study), "--reviewer", "ada", "--port", "9000", "--no-browser"]


def test_a_folder_of_review_reports_is_predictions_too(
    tmp_path: Path, started: list[list[str]]
) -> None:
    report = tmp_path / "runs" / "case" / "1.json"
    report.parent.mkdir(parents=True)
    one = {"title": "t", "problem": "p", "file": "a.go", "line": 3, "severity": "CRITICAL"}
    report.write_text(json.dumps({"findings": [one]}), encoding="utf-8")
    for _ in range(2):
        assert run(report.parents[1], "--no-browser") == 0
    assert [line[3] for line in started] == [str(tmp_path / "runs.study")] * 2
    assert run(tmp_path, "--no-browser") == 2  # any other folder is asked for its study.yaml


def test_init_options_are_taken(predictions: Path, tmp_path: Path, started: list[Any]) -> None:
    run(predictions, "--study", tmp_path / "s", "--seed", "7", "--protocol", "blind")
    with Study.open(tmp_path / "s") as study:
        assert (study.config.seed, study.config.protocol) == (7, "blind")
    assert len(started) == 1


def broken(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        lambda tmp: [tmp / "missing.csv"],
        lambda tmp: [tmp],
        lambda tmp: [broken(tmp / "wrong.csv", "a,b\n1,2\n")],
        lambda tmp: [broken(tmp / "study.yaml", "task: [\n")],
        lambda tmp: [broken(tmp / "p.csv", ROW), "--source", tmp / "nowhere"],
        lambda tmp: [broken(tmp / "p.csv", ROW), "--port", "99999"],
        lambda tmp: [broken(tmp / "p.csv", ROW), "--reviewer", "a\nb"],
        lambda tmp: [broken(tmp / "p.csv", ROW), "--protocol", "loud"],
    ],
)
def test_what_cannot_be_opened_is_one_sentence_and_exit_2(
    arguments: Callable[[Path], list[object]],
    tmp_path: Path,
    started: list[Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(*arguments(tmp_path)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert 1 <= len(err.splitlines()) <= 2
    assert "Traceback" not in err
    assert started == []


def test_without_the_extra_the_sentence_says_what_to_install(
    predictions: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = importlib.util.find_spec
    monkeypatch.setattr(review, "find_spec", lambda name: None if name == "voila" else whole(name))
    assert run(predictions) == 2
    assert "pip install 'labkit[app]'" in capsys.readouterr().err


def test_a_port_that_is_taken_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with launch.socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert launch.main([str(tmp_path), "--port", str(taken.getsockname()[1])]) == 2
    assert "--port" in capsys.readouterr().err


def test_the_server_gets_nothing_of_the_users_jupyter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/theirs")
    monkeypatch.setenv("VOILA_BASE_URL", "/theirs")
    monkeypatch.setenv("PYTHONPATH", "relative")
    env = launch.environment(tmp_path)
    assert "/theirs" not in env.values()
    assert all(Path(part).is_absolute() for part in env["PYTHONPATH"].split(os.pathsep))
    assert (places.share() / "voila/templates/labkit/index.html.j2").is_file()
    assert (places.notebooks() / places.APP).is_file()
