"""Ratios, clusters, unequal chances and tags: variance from the right unit."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.metrics import f1_score

from labkit.estimation.clusters import Cluster, clustered_share
from labkit.estimation.hajek import Weighed, hajek_cells
from labkit.estimation.intervals import t_of, wilson, wilson_f1
from labkit.estimation.ratios import Part, estimate_ratio
from labkit.estimation.score_interval import point, score_interval
from labkit.estimation.tag_estimates import Tagged, estimate_macro, estimate_micro, estimate_tag

WORKED: dict[str, Any] = json.loads(
    (Path(__file__).parent / "conformance/stats/estimator_worked_examples.json").read_text()
)


def weighed(flagged: int, positive: int, chance: float) -> Weighed:
    return Weighed(bool(flagged), bool(positive), chance)


def example_parts(metric: str) -> tuple[list[Part], dict[str, float]]:
    parts = []
    for stratum, flagged, n, x in (("f", 1, 100, 75), ("u", 0, 400, 2)):
        for i in range(n):
            y = int(i < x)
            over, under = {"recall": (flagged * y, y), "precision": (flagged * y, flagged)}[metric]
            parts.append(Part(stratum, over, under))
    return parts, {"f": 600.0, "u": 9400.0}


@pytest.mark.parametrize("metric", ["recall", "precision"])
def test_the_linearised_errors_of_the_worked_example(metric: str) -> None:
    found = estimate_ratio(*example_parts(metric))
    assert found is not None
    assert found.value == pytest.approx(WORKED["A"][metric], abs=1e-12)
    assert math.sqrt(found.variance) == pytest.approx(WORKED["A"][f"se_{metric}"], abs=1e-12)


def test_a_ratio_of_nothing_is_undefined_and_a_census_is_exact() -> None:
    assert estimate_ratio([], {}) is None
    assert estimate_ratio([Part("s", 0, 0)], {"s": 10}) is None
    whole = estimate_ratio([Part("s", 1, 2), Part("s", 0, 1)], {"s": 2})
    assert whole is not None
    assert whole.interval() == (pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_no_variance_in_the_sample_is_not_certainty() -> None:
    found = estimate_ratio([Part("s", 1, 1)] * 20, {"s": 1000})
    assert found is not None
    assert found.interval() == pytest.approx(wilson(20, 20))


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 29, 30])
def test_students_quantiles(freedom: int) -> None:
    assert t_of(0.95, freedom) == pytest.approx(student.ppf(0.975, freedom), abs=1e-9)


def test_runs_of_the_same_case_are_not_more_cases() -> None:
    cases = [Cluster(3, 3)] * 20 + [Cluster(0, 3)] * 10
    found = clustered_share(cases)
    assert found.clusters == 30
    once = clustered_share([Cluster(1, 1)] * 20 + [Cluster(0, 1)] * 10)
    assert found.interval == pytest.approx(once.interval)
    pooled = wilson(60, 90)
    assert found.interval.half_width > 1.6 * pooled.half_width


def test_clusters_without_variance_count_once_each() -> None:
    found = clustered_share([Cluster(3, 3)] * 10)
    assert found.value == 1
    assert found.interval.low < 0.75
    assert clustered_share([]).value is None
    assert clustered_share([Cluster(2, 3)]).interval == (0, 1)


def test_equal_chances_give_back_the_plain_shares() -> None:
    units = [weighed(1, i < 75, 1 / 6) for i in range(100)]
    units += [weighed(0, i < 2, 400 / 9400) for i in range(400)]
    cells = hajek_cells(units, 600, 9400)
    assert point("f1", cells) == pytest.approx(WORKED["A"]["f1"], abs=1e-12)
    assert score_interval("f1", cells) == pytest.approx(WORKED["A"]["f1_score_fpc"], abs=0.006)


def test_a_unit_that_was_less_likely_drawn_stands_for_more() -> None:
    units = [weighed(1, 1, 0.5), weighed(1, 0, 0.1), weighed(0, 0, 0.2)]
    flagged, others = hajek_cells(units, 12, 5)
    assert flagged.share == pytest.approx(2 / 12)
    assert (others.share, others.population) == (0, 5)


def test_scaling_every_chance_changes_no_share() -> None:
    rng = np.random.default_rng(1)
    chances = rng.uniform(0.1, 0.4, 60)
    units = [Weighed(i % 2 == 0, i % 3 == 0, float(c)) for i, c in enumerate(chances)]
    half = [Weighed(u.flagged, u.positive, u.inclusion_probability / 2) for u in units]
    for one, two in zip(hajek_cells(units, 50, 70), hajek_cells(half, 50, 70), strict=True):
        assert one.share == pytest.approx(two.share, abs=1e-12)


def test_a_class_without_a_hit_keeps_a_wide_interval() -> None:
    units = [weighed(1, 1, 0.2)] * 10 + [weighed(0, 0, 0.05)] * 40
    low, high = score_interval("recall", hajek_cells(units, 50, 800))
    assert low < 0.6
    assert high == 1


TAGS = ("auth", "crypto", "io")


def tagged(n: int, seed: int = 1) -> list[Tagged]:
    rng = np.random.default_rng(seed)
    units = []
    for i in range(n):
        gold = frozenset(t for t in TAGS if rng.random() < 0.3)
        predicted = frozenset(t for t in TAGS if rng.random() < (0.8 if t in gold else 0.1))
        units.append(Tagged(f"m{i}", "all", predicted, gold))
    return units


def matrix(units: list[Tagged], side: str) -> np.ndarray[Any, Any]:
    return np.array([[t in getattr(u, side) for t in TAGS] for u in units])


def test_micro_and_macro_are_the_ones_of_scikit_learn() -> None:
    units = tagged(200)
    gold, predicted = matrix(units, "gold"), matrix(units, "predicted")
    sizes = {"all": 200.0}
    micro = estimate_micro(units, sizes, basis="blind", design="census")
    assert micro[0].value == pytest.approx(f1_score(gold, predicted, average="micro"), abs=1e-12)
    assert (micro[0].low, micro[0].method) == (micro[0].value, "census")
    macro = estimate_macro(units, sizes, basis="blind", design="census")
    assert macro.value == pytest.approx(f1_score(gold, predicted, average="macro"), abs=1e-12)
    assert macro.low == macro.high == macro.value


def test_the_item_is_the_unit_of_micro_f1() -> None:
    every = frozenset(TAGS)
    units = [Tagged(f"m{i}", "all", every, every if i % 4 else frozenset()) for i in range(80)]
    row = estimate_micro(units, {"all": 10_000.0}, basis="blind", design="simple")[0]
    assert (row.low, row.high) == pytest.approx(wilson_f1(60, 20), abs=0.002)


def test_macro_is_reproducible_and_warns_of_rare_tags() -> None:
    units = tagged(30)
    rows = [
        estimate_macro(u, {"all": 1000.0}, basis="blind", design="simple")
        for u in (units, units[::-1])
    ]
    assert rows[0] == rows[1]
    assert rows[0].reason is not None
    assert "rarest tag" in rows[0].reason
    assert rows[0].low is not None
    assert rows[0].high is not None
    assert 0 < rows[0].low < rows[0].high < 1


def test_one_tag_is_post_stratified_by_the_ais_tag() -> None:
    units = tagged(200)
    everyone = sum("auth" in u.predicted for u in tagged(1000, seed=2))
    rows = {
        row.name: row
        for row in estimate_tag(
            "auth", units, everyone, 1000, {"all": 1000.0}, basis="blind", design="simple"
        )
    }
    hits = sum("auth" in u.predicted and "auth" in u.gold for u in units)
    given = sum("auth" in u.predicted for u in units)
    assert rows["tag.auth.precision"].value == pytest.approx(hits / given)
    weighted = estimate_tag(
        "auth", units, everyone, 1000, {"all": 1000.0}, basis="blind", design="s", simple=False
    )
    for row in weighted:
        assert row.value == pytest.approx(rows[row.name].value, abs=0.05)
        assert row.half_width == pytest.approx(rows[row.name].half_width, rel=0.15)


def test_a_tag_nobody_gave_is_undefined_and_says_so() -> None:
    rows = estimate_tag(
        "sql",
        tagged(20),
        0,
        50,
        {"all": 50.0},
        basis="blind",
        design="simple",
    )
    assert [row.value for row in rows] == [None] * 3
    assert rows[0].reason == "tag.sql.precision: the AI tagged sql no item"
    assert estimate_micro([], {}, basis="blind", design="simple")[0].value is None
    assert estimate_macro([], {}, basis="blind", design="simple").value is None
