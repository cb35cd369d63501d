"""Which finding answers which expectation, by the rule of each system."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.matching import (
    LineIndex,
    Location,
    PlaceIndex,
    claim_freely,
    claim_generated,
    claim_once,
    claim_references,
    overlaps,
    same_place,
    slashed,
)

SMALL = st.lists(st.lists(st.integers(0, 6), unique=True).map(sorted), max_size=7)


@given(SMALL)
def test_a_finding_is_claimed_once_and_only_by_an_expectation_it_matches(
    matches: list[list[int]],
) -> None:
    claims = claim_once(matches)
    taken = [claim for claim in claims if claim is not None]
    assert len(taken) == len(set(taken))
    for candidates, claim in zip(matches, claims, strict=True):
        assert claim is None or claim in candidates
        assert claim is not None or set(candidates) <= set(taken)


def test_the_order_of_the_expectations_decides_how_many_are_met() -> None:
    assert claim_once([[0, 1], [0]]) == (0, None)
    assert claim_once([[0], [0, 1]]) == (0, 1)


def test_one_finding_may_satisfy_many_where_nothing_is_used_up() -> None:
    assert claim_freely([[1], [1, 2], []]) == (1, 1, None)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(0, (0, 1)), (1, (1,))], [(True, 1), (False, None)]),
        ([(0, (0,)), (1, (0,))], [(True, 0), (False, None)]),
    ],
)
def test_the_first_comment_claims_every_reference_at_its_place(
    pairs: list[tuple[int, tuple[int, ...]]], expected: list[tuple[bool, int | None]]
) -> None:
    claims = claim_references(pairs, ["r1", "r2"], None)
    assert [(claim.line_match, claim.partner) for claim in claims] == expected


def test_references_without_ids_can_be_claimed_once_between_them() -> None:
    claims = claim_references([(0, (0,)), (1, (1,))], [None, None], lambda _i, _j: True)
    assert [(claim.line_match, claim.same) for claim in claims] == [(True, True), (False, False)]


def test_a_comment_stops_at_the_reference_that_says_the_same() -> None:
    claims = claim_references([(0, (0, 1, 2))], ["a", "b", "c"], lambda _i, j: j == 1)
    assert (claims[0].partner, claims[0].same_as) == (1, 1)


def test_from_the_reference_side_each_comment_counts_once() -> None:
    claims = claim_generated([(0, (0, 1)), (1, (0,))], None)
    assert [claim.line_match for claim in claims] == [True, False]


@pytest.mark.parametrize(
    ("path", "expected"), [(r"src\a.go", "src/a.go"), (" a.go ", "a.go"), ("./a.go", "./a.go")]
)
def test_paths_differ_in_slashes_and_blanks_only(path: str, expected: str) -> None:
    assert slashed(path) == expected


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(-5, 12)), max_size=30),
    st.integers(-5, 12),
    st.integers(0, 4),
)
def test_the_index_finds_what_a_walk_over_all_findings_finds(
    places: list[tuple[str, int]], line: int, window: int
) -> None:
    slow = [i for i, (f, at) in enumerate(places) if f == "a" and abs(at - line) <= window]
    assert LineIndex(places).near("a", line, window=window) == slow


LOCATIONS = st.builds(
    Location,
    st.sampled_from(["", "a", "b"]),
    st.sampled_from([None, "", "right", "left"]),
    st.none() | st.integers(1, 9),
    st.none() | st.integers(1, 9),
)


@given(st.lists(LOCATIONS, max_size=12), LOCATIONS, st.integers(0, 3))
def test_the_place_index_finds_what_a_walk_over_all_locations_finds(
    locations: list[Location], one: Location, distance: int
) -> None:
    slow = tuple(i for i, other in enumerate(locations) if same_place(one, other, distance))
    assert PlaceIndex(enumerate(locations)).near(one, distance) == slow


def test_a_reversed_range_overlaps_nothing_until_it_is_swapped() -> None:
    backwards = Location("a", "right", 1153, 1144)
    assert backwards.reversed
    assert not overlaps((1148, 1148), (1153, 1144), 1)
    assert same_place(backwards.ordered(), backwards.ordered(), 0)


def test_four_times_the_findings_take_no_more_than_about_four_times_as_long() -> None:
    def seconds(scale: int) -> float:
        places = [(f"f{i % (50 * scale)}.go", (i * 7919) % 4000) for i in range(5000 * scale)]

        def work() -> None:
            index = LineIndex(places)
            claim_once(index.near(file, line, window=3) for file, line in places[: 1000 * scale])

        work()
        times = []
        for _ in range(5):
            begin = time.process_time()
            work()
            times.append(time.process_time() - begin)
        return min(times)

    assert seconds(4) < 10 * seconds(1)  # all pairs would take sixteen times as long
