"""Calibration from a sample: reference values, bias, and intervals that hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from labkit.estimation.binned import Judged, bin_index
from labkit.estimation.calibration import consistency_bar, estimate_calibration

STATS = Path(__file__).parent / "conformance/stats"
CORE: dict[str, Any] = json.loads((STATS / "cal_expected_core.json").read_text())
MANY = {"all": 100_000.0}


def judged(name: str) -> list[Judged]:
    rows = json.loads((STATS / name).read_text())["rows"]
    return [Judged(str(r["id"]), "all", r["p"], bool(r["y"])) for r in rows]


@pytest.mark.parametrize(
    ("file", "key", "ece"),
    [
        ("cal_binary_500.json", "binary_500", "ece_width10_right"),
        ("cal_edges_24.json", "edges_24", "right_iovern"),
    ],
)
def test_the_reference_values(file: str, key: str, ece: str) -> None:
    rows = judged(file)
    found = estimate_calibration(rows, [one.confidence for one in rows], MANY, resamples=50)
    assert found.ece == pytest.approx(CORE[key][ece]["ece"], abs=1e-12)
    assert found.squared == pytest.approx(CORE[key][ece]["l2_debiased"], abs=1e-12)
    assert found.brier == pytest.approx(CORE[key]["brier"], abs=1e-12)


def test_fifteen_bins() -> None:
    rows = judged("cal_binary_500.json")
    found = estimate_calibration(
        rows, [one.confidence for one in rows], MANY, bins=15, resamples=50
    )
    assert found.ece == pytest.approx(CORE["binary_500"]["ece_width15_right"]["ece"], abs=1e-12)


def test_consistency_bars_are_exact() -> None:
    rows = judged("cal_binary_500.json")
    places = bin_index([one.confidence for one in rows])
    for b, (low, high, n) in enumerate(CORE["binary_500"]["consistency_counts_2.5_97.5_width10"]):
        own = [r.confidence for r, place in zip(rows, places, strict=True) if place == b]
        assert len(own) == n
        assert consistency_bar(own) == (low, high)
    assert consistency_bar([0.3] * 40) == (binom.ppf(0.025, 40, 0.3), binom.ppf(0.975, 40, 0.3))
    assert consistency_bar([]) == (0, 0)


def a_world(seed: int, *, shift: float = 0.0, size: int = 5000) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    p = rng.beta(0.8, 2.5, size)
    truth = rng.random(size) < np.clip(p - shift * p, 0, 1)
    return p, truth


def test_a_calibrated_model_is_not_accused() -> None:
    rejected = covered = 0
    for seed in range(60):
        p, truth = a_world(seed)
        rng = np.random.default_rng(1000 + seed)
        sample = rng.choice(len(p), 200, replace=False)
        rows = [Judged(str(i), "all", float(p[i]), bool(truth[i])) for i in sample]
        found = estimate_calibration(rows, p.tolist(), {"all": 5000.0}, resamples=200)
        assert found.p_value is not None
        assert found.rms_interval is not None
        rejected += found.p_value < 0.05
        covered += found.rms_interval.low < 0.02
        assert found.expected_if_calibrated is not None
        assert 0.02 < found.expected_if_calibrated < 0.09
    assert rejected <= 8
    assert covered >= 48


def test_an_overconfident_model_is_seen() -> None:
    p, truth = a_world(1, shift=0.5)
    rows = [Judged(str(i), "all", float(p[i]), bool(truth[i])) for i in range(400)]
    found = estimate_calibration(rows, p.tolist(), {"all": 5000.0})
    assert found.p_value is not None
    assert found.p_value < 0.01
    assert found.rms_interval is not None
    assert found.ece_interval is not None
    assert found.rms_interval.low > 0
    assert found.ece is not None
    assert found.ece_interval.low <= found.ece <= found.ece_interval.high


def test_unequal_strata_are_weighted_back() -> None:
    p, truth = a_world(2, shift=0.3)
    many = [i for i in range(5000) if p[i] >= 0.5]
    few = [i for i in range(5000) if p[i] < 0.5]
    chosen = [("high", i) for i in many[:400]] + [("low", i) for i in few[:200]]
    rows = [Judged(str(i), s, float(p[i]), bool(truth[i])) for s, i in chosen]
    found = estimate_calibration(
        rows, p.tolist(), {"high": float(len(many)), "low": float(len(few))}, resamples=50
    )
    exact = float(np.mean((p - truth) ** 2))
    assert found.brier == pytest.approx(exact, abs=0.03)


def test_a_census_has_no_sampling_error() -> None:
    rows = judged("cal_binary_500.json")
    found = estimate_calibration(rows, [one.confidence for one in rows], {"all": 500.0})
    assert found.ece_interval == (found.ece, found.ece)
    assert (found.expected_if_calibrated, found.p_value) == (None, None)


def test_nothing_labelled_is_undefined_and_all_bins_are_there() -> None:
    found = estimate_calibration([], [0.1, 0.9], {})
    assert (found.n, found.ece, found.rms, found.brier) == (0, None, None, None)
    assert [one.population for one in found.bins] == [1, 0, 0, 0, 0, 0, 0, 0, 1, 0]


def test_one_label_in_every_bin_cannot_be_debiased() -> None:
    rows = [Judged("a", "all", 0.05, positive=False), Judged("b", "all", 0.95, positive=True)]
    found = estimate_calibration(rows, [0.05, 0.95] * 10, {"all": 20.0})
    assert found.ece is not None
    assert found.rms is None


def test_the_order_of_the_rows_changes_nothing() -> None:
    rows = judged("cal_binary_500.json")
    p = [one.confidence for one in rows]
    one = estimate_calibration(rows, p, MANY, resamples=100)
    assert estimate_calibration(rows[::-1], p[::-1], MANY, resamples=100) == one
