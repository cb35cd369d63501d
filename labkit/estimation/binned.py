"""Calibration errors from counts by stratum and bin, with what chance does to them."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from labkit.estimation.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BINS = 10
RESAMPLES = 2000
NLL_FLOOR = 1e-15


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled unit with a confidence."""

    item: str
    stratum: str
    confidence: float
    """P(positive), 0 to 1."""
    positive: bool


def bin_index(confidences: Iterable[float], bins: int = BINS) -> NDArray[np.intp]:
    """Bins ``(i/K, (i+1)/K]``, the first including 0; edges by division.

    >>> bin_index([0.0, 0.1, 0.3, 0.30000000000000004, 1.0]).tolist()
    [0, 0, 2, 3, 9]
    """
    edges = np.arange(1, bins) / bins
    found: NDArray[np.intp] = np.searchsorted(edges, np.asarray(list(confidences)), side="left")
    return found


def or_none(value: float) -> float | None:
    """The value, or ``None`` for NaN."""
    return None if math.isnan(value) else float(value)


@dataclass(frozen=True, slots=True)
class Table:
    """Labels by stratum and bin: counts n and positives x, shape (H, K)."""

    population: Floats
    n: Floats
    x: Floats

    @classmethod
    def of(cls, judged: Sequence[Judged], populations: Mapping[str, float], bins: int) -> Table:
        """Count the labelled units; strata in order of their names."""
        names = sorted({one.stratum for one in judged})
        row = {name: h for h, name in enumerate(names)}
        n, x = np.zeros((len(names), bins)), np.zeros((len(names), bins))
        places = bin_index([one.confidence for one in judged], bins)
        for one, b in zip(judged, places, strict=True):
            n[row[one.stratum], b] += 1
            x[row[one.stratum], b] += one.positive
        return cls(np.array([populations[name] for name in names], dtype=float), n, x)

    @property
    def weight(self) -> Floats:
        """``N_h / n_h``, shape (H, 1)."""
        weight: Floats = (self.population / self.n.sum(axis=1))[:, None]
        return weight

    def accuracy(self, n: Floats, x: Floats) -> Floats:
        """Weighted share of positives by bin; NaN without a label. Leading axes are resamples."""
        w = self.weight
        return quotient((w * x).sum(axis=-2), (w * n).sum(axis=-2))


def quotient(over: Floats, under: Floats) -> Floats:
    """Element by element; NaN where it is 0/0."""
    result: Floats = np.divide(over, under, out=np.full(under.shape, np.nan), where=under > 0)
    return result


def expected_error(accuracy: Floats, mean: Floats, size: Floats) -> float:
    """ECE: the gaps of the bins that have a label, weighed by the population."""
    known = ~np.isnan(accuracy) & (size > 0)
    parts = size[known] * np.abs(accuracy[known] - mean[known])
    return math.fsum(parts) / math.fsum(size[known])


def squared_rows(table: Table, n: Floats, x: Floats, mean: Floats, size: Floats) -> Floats:
    """Debiased squared error; a bin with one label cannot be debiased and adds nothing."""
    w = table.weight
    mass = (w * n).sum(axis=-2)
    accuracy = quotient((w * x).sum(axis=-2), mass)
    kish = quotient(mass**2, (w * w * n).sum(axis=-2))
    counts = n.sum(axis=-2)
    fine = (counts > 1) & (size > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = (accuracy - mean) ** 2 - accuracy * (1 - accuracy) / (kish - 1)
    total = np.where((counts > 0) & (size > 0), size, 0.0).sum(axis=-1)
    total = np.where(fine.any(axis=-1), total, 0.0)
    return quotient((np.where(fine, parts, 0.0) * size).sum(axis=-1), total)


def squared_error(table: Table, n: Floats, x: Floats, mean: Floats, size: Floats) -> float | None:
    """The debiased squared error of one sample."""
    return or_none(float(squared_rows(table, n[None], x[None], mean, size)[0]))


def bootstrap_rms(  # noqa: PLR0913, PLR0917  # the arrays of one sample
    table: Table, mean: Floats, size: Floats, level: float, seed: int, resamples: int
) -> Interval | None:
    """Percentile bootstrap of the debiased squared error, items within strata; its root."""
    rng = np.random.default_rng(seed)
    strata, bins = table.n.shape
    n = np.empty((resamples, strata, bins))
    x = np.empty((resamples, strata, bins))
    for h in range(strata):
        total = int(table.n[h].sum())
        cells = np.concatenate([table.x[h], table.n[h] - table.x[h]]) / total
        drawn = rng.multinomial(total, cells / cells.sum(), size=resamples)
        x[:, h] = drawn[:, :bins]
        n[:, h] = drawn[:, :bins] + drawn[:, bins:]
    spread = squared_rows(table, n, x, mean, size)
    spread = spread[~np.isnan(spread)]
    if not len(spread):
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(spread, [tail, 1 - tail])
    return Interval(math.sqrt(max(0.0, float(low))), min(1.0, math.sqrt(max(0.0, float(high)))))


def if_calibrated(  # noqa: PLR0913, PLR0917  # the arrays of one sample
    table: Table,
    judged: Sequence[Judged],
    mean: Floats,
    size: Floats,
    ece: float,
    seed: int,
    resamples: int,
) -> tuple[float, float]:
    """Mean ECE of a calibrated model with these labels, and how often it reaches ours."""
    rng = np.random.default_rng(seed)
    strata, bins = table.n.shape
    names = {name: h for h, name in enumerate(sorted({one.stratum for one in judged}))}
    ordered = sorted(judged, key=lambda one: one.item)
    p = np.array([one.confidence for one in ordered])
    place = bin_index(p, bins) + bins * np.array([names[one.stratum] for one in ordered])
    x = np.zeros((resamples, strata * bins))
    truth = rng.random((resamples, len(ordered))) < p
    for cell in np.unique(place):
        x[:, cell] = truth[:, place == cell].sum(axis=1)
    accuracy = table.accuracy(
        np.broadcast_to(table.n, (resamples, strata, bins)), x.reshape(resamples, strata, bins)
    )
    known = ~np.isnan(accuracy[0]) & (size > 0)
    share = size[known] / size[known].sum()
    null = (np.abs(accuracy[:, known] - mean[known]) * share).sum(axis=1)
    reached = int((null >= ece - 1e-12).sum())
    return float(null.mean()), (1 + reached) / (1 + resamples)


def mean_loss(
    judged: Sequence[Judged],
    populations: Mapping[str, float],
    level: float,
    seed: int,
    *,
    census: bool,
) -> tuple[float, Interval]:
    """Mean log loss by design weights, with a percentile bootstrap over items within strata."""
    by: defaultdict[str, list[float]] = defaultdict(list)
    for one in sorted(judged, key=lambda one: one.item):
        right = one.confidence if one.positive else 1 - one.confidence
        by[one.stratum].append(-math.log(max(right, NLL_FLOOR)))
    whole = math.fsum(populations[name] for name in by)
    value = math.fsum(populations[s] / whole * math.fsum(v) / len(v) for s, v in sorted(by.items()))
    if census:
        return value, Interval(value, value)
    rng = np.random.default_rng(seed)
    spread = np.zeros(RESAMPLES)
    for name in sorted(by):
        losses = np.array(by[name])
        n = len(losses)
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
        spread += populations[name] / whole * (drawn @ losses) / n
    tail = (1 - level) / 2
    low, high = np.quantile(spread, [tail, 1 - tail])
    return value, Interval(min(float(low), value), max(float(high), value))
