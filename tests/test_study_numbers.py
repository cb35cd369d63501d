"""The numbers of a study equal the numbers of its export."""

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

BARE = {"relevant": True, "tags": []}


def run(*args: str) -> dict[str, Any]:
    done = CliRunner().invoke(cli, [*args], standalone_mode=False)
    assert done.exception is None, done.output
    found: dict[str, Any] = json.loads(done.stdout) if "json" in args else {}
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("protocol", ["blind-first", "assisted"])
def test_the_labelled_items_counted_are_what_score_prints_for_the_export(
    tmp_path: Path, seed: int, protocol: str
) -> None:
    rng = random.Random(seed)  # noqa: S311  # made-up answers
    rows = [
        a_row(i, ai_tags=rng.choice(["", "security", " Auth ;made-up", "crypto;security"]))
        for i in range(40)
    ]
    rows[3] |= {"ai_security_relevant": "", "ai_tags": ""}
    known = tmp_path / "known.yaml"
    known.write_text(
        "overrides:\n- {fqcn: com.acme.Case1Test, securityRelevant: true}\n"
        "- {fqcn: com.acme.Case2Test, method: m21, tags: [Crypto]}\n"
        "- {fqcn: gone, method: x, securityRelevant: false}\n"
    )
    study = a_study(
        tmp_path, text=predictions_csv(rows=rows), sample=25, protocol=protocol, labels=known
    )
    reviewer = a_reviewer(study)
    reviewer.answer(YES, "com.acme.Case0Test#m3")
    for _ in range(18):
        current = reviewer.review.current or ""
        if reviewer.review.phase(current) == "revealed":
            reviewer.act("keep", current)
        acted = reviewer.act("answer", answer=rng.choice([YES, NO, BARE]))
        item = acted.item and acted.item["item"]
        if acted.item and acted.item["phase"] == "revealed":
            if rng.random() < 0.4:
                reviewer.act("revise", item, answer=YES)
            else:
                reviewer.act("keep", item)
        if rng.random() < 0.2:
            reviewer.act(rng.choice(["skip", "undo", "unsure"]))
    counted = study.counted()
    study.close()
    export = tmp_path / "export.yaml"
    run("export", str(study.folder), "--to", str(export), "--skip-disputed")
    report = run("score", str(export), str(tmp_path / "predictions.csv"), "--format", "json")
    cells = ("tp", "fp", "fn", "tn")
    assert counted["relevance"] == {cell: report["relevance"][cell] for cell in cells}
    assert sum(counted["relevance"].values()) > 10
    assert counted["tags"] == [
        {key: row[key] for key in ("tag", "tp", "fp", "fn")} for row in report["tags"]
    ]
    assert counted["tagsMicro"] == {c: report["tagsMicro"][c] for c in ("tp", "fp", "fn")}


def answered(tmp_path: Path, n: int = 20, **options: Any) -> Path:
    """A study of which ``n`` items were answered as the AI has them, every tenth otherwise."""
    study = a_study(tmp_path, 60, **options)
    reviewer = a_reviewer(study)
    for i, item in enumerate(study.sample.items[:n]):
        flagged = study.predictions[item].answer["relevant"]
        reviewer.answer(YES if flagged is not (i % 10 == 0) else NO, item)
    study.close()
    return study.folder


def test_score_of_a_study_has_every_key_in_its_order(tmp_path: Path) -> None:
    report = run("score", "--study", str(answered(tmp_path)), "--format", "json")
    assert list(report) == [
        *("schemaVersion", "system", "metrics", "counts", "calibration", "coverage"),
        *("agreement", "anchoring", "warnings", "plan", "problems", "gates"),
    ]
    assert report["system"] == "labkit"
    rows = {row["name"]: row for row in report["metrics"]}
    assert list(rows["f1"]) == [
        *("name", "value", "low", "high", "level", "method", "n", "basis", "design", "reason"),
    ]
    assert {
        "precision",
        "recall",
        "f1",
        "tags.micro.f1",
        "tags.macro.f1",
        "tag.auth.f1",
        "ece",
    } <= {*rows}
    assert report["counts"]["labelled"] == 20
    assert report["calibration"]["n"] == 20
    assert report["coverage"]["sampled"] == 60


@pytest.mark.parametrize(
    ("gate", "held"),
    [
        (["--min-f1", "0.5"], True),
        (["--min-f1", "0.999"], False),
        (["--min-precision", "0.8", "--gate-on", "low"], False),
        (["--min-selective-accuracy", "0.5", "--confidence-threshold", "0.85"], True),
        (["--max-ece", "0.0001"], False),
        (["--max-latency-p95-ms", "5"], False),
    ],
)
def test_gates_read_the_headline_estimates(tmp_path: Path, gate: list[str], held: bool) -> None:  # noqa: FBT001  # a table
    folder = answered(tmp_path)
    done = CliRunner().invoke(
        cli, ["score", "--study", str(folder), "--format", "json", *gate], standalone_mode=False
    )
    assert done.return_value == (0 if held else 1)
    assert all(row["held"] for row in json.loads(done.stdout)["gates"]) is held


def test_a_report_of_a_study_without_answers_says_why_numbers_are_missing(tmp_path: Path) -> None:
    folder = answered(tmp_path, 0)
    report = run("score", "--study", str(folder), "--format", "json")
    f1 = next(row for row in report["metrics"] if row["name"] == "f1")
    assert (f1["value"], f1["low"], f1["high"]) == (None, 0.0, 1.0)
    assert f1["reason"].startswith("f1: ")
    assert run("score", "--study", str(folder)) == {}


def test_reviewers_who_differ_are_disputed_and_their_agreement_is_told(tmp_path: Path) -> None:
    study = a_study(tmp_path, 12)
    one, two = a_reviewer(study, "rev-1"), a_reviewer(study, "rev-2")
    for i, item in enumerate(study.sample.items):
        one.answer(YES, item)
        two.answer(NO if i < 3 else YES, item)
    study.close()
    report = run("score", "--study", str(study.folder), "--format", "json")
    assert report["coverage"]["disputed"] == 3
    assert report["counts"]["labelled"] == 9
    (pair,) = report["agreement"]["pairs"]
    assert (pair["n"], pair["percent"]) == (12, 0.75)
