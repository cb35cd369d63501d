"""How many units to draw from which stratum: confidence bands and Neyman allocation."""

from __future__ import annotations

import bisect
import math
from collections import defaultdict
from typing import TYPE_CHECKING

from labkit.estimation.designs import GUESSED_F1, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from labkit.estimation.units import Predicted

FLAGGED_EDGES = (0.9,)
OTHER_EDGES = (0.05, 0.2)
"""Five bands by default: flagged from 0.9, flagged below; not flagged from 0.2, 0.05-0.2, below."""
LEAST_DOUBT = 0.001
"""Shares closer than this to 0 or 1 are taken to be this far away."""
SMALLEST_BAND = 5
"""With fewer units in a band, the edges are made from the data."""


def bands(predicted: Iterable[Predicted]) -> dict[str, str]:
    """Each unit's stratum: AI decision x confidence band.

    A band with fewer than five units joins its neighbour; a side left with one band is cut into
    bands of equal expected doubt, equal confidences staying together. Units without a confidence
    make a band of their own, and without any confidence the strata are ``flagged`` and
    ``not-flagged``. Units without an AI answer are outside the frame.

    >>> from labkit.estimation.units import Predicted
    >>> bands([Predicted("a", flagged=True), Predicted("b", flagged=False)])
    {'a': 'flagged', 'b': 'not-flagged'}
    """
    frame: dict[str, str] = {}
    sides: dict[bool, list[Predicted]] = {True: [], False: []}
    for unit in predicted:
        if unit.flagged is not None:
            sides[unit.flagged].append(unit)
    for flagged, units in sides.items():
        values = sorted(u.confidence for u in units if u.confidence is not None)
        edges = _edges(values, FLAGGED_EDGES if flagged else OTHER_EDGES)
        for unit in units:
            if not values:
                band = "all"
            elif unit.confidence is None:
                band = "no-confidence"
            else:
                band = _band(bisect.bisect_right(edges, unit.confidence), edges)
            frame[unit.item] = name_of(band, flagged=flagged)
    return frame


def _edges(values: Sequence[float], default: Sequence[float]) -> list[float]:
    """The edges in use: the default without small bands, or cuts made from the data.

    A band with fewer than five units joins its smaller neighbour. A side that is left with one
    band is cut between distinct values so that every band has the same share of
    ``sum sqrt(p (1 - p))``, the optimum where labels go in proportion to it (Dalenius and Hodges
    1959).
    """
    edges = list(default)
    while edges:
        sizes = [0] * (len(edges) + 1)
        for value in values:
            sizes[bisect.bisect_right(edges, value)] += 1
        small = min(range(len(sizes)), key=lambda k: sizes[k])
        if sizes[small] >= SMALLEST_BAND:
            return edges
        above = small < len(edges) and (small == 0 or sizes[small + 1] < sizes[small - 1])
        del edges[small if above else small - 1]
    return _cuts(values, len(default) + 1)


def _cuts(values: Sequence[float], bands: int) -> list[float]:
    """Edges between distinct values that share the doubt evenly."""
    upto = [0.0]
    for value in values:
        upto.append(upto[-1] + _deviation(value))
    edges: list[float] = []
    starts = [i for i in range(1, len(values)) if values[i] != values[i - 1]]
    for k in range(1, bands):
        goal = k * upto[-1] / bands
        free = [i for i in starts if not edges or values[i] > edges[-1]]
        if free:
            edges.append(values[min(free, key=lambda i: (abs(upto[i] - goal), i))])
    return edges


def _deviation(share: float) -> float:
    """Standard deviation of one label, never quite 0: a model may be too sure of itself."""
    kept = min(1 - LEAST_DOUBT, max(LEAST_DOUBT, share))
    return math.sqrt(kept * (1 - kept))


