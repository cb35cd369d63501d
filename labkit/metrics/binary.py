"""A yes-or-no decision against its labels."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from labkit.metrics.counts import Counts

if TYPE_CHECKING:
    from collections.abc import Iterable


def confusion(pairs: Iterable[tuple[bool, bool]]) -> Counts:
    """Count ``(truth, predicted)`` pairs.

    >>> confusion([(True, True), (True, False), (False, False)])
    Counts(tp=1, fp=0, fn=1, tn=1)
    """
    seen = Counter((bool(truth), bool(predicted)) for truth, predicted in pairs)
    return Counts(
        tp=seen[True, True], fp=seen[False, True], fn=seen[True, False], tn=seen[False, False]
    )
