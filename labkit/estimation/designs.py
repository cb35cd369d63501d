"""From predictions and labels to strata: crossed with the AI's decision, sizes known.

Every stratum is crossed with the AI's decision before anything is estimated, so a simple random
sample is post-stratified by it and ``python`` becomes ``python/flagged`` and
``python/not-flagged``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from labkit.estimation.intervals import effective_size
from labkit.estimation.score_interval import Cell
from labkit.estimation.units import WHOLE, Labelled, Predicted, Use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

GUESSED_F1 = 0.8
"""The F1 that plans and allocations assume before anything is labelled."""
SMALL_SHARE = 0.05
"""An empty stratum up to this share of its AI class is counted with the rest of the class."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Units that the AI decided alike, drawn with one chance.

    >>> Stratum("flagged", True, 600, 100, 75).share
    0.75
    """

    name: str
    flagged: bool
    population: int
    labelled: int
    """Units with a label; unsure answers are not among them."""
    positives: int
    unsure: int = 0

    @property
    def share(self) -> float | None:
        """The share of positives among the labelled, or ``None`` without a label."""
        return self.positives / self.labelled if self.labelled else None

    @property
    def census(self) -> bool:
        """Whether every unit is labelled."""
        return self.labelled >= self.population

    def cell(self) -> Cell:
        """The stratum as the score interval reads it, with its finite population."""
        size = effective_size(self.labelled, self.population)
        return Cell(self.flagged, self.population, self.share or 0.0, size)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Labels that do not enter the estimates, and why."""

    reason: str
    n: int


@dataclass(frozen=True, slots=True)
class Design:
    """How the labels stand for the population."""

    name: str
    strata: tuple[Stratum, ...]
    """Sorted by name; a stratum without units is not listed."""
    left_out: tuple[LeftOut, ...] = ()
    collapsed: tuple[str, ...] = ()
    """Strata without a label that were counted with the rest of their AI class."""

    @property
    def labelled(self) -> int:
        """Labels that enter the estimates."""
        return sum(stratum.labelled for stratum in self.strata)

    @property
    def population(self) -> int:
        """Units in the frame."""
        return sum(stratum.population for stratum in self.strata)

    @property
    def census(self) -> bool:
        """Whether every unit of the frame is labelled."""
        return bool(self.strata) and all(stratum.census for stratum in self.strata)

    def cells(self) -> tuple[Cell, ...]:
        """What the score interval reads."""
        return tuple(stratum.cell() for stratum in self.strata)


def name_of(stratum: str, *, flagged: bool) -> str:
    """The name of a stratum crossed with the AI's decision.

    >>> name_of("python", flagged=True), name_of("all", flagged=False)
    ('python/flagged', 'not-flagged')
    """
    side = "flagged" if flagged else "not-flagged"
    if stratum in {WHOLE, side} or stratum.endswith(f"/{side}"):
        return side if stratum == WHOLE else stratum
    return f"{stratum}/{side}"


@dataclass(frozen=True, slots=True)
class Frame:
    """The population by id: who is in which crossed stratum."""

    strata: Mapping[str, tuple[str, bool]]
    """Item to (name of the crossed stratum, the AI's decision)."""
    outside: frozenset[str] = frozenset()
    """Items without an AI answer."""
    sizes: Mapping[tuple[str, bool], int] = field(default_factory=dict)
    """How many items each crossed stratum has; counted once, so that a label costs no rescan."""

    @classmethod
    def of(cls, predicted: Iterable[Predicted]) -> Frame:
        """Cross every unit's stratum with the AI's decision."""
        strata: dict[str, tuple[str, bool]] = {}
        outside: set[str] = set()
        names: dict[tuple[str, bool], tuple[str, bool]] = {}
        for unit in predicted:
            if unit.flagged is None:
                outside.add(unit.item)
                continue
            key = (unit.stratum, unit.flagged)
            if key not in names:
                names[key] = (name_of(unit.stratum, flagged=unit.flagged), unit.flagged)
            strata[unit.item] = names[key]
        return cls(strata, frozenset(outside), Counter(strata.values()))


