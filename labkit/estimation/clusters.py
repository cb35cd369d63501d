"""Shares over clusters: repeated runs of a case, findings of one file.

Three runs of thirty cases are thirty units, not ninety.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from labkit.estimation.intervals import LEVEL, NOTHING_KNOWN, Interval, t_of, wilson_at

if TYPE_CHECKING:
    from collections.abc import Sequence


class Cluster(NamedTuple):
    """One case: how many of its units are right."""

    right: float
    units: float


class Clustered(NamedTuple):
    """A share with its interval, and how many clusters it rests on."""

    value: float | None
    interval: Interval
    clusters: int
    reason: str | None


def clustered_share(clusters: Sequence[Cluster], *, level: float = LEVEL) -> Clustered:
    """The pooled share with a variance between clusters.

    Effective size from the between-cluster variance, Wilson with t on clusters - 1 degrees of
    freedom. Without any variance between clusters the effective size is the number of clusters.

    Returns:
        ``value`` is ``None`` without units; with one cluster nothing is known about the spread and
        the interval is (0, 1).

    >>> share = clustered_share([Cluster(3, 3), Cluster(0, 3), Cluster(2, 3), Cluster(3, 3)])
    >>> round(share.value, 4), share.clusters
    (0.6667, 4)
    """
    used = [c for c in clusters if c.units > 0]
    units = math.fsum(c.units for c in used)
    count = len(used)
    if not used:
        return Clustered(None, NOTHING_KNOWN, 0, "no case has been labelled")
    value = math.fsum(c.right for c in used) / units
    if count == 1:
        return Clustered(value, NOTHING_KNOWN, 1, "one case says nothing about the next")
    mean = units / count
    squares = math.fsum(((c.right - value * c.units) / mean) ** 2 for c in used)
    variance = squares / (count * (count - 1))
    size = value * (1 - value) / variance if variance > 0 and 0 < value < 1 else count
    return Clustered(value, wilson_at(value, size, t_of(level, count - 1)), count, None)
