"""The wheel holds everything that an installed labkit needs, and finds it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="hatchling builds the wheel; it is not installed")
ROOT = Path(__file__).parents[1]
WANTED = (
    "labkit/py.typed",
    "labkit/sample_data/README.md",
    "labkit/sample_data/relevance/predictions.csv",
    "labkit/sample_data/relevance/labels.yaml",
    "labkit/sample_data/relevance/src/test/java/com/example/bank/auth/LoginTest.java",
    "labkit/schemas/study.schema.json",
    "labkit/schemas/overrides.schema.json",
    "labkit_widgets/notebooks/review_app.ipynb",
    "labkit_widgets/static/review.js",
    "labkit_widgets/static/review.css",
    "labkit_widgets/server/share/voila/templates/labkit/index.html.j2",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("labkit-*.whl")
    return found


def test_nothing_is_left_out_and_nothing_is_in_it_that_tests_need(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    assert set(WANTED) - names == set()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {
        "labkit",
        "labkit_widgets",
    }
    assert not [name for name in names if "__pycache__" in name or name.endswith(".study")]


def test_an_installed_labkit_finds_its_sample_data_and_its_app(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)
    environment = {**os.environ, "PYTHONPATH": str(site)}

    def run(*words: str) -> str:
        command = [sys.executable, *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout

    assert run("-m", "labkit", "example", "relevance").startswith("labkit review relevance/")
    score = run("-m", "labkit", "score", "relevance/labels.yaml", "relevance/predictions.csv")
    assert "| F1 | 0.8235 |" in score
    place = run("-c", "from labkit_widgets.server.places import notebooks; print(notebooks())")
    assert place.startswith(str(site.resolve()))
