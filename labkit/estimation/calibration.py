"""Calibration of the whole population from a sample: the confidences are known, only truth is not.

The plug-in ECE of a calibrated model is not 0 but about 0.03 with 200 labels, so it never stands
alone: beside it stand what a calibrated model would show, the probability of seeing as much by
chance, and the debiased squared error, whose bootstrap interval holds.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from labkit.estimation.intervals import LEVEL, Interval

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


@dataclass(frozen=True, slots=True)
class BinEstimate:
    """One bin: what is known of the population and what the labels say."""

    lower: float
    upper: float
    population: float
    mean_confidence: float | None
    """Over the population of the bin."""
    labelled: int
    accuracy: float | None
    """Estimated share of positives, by design weights."""


@dataclass(frozen=True, slots=True)
class CalibrationEstimate:
    """ECE and what it takes to read it."""

    n: int
    bins: tuple[BinEstimate, ...]
    ece: float | None = None
    ece_interval: Interval | None = None
    """Follows from the interval of the RMS error: ``RMS^2 <= ECE <= RMS``."""
    expected_if_calibrated: float | None = None
    """The mean ECE of a calibrated model with these labels."""
    p_value: float | None = None
    """The chance of an ECE at least as large if the model is calibrated."""
    squared: float | None = None
    """Debiased squared calibration error; may be below 0."""
    rms: float | None = None
    rms_interval: Interval | None = None
    brier: float | None = None
    """``mean(p^2) + mean(y (1 - 2p))``, 0 to 1; the first part has no sampling error."""
    brier_variance: float = 0.0
    nll: float | None = None
    """Mean of ``-ln max(p of the truth, 1e-15)``, by design weights."""
    nll_interval: Interval | None = None
    census: bool = False

    def report(self, *, missing: int) -> dict[str, object]:
        """The report's ``calibration``: the usual keys, then what it takes to read them.

        Args:
            missing: Labelled items without a confidence.
        """
        return {
            "n": self.n,
            "missing": missing,
            "ece": self.ece,
            "brier": None if self.brier is None else 2 * self.brier,
            "nll": self.nll,
            "bins": len(self.bins),
            "reliability": [
                {
                    "lower": one.lower,
                    "upper": one.upper,
                    "count": one.labelled,
                    "mean_confidence": one.mean_confidence,
                    "accuracy": one.accuracy,
                }
                for one in self.bins
            ],
            **self.as_dict(),
        }

    def as_dict(self) -> dict[str, object]:
        """What the report's ``calibration`` adds to the counted numbers."""
        return {
            "expectedIfCalibrated": self.expected_if_calibrated,
            "pValue": self.p_value,
            "squaredDebiased": self.squared,
            "rms": self.rms,
            "rmsLow": None if self.rms_interval is None else self.rms_interval.low,
            "rmsHigh": None if self.rms_interval is None else self.rms_interval.high,
        }


def bin_index(confidences: Iterable[float], bins: int = BINS) -> NDArray[np.intp]:
    """Bins ``(i/K, (i+1)/K]``, the first including 0; edges by division.

    >>> bin_index([0.0, 0.1, 0.3, 0.30000000000000004, 1.0]).tolist()
    [0, 0, 2, 3, 9]
    """
    edges = np.arange(1, bins) / bins
    found: NDArray[np.intp] = np.searchsorted(edges, np.asarray(list(confidences)), side="left")
    return found


