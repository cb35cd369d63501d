"""What a study exports scores to the study's own numbers, whatever its design."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from builders import NO, YES, a_reviewer, a_row, a_study, predictions_csv
from click.testing import CliRunner

from labkit.cli import cli

if TYPE_CHECKING:
    from pathlib import Path

DESIGNS: dict[str, dict[str, Any]] = {
    "simple": {"sample": 80},
    "all": {},
    "bands": {"sample": 80, "design": "stratified"},
    "folder": {"sample": 80, "strata": "folder"},
    "field": {"sample": 80, "strata": "loc"},
    "tag": {"sample": 80, "strata": "tag"},
    "assisted": {"sample": 80, "protocol": "assisted"},
    "arms": {"sample": 80, "protocol": "randomised"},
}
ROWS = [
    a_row(
        i,
        ai_confidence=f"{(0.5 if i % 3 == 0 else 0) + (i * 37 % 100) / 200:.3f}",
        ai_tags=("security", "security;auth", "security;auth;crypto")[i % 7 % 3]
        if i % 3 == 0
        else "",
        fqcn=f"com.acme{i % 2}.Case{i // 10}Test",
    )
    for i in range(160)
]


def run(*args: str | Path) -> dict[str, Any]:
    done = CliRunner().invoke(cli, [*map(str, args)])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout) if "json" in args else {}  # type: ignore[no-any-return]  # a report


def firsts(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in reversed(rows)}


def answered(tmp_path: Path, **options: Any) -> Path:
    """A study of which 50 items were answered, one of them unsure, and one more was looked up."""
    study = a_study(tmp_path, text=predictions_csv(rows=ROWS), **options)
    reviewer = a_reviewer(study)
    rng = random.Random(3)  # noqa: S311  # made-up answers
    for k, item in enumerate(study.sample.items[:50]):
        if reviewer.review.phase(item) == "revealed":
            reviewer.act("keep", item)
        elif k == 9:
            reviewer.act("unsure", item)
        else:
            said = study.predictions[item].answer["relevant"]
            reviewer.answer(YES if said is (rng.random() < 0.85) else NO, item)
    left = next((i for i in study.predictions if i not in study.sample.items), None)
    if left is not None:
        reviewer.answer(YES, left)
    study.close()
    return study.folder


@pytest.mark.parametrize("design", [*DESIGNS])
def test_exported_labels_have_the_estimates_of_their_study(tmp_path: Path, design: str) -> None:
    folder = answered(tmp_path, **DESIGNS[design])
    scan = tmp_path / "predictions.csv"
    study = run("score", "--study", folder, "--format", "json")
    own = firsts(study["metrics"])
    for name, key in (("e.yaml", "estimates"), ("e.jsonl", "metrics"), ("e.csv", "metrics")):
        run("export", folder, "--to", tmp_path / name)
        system = [] if key == "estimates" else ["--system", "labkit"]
        report = run("score", tmp_path / name, scan, *system, "--format", "json")
        if design == "arms" and system:
            arms = [one["anchoring"] for one in (report, study)]
            assert [arms[0][arm]["n"] for arm in ("blind", "assisted")] == [
                arms[1][arm]["n"] for arm in ("blind", "assisted")
            ]
        found = firsts(report[key])
        assert found.keys() == own.keys()
        for metric, row in own.items():
            for end in ("value", "low", "high"):
                assert found[metric][end] == pytest.approx(row[end], abs=1e-9), (name, metric)
            for end in ("method", "n", "basis"):
                assert found[metric][end] == row[end], (name, metric)


def test_labels_imported_before_the_draw_are_no_part_of_the_headline_elsewhere(
    tmp_path: Path,
) -> None:
    known = tmp_path / "known.yaml"
    known.write_text(
        "overrides:\n"
        + "".join(
            f"- {{fqcn: com.acme{i % 2}.Case{i // 10}Test, method: m{i}, securityRelevant: true}}\n"
            for i in range(10, 60)
        )
    )
    folder = answered(tmp_path, sample=80, labels=known)
    own = firsts(run("score", "--study", folder, "--format", "json")["metrics"])
    run("export", folder, "--to", tmp_path / "e.jsonl", "--skip-disputed")
    report = run(
        *("score", tmp_path / "e.jsonl", tmp_path / "predictions.csv"),
        *("--system", "labkit", "--format", "json"),
    )
    assert firsts(report["metrics"])["f1"] == own["f1"]
    assert "left-out" in {warning["code"] for warning in report["warnings"]}


def test_final_answers_that_were_revised_are_no_blind_ones(tmp_path: Path) -> None:
    study = a_study(tmp_path, text=predictions_csv(rows=ROWS), sample=60)
    reviewer = a_reviewer(study)
    for k, item in enumerate(study.sample.items[:30]):
        acted = reviewer.act("answer", item, answer=NO)
        assert acted.item is not None
        assert acted.item["phase"] == "revealed"
        reviewer.act("revise", item, answer=YES) if k % 3 == 0 else reviewer.act("keep", item)
    study.close()
    rows = run("score", "--study", study.folder, "--format", "json")["metrics"]
    revealed = firsts([row for row in rows if row["basis"] == "revealed"])
    run("export", study.folder, "--to", tmp_path / "e.jsonl")
    report = run(
        *("score", tmp_path / "e.jsonl", tmp_path / "predictions.csv", "--answer", "final"),
        *("--system", "labkit", "--format", "json"),
    )
    assert firsts(report["metrics"])["f1"] == revealed["f1"]
    run("export", study.folder, "--to", tmp_path / "e.yaml")
    report = run("score", tmp_path / "e.yaml", tmp_path / "predictions.csv", "--format", "json")
    assert firsts(report["estimates"])["f1"] == revealed["f1"]


def test_a_file_of_disagreements_alone_is_not_taken_for_the_sample(tmp_path: Path) -> None:
    folder = answered(tmp_path, sample=80)
    run("export", folder, "--to", tmp_path / "e.yaml", "--only", "disagreements")
    assert "targeted" in (tmp_path / "e.yaml").read_text()
    report = run("score", tmp_path / "e.yaml", tmp_path / "predictions.csv", "--format", "json")
    assert all(row["value"] is None for row in report["estimates"])


def test_a_choice_among_labels_keeps_its_strata_too(tmp_path: Path) -> None:
    rng = random.Random(5)  # noqa: S311  # made-up answers
    rows = [f"q{i},t{i},{'abc'[i % 3]},{0.4 + i * 37 % 60 / 100:.2f}\n" for i in range(120)]
    study = a_study(
        tmp_path, text="id,text,label,confidence\n" + "".join(rows), sample=80, design="stratified"
    )
    reviewer = a_reviewer(study)
    for item in study.sample.items[:50]:
        said = study.predictions[item].answer["label"]
        reviewer.answer({"label": said if rng.random() < 0.8 else "b"}, item)
    study.close()
    own = firsts(run("score", "--study", study.folder, "--format", "json")["metrics"])
    run("export", study.folder, "--to", tmp_path / "e.jsonl")
    report = run(
        *("score", tmp_path / "e.jsonl", tmp_path / "predictions.csv"),
        *("--system", "labkit", "--format", "json"),
    )
    found = firsts(report["metrics"])["accuracy"]
    for end in ("value", "low", "high"):
        assert found[end] == pytest.approx(own["accuracy"][end], abs=1e-9)
