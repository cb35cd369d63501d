"""Random samples of items: seeded, extendable, each unit with its chance of being drawn.

Two keys order the items. The draw key decides who is in: the items with the smallest keys of a
stratum are drawn (bottom-k), so a larger sample contains the smaller one. The show key decides who
comes first: it is independent of the draw key, so every prefix of the queue is a random sample
within each stratum, and a reviewer may stop at any time.
"""

from __future__ import annotations

import hashlib
import heapq
import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.estimation.allocation import bands, crossed_strata, neyman
from labkit.estimation.units import WHOLE, Predicted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LEAST_UNIFORM = 0.3
"""The smallest uniform share of a Poisson draw whose intervals hold (measured)."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One unit of a sample."""

    item: str
    stratum: str
    inclusion_probability: float
    """Drawn units of the stratum divided by its population, in (0, 1]."""
    order: int
    """Rank of the draw key within the stratum, from 1; an extension never changes it."""
    batch: int = 0
    """0 for the first draw, 1 for the first extension, and so on."""


@dataclass(frozen=True, slots=True)
class StratumSize:
    """How many units a stratum has, and how many of them are in the sample."""

    name: str
    population: int
    drawn: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Items drawn with a known chance, in the order in which they are shown."""

    design: str
    """``simple``, ``stratified`` or ``poisson``."""
    seed: int
    drawn: tuple[Drawn, ...]
    strata: tuple[StratumSize, ...]

    @property
    def items(self) -> tuple[str, ...]:
        """The ids in show order."""
        return tuple(unit.item for unit in self.drawn)


def draw_key(item: str, seed: int) -> str:
    """The key that decides who is drawn: ``md5("{seed}:{id}")``, lower-case hex.

    >>> draw_key("a", 7)[:8]
    '6ff38820'
    """
    return hashlib.md5(f"{seed}:{item}".encode(), usedforsecurity=False).hexdigest()


def show_key(item: str, seed: int) -> str:
    """The key that decides who is shown first: ``md5("{seed}:show:{id}")``, lower-case hex."""
    return hashlib.md5(f"{seed}:show:{item}".encode(), usedforsecurity=False).hexdigest()


def draw_simple(ids: Iterable[str], n: int | None, *, seed: int) -> Sample:
    """Draw ``n`` items at random, every item with the same chance.

    ``None``, or more than there are, draws every item.

    >>> draw_simple(["a", "b", "c"], 2, seed=1).strata
    (StratumSize(name='all', population=3, drawn=2),)

    Raises:
        InputError: ``n`` is negative, or an id occurs twice.
    """
    frame = _frame((item, WHOLE) for item in ids)
    return _draw("simple", frame, {WHOLE: len(frame) if n is None else n}, seed)


def draw_stratified(
    frame: Mapping[str, str], allocation: Mapping[str, int], *, seed: int
) -> Sample:
    """Draw ``allocation[stratum]`` items at random from each stratum.

    Args:
        frame: Each item's stratum.
        allocation: How many to draw from each stratum; a stratum without a number gives none, and
            a number beyond the stratum's size takes all of it (inclusion probability 1).
        seed: The seed of both keys.

    Raises:
        InputError: A number is negative, or a stratum of the allocation has no item.
    """
    unknown = sorted(set(allocation) - set(frame.values()))
    if unknown:
        raise InputError(f"Stratum {unknown[0]!r} has no item; take it out of the allocation.")
    return _draw("stratified", frame, allocation, seed)


def extend_simple(sample: Sample, ids: Iterable[str], n: int) -> Sample:
    """Enlarge a simple sample to ``n`` items; the new ones come after what was there."""
    return _extend(sample, _frame((item, WHOLE) for item in ids), {WHOLE: n})


def extend_stratified(
    sample: Sample, frame: Mapping[str, str], allocation: Mapping[str, int]
) -> Sample:
    """Enlarge a stratified sample to ``allocation`` (totals); new items come after the others.

    No stratum shrinks: a total below what is already drawn keeps what is drawn.
    """
    return _extend(sample, frame, allocation)


def draw_by_confidence(predicted: Sequence[Predicted], n: int, *, seed: int) -> Sample:
    """Draw ``n`` items by AI decision x confidence band, more where F1 is decided.

    The bands and the allocation are those of ``labkit.estimation.allocation``; items without an AI
    answer are not in the frame.
    """
    frame = bands(predicted)
    return draw_stratified(frame, neyman(predicted, frame, n), seed=seed)


def draw_by_stratum(
    predicted: Sequence[Predicted], n: int, *, seed: int, take_all: Iterable[str] = ()
) -> Sample:
    """Draw ``n`` items by the items' own strata, each crossed with the AI's decision.

    Args:
        predicted: The population, with ``stratum`` set (tag, language, folder).
        n: How many to draw in all.
        seed: The seed of both keys.
        take_all: Crossed strata, such as ``auth/flagged``, that are drawn whole.
    """
    frame = crossed_strata(predicted)
    allocation = neyman(predicted, frame, n, take_all=take_all)
    return draw_stratified(frame, allocation, seed=seed)


def draw_poisson(
    sizes: Mapping[str, float], n: float, *, seed: int, uniform: float = 0.3
) -> Sample:
    """Draw each item by itself with a chance that grows with its size (experimental).

    The chance is ``n ((1 - u) size / sum + u / N)``, at most 1; the number drawn is random with
    mean about ``n``. Below a uniform share of 0.3 the intervals do not hold, so less is refused.
    A larger ``n`` keeps what a smaller one drew.

    Args:
        sizes: Each item's size, 0 or more.
        n: How many to draw on average.
        seed: The seed of both keys.
        uniform: The share u of the chance that is the same for every item, 0.3 to 1.

    Raises:
        InputError: A size is negative or the uniform share is outside its range.
    """
    if not LEAST_UNIFORM <= uniform <= 1:
        raise InputError(f"A uniform share of {uniform} is not possible; give 0.3 to 1.")
    if any(not 0 <= size < float("inf") for size in sizes.values()):
        raise InputError("Sizes must be 0 or more; take out the items that cannot be drawn.")
    mass = math.fsum(sizes.values())
    units: list[Drawn] = []
    for item, size in sizes.items():
        even = 1 / len(sizes)
        chance = min(1.0, n * ((1 - uniform) * (size / mass if mass else even) + uniform * even))
        if int(draw_key(item, seed), 16) < chance * 2**128:
            units.append(Drawn(item, WHOLE, chance, 0))
    units.sort(key=lambda unit: draw_key(unit.item, seed))
    ranked = [replace(unit, order=rank) for rank, unit in enumerate(units, start=1)]
    strata = (StratumSize(WHOLE, len(sizes), len(ranked)),) if sizes else ()
    return Sample("poisson", seed, _shown(ranked, seed), strata)


def _frame(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    frame: dict[str, str] = {}
    for item, stratum in pairs:
        if item in frame:
            raise InputError(f"The id {item!r} occurs twice; ids must be unique to draw a sample.")
        frame[item] = stratum
    return frame


def _draw(
    design: str, frame: Mapping[str, str], allocation: Mapping[str, int], seed: int
) -> Sample:
    """Bottom-k per stratum by draw key; then the whole sample by show key."""
    members: defaultdict[str, list[str]] = defaultdict(list)
    for item, stratum in frame.items():
        members[stratum].append(item)
    units: list[Drawn] = []
    sizes: list[StratumSize] = []
    for stratum in sorted(members):
        ids = members[stratum]
        wanted = allocation.get(stratum, 0)
        if wanted < 0:
            raise InputError(f"A sample of {wanted} items is not possible; give 0 or more.")
        k = min(wanted, len(ids))
        bottom = heapq.nsmallest(k, ((draw_key(item, seed), item) for item in ids))
        units += [
            Drawn(item, stratum, k / len(ids), rank)
            for rank, (_, item) in enumerate(bottom, start=1)
        ]
        sizes.append(StratumSize(stratum, len(ids), k))
    return Sample(design, seed, _shown(units, seed), tuple(sizes))


def _shown(units: Iterable[Drawn], seed: int) -> tuple[Drawn, ...]:
    return tuple(sorted(units, key=lambda u: (u.batch, show_key(u.item, seed), u.item)))


def _extend(sample: Sample, frame: Mapping[str, str], allocation: Mapping[str, int]) -> Sample:
    before = {size.name: size.drawn for size in sample.strata}
    totals = {
        stratum: max(before.get(stratum, 0), allocation.get(stratum, 0))
        for stratum in {*before, *allocation}
    }
    whole = _draw(sample.design, frame, totals, sample.seed)
    batches = {unit.item: unit.batch for unit in sample.drawn}
    last = 1 + max(batches.values(), default=-1)
    units = [
        Drawn(u.item, u.stratum, u.inclusion_probability, u.order, batches.get(u.item, last))
        for u in whole.drawn
    ]
    return Sample(sample.design, sample.seed, _shown(units, sample.seed), whole.strata)
