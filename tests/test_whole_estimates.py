"""One call from predictions and labels to the rows of a report."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from labkit.estimation.allocation import bands
from labkit.estimation.designs import Design, Stratum
from labkit.estimation.population import Population
from labkit.estimation.units import Labelled, Predicted, Use
from labkit.estimation.warnings import (
    basis_of,
    unsure_bounds,
    warn_of_basis,
    warn_of_looks,
    warn_of_rare_tags,
    warn_of_unsure,
)
from labkit.estimation.whole import LABELLED_ONLY, Options, estimate_all
from labkit.sampling import draw_by_confidence, draw_poisson, draw_simple


def a_world(size: int = 3000, seed: int = 4) -> tuple[list[Predicted], dict[str, bool]]:
    rng = random.Random(seed)  # noqa: S311  # made-up data
    predicted, truth = [], {}
    for i in range(size):
        p = rng.random() ** 4
        truth[f"m{i}"] = rng.random() < p
        tags = frozenset({"security"} if p >= 0.5 else set())
        predicted.append(Predicted(f"m{i}", flagged=p >= 0.5, confidence=p, tags=tags))
    return predicted, truth


PREDICTED, TRUTH = a_world()


def labelled(n: int | None, seed: int = 1) -> list[Labelled]:
    items = draw_simple(TRUTH, n, seed=seed).items
    return [Labelled(i, TRUTH[i], frozenset({"security"} if TRUTH[i] else set())) for i in items]


def test_every_metric_has_a_row_with_its_interval() -> None:
    found = estimate_all(PREDICTED, labelled(300), Options(thresholds=(0.8,)))
    names = [row.name for row in found.metrics]
    assert names == [
        "precision",
        "recall",
        "specificity",
        "f1",
        "accuracy",
        "prevalence",
        "tags.micro.f1",
        "tags.micro.precision",
        "tags.micro.recall",
        "tags.macro.f1",
        "tag.security.precision",
        "tag.security.recall",
        "tag.security.f1",
        "ece",
        "calibration_rms",
        "brier",
        "nll",
        "selective_coverage@0.8",
        "selective_accuracy@0.8",
    ]
    for row in found.metrics:
        assert row.value is not None
        assert row.low is not None
        assert row.high is not None
        assert row.low <= row.value <= row.high or row.name == "calibration_rms"
        assert row.basis == "blind"
    assert found.counts["labelled"] == 300
    assert found.counts["predictions"] == 3000


def test_the_intervals_hold_the_truth_of_the_population() -> None:
    exact = {row.name: row.value for row in estimate_all(PREDICTED, labelled(None)).metrics}
    missed = 0
    for seed in range(20):
        for row in estimate_all(PREDICTED, labelled(300, seed), Options(per_tag=False)).metrics:
            value = exact[row.name]
            assert value is not None
            assert row.low is not None
            assert row.high is not None
            missed += not row.low - 1e-9 <= value <= row.high + 1e-9
    assert missed < 26


def test_a_census_of_everything_has_points_for_intervals() -> None:
    found = estimate_all(PREDICTED, labelled(None), Options(thresholds=(0.9,)))
    for row in found.metrics:
        assert row.low == row.value == row.high
        assert row.method in {"census", "exact"}
    assert found.design.name == "census"


def test_selective_coverage_is_known_without_a_label() -> None:
    found = estimate_all(PREDICTED, [], Options(thresholds=(0.8,)))
    row = found.named("selective_coverage@0.8")
    assert row is not None
    sure = sum(max(u.confidence or 0, 1 - (u.confidence or 0)) >= 0.8 for u in PREDICTED)
    assert (row.value, row.low, row.high) == (sure / 3000,) * 3
    accuracy = found.named("selective_accuracy@0.8")
    assert accuracy is not None
    assert accuracy.value is None
    assert accuracy.reason == "selective_accuracy@0.8: no item has been labelled"


def test_labels_of_unknown_origin_claim_nothing_about_the_others() -> None:
    found = estimate_all(PREDICTED, labelled(200), Options(drawn="unknown"))
    row = found.named("f1")
    assert row is not None
    tp, fp, fn = (found.counts[k] for k in ("tp", "fp", "fn"))
    assert row.value == pytest.approx(2 * tp / (2 * tp + fp + fn))
    assert (row.low, row.high, row.method, row.design) == (None, None, "none", LABELLED_ONLY)
    assert row.reason is not None
    assert "not known" in row.reason


def test_unequal_chances_are_weighted_back() -> None:
    sizes = {u.item: (u.confidence or 0) + 0.01 for u in PREDICTED}
    sample = draw_poisson(sizes, 600, seed=3, uniform=0.5)
    labels = [
        Labelled(d.item, TRUTH[d.item], inclusion_probability=d.inclusion_probability)
        for d in sample.drawn
    ]
    found = estimate_all(PREDICTED, labels, Options(drawn="unequal"))
    exact = sum(TRUTH.values()) / 3000
    row = found.named("prevalence")
    assert row is not None
    assert row.low is not None
    assert row.high is not None
    assert row.low < exact < row.high
    assert row.method == "score, effective counts"


def test_targeted_labels_change_no_estimate() -> None:
    drawn = labelled(200)
    inside = {label.item for label in drawn}
    hunted = [
        Labelled(item, positive=True, use=Use.TARGETED)
        for item, positive in TRUTH.items()
        if positive and item not in inside
    ]
    alone, both = (estimate_all(PREDICTED, labels) for labels in (drawn, drawn + hunted))
    assert both.metrics == alone.metrics
    assert [w.code for w in both.warnings if w not in alone.warnings] == ["left-out"]


def test_severity_is_judged_among_right_findings() -> None:
    labels = [replace(x, severity_right=i % 2 == 0) for i, x in enumerate(labelled(300))]
    row = estimate_all(PREDICTED, labels).named("severity_accuracy")
    assert row is not None
    flagged = {u.item for u in PREDICTED if u.flagged}
    assert row.n == sum(x.item in flagged and bool(x.positive) for x in labels)
    assert row.value == pytest.approx(0.5, abs=0.25)


def test_an_empty_world_is_all_undefined() -> None:
    found = estimate_all([], [])
    assert found.metrics
    assert all(row.value is None for row in found.metrics)
    assert found.counts["predictions"] == 0


def test_rows_without_an_ai_answer_are_counted_outside() -> None:
    found = estimate_all([*PREDICTED, Predicted("x", flagged=None)], labelled(100))
    assert found.counts["outside"] == 1
    assert found.design.population == 3000


def test_a_population_can_be_indexed_once() -> None:
    population = Population.of(PREDICTED)
    assert estimate_all(population, labelled(50)) == estimate_all(PREDICTED, labelled(50))


def test_labels_that_follow_the_ai_are_doubted() -> None:
    sides = {u.item: bool(u.flagged) for u in PREDICTED}
    same = [Labelled(i, sides[i], basis="assisted", duration_ms=900) for i in list(sides)[:20]]
    assert [w.code for w in warn_of_basis(same, sides)] == ["assisted", "bulk"]
    slow = [replace(x, duration_ms=9000) for x in same]
    assert [w.code for w in warn_of_basis(slow, sides)] == ["assisted"]
    blind = [replace(x, basis="blind") for x in same]
    assert warn_of_basis(blind, sides) == []


def test_imported_corrections_over_represent_errors() -> None:
    sides = {u.item: bool(u.flagged) for u in PREDICTED}
    wrong = [Labelled(i, not sides[i], basis="imported") for i in list(sides)[:20]]
    assert [w.code for w in warn_of_basis(wrong, sides)] == ["imported"]
    right = [replace(x, positive=sides[x.item]) for x in wrong]
    assert warn_of_basis(right, sides) == []


def test_unsure_answers_give_both_bounds_above_five_percent() -> None:
    def design(unsure: int) -> Design:
        return Design(
            "simple",
            (
                Stratum("flagged", flagged=True, population=100, labelled=40, positives=30),
                Stratum("not-flagged", False, 900, 60, 3, unsure),  # noqa: FBT003  # a row
            ),
        )

    assert warn_of_unsure(design(5)) == []
    assert "6 of 106 answers are unsure" in warn_of_unsure(design(6))[0].message
    low, high = unsure_bounds(design(6), ["prevalence"])["prevalence"]
    assert low == pytest.approx((75 + 900 * 3 / 66) / 1000)
    assert high == pytest.approx((75 + 900 * 9 / 66) / 1000)


def test_rare_tags_and_repeated_looks_are_named() -> None:
    assert "auth (3)" in warn_of_rare_tags({"auth": 3, "crypto": 12})[0].message
    assert warn_of_rare_tags({"crypto": 10}) == []
    assert warn_of_looks(1) == []
    assert "looked at 7 times" in warn_of_looks(7)[0].message
    assert basis_of(labelled(3)) == "blind"


def test_a_stratified_draw_told_by_its_chances_alone_gives_the_same_numbers() -> None:
    sample = draw_by_confidence(PREDICTED, 400, seed=2)
    strata = {d.item: d.stratum for d in sample.drawn}
    frame = bands(PREDICTED)
    told = [replace(u, stratum=frame[u.item]) for u in PREDICTED]
    labels = [
        Labelled(
            d.item,
            TRUTH[d.item],
            frozenset({"security"} if TRUTH[d.item] else set()),
            inclusion_probability=d.inclusion_probability,
        )
        for d in sample.drawn
    ]
    assert len(strata) == 400
    one = estimate_all(told, labels, Options(drawn="stratified", thresholds=(0.9,)))
    two = estimate_all(PREDICTED, labels, Options(drawn="unequal", thresholds=(0.9,)))
    for row in one.metrics:
        other = two.named(row.name)
        assert other is not None
        assert other.value == pytest.approx(row.value, abs=0.02), row.name
    assert "unequal" not in [w.code for w in two.warnings]
    assert two.design.name == "stratified, sizes from inclusion probabilities"


def test_chances_alone_give_the_worked_intervals() -> None:
    predicted = [Predicted(f"m{i}", flagged=i < 600) for i in range(10_000)]
    labels = [Labelled(f"m{i}", i < 75, inclusion_probability=100 / 600) for i in range(100)]
    labels += [
        Labelled(f"m{i}", i < 602, inclusion_probability=400 / 9400) for i in range(600, 1000)
    ]
    row = estimate_all(predicted, labels, Options(drawn="unequal")).named("f1")
    assert row is not None
    assert (row.low, row.high) == pytest.approx((0.730510926270646, 0.875612495250699), abs=1e-6)


def test_many_different_chances_still_give_every_row_an_interval() -> None:
    sizes = {u.item: (u.confidence or 0) + 0.01 for u in PREDICTED}
    sample = draw_poisson(sizes, 500, seed=3, uniform=0.5)
    labels = [
        Labelled(d.item, TRUTH[d.item], inclusion_probability=d.inclusion_probability)
        for d in sample.drawn
    ]
    exact = {row.name: row.value for row in estimate_all(PREDICTED, labelled(None)).metrics}
    found = estimate_all(PREDICTED, labels, Options(drawn="unequal"))
    assert "unequal" in [w.code for w in found.warnings]
    brier = found.named("brier")
    assert brier is not None
    assert brier.value == pytest.approx(exact["brier"], rel=0.2)
    assert brier.low is not None
    assert brier.high is not None
    assert brier.low < brier.value < brier.high
