"""Accuracy where the AI is sure: how much it decides, and how often it is right there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.metrics.counts import Ratio

if TYPE_CHECKING:
    from collections.abc import Iterable


def checked_threshold(threshold: float) -> float:
    """The threshold itself.

    Raises:
        InputError: It is outside 0 to 1.
    """
    if not 0 <= threshold <= 1:
        raise InputError(f"threshold {threshold!r} is not between 0 and 1.")
    return threshold


def coverage(confidences: Iterable[float | None], threshold: float) -> Ratio:
    """Share of decided items whose confidence reaches the threshold.

    Items without a confidence are decided, and below any threshold. Over a whole population this
    has no sampling error.

    >>> coverage([0.9, 0.8, 0.1, None], 0.8)
    Ratio(numerator=2, denominator=4)
    """
    checked_threshold(threshold)
    values = list(confidences)
    return Ratio(sum(c is not None and c >= threshold for c in values), len(values))


def selective_accuracy(pairs: Iterable[tuple[float | None, bool]], threshold: float) -> Ratio:
    """Share of right answers among labelled items whose confidence reaches the threshold.

    >>> selective_accuracy([(0.9, True), (0.8, False), (0.1, True)], 0.8)
    Ratio(numerator=1, denominator=2)
    """
    checked_threshold(threshold)
    kept = [bool(right) for p, right in pairs if p is not None and p >= threshold]
    return Ratio(sum(kept), len(kept))
