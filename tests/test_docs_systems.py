"""The page about the systems says what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from labkit.matching import POLICIES, MatchPolicy

PAGE = Path(__file__).parents[1] / "docs" / "systems.md"


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_every_matching_rule_is_in_the_table_as_it_is(policy: MatchPolicy) -> None:
    cells = (
        policy.name,
        policy.outer,
        policy.claimed,
        policy.lines,
        str(policy.distance),
        "swapped" if policy.swaps_reversed_ranges else "kept",
    )
    assert f"| {' | '.join(cells)} |" in PAGE.read_text(encoding="utf-8").splitlines()
