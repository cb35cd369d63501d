"""Tags: micro, macro and per-tag F1 of the population, with the item as the unit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from labkit.estimation.designs import Design, Placed, Stratum
from labkit.estimation.estimates import Estimate, estimate, from_cells
from labkit.estimation.hajek import Weighed, hajek_cells
from labkit.estimation.intervals import LEVEL, NOTHING_KNOWN, f1_of_jaccard, wilson_at, z_of
from labkit.estimation.ratios import Part, estimate_ratio
from labkit.estimation.warnings import FEW_TAG_POSITIVES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 1000
FEW_POSITIVES = 20
"""Below so many labelled positives of the rarest tag the macro interval is too narrow."""
NO_TAGS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Tagged:
    """A labelled unit's tags: the AI's and the reviewer's."""

    item: str
    stratum: str
    predicted: frozenset[str]
    gold: frozenset[str]

    @property
    def hits(self) -> int:
        """Tags on both sides."""
        return len(self.predicted & self.gold)


def tagged_units(
    placed: Sequence[Placed], predicted_tags: Mapping[str, frozenset[str]]
) -> tuple[Tagged, ...]:
    """The labelled units whose tags were asked for, in order of their ids."""
    return tuple(
        Tagged(one.label.item, one.stratum, predicted_tags.get(one.label.item, NO_TAGS), gold)
        for one in placed
        if (gold := one.label.tags) is not None
    )


_DENOMINATORS: dict[str, Callable[[Tagged], int]] = {
    "f1": lambda unit: len(unit.predicted | unit.gold),
    "precision": lambda unit: len(unit.predicted),
    "recall": lambda unit: len(unit.gold),
}


def estimate_micro(
    units: Sequence[Tagged],
    populations: Mapping[str, float],
    *,
    basis: str,
    design: str,
    level: float = LEVEL,
) -> tuple[Estimate, ...]:
    """Micro F1, precision and recall: tags pooled, the item as the unit of variance.

    F1: item-level linearised variance of J = TP/(TP+FP+FN), effective size, Wilson, carried over.
    """
    rows = []
    for metric, of in _DENOMINATORS.items():
        name = f"tags.micro.{metric}"
        parts = [Part(u.stratum, u.hits, of(u)) for u in units]
        found = estimate_ratio(parts, populations)
        if found is None:
            why = "no item has been labelled" if not units else "no tag on either side counts"
            rows.append(_undefined(name, why, len(units), basis, design, level))
            continue
        value, (low, high) = found.value, found.interval(level=level)
        method = "census" if low == high else "wilson, items"
        if metric == "f1":
            value, low, high = (f1_of_jaccard(v) for v in (value, low, high))
            method = "census" if low == high else "wilson-j, items"
        rows.append(Estimate(name, value, low, high, level, method, len(units), basis, design))
    return tuple(rows)


def _undefined(  # noqa: PLR0913, PLR0917  # a row of the report
    name: str, why: str, n: int, basis: str, design: str, level: float
) -> Estimate:
    low, high = NOTHING_KNOWN
    return Estimate(name, None, low, high, level, "none", n, basis, design, f"{name}: {why}")


