"""Imported labels as units that stand for themselves, where they were chosen before the draw.

A study takes labels over when it is made, so who has one cannot depend on who is drawn: such items
are known with certainty and the sample stands for the rest. Their numbers are rows of their own,
``blind+imported``, because nobody knows how the imported answers came about; the headline stays
with the sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from labkit.errors import InputError
from labkit.estimation.designs import crossed
from labkit.estimation.estimates import estimate
from labkit.estimation.units import Labelled, Use
from labkit.estimation.warnings import Warn
from labkit.estimation.whole import Estimates
from labkit.labels import by_item, is_disputed
from labkit.model import Basis
from labkit.numbers import headline, told
from labkit.overrides import notes
from labkit.population import labelled, yes_no

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.model import Label
    from labkit.numbers import Frames


@dataclass(frozen=True, slots=True)
class Chosen:
    """The imported labels, and whether their choice was finished before the draw."""

    labels: Mapping[str, Label]
    """By item; those that answer the study's yes/no question about an item with an AI answer."""
    same_seed: bool = False
    """Some were drawn, or looked for, beside a sample drawn with this study's seed, or with one
    that nobody tells: the same items come first in both, so the choice may depend on the draw."""

    @property
    def certain(self) -> bool:
        """Whether they are certainty units."""
        return bool(self.labels) and not self.same_seed

    @property
    def warning(self) -> Warn | None:
        """What is to be known about them beside the numbers of the sample."""
        n = len(self.labels)
        if not n:
            return None
        told = "1 imported label is" if n == 1 else f"{n} imported labels are"
        if self.same_seed:
            why = (
                "their notes tell of a study whose sample has this study's seed, or a seed that is "
                "not told, so their choice may depend on the draw"
            )
        else:
            why = (
                "how such labels were given is not known; the rows whose basis ends in +imported "
                "count them as certainty units, since they were chosen before the draw"
            )
        return Warn("left-out", f"{told} not in the headline (weight 0): {why}.")


def chosen(frames: Frames, labels: Sequence[Label]) -> Chosen:
    """The imported labels among a study's labels.

    Args:
        frames: The population.
        labels: Every label of every reviewer and every imported one.
    """
    imported = [label for label in labels if label.basis is Basis.IMPORTED]
    strata = frames.population.frame.strata
    found = {
        label.item: label
        for label in imported
        if label.item in strata and _answers(frames, label) is not None
    }
    clauses = [said for label in imported if (said := _clause(label.note)) is not None]
    seeds = {said.draw.seed for said in clauses if said.draw is not None}
    return Chosen(found, frames.seed in seeds or bool(clauses and not seeds))


def _answers(frames: Frames, label: Label) -> bool | None:
    if yes_no(frames.task) is None:
        return None
    return labelled(frames.task, label, frames.predictions.get(label.item)).positive


def _clause(note: str) -> notes.Provenance | None:
    try:
        return notes.parse(note)
    except InputError:
        return None


def with_certain(frames: Frames, labels: Sequence[Label]) -> Estimates | None:
    """The binary metrics with imported labels as certainty units; ``None`` where there are none.

    A blind answer about such an item replaces the imported one; an item on which reviewers differ
    is left to the sample.
    """
    found = chosen(frames, labels)
    basis = headline(labels)
    own = {one.item: one for one in told(frames, labels, basis)}
    if not found.certain or not any(one.use is Use.SAMPLED for one in own.values()):
        return None
    groups = by_item(labels)
    for item, label in found.labels.items():
        if not is_disputed(groups[item]):
            own[item] = _certain(frames, own.get(item), label)
    design = crossed(frames.population.frame, own.values(), simple=frames.drawn == "simple")
    mixed = f"{basis.value}+imported"
    rows = tuple(estimate(metric, design, basis=mixed) for metric in frames.metrics)
    counts = {"predictions": design.population, "labelled": design.labelled}
    return Estimates(rows, counts, None, (), design)


def _certain(frames: Frames, own: Labelled | None, imported: Label) -> Labelled:
    if own is not None and own.positive is not None:
        return replace(own, use=Use.CERTAINTY)
    one = labelled(frames.task, imported, frames.predictions.get(imported.item))
    return replace(one, use=Use.CERTAINTY)
