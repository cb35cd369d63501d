"""The plan: labels that are still needed, where, and for how long."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.estimation.designs import Design, Stratum
from labkit.estimation.estimates import estimate
from labkit.estimation.intervals import z_of
from labkit.estimation.planner import plan
from labkit.estimation.routes import Route, apportion, route_of, slopes

WORKED: dict[str, Any] = json.loads(
    (Path(__file__).parent / "conformance/stats/estimator_worked_examples.json").read_text()
)
GOAL = (0.05 / z_of(0.95)) ** 2


def two(n1: int = 100, x1: int = 75, n0: int = 400, x0: int = 2, big: int = 9400) -> Design:
    return Design(
        "stratified",
        (
            Stratum("flagged", flagged=True, population=10_000 - big, labelled=n1, positives=x1),
            Stratum("not-flagged", flagged=False, population=big, labelled=n0, positives=x0),
        ),
    )


@pytest.mark.parametrize("percent", [2, 5, 10, 20])
def test_the_optimal_split_reaches_the_worked_totals(percent: int) -> None:
    prevalence = percent / 100
    flagged = round(10_000 * prevalence * 0.9 / 0.75)
    strata = two(0, 0, 0, 0, big=10_000 - flagged).strata
    shares = (0.75, 1000 * prevalence / (10_000 - flagged))
    spread = tuple(
        abs(d) * (p * (1 - p)) ** 0.5
        for d, p in zip(slopes("f1", strata, shares), shares, strict=True)
    )
    expected = WORKED["planner"][f"prev {prevalence} two-strata Neyman"]
    totals = Route(strata, shares, spread, spread).totals(GOAL)
    assert totals == pytest.approx([expected["n1"], expected["n0"]], rel=1e-9)


def test_after_example_a_331_more_labels_are_needed() -> None:
    expected = WORKED["planner"]["after A, Jeffreys mean (a=75.5/101,b=2.5/401)"]
    totals = route_of("f1", two().strata, "optimal").totals(GOAL)
    assert totals == pytest.approx([expected["n1"], expected["n0"]], rel=1e-9)
    answer = plan(two(), median_seconds=12)
    assert answer.more_labels == 331
    assert dict(answer.by_stratum) == {"flagged": 183, "not-flagged": 148}
    assert answer.half_width == pytest.approx(0.0726, abs=1e-4)
    assert answer.minutes == pytest.approx(331 * 12 / 60)
    assert answer.more_labels_assured is not None
    assert 400 < answer.more_labels_assured < 500


@pytest.mark.parametrize("metric", ["precision", "recall", "specificity", "f1", "accuracy"])
def test_the_slopes_are_the_derivatives(metric: str) -> None:
    step = 1e-7
    strata = [
        Stratum(f"s{h}", flagged=h < 2, population=100 * (h + 1), labelled=10, positives=5)
        for h in range(4)
    ]
    shares = [0.7, 0.4, 0.1, 0.2]

    def value(at: list[float]) -> float:
        exact = [
            Stratum(s.name, s.flagged, s.population, 10**9, round(p * 10**9))
            for s, p in zip(strata, at, strict=True)
        ]
        got = estimate(metric, Design("stratified", tuple(exact))).value
        assert got is not None
        return got

    for h, slope in enumerate(slopes(metric, strata, shares)):
        moved = [p + step * (i == h) for i, p in enumerate(shares)]
        assert (value(moved) - value(shares)) / step == pytest.approx(slope, abs=1e-4)


def test_a_goal_that_is_met_needs_nothing() -> None:
    answer = plan(two(), half_width=0.2)
    assert (answer.more_labels, answer.more_labels_assured, answer.by_stratum) == (0, 0, ())


def test_a_census_has_nothing_left_to_label() -> None:
    answer = plan(two(n1=600, x1=450, n0=9400, x0=47))
    assert (answer.more_labels, answer.next_stratum) == (0, None)


def test_before_the_first_label_the_plan_is_a_guess_that_is_not_empty() -> None:
    answer = plan(two(0, 0, 0, 0), median_seconds=None)
    assert answer.half_width == 0.5
    assert answer.more_labels > 200
    assert answer.more_labels_assured is None
    assert answer.minutes is None


def test_no_false_negative_so_far_still_asks_for_labels_among_the_not_flagged() -> None:
    assert dict(plan(two(n0=100, x0=0), assured=False).by_stratum)["not-flagged"] > 0


def test_a_random_extension_needs_more_than_the_best_allocation() -> None:
    best, simple = (
        plan(two(), allocation=how, assured=False).more_labels
        for how in ("optimal", "proportional")
    )
    assert simple > 2 * best


def test_an_empty_frame_has_an_empty_plan() -> None:
    answer = plan(Design("simple", ()))
    assert (answer.more_labels, answer.next_stratum, answer.by_stratum) == (0, None, ())


@given(
    st.dictionaries(st.text("abc", min_size=1), st.floats(0.01, 1e6), min_size=1),
    st.integers(0, 10_000),
)
def test_whole_numbers_sum_to_the_total(wanted: dict[str, float], total: int) -> None:
    split = apportion(wanted, total)
    assert sum(split.values()) == total
    assert min(split.values()) >= 0


def test_the_plan_has_the_keys_of_the_report() -> None:
    assert list(plan(two(), assured=False).as_dict()) == [
        "metric",
        "goalHalfWidth",
        "halfWidth",
        "moreLabels",
        "moreLabelsAssured",
        "minutes",
        "nextStratum",
        "byStratum",
    ]
