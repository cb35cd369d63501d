"""A study: made once, opened often, and never less than what was acknowledged."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from typing import TYPE_CHECKING

import pytest
from builders import NO, YES, a_reviewer, a_row, a_study, predictions_csv

from labkit.errors import InputError
from labkit.study import Study
from labkit.studyoptions import StudyOptions

if TYPE_CHECKING:
    from pathlib import Path


def test_answers_and_their_history_survive_closing(tmp_path: Path) -> None:
    study = a_study(tmp_path, protocol="blind")
    reviewer = a_reviewer(study)
    first, second = study.sample.items[:2]
    reviewer.answer(YES)
    reviewer.answer(NO)
    study.close()
    with Study.open(study.folder) as again:
        back = a_reviewer(again)
        assert back.review.current == again.sample.items[2]
        assert back.act("undo").next == second
        assert back.act("undo").next == first
        assert back.act("undo").decisions == ()
        redone = back.act("redo")
        assert (redone.saved, redone.next) == (1, second)
        (label,) = again.labels()
        assert (label.item, label.value) == (
            first,
            {"relevant": True, "tags": ("security", "auth")},
        )


def test_the_view_of_an_unanswered_item_never_depends_on_what_the_ai_said(tmp_path: Path) -> None:
    rows = [a_row(i) for i in range(9)]
    flipped = [
        {
            **row,
            "ai_security_relevant": {"true": "false", "false": "true"}[row["ai_security_relevant"]],
            "ai_tags": rows[-1 - i]["ai_tags"],
            "ai_display_name": "another",
            "ai_reason": f"another word {i}",
            "ai_confidence": f"0.{i}",
        }
        for i, row in enumerate(rows)
    ]
    one = a_study(tmp_path / "one", text=predictions_csv(rows=rows), sample=6)
    two = a_study(tmp_path / "two", text=predictions_csv(rows=flipped), sample=6)
    left, right = a_reviewer(one), a_reviewer(two)
    while left.review.current is not None:
        window = left.review.window()
        assert window == right.review.window()
        assert "marker" not in json.dumps([v for v in window if v["phase"] == "answer"])
        left.answer(NO)
        right.answer(NO)
    assert right.review.current is None
    assert "marker" in json.dumps(left.review.view(one.sample.items[0])["ai"])


def test_init_on_a_study_refuses_except_for_a_larger_sample(tmp_path: Path) -> None:
    study = a_study(tmp_path, 12, sample=4)
    reviewer = a_reviewer(study)
    reviewer.answer()
    before = study.sample.items
    study.close()
    csv = tmp_path / "predictions.csv"
    for options in (StudyOptions(), StudyOptions(sample=4), StudyOptions(sample=8, seed=2)):
        with pytest.raises(InputError, match="there is a study already"):
            Study.create(csv, study.folder, options=options)
    with Study.create(csv, study.folder, options=StudyOptions(sample=8)) as larger:
        assert larger.sample.items[:4] == before
        assert len(larger.sample.items) == 8
        assert {unit.inclusion_probability for unit in larger.sample.drawn} == {8 / 12}
        assert larger.config.sample == 8
        assert len(larger.labels()) == 1


def test_two_reviewers_never_drop_each_others_answers(tmp_path: Path) -> None:
    study, other = a_study(tmp_path), None
    other = Study.open(study.folder)
    one, two = a_reviewer(study, "rev-1"), a_reviewer(other, "rev-2")
    m1, m2 = study.sample.items[:2]
    one.answer(YES, m1)
    two.answer(NO, m2)
    two.answer(NO, m1)
    study.refresh()
    assert {(label.item, label.reviewer) for label in study.labels()} == {
        (m1, "rev-1"),
        (m2, "rev-2"),
        (m1, "rev-2"),
    }
    assert study.disputed == (m1,)
    assert set(study.settled()) == {m2}


def test_one_reviewer_in_two_processes_answers_an_item_once(tmp_path: Path) -> None:
    study = a_study(tmp_path, protocol="blind")
    one, two = a_reviewer(study), a_reviewer(Study.open(study.folder))
    item = study.sample.items[0]
    one.answer(YES, item)
    with pytest.raises(Exception, match="is answered"):
        two.answer(NO, item)
    assert two.review.current == study.sample.items[1]


def test_rows_without_an_ai_answer_are_not_drawn_and_can_still_be_labelled(tmp_path: Path) -> None:
    rows = [a_row(0), a_row(1, ai_security_relevant="", ai_tags=""), a_row(2)]
    study = a_study(tmp_path, text=predictions_csv(rows=rows))
    assert len(study.sample.items) == 2
    a_reviewer(study).answer(YES, "com.acme.Case0Test#m1")
    (label,) = study.labels()
    assert (label.stratum, label.inclusion_probability, label.seed) == (None, None, None)


def test_a_file_without_any_ai_answer_is_refused(tmp_path: Path) -> None:
    rows = [a_row(0, ai_security_relevant="")]
    with pytest.raises(InputError, match="no row has an AI answer"):
        a_study(tmp_path, text=predictions_csv(rows=rows))
    assert not (tmp_path / "predictions.study").exists()


def test_predictions_that_changed_are_told(tmp_path: Path) -> None:
    study = a_study(tmp_path)
    assert study.problems == ()
    study.predictions_path.write_text(predictions_csv(11), encoding="utf-8")
    with Study.open(study.folder) as again:
        assert "changed since the sample was drawn" in str(again.problems[-1])
        assert again.stale == ("com.acme.Case1Test#m11",)
        assert len(a_reviewer(again).review.queue) == 11


def test_estimates_are_about_all_predictions_and_the_counts_about_labelled_ones(
    tmp_path: Path,
) -> None:
    study = a_study(tmp_path, 60, sample=20)
    reviewer = a_reviewer(study)
    for item in study.sample.items:
        flagged = study.predictions[item].answer["relevant"]
        reviewer.answer(YES if flagged else NO, item)
    rows = {row.name: row for row in study.estimates()}
    assert (rows["precision"].value, rows["recall"].value, rows["f1"].value) == (1.0, 1.0, 1.0)
    assert rows["f1"].low is not None
    assert 0 < rows["f1"].low < 1
    assert rows["f1"].design == "simple, post-stratified by AI decision"
    assert (rows["f1"].basis, rows["f1"].n) == ("blind", 20)
    # 20 of the 60 are flagged, whatever the share in the sample is
    assert rows["prevalence"].value == pytest.approx(20 / 60, abs=1e-12)
    assert sum(study.counted()["relevance"].values()) == 20


def test_a_targeted_label_counts_but_has_no_weight_in_estimates(tmp_path: Path) -> None:
    study = a_study(tmp_path, 60, sample=10)
    reviewer = a_reviewer(study)
    other = next(item for item in study.items if item not in study.sample.items)
    reviewer.answer(YES, other)
    assert sum(study.counted()["relevance"].values()) == 1
    assert all(row.value is None for row in study.estimates())


def test_a_full_census_is_the_point(tmp_path: Path) -> None:
    study = a_study(tmp_path, 9)
    reviewer = a_reviewer(study)
    for _ in range(9):
        reviewer.answer(YES)
    (precision,) = (row for row in study.estimates() if row.name == "precision")
    assert (precision.value, precision.low, precision.high) == (1.0, 1.0, 1.0)
    assert precision.method == "census"
    assert study.plan().more_labels == 0


def test_revised_answers_stand_beside_the_first_ones(tmp_path: Path) -> None:
    study = a_study(tmp_path, 9)
    reviewer = a_reviewer(study)
    for _ in range(9):
        acted = reviewer.act("answer", answer=NO)
        assert acted.item is not None
        if acted.item["ai"]["agrees"]:
            reviewer.act("keep", acted.item["item"])
        else:
            reviewer.act("revise", acted.item["item"], answer=YES)
    rows = {(row.name, row.basis): row.value for row in study.estimates(per_tag=False)}
    assert rows["precision", "blind"] == 0.0
    assert rows["precision", "revealed"] == 1.0
    assert study.counted()["relevance"] == {"tp": 3, "fp": 0, "fn": 0, "tn": 6}


def test_a_stratified_sample_gives_every_band_its_share_and_can_be_extended(
    tmp_path: Path,
) -> None:
    study = a_study(tmp_path, 90, design="stratified", sample=20)
    sizes = {size.name: (size.population, size.drawn) for size in study.sample.strata}
    assert {name: population for name, (population, _) in sizes.items()} == {
        "flagged": 30,
        "not-flagged": 60,
    }
    assert all(drawn >= 5 for _, drawn in sizes.values())
    before = study.sample.items
    reviewer = a_reviewer(study)
    for _ in range(12):
        reviewer.answer(NO)
    (accuracy,) = (row for row in study.headlines() if row.name == "accuracy")
    assert accuracy.value == pytest.approx(60 / 90)
    assert accuracy.design == "stratified"
    study.close()
    csv = tmp_path / "predictions.csv"
    with Study.create(csv, study.folder, options=StudyOptions(sample=40)) as larger:
        assert larger.sample.items[:20] == before
        assert len(larger.sample.items) == 40


def test_strata_of_a_field_are_crossed_with_the_ais_decision(tmp_path: Path) -> None:
    study = a_study(tmp_path, 60, design="stratified", strata="folder", sample=30)
    assert [s.name for s in study.sample.strata] == ["com.acme/flagged", "com.acme/not-flagged"]
    with pytest.raises(InputError, match="no item has such a field"):
        a_study(tmp_path, 60, name="other", design="stratified", strata="colour")


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_study_of_next_to_nothing_has_a_status(tmp_path: Path, n: int) -> None:
    study = a_study(tmp_path, n)
    status = study.status()
    assert (status["items"], status["sampled"]) == (n, n)
    assert all(row["value"] is None for row in status["metrics"])
    json.dumps(status, allow_nan=False)


def test_each_decision_says_which_guidelines_were_in_force(tmp_path: Path) -> None:
    study = a_study(tmp_path, protocol="blind")
    a_reviewer(study).answer(YES)
    study.close()
    yaml = study.folder / "study.yaml"
    yaml.write_text(yaml.read_text() + "guidelines: rules.txt\n")
    for text in ("Say no when in doubt.", "Say yes when in doubt."):
        (study.folder / "rules.txt").write_text(text)
        with Study.open(study.folder) as again:
            assert again.guidelines == text
            a_reviewer(again).answer(NO)
    with sqlite3.connect(study.folder / "labels.db") as log:
        found = [row[0] for row in log.execute("SELECT guideline_version FROM decisions")]
    log.close()
    assert found[0] is None
    assert len({*found}) == 3
    assert found[1] == hashlib.sha256(b"Say no when in doubt.").hexdigest()
