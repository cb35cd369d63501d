"""All predictions of a study, indexed once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from labkit.estimation.designs import Frame, Placed
from labkit.estimation.units import complement

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from labkit.estimation.units import Predicted


@dataclass(frozen=True, slots=True)
class Population:
    """The predictions, and what of them is known without any label."""

    predicted: tuple[Predicted, ...]
    frame: Frame
    confidences: Mapping[str, float] = field(default_factory=dict)
    """P(positive) of every item of the frame that has one."""
    tags: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The AI's tags of every item of the frame that has an answer about tags."""
    tag_counts: Counter[str] = field(default_factory=Counter)
    """How often the AI gave each tag."""

    @classmethod
    def of(cls, predicted: Iterable[Predicted]) -> Population:
        """Index the predictions; those without an AI answer are outside the frame."""
        units = tuple(predicted)
        inside = [u for u in units if u.flagged is not None]
        return cls(
            units,
            Frame.of(units),
            {u.item: u.confidence for u in inside if u.confidence is not None},
            {u.item: u.tags for u in inside if u.tags is not None},
            Counter(tag for u in inside for tag in u.tags or ()),
        )

    def within(self, keep: Callable[[Predicted], bool]) -> Population:
        """A domain: the units that pass."""
        return Population.of(u for u in self.predicted if keep(u))

    def sizes(
        self, placed: Sequence[Placed], items: Iterable[str] | None = None
    ) -> dict[str, float]:
        """Size of every crossed stratum after certainty units left their homes.

        Args:
            placed: The labels that enter the estimates.
            items: Only these units; all of the frame when left out.
        """
        strata = self.frame.strata
        inside: Collection[str] = strata if items is None else set(items)
        sizes = (
            Counter({name: n for (name, _), n in self.frame.sizes.items()})
            if items is None
            else Counter(strata[item][0] for item in inside)
        )
        for one in placed:
            home = strata[one.label.item][0]
            if home != one.stratum and one.label.item in inside:
                sizes[home] -= 1
                sizes[one.stratum] += 1
        return {name: float(n) for name, n in sorted(sizes.items()) if n > 0}


def decision_confidence(unit: Predicted) -> float | None:
    """How sure the AI is of its own decision: p where it flags, else 1 - p.

    >>> from labkit.estimation.units import Predicted
    >>> round(decision_confidence(Predicted("a", flagged=False, confidence=0.1)), 2)
    0.9
    """
    if unit.confidence is None or unit.flagged is None:
        return None
    return unit.confidence if unit.flagged else complement(unit.confidence)
