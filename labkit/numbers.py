"""What a study's labels say about all predictions: estimates by basis, and what is still needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.estimation.designs import Design, Frame, crossed, place
from labkit.estimation.estimates import Estimate, estimate, estimate_binary
from labkit.estimation.planner import plan
from labkit.estimation.tag_estimates import estimate_macro, estimate_micro, tagged_units
from labkit.labels import by_item, is_disputed
from labkit.model import Basis
from labkit.population import labelled, yes_no

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from labkit.config import Goal
    from labkit.estimation.planner import Plan
    from labkit.estimation.units import Labelled, Predicted
    from labkit.model import Label, Prediction, Task

INDEPENDENT = (Basis.BLIND, Basis.ASSISTED)
"""The bases that estimates are made of, each by itself; the first with labels is the headline."""


@dataclass(frozen=True, slots=True)
class Frames:
    """A study's population, read once."""

    task: Task
    predictions: Mapping[str, Prediction]
    units: Sequence[Predicted]
    frame: Frame
    simple: bool

    @property
    def binary(self) -> bool:
        """Whether the AI says yes or no, so that recall and F1 exist."""
        return yes_no(self.task) is not None and any(not unit.flagged for unit in self.units)

    @property
    def tagged(self) -> bool:
        """Whether tags are asked."""
        return any(question.kind == "tags" for question in self.task.questions)

    def labels(
        self, labels: Iterable[Label], basis: Basis, *, final: bool = False
    ) -> tuple[Labelled, ...]:
        """One label an item of that basis; items on which reviewers differ have none."""
        return tuple(
            labelled(self.task, one, self.predictions.get(item), final=final)
            for item, group in by_item(labels).items()
            if not is_disputed(group)
            and (one := next((label for label in group if label.basis is basis), None))
        )

    def design(self, labels: Iterable[Labelled]) -> Design:
        """The strata with what the labels say."""
        return crossed(self.frame, labels, simple=self.simple)


def headline(labels: Iterable[Label]) -> Basis:
    """The basis of the headline: blind where there is a blind label, else assisted."""
    found = {label.basis for label in labels}
    return next((basis for basis in INDEPENDENT if basis in found), Basis.BLIND)


def estimates(
    frames: Frames, labels: Sequence[Label], *, tags: bool = True, seed: int = 1
) -> tuple[Estimate, ...]:
    """Every estimate, the headline's basis first; then, where answers were revised, final ones.

    Args:
        frames: The population.
        labels: Every label of every reviewer, unsure ones included.
        tags: Whether tags are estimated too.
        seed: Seed of the bootstrap.
    """
    first = headline(labels)
    bases = [
        first,
        *(b for b in INDEPENDENT if b is not first and any(x.basis is b for x in labels)),
    ]
    rows: list[Estimate] = []
    for basis in bases:
        rows += _rows(frames, frames.labels(labels, basis), basis.value, tags=tags, seed=seed)
    if any(label.revised and label.final is not None for label in labels):
        told = frames.labels(labels, first, final=True)
        rows += _rows(frames, told, Basis.REVEALED.value, tags=tags, seed=seed)
    return tuple(rows)


def _rows(
    frames: Frames, labels: Sequence[Labelled], basis: str, *, tags: bool, seed: int
) -> list[Estimate]:
    design = frames.design(labels)
    rows: list[Estimate] = []
    if frames.binary:
        rows += estimate_binary(design, basis=basis)
    elif any(question.kind != "tags" for question in frames.task.questions):
        name = "precision" if yes_no(frames.task) else "accuracy"
        rows.append(estimate("precision", design, basis=basis, name=name))
    if tags and frames.tagged:
        placed, _ = place(frames.frame, labels)
        said = {unit.item: unit.tags or frozenset() for unit in frames.units}
        units = tagged_units(placed, said)
        sizes = {stratum.name: float(stratum.population) for stratum in design.strata}
        if {unit.stratum for unit in units} <= sizes.keys():
            rows += estimate_micro(units, sizes, basis=basis, design=design.name)
            rows.append(estimate_macro(units, sizes, basis=basis, design=design.name, seed=seed))
    return rows


def planned(
    frames: Frames,
    labels: Sequence[Label],
    goal: Goal,
    *,
    median_seconds: float | None = None,
    assured: bool = True,
) -> Plan:
    """How many more labels the goal needs, where, and how long they take."""
    design = frames.design(frames.labels(labels, headline(labels)))
    metric = goal.metric if frames.binary else "precision"
    return plan(
        design,
        metric=metric,
        half_width=goal.half_width,
        allocation="proportional" if frames.simple else "optimal",
        median_seconds=median_seconds,
        assured=assured,
    )
