"""The names at the root of labkit: few, documented, and loaded when they are used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import labkit
from labkit.study import Study

RELEVANCE = Path(__file__).parents[1] / "sample_data" / "relevance"
HEAVY = ("numpy", "pandas", "sqlalchemy", "duckdb", "pydantic", "yaml", "click", "IPython")


def test_importing_labkit_loads_nothing_heavy() -> None:
    script = f"import sys, labkit; print([n for n in {HEAVY} if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_scoring_files_loads_no_database_and_no_frames() -> None:
    script = (
        "import sys\nfrom labkit.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "heavy = ('pandas', 'sqlalchemy', 'duckdb', 'pydantic')\n"
        "print([n for n in heavy if n in sys.modules])\n"
    )
    args = ["score", str(RELEVANCE / "labels.yaml"), str(RELEVANCE / "predictions.csv")]
    done = subprocess.run(
        [sys.executable, "-c", script, *args], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", labkit.__all__)
def test_every_name_is_there_and_says_what_it_is(name: str) -> None:
    found = getattr(labkit, name)
    assert (found.__doc__ or "").strip()
    assert name in dir(labkit)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        labkit.scores  # type: ignore[attr-defined]  # noqa: B018  # the access is the test


def test_the_functions_do_what_the_commands_do(tmp_path: Path) -> None:
    place = labkit.example("relevance", tmp_path / "bank")
    report = labkit.score(place / "labels.yaml", place / "predictions.csv", min_f1=0.9)
    assert report.exit_code == 1
    assert report.data["system"] == "methodatlas"
    assert labkit.render(report, "json").startswith('{\n  "schemaVersion": 1,')
    assert len(labkit.read_predictions(place / "predictions.csv").records) == 60
    assert len(labkit.read_overrides(place / "labels.yaml").entries) == 55
    (checked,) = labkit.check(place / "labels.yaml")
    assert checked.kind == "methodatlas-overrides"
    with Study.create(place / "predictions.csv", tmp_path / "study") as study:
        planned = labkit.export(study, tmp_path / "o.yaml", dry_run=True)
        assert planned.before is None
        assert not (tmp_path / "o.yaml").exists()
    held = labkit.compare(
        place / "predictions.csv", place / "predictions.csv", gold=place / "labels.yaml"
    )
    assert held.exit_code == 0


def test_paths_may_be_text_everywhere(tmp_path: Path) -> None:
    scan, folder = str(RELEVANCE / "predictions.csv"), str(tmp_path / "study")
    with Study.create(scan, folder) as made:
        items = list(made.items)
    with Study.open(folder) as opened:
        assert list(opened.items) == items
    assert Study.update(folder, scan)
