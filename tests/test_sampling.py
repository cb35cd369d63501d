"""What a drawn sample promises."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import InputError
from labkit.sampling import (
    Sample,
    draw_key,
    draw_simple,
    draw_stratified,
    extend_simple,
    extend_stratified,
    show_key,
)

IDS = [f"com.acme.Class#{i}" for i in range(200)]
FRAME = {item: "flagged" if i % 5 == 0 else "not-flagged" for i, item in enumerate(IDS)}


def chances(sample: Sample) -> dict[str, float]:
    return {unit.item: unit.inclusion_probability for unit in sample.drawn}


def test_the_two_keys_are_md5_of_seed_and_id_in_utf8() -> None:
    assert draw_key("ü#1", 7) == hashlib.md5("7:ü#1".encode()).hexdigest()  # noqa: S324  # no secret
    assert show_key("ü#1", 7) == hashlib.md5("7:show:ü#1".encode()).hexdigest()  # noqa: S324  # as above


@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 10**6))
def test_a_larger_simple_sample_contains_the_smaller_one(a: int, b: int, seed: int) -> None:
    small, large = (draw_simple(IDS, k, seed=seed) for k in sorted((a, b)))
    assert set(small.items) <= set(large.items)
    assert len(set(large.items)) == max(a, b)


@given(st.permutations(IDS[:30]))
def test_the_order_of_the_rows_does_not_matter(ids: list[str]) -> None:
    assert draw_simple(ids, 10, seed=3) == draw_simple(IDS[:30], 10, seed=3)


def test_draw_and_show_follow_their_own_keys() -> None:
    sample = draw_simple(IDS, 20, seed=7)
    assert set(sample.items) == set(sorted(IDS, key=lambda i: (draw_key(i, 7), i))[:20])
    assert list(sample.items) == sorted(sample.items, key=lambda i: (show_key(i, 7), i))
    by_order = sorted(sample.drawn, key=lambda unit: unit.order)
    assert [u.item for u in by_order] == sorted(sample.items, key=lambda i: draw_key(i, 7))


def test_an_extension_comes_after_what_was_there_and_raises_every_chance() -> None:
    first = draw_simple(IDS, 20, seed=7)
    more = extend_simple(first, reversed(IDS), 50)
    assert more.items[:20] == first.items
    assert set(more.items) == set(draw_simple(IDS, 50, seed=7).items)
    assert set(chances(more).values()) == {50 / 200}
    third = extend_simple(more, IDS, 60)
    assert third.items[:50] == more.items
    assert extend_simple(more, IDS, 10) == more


@pytest.mark.parametrize("n", [None, 200, 10_000])
def test_all_items_are_a_census(n: int | None) -> None:
    sample = draw_simple(IDS, n, seed=1)
    assert set(sample.items) == set(IDS)
    assert set(chances(sample).values()) == {1.0}


def test_nothing_to_draw_from_is_an_empty_sample() -> None:
    assert draw_simple([], None, seed=1).drawn == ()
    assert draw_simple([], 5, seed=1).drawn == ()


def test_a_stratum_gives_its_share_and_never_more_than_it_has() -> None:
    sample = draw_stratified(FRAME, {"flagged": 100, "not-flagged": 16}, seed=2)
    assert {(s.name, s.population, s.drawn) for s in sample.strata} == {
        ("flagged", 40, 40),
        ("not-flagged", 160, 16),
    }
    assert {u.stratum: u.inclusion_probability for u in sample.drawn} == {
        "flagged": 1.0,
        "not-flagged": 0.1,
    }


def test_a_stratified_extension_keeps_the_old_queue_as_its_prefix() -> None:
    first = draw_stratified(FRAME, {"flagged": 5, "not-flagged": 5}, seed=2)
    more = extend_stratified(first, FRAME, {"not-flagged": 30})
    assert more.items[:10] == first.items
    assert {s.name: s.drawn for s in more.strata} == {"flagged": 5, "not-flagged": 30}


def test_every_item_is_drawn_about_as_often_as_its_chance_says() -> None:
    hits = dict.fromkeys(IDS, 0)
    for seed in range(400):
        for item in draw_simple(IDS, 20, seed=seed).items:
            hits[item] += 1
    assert sum(hits.values()) == 8000
    assert max(abs(h - 40) for h in hits.values()) < 30


def test_first_place_in_the_queue_does_not_depend_on_the_draw_rank() -> None:
    ranks = [draw_simple(IDS, 20, seed=seed).drawn[0].order for seed in range(400)]
    assert 9 < sum(ranks) / len(ranks) < 12


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: draw_simple(["a", "a"], 1, seed=1), "occurs twice"),
        (lambda: draw_simple(["a"], -1, seed=1), "-1 items is not possible"),
        (lambda: draw_stratified({"a": "x"}, {"y": 1}, seed=1), "'y' has no item"),
    ],
)
def test_a_draw_that_cannot_be_is_one_sentence(call: object, sentence: str) -> None:
    assert callable(call)
    with pytest.raises(InputError, match=sentence):
        call()