def _band(index: int, edges: Sequence[float]) -> str:
    """``p<0.05``, ``p0.05-0.2``, ``p>=0.2``; ``all`` for a side that is not cut."""
    if not edges:
        return "all"
    if index == 0:
        return f"p<{edges[0]:g}"
    if index == len(edges):
        return f"p>={edges[-1]:g}"
    return f"p{edges[index - 1]:g}-{edges[index]:g}"


def crossed_strata(predicted: Iterable[Predicted]) -> dict[str, str]:
    """Each unit's own stratum (tag, language, folder) crossed with the AI's decision."""
    return {
        unit.item: name_of(unit.stratum, flagged=unit.flagged)
        for unit in predicted
        if unit.flagged is not None
    }


def neyman(
    predicted: Iterable[Predicted],
    frame: Mapping[str, str],
    n: int,
    *,
    guessed_f1: float = GUESSED_F1,
    take_all: Iterable[str] = (),
) -> dict[str, int]:
    """How many to draw from each stratum for the narrowest F1 interval.

    ``n_h`` is proportional to ``N_h g sqrt(p (1 - p))`` with g = 2 - F for flagged strata and F for
    the others, p the mean confidence of the stratum, at least ``max(5, n / 20)`` each, at most all.

    Args:
        predicted: The population.
        frame: Each unit's stratum, as from ``bands``.
        n: How many to draw in all; more than there are draws everything.
        guessed_f1: The F1 that is expected.
        take_all: Strata that are labelled whole, within ``n``.

    Source: Neyman 1934; slopes of F1 as in the planner.
    """
    members: defaultdict[str, list[Predicted]] = defaultdict(list)
    for unit in predicted:
        if unit.item in frame:
            members[frame[unit.item]].append(unit)
    sizes = {name: len(members[name]) for name in sorted(members)}
    whole = set(take_all)
    least = max(5, math.ceil(n / 20))
    floor = {
        name: size if name in whole else min(size, least, n // len(sizes))
        for name, size in sizes.items()
    }
    pull = {name: _pull(members[name], members, guessed_f1) for name in sizes if name not in whole}
    return fill(sizes, floor, pull, n)


def _pull(
    units: Sequence[Predicted], members: Mapping[str, Sequence[Predicted]], guessed_f1: float
) -> float:
    """``N g sqrt(p (1 - p))`` of one stratum."""
    known = [u.confidence for u in units if u.confidence is not None]
    flagged = bool(units[0].flagged)
    if known:
        share = math.fsum(known) / len(known)
    elif flagged:
        share = guessed_f1
    else:
        n1 = sum(len(us) for us in members.values() if us[0].flagged)
        n0 = sum(len(us) for us in members.values() if not us[0].flagged)
        share = min(0.5, (1 - guessed_f1) * n1 / n0)
    return len(units) * (2 - guessed_f1 if flagged else guessed_f1) * _deviation(share)


def fill(
    sizes: Mapping[str, int], floor: Mapping[str, int], pull: Mapping[str, float], n: int
) -> dict[str, int]:
    """Whole numbers between floor and size, in proportion to ``pull``, that sum to ``n``.

    Where the floors alone exceed ``n``, they stay; where the sizes do not reach it, all is taken.
    """
    want = min(n, sum(sizes.values()))
    low, high = 0.0, max((sizes[k] / p for k, p in pull.items() if p > 0), default=0.0)

    def at(scale: float) -> dict[str, float]:
        return {
            k: min(float(sizes[k]), max(float(floor[k]), scale * pull.get(k, 0.0))) for k in sizes
        }

    if math.fsum(at(0.0).values()) >= want:
        high = 0.0
    while low < (middle := (low + high) / 2) < high:
        if math.fsum(at(middle).values()) < want:
            low = middle
        else:
            high = middle
    exact = at(high)
    result = {k: math.floor(v + 1e-9) for k, v in exact.items()}
    rest = want - sum(result.values())
    order = sorted(sizes, key=lambda k: (result[k] - exact[k], k))
    while rest > 0:
        for k in order:
            if rest > 0 and result[k] < sizes[k]:
                result[k] += 1
                rest -= 1
    return result
