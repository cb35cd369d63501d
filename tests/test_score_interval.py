"""The score interval: worked examples, an independent implementation, and what never happens."""

from __future__ import annotations

import itertools
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from labkit.estimation.intervals import effective_size, wilson, wilson_f1
from labkit.estimation.score_batch import score_intervals
from labkit.estimation.score_interval import (
    METRICS,
    Cell,
    _Equation,
    point,
    score_interval,
)

WORKED: dict[str, Any] = json.loads(
    (Path(__file__).parent / "conformance/stats/estimator_worked_examples.json").read_text()
)
FIVE = ("precision", "recall", "f1", "accuracy", "prevalence")
Z = 1.959963984540054


def flagged(population: int, share: float, size: float) -> Cell:
    return Cell(flagged=True, population=population, share=share, size=size)


def others(population: int, share: float, size: float) -> Cell:
    return Cell(flagged=False, population=population, share=share, size=size)


def cells_of(example: str, *, fpc: bool) -> list[Cell]:
    i = WORKED[example]["inputs"]
    return [
        Cell(
            flagged,
            i[f"N{k}"],
            i[f"x{k}"] / i[f"n{k}"],
            effective_size(i[f"n{k}"], i[f"N{k}"] if fpc else None),
        )
        for flagged, k in ((True, 1), (False, 0))
    ]


@pytest.mark.parametrize("example", ["A", "C_small"])
@pytest.mark.parametrize("metric", FIVE)
def test_the_worked_points(example: str, metric: str) -> None:
    assert point(metric, cells_of(example, fpc=True)) == pytest.approx(
        WORKED[example][metric], abs=1e-12
    )


@pytest.mark.parametrize("example", ["A", "C_small"])
@pytest.mark.parametrize("metric", FIVE)
@pytest.mark.parametrize("fpc", [True, False])
def test_the_worked_intervals(example: str, metric: str, *, fpc: bool) -> None:
    expected = WORKED[example][f"{metric}_score_{'fpc' if fpc else 'nofpc'}"]
    assert score_interval(metric, cells_of(example, fpc=fpc)) == pytest.approx(expected, abs=1e-9)


def test_no_false_negative_in_the_sample_does_not_make_recall_certain() -> None:
    cells = [flagged(600, 0.75, 100), others(9400, 0.0, 400)]
    low, high = score_interval("recall", cells)
    assert point("recall", cells) == high == 1
    rule_of_thumb = 450 / (450 + 9400 * Z**2 / (400 + Z**2))
    assert low == pytest.approx(rule_of_thumb, abs=0.02)


def test_two_strata_without_a_finite_population_are_the_ratio_score_interval() -> None:
    for x0, n0, x1, n1 in ((2, 400, 75, 100), (5, 60, 30, 40), (1, 30, 3, 90)):
        low, high = confint_proportions_2indep(
            x0, n0, x1, n1, compare="ratio", method="score", correction=False
        )
        ratio = 9400 / 600
        expected = (1 / (1 + ratio * high), 1 / (1 + ratio * low))
        cells = [flagged(600, x1 / n1, n1), others(9400, x0 / n0, n0)]
        assert score_interval("recall", cells) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("x", "n"), [(0, 77), (38, 38), (75, 100), (1, 3), (0, 1)])
def test_wilson_is_the_one_of_statsmodels(x: int, n: int) -> None:
    assert wilson(x, n) == pytest.approx(proportion_confint(x, n, method="wilson"), abs=1e-12)


def test_wilson_with_a_finite_population() -> None:
    assert wilson(75, 100, population=600) == pytest.approx(
        (0.665513480322023, 0.818951848470866), abs=1e-12
    )
    assert wilson(75, 100, population=100) == (0.75, 0.75)


def test_wilson_on_jaccard_carries_over_to_f1() -> None:
    low, high = proportion_confint(60, 90, method="wilson")
    assert wilson_f1(60, 30) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))
    assert wilson_f1(0, 0) == (0, 1)


# An independent implementation: generic root finding, no Newton, no closed form for the shares.


def _oracle_distance(metric: str, cells: list[Cell], theta: float) -> float:
    n1 = sum(c.population for c in cells if c.flagged)
    n0 = sum(c.population for c in cells if not c.flagged)
    line: dict[str, tuple[float, float, float]] = {
        "precision": (1, 0, theta * n1),
        "recall": (1 - theta, -theta, 0),
        "f1": (2 - theta, -theta, theta * n1),
        "accuracy": (1, -1, theta * (n1 + n0) - n0),
        "prevalence": (1, 1, theta * (n1 + n0)),
    }
    on_flagged, on_others, target = line[metric]
    c = np.array([(on_flagged if x.flagged else on_others) * x.population for x in cells])
    share = np.array([x.share for x in cells])
    size = np.array([x.size for x in cells])

    def fitted(lam: float) -> np.ndarray[Any, Any]:
        out = []
        for ci, pi, mi in zip(c, share, size, strict=True):
            roots = np.roots([lam * ci, -(lam * ci + mi), pi * mi])
            inside = [r.real for r in roots if -1e-9 <= r.real <= 1 + 1e-9]
            out.append(min(inside, key=lambda r: abs(r - pi)) if inside else pi)
        return np.clip(np.array(out), 0, 1)

    gap = float(c @ share - target)
    reach = 1e4 * float(np.max(size)) / float(np.min(np.abs(c[c != 0])))
    lam = brentq(lambda v: float(c @ fitted(v) - target), -reach, reach, xtol=1e-16, maxiter=500)
    p = fitted(lam)
    return gap / math.sqrt(float(np.sum(c**2 * p * (1 - p) / size)))