@dataclass(frozen=True, slots=True)
class Placed:
    """A label that enters the estimates, and the stratum it stands in."""

    label: Labelled
    stratum: str
    flagged: bool


def place(
    frame: Frame, labels: Iterable[Labelled]
) -> tuple[tuple[Placed, ...], tuple[LeftOut, ...]]:
    """Put each label into its stratum, and say which ones stay out.

    A certainty unit gets a stratum of its own kind, ``certainty/flagged`` or
    ``certainty/not-flagged``, and leaves the one it came from.
    """
    placed: list[Placed] = []
    reasons: Counter[str] = Counter()
    for label in sorted(labels, key=lambda one: one.item):
        if label.item in frame.outside:
            reasons["the AI gave no answer: outside the sampling frame"] += 1
        elif label.item not in frame.strata:
            reasons["no prediction has this id"] += 1
        elif label.use is Use.TARGETED:
            reasons["targeted: chosen on purpose, not drawn; weight 0 in estimates"] += 1
        else:
            name, flagged = frame.strata[label.item]
            if label.use is Use.CERTAINTY:
                name = name_of("certainty", flagged=flagged)
            placed.append(Placed(label, name, flagged))
    return tuple(placed), tuple(LeftOut(reason, n) for reason, n in sorted(reasons.items()))


def crossed(
    frame: Frame,
    labels: Iterable[Labelled],
    *,
    positive: Callable[[Labelled], bool | None] = lambda label: label.positive,
    simple: bool | None = None,
) -> Design:
    """The strata of a frame with what the labels say about them.

    Args:
        frame: The population.
        labels: Every label, in any order; those of use ``targeted`` are counted and left out.
        positive: What counts as positive; ``None`` is unsure.
        simple: Whether every unit had the same chance of being drawn; by default that is so where
            the frame has one stratum.
    """
    placed, left_out = place(frame, labels)
    population = Counter(frame.sizes)
    n: Counter[tuple[str, bool]] = Counter()
    x: Counter[tuple[str, bool]] = Counter()
    unsure: Counter[tuple[str, bool]] = Counter()
    for one in placed:
        key = (one.stratum, one.flagged)
        home = frame.strata[one.label.item]
        if home != key:
            population[home] -= 1
            population[key] += 1
        answer = positive(one.label)
        if answer is None:
            unsure[key] += 1
        else:
            n[key] += 1
            x[key] += answer
    strata = tuple(
        Stratum(key[0], key[1], size, n[key], x[key], unsure[key])
        for key, size in sorted(population.items())
        if size > 0
    )
    return collapse(Design(name_design(strata, simple=simple), strata, left_out))


def name_design(strata: Sequence[Stratum], *, simple: bool | None = None) -> str:
    """``census``, ``simple, post-stratified by AI decision`` or ``stratified``.

    Args:
        strata: The crossed strata.
        simple: Whether every unit had the same chance; by default that is read from the names.
    """
    if strata and all(stratum.census for stratum in strata):
        return "census"
    names = {s.name for s in strata if not s.name.startswith("certainty/")}
    certain = ", certainty units" if len(names) < len(strata) else ""
    if simple or (simple is None and names <= {"flagged", "not-flagged"}):
        return f"simple, post-stratified by AI decision{certain}"
    return f"stratified{certain}"


def collapse(design: Design) -> Design:
    """Count small strata without a label with the labelled rest of their AI class.

    Only where they hold at most ``SMALL_SHARE`` of the class; a larger one stays, and what
    depends on it is undefined.
    """
    kept = list(design.strata)
    gone: list[str] = []
    for flagged in (True, False):
        side = [s for s in design.strata if s.flagged is flagged]
        empty = [s for s in side if not s.labelled]
        hosts = [s for s in side if s.labelled and not s.census]
        missing = sum(s.population for s in empty)
        if not empty or not hosts or missing > SMALL_SHARE * sum(s.population for s in side):
            continue
        host = max(hosts, key=lambda s: (s.population, s.name))
        kept = [
            replace(s, population=s.population + missing) if s is host else s
            for s in kept
            if s not in empty
        ]
        gone += [s.name for s in empty]
    return replace(design, strata=tuple(kept), collapsed=tuple(sorted(gone)))
