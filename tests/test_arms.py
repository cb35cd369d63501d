"""Randomised arms: balanced in every stratum, kept by an extension, and what they show."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from builders import NO, YES, a_reviewer, a_study
from hypothesis import given
from hypothesis import strategies as st

from labkit.arms import assign_arms
from labkit.numbers import anchored
from labkit.study import Study
from labkit.studyoptions import StudyOptions

if TYPE_CHECKING:
    from pathlib import Path


@given(st.lists(st.sampled_from("abc"), max_size=60), st.integers(0, 99))
def test_no_stratum_is_out_of_balance_by_more_than_two(strata: list[str], seed: int) -> None:
    items = [f"m{i}" for i in range(len(strata))]
    stratum = dict(zip(items, strata, strict=True))
    arms = assign_arms(items, stratum, seed=seed)
    for name in "abc":
        count = Counter(arms[i] for i in items if stratum[i] == name)
        assert abs(count["blind-first"] - count["assisted"]) <= 2
    half = items[: len(items) // 2]
    assert assign_arms(half, stratum, seed=seed) == {item: arms[item] for item in half}


def test_an_arm_decides_what_is_in_view_and_the_label_says_it(tmp_path: Path) -> None:
    study = a_study(tmp_path, 40, protocol="randomised", sample=24)
    reviewer = a_reviewer(study)
    arms = Counter()
    for item in study.sample.items:
        view = reviewer.review.view(item)
        shown = view["ai"] is not None
        arms[shown] += 1
        flagged = study.predictions[item].answer["relevant"]
        acted = reviewer.act("answer", item, answer=YES if flagged else NO)
        assert acted.item is not None
        assert acted.item["phase"] == ("done" if shown else "revealed")
        if not shown:
            reviewer.act("keep", item)
    assert abs(arms[True] - arms[False]) <= 4
    bases = {(label.arm, label.basis.value) for label in study.labels()}
    assert bases == {("assisted", "assisted"), ("blind-first", "blind")}
    rows = {row.basis: row.n for row in study.estimates(per_tag=False) if row.name == "accuracy"}
    assert rows == {"blind": arms[False], "assisted": arms[True]}
    found = anchored(study.frames, study.labels(answer="any"))
    assert found is not None
    assert (found.blind_n, found.assisted_n) == (arms[False], arms[True])
    assert found.difference == 0
    before = {item: study.sample.items.index(item) for item in study.sample.items}
    study.close()
    csv = tmp_path / "predictions.csv"
    with Study.create(csv, study.folder, options=StudyOptions(sample=40)) as larger:
        again = a_reviewer(larger)
        for item in before:
            assert (again.review.view(item)["ai"] is not None) == any(
                label.item == item and label.arm == "assisted" for label in larger.labels()
            ) or again.review.phase(item) == "done"