@pytest.mark.parametrize("metric", FIVE)
@pytest.mark.parametrize("seed", range(6))
def test_an_independent_implementation_rejects_just_outside_the_ends(
    metric: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    cells = []
    for h in range(5 if metric != "precision" else 2):
        population, n = int(rng.integers(300, 5000)), int(rng.integers(20, 200))
        x = int(rng.integers(1, n))
        flagged = metric == "precision" or h % 2 == 0
        cells.append(Cell(flagged, population, x / n, effective_size(n, population)))
    low, high = score_interval(metric, cells)
    assert _oracle_distance(metric, cells, low) == pytest.approx(Z, abs=1e-5)
    assert _oracle_distance(metric, cells, high) == pytest.approx(-Z, abs=1e-5)


@st.composite
def designs(draw: st.DrawFn) -> list[Cell]:
    cells = []
    for _ in range(draw(st.integers(1, 8))):
        n = draw(st.integers(1, 400))
        population = n + draw(st.sampled_from([0, 1, 50, 100_000]))
        x = draw(st.sampled_from([0, n, draw(st.integers(0, n))]))
        cells.append(Cell(draw(st.booleans()), population, x / n, effective_size(n, population)))
    return cells


@given(designs(), st.sampled_from(METRICS))
@settings(deadline=None)
def test_every_interval_holds_its_point_inside_zero_and_one(cells: list[Cell], metric: str) -> None:
    value = point(metric, cells)
    low, high = score_interval(metric, cells)
    assert 0 <= low <= high <= 1
    if value is None:
        assert (low, high) == (0, 1)
    else:
        assert low <= value <= high


@given(designs(), st.sampled_from(METRICS))
@settings(deadline=None)
def test_a_stratum_that_is_labelled_whole_adds_no_variance(cells: list[Cell], metric: str) -> None:
    census = [Cell(c.flagged, c.population, c.share, math.inf) for c in cells]
    value = point(metric, census)
    assert score_interval(metric, census) == ((0, 1) if value is None else (value, value))


@given(designs(), st.sampled_from(METRICS), st.sampled_from([2, 10, 1000]))
@settings(deadline=None)
def test_only_the_proportions_of_the_strata_matter(
    cells: list[Cell], metric: str, factor: int
) -> None:
    scaled = [Cell(c.flagged, c.population * factor, c.share, c.size) for c in cells]
    assert score_interval(metric, scaled) == pytest.approx(score_interval(metric, cells), abs=1e-7)


def test_the_distance_falls_all_the_way_though_the_shares_have_kinks() -> None:
    cells = [flagged(2392, 1.0, 59.41645244), others(2583, 0.24050633, 168.22927835)]
    equation = _Equation("f1", cells[:1], cells[1:])
    distances = []
    for theta in np.linspace(0.7, 0.97, 300):
        equation.start = 0.0
        distances.append(equation.distance(theta))
    assert all(a > b for a, b in itertools.pairwise(distances))


def test_a_wider_level_is_a_wider_interval() -> None:
    cells = cells_of("A", fpc=True)
    for metric in METRICS:
        narrow, wide = (score_interval(metric, cells, level=level) for level in (0.8, 0.99))
        assert wide.low < narrow.low < narrow.high < wide.high


def test_an_interval_takes_at_most_two_milliseconds() -> None:
    cells = [
        Cell(h < 5, 1000 * (h + 1), share, effective_size(40, 1000 * (h + 1)))
        for h, share in enumerate((0.95, 0.8, 0.7, 0.55, 0.5, 0.2, 0.1, 0.025, 0.0, 0.0))
    ]
    times = []
    for metric in METRICS * 3:
        start = time.process_time()
        score_interval(metric, cells)
        times.append(time.process_time() - start)
    assert sorted(times)[len(times) // 2] < 0.002


@given(designs(), st.sampled_from(FIVE))
@settings(deadline=None, max_examples=40)
def test_many_rows_at_once_have_the_intervals_of_one_by_one(cells: list[Cell], metric: str) -> None:
    ends = score_intervals(
        metric,
        np.array([c.flagged for c in cells]),
        np.array([c.population for c in cells], dtype=float),
        np.array([[c.share for c in cells]]),
        np.array([[c.size for c in cells]]),
        halvings=30,
    )
    if metric == "precision" and not any(c.flagged for c in cells):
        return
    assert ends[0] == pytest.approx(score_interval(metric, cells), abs=1e-6)
