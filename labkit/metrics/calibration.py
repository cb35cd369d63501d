"""How far stated probabilities are from what happened: ECE, Brier, NLL, reliability.

Bins are ``(i/K, (i+1)/K]`` with edges by division, and the first includes 0: decguard's rule,
which none of the usual libraries follows at the edges. All sums
are exact (``math.fsum``), so no order of the rows changes a digit.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

BINS = 10
NLL_FLOOR = 1e-15
"""Probabilities below this are lifted to it: one confident miss costs 34.54."""


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of a reliability diagram."""

    lower: float
    upper: float
    count: int
    mean_confidence: float | None
    accuracy: float | None

    def as_dict(self) -> dict[str, object]:
        """The form that every JSON report uses."""
        return {
            "lower": self.lower,
            "upper": self.upper,
            "count": self.count,
            "mean_confidence": self.mean_confidence,
            "accuracy": self.accuracy,
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration over the labelled items that have a probability; undefined is ``None``."""

    n: int
    missing: int
    """Labelled items without a probability."""
    ece: float | None
    brier: float | None
    """Sum over labels of squared errors, 0 to 2; for two labels twice (p - y) squared."""
    nll: float | None
    bins: int
    reliability: tuple[Bin, ...]

    def as_dict(self) -> dict[str, object]:
        """The ``calibration`` object of every JSON report."""
        return {
            "n": self.n,
            "missing": self.missing,
            "ece": self.ece,
            "brier": self.brier,
            "nll": self.nll,
            "bins": self.bins,
            "reliability": [one.as_dict() for one in self.reliability],
        }


def _checked(p: float, slack: float = 0.0) -> float:
    if not 0 <= p <= 1 + slack:
        raise InputError(f"probability {p!r} is not between 0 and 1.")
    return p


def bin_of(p: float, bins: int = BINS) -> int:
    """Which bin a probability falls into.

    Raises:
        InputError: ``p`` is outside 0 to 1, or not a number.

    >>> [bin_of(p) for p in (0.0, 0.1, 0.10000000000000002, 0.3, 1.0)]
    [0, 0, 1, 2, 9]
    """
    edges = [i / bins for i in range(1, bins)]
    return bisect_left(edges, _checked(p))


def reliability(
    pairs: Iterable[tuple[float, bool]], bins: int = BINS, *, slack: float = 0.0
) -> tuple[Bin, ...]:
    """Sort ``(probability, happened)`` pairs into bins; empty bins are listed too.

    Args:
        pairs: Probability and outcome.
        bins: How many bins of equal width.
        slack: How far above 1 a probability may lie, where distributions need only sum to 1
            within a tolerance; such a one is in the last bin.

    Raises:
        InputError: A probability is outside 0 to 1.
    """
    edges = [i / bins for i in range(1, bins)]
    confidences: list[list[float]] = [[] for _ in range(bins)]
    hits = [0] * bins
    for p, happened in pairs:
        place = bisect_left(edges, _checked(p, slack))
        confidences[place].append(p)
        hits[place] += bool(happened)
    return tuple(
        Bin(
            i / bins,
            (i + 1) / bins,
            len(own),
            math.fsum(own) / len(own) if own else None,
            hits[i] / len(own) if own else None,
        )
        for i, own in enumerate(confidences)
    )


def expected_error(found: Sequence[Bin]) -> float | None:
    """Expected calibration error: the bins' gaps, weighted by their counts.

    Source: Naeini, Cooper, Hauskrecht 2015; bins as decguard has them.
    """
    n = sum(one.count for one in found)
    if not n:
        return None
    return math.fsum(
        one.count / n * abs(one.accuracy - one.mean_confidence)
        for one in found
        if one.accuracy is not None and one.mean_confidence is not None
    )


def ece(pairs: Iterable[tuple[float, bool]], bins: int = BINS) -> float | None:
    """Expected calibration error of ``(probability, happened)`` pairs; ``None`` without any."""
    return expected_error(reliability(pairs, bins))


def _loss(p: float) -> float:
    return -math.log(max(p, NLL_FLOOR))


def binary(
    pairs: Sequence[tuple[float, bool]], *, missing: int = 0, bins: int = BINS
) -> Calibration:
    """Calibration of P(positive) against a yes-or-no label.

    Args:
        pairs: ``(P(positive), label)`` of the labelled items that have a probability.
        missing: How many labelled items have none.
        bins: How many bins of equal width.

    Raises:
        InputError: A probability is outside 0 to 1.

    >>> found = binary([(0.9, True), (0.2, False)])
    >>> round(found.ece, 12), round(found.brier, 12)
    (0.15, 0.05)
    """
    table = reliability(pairs, bins)
    n = len(pairs)
    if not n:
        return Calibration(0, missing, None, None, None, bins, table)
    squares = math.fsum(2 * (p - y) ** 2 for p, y in pairs)
    losses = math.fsum(_loss(p if y else 1 - p) for p, y in pairs)
    return Calibration(n, missing, expected_error(table), squares / n, losses / n, bins, table)


def top_label(p: float, *, predicted: bool, truth: bool) -> tuple[float, bool]:
    """P(positive) as the confidence of the decision taken, and whether it was right.

    >>> top_label(0.1, predicted=False, truth=True)
    (0.9, False)
    """
    return (p if predicted else 1 - p), predicted == truth


def multiclass(
    rows: Sequence[tuple[Mapping[str, float], str, str]],
    *,
    missing: int = 0,
    bins: int = BINS,
    slack: float = 0.0,
) -> Calibration:
    """Calibration of distributions over labels; ECE is that of the stated label.

    Args:
        rows: ``(probabilities by label, stated label, true label)``; a label that the
            distribution leaves out has probability 0.
        missing: How many labelled items have no distribution.
        bins: How many bins of equal width.
        slack: How far above 1 a probability may lie; see ``reliability``.

    Raises:
        InputError: A probability is outside 0 to 1.
    """
    pairs = ((p.get(stated, 0.0), stated == truth) for p, stated, truth in rows)
    table = reliability(pairs, bins, slack=slack)
    n = len(rows)
    if not n:
        return Calibration(0, missing, None, None, None, bins, table)
    squares = math.fsum(
        math.fsum((p.get(k, 0.0) - (k == truth)) ** 2 for k in {*p, truth}) for p, _, truth in rows
    )
    losses = math.fsum(_loss(p.get(truth, 0.0)) for p, _, truth in rows)
    return Calibration(n, missing, expected_error(table), squares / n, losses / n, bins, table)
