"""decguard's measures of labelled decisions that the shared metrics do not have.

Undefined precision, recall and F1 of a label are 0 (policy ``ZERO``), an undefined mean is
``None``. Calibration, coverage and selective accuracy come from ``labkit.metrics``.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.metrics.counts import ZERO, Ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class LabelScore:
    """Precision, recall and F1 of one label; 0.0 where undefined."""

    precision: float
    recall: float
    f1: float
    support: int


def mean(values: Sequence[float]) -> float | None:
    """The exact sum over the number of values; ``None`` where there are none."""
    return math.fsum(values) / len(values) if values else None


def share(flags: Sequence[bool]) -> float | None:
    """The share of true flags; ``None`` where there are none."""
    return Ratio(sum(flags), len(flags)).value


def percentile(values: Sequence[float], q: float) -> float | None:
    """The q-th percentile by linear interpolation (NumPy's default).

    >>> percentile([4.0, 1.0, 3.0, 2.0], 95)
    3.85
    """
    if not values:
        return None
    ordered = sorted(values)
    place = (len(ordered) - 1) * q / 100
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def accuracy(expected: Sequence[str], predicted: Sequence[str]) -> float | None:
    """The share of cases whose selected label is the expected one."""
    return share([e == p for e, p in zip(expected, predicted, strict=True)])


def _or_zero(numerator: int, denominator: int) -> float:
    return Ratio(numerator, denominator).under(ZERO) or 0.0


def per_label(
    expected: Sequence[str], predicted: Sequence[str], labels: Sequence[str]
) -> dict[str, LabelScore]:
    """Scores of every label of the contract, also of those that never occur.

    F1 is built from precision and recall, 2PR/(P+R), as decguard does: the last digit differs
    from 2TP/(2TP+FP+FN).
    """
    found: dict[str, LabelScore] = {}
    agreed = Counter(e for e, p in zip(expected, predicted, strict=True) if e == p)
    said, support = Counter(predicted), Counter(expected)
    for label in labels:
        precision = _or_zero(agreed[label], said[label])
        recall = _or_zero(agreed[label], support[label])
        both = precision + recall
        f1 = 2 * precision * recall / both if both else 0.0
        found[label] = LabelScore(precision, recall, f1, support[label])
    return found


def macro_f1(
    scores: Mapping[str, LabelScore], expected: Sequence[str], predicted: Sequence[str]
) -> float | None:
    """Mean F1 over the labels that occur as expected or as predicted."""
    seen = {*expected, *predicted}
    return mean([score.f1 for label, score in scores.items() if label in seen])


def ordinal_mae(
    expected: Sequence[str], predicted: Sequence[str], levels: Sequence[str]
) -> float | None:
    """Mean distance between predicted and expected level, in steps of the scale."""
    rank = {level: index for index, level in enumerate(levels)}
    pairs = zip(expected, predicted, strict=True)
    return mean([float(abs(rank[p] - rank[e])) for e, p in pairs])
