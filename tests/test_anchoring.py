"""Anchoring: the worked numbers, and the arms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from statsmodels.stats.contingency_tables import StratifiedTable

from labkit.estimation.anchoring import (
    Answered,
    Arms,
    anchoring,
    detectable_difference,
    items_per_arm,
    mantel_haenszel,
    newcombe_difference,
)

EXPECTED: dict[str, Any] = json.loads(
    (Path(__file__).parent / "conformance/stats/anchoring_expected.json").read_text()
)


def answers(arm: str, same: int, n: int, stratum: str = "flagged") -> list[Answered]:
    return [Answered(arm, stratum, same=i < same) for i in range(n)]


def test_newcombes_interval_of_the_worked_example() -> None:
    assert newcombe_difference(93, 100, 84, 100) == pytest.approx(
        EXPECTED["diff_newcomb"], abs=1e-9
    )
    assert newcombe_difference(0, 0, 3, 4) == (-1, 1)


@pytest.mark.parametrize(("change", "expected"), EXPECTED["n_per_arm"].items())
def test_items_per_arm(change: str, expected: float) -> None:
    base, other = map(float, change.split("->"))
    assert items_per_arm(base, other) == expected


@pytest.mark.parametrize(("case", "expected"), EXPECTED["mde_at_n_per_arm"].items())
def test_the_smallest_difference_that_can_be_seen(case: str, expected: float | None) -> None:
    _, base, _, n = case.split()
    found = detectable_difference(float(base), float(n))
    if expected is None:
        assert found is None
    else:
        assert found == pytest.approx(expected, abs=1e-9)


def test_one_stratum_is_newcombe() -> None:
    found = anchoring([*answers("assisted", 93, 100), *answers("blind", 84, 100)])
    assert (found.blind, found.assisted, found.method) == (0.84, 0.93, "newcombe")
    assert found.sentence() == (
        "blind 84 %, assisted 93 %, +9 points [0, 18]; this session could detect ±12"
    )


def test_several_strata_are_pooled_by_mantel_and_haenszel() -> None:
    strata = [Arms("a", 60, 55, 50, 40), Arms("b", 40, 30, 45, 33)]
    difference, (low, high) = mantel_haenszel(strata)
    tables = StratifiedTable([[[55, 5], [40, 10]], [[30, 10], [33, 12]]])
    assert tables.logodds_pooled > 0
    by_hand = (60 * 50 / 110 * (55 / 60 - 0.8) + 40 * 45 / 85 * (0.75 - 33 / 45)) / (
        60 * 50 / 110 + 40 * 45 / 85
    )
    assert difference == pytest.approx(by_hand, abs=1e-12)
    assert low < difference < high
    rows = [
        *answers("assisted", 55, 60, "a"),
        *answers("blind", 40, 50, "a"),
        *answers("assisted", 30, 40, "b"),
        *answers("blind", 33, 45, "b"),
    ]
    found = anchoring(rows)
    assert (found.difference, found.low, found.high) == (difference, low, high)


def test_satos_interval_in_one_stratum_is_close_to_the_plain_one() -> None:
    difference, (low, high) = mantel_haenszel([Arms("a", 100, 93, 100, 84)])
    assert difference == pytest.approx(0.09)
    assert (low, high) == pytest.approx(EXPECTED["diff_wald"], abs=0.002)


def test_an_arm_without_labels_is_said() -> None:
    found = anchoring(answers("blind", 5, 6))
    assert (found.difference, found.low, found.reason) == (
        None,
        None,
        "no label of the assisted arm",
    )
    assert found.as_dict()["assisted"] == {"n": 0, "agreement": None}


def test_known_truths_split_anchoring_from_help() -> None:
    rows = [
        Answered("assisted", "s", same=True, ai_right=False),
        Answered("assisted", "s", same=False, ai_right=False),
        Answered("assisted", "s", same=True, ai_right=True),
        Answered("blind", "s", same=False, ai_right=True),
    ]
    found = anchoring(rows)
    assert found.over_reliance == (None, 0.5)
    assert found.under_reliance == (1.0, 0.0)
