"""Which items a study draws, and which arm each is given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from labkit.arms import assign_arms
from labkit.errors import InputError
from labkit.estimation.allocation import bands, neyman
from labkit.estimation.units import WHOLE
from labkit.population import population, strata_of
from labkit.sampling import (
    draw_simple,
    draw_stratified,
    extend_simple,
    extend_stratified,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from labkit.config import StudyConfig
    from labkit.presets.material import Material
    from labkit.sampling import Sample


def draw(config: StudyConfig, material: Material) -> Sample:
    """Draw the sample that the configuration asks for from the items with an AI answer."""
    if config.design == "simple":
        return draw_simple(material.predictions, config.sample, seed=config.seed)
    frame, allocation = _allocated(config, material, config.sample)
    return draw_stratified(frame, allocation, seed=config.seed)


def _allocated(
    config: StudyConfig, material: Material, n: int | None
) -> tuple[Mapping[str, str], Mapping[str, int]]:
    """Each item's stratum, and how many each stratum gives."""
    units = population(material.task, material.items, material.predictions, config.strata)
    frame = strata_of(units, config.strata)
    whole = _whole(config.take_all, set(frame.values()))
    return frame, neyman(units, frame, len(units) if n is None else n, take_all=whole)


def _whole(wanted: Sequence[str], strata: AbstractSet[str]) -> AbstractSet[str]:
    """The strata that are drawn whole; a name without the AI's decision means both sides.

    Raises:
        InputError: No stratum is called so.
    """
    found: set[str] = set()
    for name in wanted:
        own = {one for one in strata if one == name or one.rpartition("/")[0] == name}
        if not own:
            raise InputError(
                f"take-all {name!r} is no stratum; there are {', '.join(sorted(strata))}."
            )
        found |= own
    return found


def frame_of(config: StudyConfig, material: Material) -> Mapping[str, str]:
    """The stratum of each item with an AI answer."""
    if config.design == "simple":
        return dict.fromkeys(material.predictions, WHOLE)
    units = population(material.task, material.items, material.predictions, config.strata)
    return strata_of(units, config.strata)


def _larger(config: StudyConfig, material: Material, before: Sample, n: int) -> Sample:
    if before.design == "simple":
        return extend_simple(before, material.predictions, n)
    frame, allocation = _allocated(config, material, n)
    return extend_stratified(before, frame, allocation)


def extended(
    names: Mapping[str, str], config: StudyConfig, material: Material, before: Sample, n: int
) -> Sample:
    """Extend with the names that items were drawn by, where a newer scan numbers them anew."""
    if not names:
        return _larger(config, material, before, n)
    ids = {name: item for item, name in names.items()}
    named = replace(
        material,
        items={names.get(i, i): one for i, one in material.items.items()},
        predictions={names.get(i, i): said for i, said in material.predictions.items()},
    )
    drawn = tuple(replace(unit, item=names.get(unit.item, unit.item)) for unit in before.drawn)
    after = _larger(config, named, replace(before, drawn=drawn), n)
    back = tuple(replace(unit, item=ids.get(unit.item, unit.item)) for unit in after.drawn)
    return replace(after, drawn=back)


def arms_for(config: StudyConfig, material: Material, items: Sequence[str]) -> Mapping[str, str]:
    """The arm of each item under ``randomised``; none otherwise."""
    if config.protocol != "randomised":
        return {}
    units = population(material.task, material.items, material.predictions)
    return assign_arms(items, bands(units), seed=config.seed)
