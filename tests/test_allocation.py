"""Bands and allocation: where the labels go."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import InputError
from labkit.estimation.allocation import bands, fill, neyman
from labkit.estimation.units import Predicted
from labkit.sampling import draw_by_confidence, draw_by_stratum, draw_poisson


def a_population(size: int = 2000, seed: int = 1) -> list[Predicted]:
    rng = random.Random(seed)  # noqa: S311  # made-up data
    confidences = [rng.random() ** 3 for _ in range(size)]
    return [
        Predicted(f"m{i}", flagged=p >= 0.5, confidence=p, stratum="java" if i % 2 else "go")
        for i, p in enumerate(confidences)
    ]


def test_five_bands_by_default() -> None:
    frame = bands(a_population())
    assert set(frame.values()) == {
        "p>=0.9/flagged",
        "p<0.9/flagged",
        "p>=0.2/not-flagged",
        "p0.05-0.2/not-flagged",
        "p<0.05/not-flagged",
    }
    by_item = {unit.item: unit for unit in a_population()}
    for item, stratum in frame.items():
        assert stratum.endswith("/flagged") == by_item[item].flagged


@pytest.mark.parametrize(
    ("confidences", "wanted"),
    [
        ([0.95] * 40, 1),
        ([0.7, 0.8] * 20, 2),
        ([0.99, 0.97, 0.98, 0.96] * 10, 2),
        ([None] * 20, 1),
        ([None, 0.95, 0.6] * 10, 3),
        ([0.95], 1),
    ],
)
def test_coarse_or_absent_confidences_make_their_own_bands(
    confidences: list[float | None], wanted: int
) -> None:
    units = [Predicted(f"m{i}", flagged=True, confidence=p) for i, p in enumerate(confidences)]
    frame = bands(units)
    assert len(set(frame.values())) == wanted
    together = {unit.confidence: frame[unit.item] for unit in units}
    assert all(frame[unit.item] == together[unit.confidence] for unit in units)


def test_items_without_an_ai_answer_are_outside_the_frame() -> None:
    assert bands([Predicted("a", flagged=None, confidence=0.3)]) == {}


@pytest.mark.parametrize("n", [0, 1, 7, 40, 200, 1999, 5000])
def test_the_allocation_sums_to_what_was_asked_for(n: int) -> None:
    population = a_population()
    frame = bands(population)
    allocation = neyman(population, frame, n)
    sizes = Counter(frame.values())
    assert sum(allocation.values()) == min(n, 2000)
    assert all(0 <= k <= sizes[name] for name, k in allocation.items())


def test_every_stratum_gets_its_floor() -> None:
    population = a_population()
    allocation = neyman(population, bands(population), 200)
    assert min(allocation.values()) >= 10


def test_labels_go_where_f1_is_decided() -> None:
    population = a_population()
    frame = bands(population)
    share = {
        name: k / Counter(frame.values())[name]
        for name, k in neyman(population, frame, 300).items()
    }
    assert share["p<0.9/flagged"] > share["p>=0.9/flagged"]
    assert share["p>=0.2/not-flagged"] > share["p<0.05/not-flagged"]


def test_a_flagged_item_weighs_more_than_another_by_the_slopes_of_f1() -> None:
    units = [Predicted(f"m{i}", flagged=i < 1000, confidence=0.5) for i in range(2000)]
    assert neyman(units, bands(units), 500, guessed_f1=0.8) == {"flagged": 300, "not-flagged": 200}


def test_a_stratum_to_take_whole_is_taken_whole() -> None:
    units = [Predicted(f"m{i}", flagged=i < 30, stratum="auth") for i in range(500)]
    sample = draw_by_stratum(units, 100, seed=1, take_all=["auth/flagged"])
    assert {(s.name, s.drawn) for s in sample.strata} == {
        ("auth/flagged", 30),
        ("auth/not-flagged", 70),
    }


def test_own_strata_are_crossed_with_the_decision() -> None:
    sample = draw_by_stratum(a_population(), 100, seed=1)
    assert {s.name for s in sample.strata} == {
        f"{language}/{side}" for language in ("go", "java") for side in ("flagged", "not-flagged")
    }
    assert len(sample.drawn) == 100


def test_a_draw_by_confidence_is_deterministic_and_carries_its_chances() -> None:
    sample = draw_by_confidence(a_population(), 200, seed=3)
    assert sample == draw_by_confidence(list(reversed(a_population())), 200, seed=3)
    sizes = {s.name: s for s in sample.strata}
    for unit in sample.drawn:
        size = sizes[unit.stratum]
        assert unit.inclusion_probability == size.drawn / size.population


@given(
    st.lists(
        st.tuples(st.integers(1, 500), st.just(0.0) | st.floats(1e-6, 100)), min_size=1, max_size=12
    ),
    st.integers(0, 4000),
)
def test_filling_keeps_floors_sizes_and_the_total(strata: list[tuple[int, float]], n: int) -> None:
    sizes = {f"s{i}": size for i, (size, _) in enumerate(strata)}
    pull = {f"s{i}": weight for i, (_, weight) in enumerate(strata)}
    floor = dict.fromkeys(sizes, 0)
    result = fill(sizes, floor, pull, n)
    assert sum(result.values()) == min(n, sum(sizes.values()))
    assert all(0 <= result[k] <= sizes[k] for k in sizes)


def test_a_poisson_draw_follows_its_chances_and_grows_by_addition() -> None:
    sizes = {f"m{i}": float(i % 10) for i in range(1000)}
    small, large = (draw_poisson(sizes, n, seed=5) for n in (100, 200))
    assert set(small.items) <= set(large.items)
    assert 150 < len(large.drawn) < 250
    chance = {unit.item: unit.inclusion_probability for unit in large.drawn}
    some = next(item for item in chance if item.endswith("9"))
    assert chance[some] == pytest.approx(200 * (0.7 * 9 / 4500 + 0.3 / 1000))
    with pytest.raises(InputError, match=r"0\.3 to 1"):
        draw_poisson(sizes, 100, seed=5, uniform=0.1)
    assert draw_poisson({}, 10, seed=1).drawn == ()
