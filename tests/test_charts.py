"""Charts and the numbers behind them."""

from __future__ import annotations

import itertools
import json
import random

import pytest

from labkit import charts
from labkit.config import Goal
from labkit.estimation.curves import reliability_curve, risk_coverage, width_curve
from labkit.estimation.designs import Design, Stratum
from labkit.estimation.estimates import estimate_binary
from labkit.estimation.population import Population
from labkit.estimation.units import Labelled, Predicted
from labkit.estimation.whole import Options, estimate_all
from labkit.model import Basis, Label, Question, Task
from labkit.numbers import Frames, curves

DESIGN = Design(
    "stratified",
    (
        Stratum("flagged", flagged=True, population=600, labelled=100, positives=75),
        Stratum("not-flagged", flagged=False, population=9400, labelled=400, positives=2),
    ),
)


def a_world(size: int = 2000) -> tuple[Population, list[Labelled]]:
    rng = random.Random(5)  # noqa: S311  # made-up data
    predicted, labels = [], []
    for i in range(size):
        p = rng.random()
        predicted.append(Predicted(f"m{i}", flagged=p >= 0.5, confidence=p))
        if i % 8 == 0:
            labels.append(Labelled(f"m{i}", positive=rng.random() < p))
    return Population.of(predicted), labels


def test_a_reliability_curve_lists_every_bin_with_its_bars() -> None:
    bins = reliability_curve([(0.25, i < 5) for i in range(20)])
    assert [b.count for b in bins] == [0, 0, 20, 0, 0, 0, 0, 0, 0, 0]
    full = bins[2]
    assert (full.accuracy, full.mean_confidence) == (0.25, 0.25)
    assert full.consistent_low is not None
    assert full.consistent_high is not None
    assert full.consistent_low <= 0.25 <= full.consistent_high
    assert bins[0].accuracy is None


def test_fewer_answers_kept_are_more_accurate_ones() -> None:
    population, labels = a_world()
    points = risk_coverage(population, labels)
    assert 30 <= len(points) <= 42
    assert points[0].coverage == 1
    assert all(a.coverage > b.coverage for a, b in itertools.pairwise(points))
    first, late = points[0].accuracy, points[30].accuracy
    assert first is not None
    assert late is not None
    assert late > first
    whole = estimate_all(population, labels, Options(thresholds=(points[10].threshold,)))
    row = whole.named(f"selective_accuracy@{points[10].threshold:g}")
    assert row is not None
    assert points[10].accuracy == pytest.approx(row.value, abs=1e-3)
    assert risk_coverage(Population.of([Predicted("a", flagged=True)]), []) == ()


def test_more_labels_make_a_narrower_interval() -> None:
    points = width_curve(DESIGN)
    assert points[0].labels == 500
    assert points[0].half_width == pytest.approx(0.0726, abs=1e-4)
    widths = [point.half_width for point in points]
    assert widths == sorted(widths, reverse=True)
    at_goal = next(point for point in points if point.half_width <= 0.05)
    assert 800 <= at_goal.labels <= 950
    unlabelled = Design(
        "s", tuple(Stratum(s.name, s.flagged, s.population, 0, 0) for s in DESIGN.strata)
    )
    assert width_curve(unlabelled)[0].half_width == 0.5


def test_every_chart_is_drawn_without_a_network() -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    population, labels = a_world()
    truth = {label.item: bool(label.positive) for label in labels}
    bins = reliability_curve((population.confidences[item], yes) for item, yes in truth.items())
    rows = [*estimate_binary(DESIGN), *estimate_binary(Design("none", ()))]
    for chart in (
        charts.reliability(bins),
        charts.risk_coverage(risk_coverage(population, labels), threshold=0.8),
        charts.forest(rows),
        charts.tags(rows),
        charts.widths(width_curve(DESIGN), goal=0.05),
        charts.widths(width_curve(DESIGN)),
    ):
        assert charts.render_svg(chart).startswith("<svg")


def test_a_chart_bins_nothing_itself() -> None:
    pytest.importorskip("altair")
    bins = reliability_curve([(0.3, True), (0.95, True)])
    spec = charts.reliability(bins).to_dict()
    assert "'bin': True" not in str(spec)
    assert "'maxbins'" not in str(spec)


def test_the_results_tab_has_every_curve() -> None:
    population, labels = a_world(400)
    frames = Frames(Task("table", (Question("label", "binary", "?"),)), {}, population, "simple")
    told = [
        Label(
            one.item,
            "ines",
            {"label": one.positive},
            {"label": one.positive},
            Basis.BLIND,
            inclusion_probability=0.1,
        )
        for one in labels
    ]
    found = curves(frames, told, Goal())
    assert set(found) == {"reliability", "risk", "widths", "goal"}
    assert found["goal"] == {"metric": "f1", "at": 0.05}
    json.dumps(found, allow_nan=False)
    nothing = curves(frames, [], Goal())
    assert (nothing["reliability"], nothing["risk"]) == ([], [])
