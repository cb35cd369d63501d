"""What Results says in words: never more than the labels can bear."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from builders import NO, YES, a_reviewer, a_study

from labkit.estimation.estimates import Estimate
from labkit_widgets.results import about, results_of

if TYPE_CHECKING:
    from pathlib import Path


def a_row(value: float | None, low: float | None, high: float | None, n: int = 200) -> Estimate:
    return Estimate("recall", value, low, high, 0.95, "score", n, "blind", "simple")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (a_row(0.91, 0.84, 0.96), "about 91 (from 84 to 96)"),
        (a_row(0.998, 0.971, 0.9996), "about 99 (from 97 to 100)"),
        (a_row(0.002, 0.0001, 0.03), "about 1 (from 0 to 3)"),
        (a_row(1.0, 0.29, 1.0, 3), "between 29 and 100 (3 labels tell no more)"),
        (a_row(1.0, 0.21, 1.0, 1), "between 21 and 100 (1 label tells no more)"),
        (a_row(0.5, 0.5, 0.5), "50"),
        (a_row(0.75, None, None), "75 of the labelled ones"),
        (a_row(None, 0.0, 1.0), "an unknown number"),
    ],
)
def test_a_share_is_told_with_its_range_and_without_a_middle_where_little_is_known(
    row: Estimate, words: str
) -> None:
    assert about(row) == words


def test_three_answers_make_no_headline_number(tmp_path: Path) -> None:
    with a_study(tmp_path, 200) as study:
        ada = a_reviewer(study, "ada")
        for answer in (YES, NO, NO):
            ada.answer(answer)
        told = results_of(study)
        assert "about" not in told["sentences"][0]
        assert told["plan"].startswith("F1 is not known yet")
        for row in (*told["estimates"], *told["tag_estimates"]):
            assert row["low"] is None or row["low"] < row["high"], row["name"]
            assert row["value"] is not None or row["reason"], row["name"]
        assert told["risk"] == []
        assert "no item that the AI flagged has been sampled" in told["absent"]["risk"]
        json.dumps(told, allow_nan=False)


def test_each_basis_has_rows_of_its_own(tmp_path: Path) -> None:
    with a_study(tmp_path, 30) as study:
        ada = a_reviewer(study, "ada")
        for k in range(20):
            item = ada.act("answer", answer=YES if k % 4 else NO).item["item"]
            if k == 3:
                ada.act("revise", item, answer=NO)
            else:
                ada.act("keep", item)
        told = results_of(study)
        assert {row["basis"] for row in told["estimates"]} == {"blind"}
        assert {row["basis"] for row in told["others"]} == {"revealed"}
