"""Real files end to end: read, reviewed, scored, exported, read again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from labkit.exports import export_to
from labkit.formats import sarif
from labkit.formats.labelfiles import parse_csv, parse_jsonl
from labkit.overrides.parse import read as read_overrides
from labkit.overrides.resolve import resolve
from labkit.study import Study
from labkit.studyoptions import StudyOptions
from labkit.systems import Call
from labkit.systems import methodatlas as scoring
from tests.builders import a_reviewer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from labkit.model import Answer

SARIF = (
    "bandit_real.sarif",
    "codeQL-output.sarif",
    "dependency_check.sarif",
    "flawfinder.sarif",
    "mobsfscan.json",
    "ms_CodeFlows.sarif",
    "ms_OriginalUriBaseIds.sarif",
    "ms_RuleMetadata.sarif",
    "ms_Taxonomies.sarif",
    "suppression_test.sarif",
    "SuppressionTestCurrent.sarif",
)


def reviewed(
    path: Path, folder: Path, answer: Callable[[Study, str], Answer], **options: Any
) -> Study:
    """A study of a file in which every drawn item is answered blind."""
    made = Study.create(path, folder, options=StudyOptions(protocol="blind", **options))
    person = a_reviewer(made)
    while (item := person.review.current) is not None:
        person.answer(dict(answer(made, item)), item)
    return made


def metric(study: Study, name: str) -> Any:
    (row,) = [row for row in study.status()["metrics"] if row["name"] == name]
    return row


@pytest.mark.parametrize("name", SARIF)
def test_a_scan_is_reviewed_and_its_verdicts_come_back(
    conformance: Path, tmp_path: Path, name: str
) -> None:
    path = conformance / "real" / "sarif" / name

    def answer(_study: Study, item: str) -> Answer:
        good = int(item.rpartition("/")[2]) % 3 > 0
        return {"valid": True, "severity": "note", "place": True} if good else {"valid": False}

    with reviewed(path, tmp_path / "s", answer, sample=20) as study:
        labels = study.labels()
        assert labels
        export_to(study, tmp_path / "out.sarif")
        export_to(study, tmp_path / "out.jsonl")
        export_to(study, tmp_path / "out.csv")
        task = study.task
    judged = sarif.judgements((tmp_path / "out.sarif").read_text(encoding="utf-8"))
    found = {label.item: label.value["valid"] for label in labels if label.value}
    assert {key: one.valid for key, one in judged.items() if key in found} == found
    assert parse_jsonl((tmp_path / "out.jsonl").read_text(encoding="utf-8")) == labels
    assert parse_csv((tmp_path / "out.csv").read_text(encoding="utf-8"), task) == labels


def test_two_thousand_findings_of_reviewers_have_the_precision_that_was_measured(
    conformance: Path, tmp_path: Path
) -> None:
    folder = conformance / "real" / "aacr_triage"
    truth = {
        row["id"]: row["verdict_valid"]
        for row in map(json.loads, (folder / "findings.jsonl").read_text("utf-8").splitlines())
    }

    def answer(_study: Study, item: str) -> Answer:
        return {"valid": True, "place": True} if truth[item] else {"valid": False}

    expected = json.loads((folder / "expected.json").read_text())
    options: dict[str, Any] = {"task": "finding", "sample": 150, "seed": 3}
    path = folder / "findings.jsonl"
    with reviewed(path, tmp_path / "s", answer, **options) as study:
        assert len(study.predictions) == expected["ai_findings"]
        row = metric(study, "precision")
        assert row["n"] == 150
        assert row["low"] <= expected["ai_precision_all"] <= row["high"]


def test_twelve_hundred_methods_are_scored_from_the_file_that_was_exported(
    conformance: Path, tmp_path: Path
) -> None:
    folder = conformance / "real" / "methodatlas_self"
    gold = resolve(read_overrides(folder / "labels_overrides.yaml"))

    def answer(study: Study, item: str) -> Answer:
        one = study.items[item]
        label = gold.label(one.subtitle, one.title)
        assert label is not None
        tags = [tag for tag in (label.tags or ()) if study.task.questions[1].options.count(tag)]
        return {"relevant": bool(label.relevant), "tags": tags if label.relevant else []}

    path = folder / "predictions.csv"
    with reviewed(path, tmp_path / "s", answer, sample=60) as study:
        export_to(study, tmp_path / "overrides.yaml")
        counted = study.counted()["relevance"]
    found = scoring.score(Call(tmp_path / "overrides.yaml", (path,), {})).data
    assert {cell: found["relevance"][cell] for cell in ("tp", "fp", "fn", "tn")} == counted
    assert len(read_overrides(tmp_path / "overrides.yaml").entries) == 60


@pytest.mark.parametrize("name", ["wine_logreg"])
def test_a_classifier_has_the_accuracy_that_was_measured(
    conformance: Path, tmp_path: Path, name: str
) -> None:
    folder = conformance / "real" / "sklearn_toy"
    path = folder / f"{name}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    truth = {row["id"]: row["truth"] for row in rows}
    expected = json.loads((folder / "expected.json").read_text())[name]

    def answer(_study: Study, item: str) -> Answer:
        return {"label": truth[item]}

    with reviewed(path, tmp_path / "s", answer) as study:
        row = metric(study, "accuracy")
        assert row["value"] == pytest.approx(expected["accuracy"])
        assert row["low"] == row["value"] == row["high"]
        for item in list(study.items)[:20]:
            shown = json.dumps(study.review("other").view(item)["fields"])
            assert truth[item] not in shown