def estimate_calibration(  # noqa: PLR0913  # the options of one estimate
    judged: Sequence[Judged],
    population: Sequence[float],
    populations: Mapping[str, float],
    *,
    bins: int = BINS,
    level: float = LEVEL,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> CalibrationEstimate:
    """ECE, RMS calibration error and Brier score of the population.

    Args:
        judged: The labelled units that have a confidence.
        population: Every confidence in the population.
        populations: Size of every stratum.
        bins: Number of bins of equal width.
        level: Nominal coverage.
        seed: Seed of the bootstrap and of the calibrated model.
        resamples: How many of each.

    Source: Brocker 2012, Ferro and Fricker 2012, Kumar et al. arXiv 1909.10155 (debiased squared
    error); Brocker and Smith 2007 (consistency).
    """
    everyone = np.asarray(population, dtype=float)
    where = bin_index(everyone, bins)
    size = np.bincount(where, minlength=bins).astype(float)
    sums = np.array([math.fsum(everyone[where == b]) for b in range(bins)])
    mean = np.divide(sums, size, out=np.full(bins, np.nan), where=size > 0)
    table = _Table.of(judged, populations, bins)
    accuracy = table.accuracy(table.n, table.x)
    n_bin = table.n.sum(axis=0)
    rows = tuple(
        BinEstimate(
            b / bins,
            (b + 1) / bins,
            float(size[b]),
            _or_none(mean[b]),
            int(n_bin[b]),
            _or_none(accuracy[b]),
        )
        for b in range(bins)
    )
    known = ~np.isnan(accuracy) & (size > 0)
    if not known.any():
        return CalibrationEstimate(0, rows)
    ece = _ece(accuracy, mean, size)
    census = bool((table.n.sum(axis=1) >= table.population).all())
    expected, p_value = (
        (None, None) if census else _if_calibrated(table, judged, mean, size, ece, seed, resamples)
    )
    squared = _squared(table, table.n, table.x, mean, size)
    rms_interval = ece_interval = None
    if census:
        rms_interval = Interval(*[math.sqrt(max(0.0, squared or 0.0))] * 2)
        ece_interval = Interval(ece, ece)
    elif squared is not None:
        rms_interval = _bootstrap(table, mean, size, level, seed, resamples)
        if rms_interval is not None:
            ece_interval = Interval(min(rms_interval.low**2, ece), max(rms_interval.high, ece))
    brier, variance = _brier(judged, everyone, populations)
    return CalibrationEstimate(
        len(judged),
        rows,
        ece,
        ece_interval,
        expected,
        p_value,
        squared,
        None if squared is None else math.sqrt(max(0.0, squared)),
        rms_interval,
        brier,
        variance,
        *_nll(judged, populations, level, seed, census=census),
        census,
    )


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


@dataclass(frozen=True, slots=True)
class _Table:
    """Labels by stratum and bin: counts n and positives x, shape (H, K)."""

    population: Floats
    n: Floats
    x: Floats

    @classmethod
    def of(cls, judged: Sequence[Judged], populations: Mapping[str, float], bins: int) -> _Table:
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
        return _quotient((w * x).sum(axis=-2), (w * n).sum(axis=-2))


def _quotient(over: Floats, under: Floats) -> Floats:
    result: Floats = np.divide(over, under, out=np.full(under.shape, np.nan), where=under > 0)
    return result


def _ece(accuracy: Floats, mean: Floats, size: Floats) -> float:
    known = ~np.isnan(accuracy) & (size > 0)
    parts = size[known] * np.abs(accuracy[known] - mean[known])
    return math.fsum(parts) / math.fsum(size[known])


def _squared_rows(table: _Table, n: Floats, x: Floats, mean: Floats, size: Floats) -> Floats:
    """Debiased squared error; a bin with one label cannot be debiased and adds nothing."""
    w = table.weight
    mass = (w * n).sum(axis=-2)
    accuracy = _quotient((w * x).sum(axis=-2), mass)
    kish = _quotient(mass**2, (w * w * n).sum(axis=-2))
    counts = n.sum(axis=-2)
    fine = (counts > 1) & (size > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = (accuracy - mean) ** 2 - accuracy * (1 - accuracy) / (kish - 1)
    total = np.where((counts > 0) & (size > 0), size, 0.0).sum(axis=-1)
    total = np.where(fine.any(axis=-1), total, 0.0)
    return _quotient((np.where(fine, parts, 0.0) * size).sum(axis=-1), total)


def _squared(table: _Table, n: Floats, x: Floats, mean: Floats, size: Floats) -> float | None:
    return _or_none(float(_squared_rows(table, n[None], x[None], mean, size)[0]))


def _bootstrap(  # noqa: PLR0913, PLR0917  # the arrays of one sample
    table: _Table, mean: Floats, size: Floats, level: float, seed: int, resamples: int
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
    spread = _squared_rows(table, n, x, mean, size)
    spread = spread[~np.isnan(spread)]
    if not len(spread):
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(spread, [tail, 1 - tail])
    return Interval(math.sqrt(max(0.0, float(low))), min(1.0, math.sqrt(max(0.0, float(high)))))


def _if_calibrated(  # noqa: PLR0913, PLR0917  # the arrays of one sample
    table: _Table,
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


def _brier(
    judged: Sequence[Judged], everyone: Floats, populations: Mapping[str, float]
) -> tuple[float, float]:
    """Brier score of the population (0 to 1) and its variance."""
    by: defaultdict[str, list[float]] = defaultdict(list)
    for one in judged:
        by[one.stratum].append((1 - 2 * one.confidence) if one.positive else 0.0)
    whole = math.fsum(populations[name] for name in by)
    known = math.fsum(everyone * everyone) / len(everyone)
    mean, variance = 0.0, 0.0
    for name in sorted(by):
        values, share = by[name], populations[name] / whole
        n = len(values)
        centre = math.fsum(values) / n
        mean += share * centre
        if n > 1:
            spread = math.fsum((v - centre) ** 2 for v in values) / (n - 1)
            variance += share**2 * max(0.0, 1 - n / populations[name]) * spread / n
    return min(1.0, max(0.0, known + mean)), variance


def _nll(
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


def consistency_bar(confidences: Iterable[float], *, level: float = LEVEL) -> tuple[int, int]:
    """Counts of positives that a calibrated model would show in a bin, exact.

    The count is Poisson-binomial; its distribution comes from convolution, no simulation.
    Source: Brocker and Smith 2007 (the idea); Verkade, EGU23-4349 (exact).

    >>> consistency_bar([0.5] * 10)
    (2, 8)
    """
    chances = np.ones(1)
    for p in confidences:
        chances = np.convolve(chances, [1 - p, p])
    total = np.cumsum(chances)
    tail = (1 - level) / 2
    low = int(np.searchsorted(total, tail * (1 - 1e-12)))
    high = int(np.searchsorted(total, (1 - tail) * (1 - 1e-12)))
    return low, min(high, len(chances) - 1)
