"""The headline numbers of a study, kept up to date: a label costs the same at any size."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from labkit.estimation.live import Live
from labkit.estimation.planner import plan
from labkit.labels import by_item, is_disputed
from labkit.model import Basis
from labkit.numbers import INDEPENDENT, standing
from labkit.population import labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from labkit.config import Goal
    from labkit.estimation.estimates import Estimate
    from labkit.estimation.planner import Plan
    from labkit.model import Label
    from labkit.numbers import Frames

    LabelsOf = Callable[[str], Sequence[Label]]


class Running:
    """The headline's strata as they stand, and what follows from them.

    Args:
        frames: The population.
        labels: Every label there is, unsure ones included.
        labels_of: Every label of one item, asked again when the item was touched.
    """

    def __init__(self, frames: Frames, labels: Iterable[Label], labels_of: LabelsOf) -> None:
        """Take in what there is, once."""
        self._frames, self._labels_of = frames, labels_of
        self._lives: dict[Basis, Live] = {}
        self._bases: dict[str, frozenset[Basis]] = {}
        self._having: Counter[Basis] = Counter()
        """How many items have a label of each basis."""
        self._touched: set[str] = set()
        for item, group in by_item(labels).items():
            self._take(item, group)

    def touch(self, item: str) -> None:
        """Something was decided about an item; it is looked at when a number is asked for."""
        self._touched.add(item)

    @property
    def basis(self) -> Basis:
        """The headline's basis: blind where there is a blind label, else assisted."""
        self._catch_up()
        return next((basis for basis in INDEPENDENT if self._having[basis]), Basis.BLIND)

    def live(self) -> Live:
        """The running estimates of the headline's basis."""
        return self._live(self.basis)

    def headlines(self) -> tuple[Estimate, ...]:
        """The binary metrics that mean something here, with their intervals."""
        basis = self.basis
        rows = self._live(basis).headline(self._frames.metrics, basis=basis.value)
        return tuple(self._frames.named(row) for row in rows)

    def plan(
        self, goal: Goal, *, median_seconds: float | None = None, assured: bool = True
    ) -> Plan:
        """How many more labels the goal needs, where, and how long they take."""
        found = plan(
            self.live().design(),
            metric=goal.metric if self._frames.binary else "precision",
            half_width=goal.half_width,
            allocation=self._frames.allocation,
            median_seconds=median_seconds,
            assured=assured,
        )
        return replace(found, metric="accuracy") if self._frames.of_choice else found

    def _catch_up(self) -> None:
        while self._touched:
            item = self._touched.pop()
            self._take(item, self._labels_of(item))

    def _take(self, item: str, group: Sequence[Label]) -> None:
        before, after = self._bases.get(item, frozenset()), frozenset(one.basis for one in group)
        self._having.subtract(before)
        self._having.update(after)
        self._bases[item] = after
        known = not is_disputed(group)
        for basis in INDEPENDENT:
            one = standing(group, basis) if known else None
            if one is not None:
                prediction = self._frames.predictions.get(item)
                self._live(basis).put(labelled(self._frames.task, one, prediction))
            elif basis in self._lives:
                self._lives[basis].remove(item)

    def _live(self, basis: Basis) -> Live:
        if basis not in self._lives:
            simple = self._frames.drawn == "simple"
            self._lives[basis] = Live(self._frames.population, simple=simple)
        return self._lives[basis]


def median_of(parts: Sequence[Sequence[int]]) -> float | None:
    """The median of several sorted lists of whole numbers, without merging them.

    >>> median_of([[1, 5], [2]]), median_of([[1, 4], []]), median_of([])
    (2.0, 2.5, None)
    """
    n = sum(map(len, parts))
    return (_smallest(parts, (n - 1) // 2) + _smallest(parts, n // 2)) / 2 if n else None


def _smallest(parts: Sequence[Sequence[int]], k: int) -> int:
    """The value at place ``k`` of all parts together, by halving the range of values."""
    low = min(part[0] for part in parts if part)
    high = max(part[-1] for part in parts if part)
    while low < high:
        middle = (low + high) // 2
        if sum(bisect_right(part, middle) for part in parts) > k:
            high = middle
        else:
            low = middle + 1
    return low
