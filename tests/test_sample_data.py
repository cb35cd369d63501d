"""The sample data gives the numbers that its README says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from labkit.cli.score import command
from labkit.formats import methodatlas

SAMPLE = Path(__file__).parents[1] / "sample_data"
RELEVANCE = SAMPLE / "relevance"


@pytest.fixture(scope="module")
def report() -> dict[str, object]:
    args = [str(RELEVANCE / "labels.yaml"), str(RELEVANCE / "predictions.csv"), "--format", "json"]
    result = CliRunner().invoke(command, args, catch_exceptions=False)
    assert result.exit_code in {0, None}
    found: dict[str, object] = json.loads(result.stdout)
    return found


def said() -> dict[str, str]:
    text = (SAMPLE / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+?) \| ([\d., ]+) \|$", text, re.MULTILINE)
    return dict(rows)


def four(value: object) -> str:
    assert isinstance(value, float)
    return f"{value:.4f}"


def test_the_readme_says_what_labkit_score_says(report: dict[str, object]) -> None:
    numbers = said()
    relevance, micro = report["relevance"], report["tagsMicro"]
    assert isinstance(relevance, dict)
    assert isinstance(micro, dict)
    cells = [relevance[cell] for cell in ("tp", "fp", "fn", "tn")]
    assert numbers == {
        "prediction rows": str(report["predictionRows"]),
        "evaluated": str(report["evaluated"]),
        "predictions without a label (`rotatesAtMidnight`)": str(report["unlabelledPredictions"]),
        "labelled methods without a prediction (`progressGoesFromZeroToHundred`)": str(
            report["unpredictedLabels"]
        ),
        "stale label entries": str(report["staleLabelEntries"]),
        "TP, FP, FN, TN": ", ".join(map(str, cells)),
        "precision": four(relevance["precision"]),
        "recall": four(relevance["recall"]),
        "F1": four(relevance["f1"]),
        "accuracy": four(relevance["accuracy"]),
        "tags, micro: TP, FP, FN": ", ".join(str(micro[cell]) for cell in ("tp", "fp", "fn")),
        "tags, micro F1": four(micro["f1"]),
        "tags, macro F1": four(report["tagsMacroF1"]),
    }


def test_every_method_of_the_predictions_is_in_the_source() -> None:
    scan = methodatlas.read(RELEVANCE / "predictions.csv")
    assert scan.problems == ()
    assert len(scan.records) == 60
    for record in scan.records:
        file = RELEVANCE / "src/test/java" / (record.fqcn.replace(".", "/") + ".java")
        assert f"void {record.method}()" in file.read_text(encoding="utf-8")


def test_nothing_in_the_sample_is_doubtful(report: dict[str, object]) -> None:
    assert report["problems"] == []
