"""What a study draws: strata of a field, and strata that are drawn whole."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from builders import NO, YES, a_reviewer, a_row, a_study, predictions_csv

from labkit.errors import InputError
from labkit.study import Study
from labkit.studyoptions import StudyOptions

if TYPE_CHECKING:
    from pathlib import Path

TEXT = predictions_csv(rows=[a_row(i, tags="unit" if i % 2 else "web") for i in range(300)])


def drawn(study: Study) -> dict[str, tuple[int, int]]:
    return {size.name: (size.drawn, size.population) for size in study.sample.strata}


@pytest.mark.parametrize(
    ("options", "whole"),
    [
        ({"strata": "tags", "take_all": ("unit/flagged",)}, {"unit/flagged"}),
        ({"strata": "tags", "take_all": ("web",)}, {"web/flagged", "web/not-flagged"}),
        ({"strata": "tag", "take_all": ("auth",)}, {"auth/flagged"}),
        ({"design": "stratified", "take_all": ("flagged",)}, {"flagged"}),
    ],
)
def test_a_stratum_to_take_whole_is_drawn_whole_and_stays_so(
    tmp_path: Path, options: dict[str, Any], whole: set[str]
) -> None:
    study = a_study(tmp_path, text=TEXT, sample=180, **options)
    sizes = drawn(study)
    assert whole == {name for name, (k, all_of_it) in sizes.items() if k == all_of_it}
    assert sum(k for k, _ in sizes.values()) == len(study.sample.items)
    study.close()
    more = Study.create(
        tmp_path / "predictions.csv", study.folder, options=StudyOptions(sample=200)
    )
    assert all(drawn(more)[name] == sizes[name] for name in whole)
    assert more.sample.items[: len(study.sample.items)] == study.sample.items


def test_what_is_labelled_whole_has_no_uncertainty(tmp_path: Path) -> None:
    study = a_study(tmp_path, text=TEXT, design="stratified", take_all=("flagged",), sample=120)
    reviewer = a_reviewer(study)
    for k, item in enumerate(study.sample.items):
        reviewer.answer(NO if k % 4 == 0 else YES, item)
    rows = {row.name: row for row in study.estimates(per_tag=False)}
    flagged = Counter(
        study.predictions[item].answer["relevant"] and k % 4 != 0
        for k, item in enumerate(study.sample.items)
    )
    assert rows["precision"].method == "census"
    assert rows["precision"].low == rows["precision"].value == flagged[True] / 100
    assert rows["recall"].low < rows["recall"].value < rows["recall"].high


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"strata": "colour"}, "strata 'colour': no item has such a field"),
        ({"take_all": ("auth",)}, "take-all 'auth' is no stratum; there are flagged"),
        ({"design": "simple", "take_all": ("flagged",)}, "leave --design simple out"),
        ({"design": "simple", "strata": "tags"}, "leave --design simple out"),
    ],
)
def test_strata_that_cannot_be_drawn_are_refused(
    tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        a_study(tmp_path, text=TEXT, **options)
    assert not (tmp_path / "predictions.study").exists()
