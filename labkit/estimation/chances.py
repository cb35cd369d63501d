"""Unequal chances as strata: units with about the same chance of being drawn stand together.

For what is not a share of one AI class: tags, calibration, severity. Shares themselves use each
unit's own chance (``hajek``).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from labkit.estimation.designs import Stratum

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.estimation.designs import Placed

DISTINCT = 10
"""Up to so many different chances on one side, each is a group of its own."""
GROUPS = 5
"""Otherwise a side is parted into so many groups by rank of the chance."""


def is_stratified(placed: Sequence[Placed]) -> bool:
    """Whether the chances are those of a stratified draw: few different ones on each side."""
    distinct: dict[bool, set[float]] = {True: set(), False: set()}
    for one in placed:
        distinct[one.flagged].add(one.label.inclusion_probability or 1.0)
    return all(
        len(found) <= DISTINCT and len(found) * 2 <= sum(o.flagged is side for o in placed)
        for side, found in distinct.items()
        if found
    )


def strata_of(placed: Sequence[Placed], sizes: Mapping[str, float]) -> tuple[Stratum, ...]:
    """The groups as strata, with what the labels say."""
    n: Counter[str] = Counter()
    x: Counter[str] = Counter()
    unsure: Counter[str] = Counter()
    side: dict[str, bool] = {}
    for one in placed:
        side[one.stratum] = one.flagged
        if one.label.positive is None:
            unsure[one.stratum] += 1
        else:
            n[one.stratum] += 1
            x[one.stratum] += one.label.positive
    return tuple(
        Stratum(s, side[s], max(round(sizes[s]), n[s]), n[s], x[s], unsure[s]) for s in sorted(side)
    )


def by_chance(
    placed: Sequence[Placed], totals: Mapping[bool, int]
) -> tuple[tuple[Placed, ...], dict[str, float]]:
    """Put labels into groups of about equal chance, with the size that each group stands for.

    Args:
        placed: The labels with their own chances; a missing chance is 1.
        totals: How many units the AI flagged, and how many it did not.

    Returns:
        The labels in their groups, in the same order, and each group's size: the sum of 1 over
        the chances, scaled so that a side's groups add up to what is known of it.
    """
    chances = [one.label.inclusion_probability or 1.0 for one in placed]
    group = dict[int, str]()
    sizes: defaultdict[str, float] = defaultdict(float)
    for side in (True, False):
        own = [k for k, one in enumerate(placed) if one.flagged is side]
        own.sort(key=lambda k: (chances[k], placed[k].label.item))
        distinct = sorted({chances[k] for k in own})
        many = len(distinct) > DISTINCT
        name = "flagged" if side else "not-flagged"
        for rank, k in enumerate(own):
            part = rank * GROUPS // len(own) if many else distinct.index(chances[k])
            group[k] = f"{part:02}/{name}"
        whole = math.fsum(1 / chances[k] for k in own)
        for k in own:
            sizes[group[k]] += totals.get(side, 0) / chances[k] / whole
    moved = tuple(replace(one, stratum=group[k]) for k, one in enumerate(placed))
    return moved, dict(sizes)
