"""Estimates from predictions and labels: who counts for whom, and what is undefined."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.estimation.designs import Design, Frame, Stratum, crossed, name_of
from labkit.estimation.estimates import Estimate, estimate, estimate_binary, estimate_counts
from labkit.estimation.intervals import wilson, wilson_f1
from labkit.estimation.score_interval import METRICS
from labkit.estimation.units import Labelled, Predicted, Use

if TYPE_CHECKING:
    import random


def example(n1: int = 100, x1: int = 75, n0: int = 400, x0: int = 2) -> Design:
    return Design(
        "stratified",
        (
            Stratum("flagged", flagged=True, population=600, labelled=n1, positives=x1),
            Stratum("not-flagged", flagged=False, population=9400, labelled=n0, positives=x0),
        ),
    )


def a_population(size: int = 300) -> list[Predicted]:
    return [Predicted(f"m{i}", flagged=i % 3 == 0, stratum="java") for i in range(size)]


def some_labels(n: int = 60) -> list[Labelled]:
    return [Labelled(f"m{i}", positive=i % 4 == 0) for i in range(n)]


def named(rows: tuple[Estimate, ...]) -> dict[str, Estimate]:
    return {row.name: row for row in rows}


def test_a_sample_of_both_sides_gives_the_worked_numbers() -> None:
    rows = named(estimate_binary(example()))
    assert rows["recall"].value == pytest.approx(450 / 497, abs=1e-12)
    assert (rows["f1"].low, rows["f1"].high) == pytest.approx(
        (0.730510926270646, 0.875612495250699), abs=1e-9
    )
    assert rows["precision"].method == "wilson"
    assert rows["precision"].n == 100
    assert rows["recall"].n == 500


def test_specificity_is_recall_of_the_negatives() -> None:
    row = estimate("specificity", example())
    assert row.value == pytest.approx(9353 / (9353 + 150), abs=1e-12)
    assert row.low is not None
    assert row.high is not None
    assert row.low < row.value < row.high


@pytest.mark.parametrize(
    ("design", "metric", "reason"),
    [
        (example(n0=0, x0=0), "recall", "no item that the AI did not flag has been sampled"),
        (example(n0=0, x0=0), "f1", "no item that the AI did not flag has been sampled"),
        (example(n1=0, x1=0), "precision", "no item that the AI flagged has been sampled"),
        (example(n1=0, x1=0, n0=0, x0=0), "accuracy", "no item has been labelled"),
        (example(x1=0, x0=0), "recall", "no positive item has been found"),
        (Design("simple", example().strata[1:]), "precision", "the AI flagged no item"),
        (Design("simple", ()), "prevalence", "there is no item"),
    ],
)
def test_undefined_is_null_over_the_whole_range_and_says_why(
    design: Design, metric: str, reason: str
) -> None:
    row = estimate(metric, design)
    assert (row.value, row.low, row.high) == (None, 0, 1)
    assert row.reason == f"{metric}: {reason}"


def test_precision_needs_no_item_from_the_other_side() -> None:
    row = estimate("precision", example(n0=0, x0=0))
    assert (row.low, row.high) == pytest.approx(wilson(75, 100, population=600), abs=1e-12)


def test_everything_labelled_is_a_census_whose_interval_is_the_point() -> None:
    labels = [Labelled(p.item, positive=p.item.endswith("7")) for p in a_population()]
    design = crossed(Frame.of(a_population()), labels)
    assert design.name == "census"
    for row in estimate_binary(design):
        assert row.low == row.value == row.high
        assert row.method == "census"


def test_all_flagged_labelled_is_a_census_for_precision_only() -> None:
    rows = named(estimate_binary(example(n1=600, x1=450)))
    assert (rows["precision"].low, rows["precision"].method) == (0.75, "census")
    assert rows["recall"].method == "score"
    assert rows["recall"].low != rows["recall"].high


@given(st.randoms(use_true_random=False))
def test_the_order_of_predictions_and_labels_changes_no_bit(rng: random.Random) -> None:
    population, labels = a_population(), some_labels()
    expected = estimate_binary(crossed(Frame.of(population), labels))
    rng.shuffle(population)
    rng.shuffle(labels)
    assert estimate_binary(crossed(Frame.of(population), labels)) == expected


def test_a_stratum_is_crossed_with_the_decision() -> None:
    design = crossed(Frame.of(a_population()), some_labels())
    assert [(s.name, s.population, s.labelled, s.positives) for s in design.strata] == [
        ("java/flagged", 100, 20, 5),
        ("java/not-flagged", 200, 40, 10),
    ]
    assert name_of("all", flagged=True) == "flagged"
    assert name_of("java/flagged", flagged=True) == "java/flagged"
    assert name_of("not-flagged", flagged=True) == "not-flagged/flagged"


def test_labels_chosen_on_purpose_have_weight_zero_and_are_counted() -> None:
    labels = some_labels()
    hunted = [Labelled(f"m{i}", positive=True, use=Use.TARGETED) for i in range(200, 250)]
    with_hunted = crossed(Frame.of(a_population()), labels + hunted)
    without = crossed(Frame.of(a_population()), labels)
    assert with_hunted.strata == without.strata
    assert [out.n for out in with_hunted.left_out] == [50]
    assert "weight 0" in with_hunted.left_out[0].reason


def test_certainty_units_stand_for_themselves_only() -> None:
    certain = [Labelled(f"m{i}", positive=True, use=Use.CERTAINTY) for i in range(30)]
    drawn = [Labelled(f"m{i}", positive=False) for i in range(30, 90)]
    design = crossed(Frame.of(a_population()), certain + drawn)
    assert {s.name: (s.population, s.labelled, s.positives) for s in design.strata} == {
        "certainty/flagged": (10, 10, 10),
        "certainty/not-flagged": (20, 20, 20),
        "java/flagged": (90, 20, 0),
        "java/not-flagged": (180, 40, 0),
    }
    assert estimate("prevalence", design).value == pytest.approx(30 / 300)


def test_rows_without_an_ai_answer_and_strangers_are_outside_the_frame() -> None:
    population = [*a_population(30), Predicted("silent", flagged=None)]
    labels = [*some_labels(10), Labelled("silent", positive=True), Labelled("x", positive=True)]
    design = crossed(Frame.of(population), labels)
    assert design.population == 30
    assert design.labelled == 10
    assert [out.n for out in design.left_out] == [1, 1]


def test_unsure_is_left_out_within_its_stratum_and_counted() -> None:
    labels = [replace(x, positive=None) if x.item == "m0" else x for x in some_labels()]
    strata = {s.name: s for s in crossed(Frame.of(a_population()), labels).strata}
    assert (strata["java/flagged"].labelled, strata["java/flagged"].unsure) == (19, 1)


def test_a_small_stratum_without_a_label_is_counted_with_its_class() -> None:
    population = [*a_population(), Predicted("rare", flagged=True, stratum="cobol")]
    design = crossed(Frame.of(population), some_labels())
    assert design.collapsed == ("cobol/flagged",)
    assert design.population == 301
    assert estimate("precision", design).value is not None


def test_a_large_stratum_without_a_label_leaves_the_metric_undefined() -> None:
    population = [
        *a_population(),
        *(Predicted(f"c{i}", flagged=True, stratum="cobol") for i in range(50)),
    ]
    row = estimate("precision", crossed(Frame.of(population), some_labels()))
    assert row.value is None
    assert row.reason == ("precision: no item of stratum cobol/flagged (50 items) has been sampled")


def test_without_a_population_f1_has_wilson_on_jaccard() -> None:
    rows = named(estimate_counts(60, 20, 10, 410))
    assert (rows["f1"].low, rows["f1"].high) == wilson_f1(60, 30)
    assert rows["f1"].value == pytest.approx(120 / 150)
    assert (rows["recall"].low, rows["recall"].high) == wilson(60, 70)
    assert all(row.value is None for row in estimate_counts(0, 0, 0, 0))
    assert set(rows) == set(METRICS)


def test_a_row_has_the_keys_of_the_report_in_order() -> None:
    assert list(estimate("f1", example()).as_dict()) == [
        "name",
        "value",
        "low",
        "high",
        "level",
        "method",
        "n",
        "basis",
        "design",
        "reason",
    ]
