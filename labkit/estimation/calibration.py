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

from labkit.estimation.binned import (
    BINS,
    RESAMPLES,
    Judged,
    Table,
    bin_index,
    bootstrap_rms,
    expected_error,
    if_calibrated,
    mean_loss,
    or_none,
    squared_error,
)
from labkit.estimation.intervals import LEVEL, Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


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
    table = Table.of(judged, populations, bins)
    accuracy = table.accuracy(table.n, table.x)
    n_bin = table.n.sum(axis=0)
    rows = tuple(
        BinEstimate(
            b / bins,
            (b + 1) / bins,
            float(size[b]),
            or_none(mean[b]),
            int(n_bin[b]),
            or_none(accuracy[b]),
        )
        for b in range(bins)
    )
    known = ~np.isnan(accuracy) & (size > 0)
    if not known.any():
        return CalibrationEstimate(0, rows)
    ece = expected_error(accuracy, mean, size)
    census = bool((table.n.sum(axis=1) >= table.population).all())
    expected, p_value = (
        (None, None) if census else if_calibrated(table, judged, mean, size, ece, seed, resamples)
    )
    squared = squared_error(table, table.n, table.x, mean, size)
    rms_interval = ece_interval = None
    if census:
        rms_interval = Interval(*[math.sqrt(max(0.0, squared or 0.0))] * 2)
        ece_interval = Interval(ece, ece)
    elif squared is not None:
        rms_interval = bootstrap_rms(table, mean, size, level, seed, resamples)
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
        *mean_loss(judged, populations, level, seed, census=census),
        census,
    )


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
