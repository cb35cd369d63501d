"""Every notebook runs from top to bottom, is kept without output, and says what its text says."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from labkit.study import Study

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def run(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a notebook as labkit lab would, with Jupyter settings of its own; all its output."""
    sample = folder / "predictions.csv"
    shutil.copyfile(ROOT / "sample_data" / "relevance" / "predictions.csv", sample)
    Study.create(sample, folder / "bank.study").close()
    for name in ("CONFIG", "DATA", "RUNTIME"):
        monkeypatch.setenv(f"JUPYTER_{name}_DIR", str(folder / name))
    monkeypatch.setenv("IPYTHONDIR", str(folder / "IPYTHON"))
    monkeypatch.setenv("LABKIT_STUDY", str(folder / "bank.study"))
    monkeypatch.setenv("LABKIT_REVIEWER", "ada")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(ROOT / "widgets"))))
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=where).execute()
    return json.dumps([cell.get("outputs", []) for cell in notebook.cells], ensure_ascii=False)


def test_there_is_a_notebook_for_each_thing_people_do() -> None:
    names = {path.name for path in NOTEBOOKS}
    assert names >= {
        "01_review.ipynb",
        "02_score.ipynb",
        "03_agreement.ipynb",
        "04_bias.ipynb",
        "05_findings.ipynb",
    }


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_thin_and_kept_without_output(path: Path) -> None:
    code = [cell for cell in cells(path) if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert sum(len(cell["source"]) for cell in code) <= 60


SAID = {
    "01_review": ("application/vnd.jupyter.widget-view+json",),
    "02_score": ("application/vnd.jupyter.widget-view+json",),
    "03_agreement": ("3 reviewers, 48 items", "of 48 methods are disputed"),
    "04_bias": ("blind 83 %, assisted 89 %, +6 points [-3, 15]", "detect ±11", "<svg"),
    "05_findings": (
        "2 right, 4 in vain, 0 missed",
        "related, not it",
        "precision: matcher 0.33, person 0.50",
        "seeded bugs found: matcher 2 of 2, person 1 of 2",
    ),
    "review_app": ("application/vnd.jupyter.widget-view+json",),
}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_notebook_runs_and_says_what_it_is_there_for(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = run(path, tmp_path, monkeypatch)
    for words in SAID[path.stem]:
        assert words in output
    assert "Traceback" not in output
