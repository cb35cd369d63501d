"""Findings against seeded bugs: the counts of one case, and the ratios made of their sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.metrics.counts import Ratio

if TYPE_CHECKING:
    from collections.abc import Mapping


def ratio(numerator: int, denominator: int) -> float | None:
    """The quotient, or ``None`` where nothing was counted.

    >>> ratio(3, 4), ratio(0, 0)
    (0.75, None)
    """
    return Ratio(numerator, denominator).value


@dataclass(frozen=True, slots=True)
class Tally:
    """What was found, reported in vain and missed; tallies add, ratios do not.

    >>> pooled = Tally(3, 1, 1, 2) + Tally(0, 1, 0, 0)
    >>> pooled.precision, pooled.recall, pooled.severity_accuracy
    (0.6, 0.75, 0.6666666666666666)
    >>> Tally(0, 2, 0, 0).recall is None
    True
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0
    severity_matches: int = 0

    def __add__(self, other: Tally) -> Tally:
        """Pool two tallies."""
        return Tally(
            self.tp + other.tp,
            self.fp + other.fp,
            self.fn + other.fn,
            self.severity_matches + other.severity_matches,
        )

    @property
    def expected(self) -> int:
        """How many bugs were there to find."""
        return self.tp + self.fn

    @property
    def precision(self) -> float | None:
        """Of the findings reported, how many were real."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """Of the seeded bugs, how many were caught; undefined on a clean case."""
        return ratio(self.tp, self.expected)

    @property
    def f1(self) -> float | None:
        """2TP/(2TP+FP+FN); undefined when there is nothing to find and nothing reported."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def severity_accuracy(self) -> float | None:
        """Of the caught bugs, how many were given the expected severity."""
        return ratio(self.severity_matches, self.tp)


def added(*tallies: Mapping[str, int]) -> dict[str, int]:
    """Sum counts by name, names sorted.

    >>> added({"review": 2}, {"adversarial": 1, "review": 1})
    {'adversarial': 1, 'review': 3}
    """
    names = sorted({name for tally in tallies for name in tally})
    return {name: sum(tally.get(name, 0) for tally in tallies) for name in names}