def estimate_macro(  # noqa: PLR0913  # the options of one number
    units: Sequence[Tagged],
    populations: Mapping[str, float],
    *,
    basis: str,
    design: str,
    level: float = LEVEL,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Mean F1 over the tags seen on either side of a labelled item.

    Interval: percentile bootstrap over items within their strata, with a fixed seed. A tag that a
    resample does not hold is left out of that resample's mean.
    """
    name = "tags.macro.f1"
    tags = sorted({tag for u in units for tag in u.predicted | u.gold})
    if not tags:
        why = "no item has been labelled" if not units else "no tag on either side"
        return _undefined(name, why, len(units), basis, design, level)
    ordered = sorted(units, key=lambda u: (u.stratum, u.item))
    hits = np.array([[t in u.predicted and t in u.gold for t in tags] for u in ordered], float)
    both = np.array([[(t in u.predicted) + (t in u.gold) for t in tags] for u in ordered], float)
    sizes = Counter(u.stratum for u in ordered)
    weight = np.array([populations[u.stratum] / sizes[u.stratum] for u in ordered])
    value = float(_macro(weight[None, :], hits, both)[0])
    if all(sizes[s] >= populations[s] for s in sizes):
        return Estimate(name, value, value, value, level, "census", len(units), basis, design)
    rng = np.random.default_rng(seed)
    draws = np.hstack(
        [rng.multinomial(k, np.full(k, 1 / k), size=resamples) for _, k in sorted(sizes.items())]
    )
    spread = _macro(draws * weight, hits, both)
    tail = (1 - level) / 2
    low, high = np.nanquantile(spread[~np.isnan(spread)], [tail, 1 - tail])
    method = "item bootstrap"
    if low == high:
        # resamples of items that are all alike have no spread; they are still only a sample
        telling = sum(bool(u.predicted | u.gold) for u in ordered)
        low, high = wilson_at(value, telling, z_of(level))
        method = "wilson, items with a tag"
    rarest = min(sum(t in u.gold for u in ordered) for t in tags)
    reason = (
        f"{name}: the rarest tag has {rarest} labelled positives, below {FEW_POSITIVES}; "
        "the interval may be too narrow"
        if rarest < FEW_POSITIVES
        else None
    )
    return Estimate(
        name,
        value,
        min(float(low), value),
        max(float(high), value),
        level,
        method,
        len(units),
        basis,
        design,
        reason,
    )


def _macro(weights: Floats, hits: Floats, both: Floats) -> Floats:
    """Macro F1 for each row of weights; a tag without mass is left out."""
    mass = weights @ both
    with np.errstate(divide="ignore", invalid="ignore"):
        f1 = np.where(mass > 0, 2 * (weights @ hits) / mass, np.nan)
        seen = (mass > 0).sum(axis=1)
        mean: Floats = np.where(seen > 0, np.nansum(f1, axis=1) / seen, np.nan)
    return mean


def estimate_tag(  # noqa: PLR0913  # the circumstances of one tag
    tag: str,
    units: Sequence[Tagged],
    given: int,
    population: int,
    populations: Mapping[str, float],
    *,
    basis: str,
    design: str,
    level: float = LEVEL,
    simple: bool = True,
    metrics: Sequence[str] = ("precision", "recall", "f1"),
) -> tuple[Estimate, ...]:
    """Precision, recall and F1 of one tag, with the AI's tag as the decision.

    A simple sample is post-stratified by whether the AI gave the tag; any other design has Hajek
    shares inside the two classes and effective counts.

    Args:
        tag: The tag.
        units: The labelled units whose tags were asked for.
        given: How many units of the population the AI gave the tag.
        population: How many units have an answer about tags.
        populations: Size of every stratum.
        basis: How independent of the AI the labels are.
        design: The design's name.
        level: Nominal coverage.
        simple: Whether every unit had the same chance of being drawn.
        metrics: Which of the three.
    """
    left = population - given
    if simple:
        strata = tuple(
            Stratum(
                side,
                flagged=side == "flagged",
                population=size,
                labelled=sum((tag in u.predicted) is (side == "flagged") for u in units),
                positives=sum(
                    tag in u.gold for u in units if (tag in u.predicted) is (side == "flagged")
                ),
            )
            for side, size in (("flagged", given), ("not-flagged", left))
            if size
        )
        found = Design(design, strata)
        rows = [
            _named(estimate(m, found, basis=basis, level=level, name=f"tag.{tag}.{m}"), tag)
            for m in metrics
        ]
        return tuple(_marked(row, tag, units) for row in rows)
    sizes = Counter(u.stratum for u in units)
    chance = {name: min(1.0, n / populations[name]) for name, n in sizes.items()}
    weighed = [Weighed(tag in u.predicted, tag in u.gold, chance[u.stratum]) for u in units]
    cells = hajek_cells(weighed, given, left)
    rows = [
        from_cells(m, cells, len(units), basis, design, level, f"tag.{tag}.{m}") for m in metrics
    ]
    return tuple(_marked(row, tag, units) for row in rows)


def _marked(row: Estimate, tag: str, units: Sequence[Tagged]) -> Estimate:
    """Mark the F1 of a tag with few labelled positives."""
    n = sum(tag in u.gold for u in units)
    if row.value is None or row.low == row.high or not row.name.endswith(".f1"):
        return row
    if n >= FEW_TAG_POSITIVES:
        return row
    return replace(row, reason=f"{row.name}: {n} labelled positives, below {FEW_TAG_POSITIVES}")


def _named(row: Estimate, tag: str) -> Estimate:
    """Say which tag an undefined row is about."""
    if row.reason is None:
        return row
    reason = row.reason.replace("the AI flagged", f"the AI tagged {tag}").replace(
        "the AI did not flag", f"the AI did not tag {tag}"
    )
    return replace(row, reason=reason)
