"""Strata that labels name, found again in predictions that do not name them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from labkit.estimation.allocation import bands
from labkit.estimation.designs import name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from labkit.estimation.units import Predicted

DIGITS = 12
"""Confidences that were turned to 1 - p and back have lost the last digits."""
REST = "rest"
"""The stratum of units that no label's stratum has room for."""


def by_size(
    units: Sequence[Predicted], named: Mapping[str, str], sizes: Mapping[str, int]
) -> tuple[Predicted, ...] | None:
    """Units in strata whose sizes are known, though only labelled ones say where they belong.

    The others fill the strata of their AI decision in order of their ids: estimates read sizes
    and labelled units, so who fills them makes no difference. Whom no stratum has room for is in
    a stratum ``rest``.

    Args:
        units: All predictions.
        named: The stratum of each labelled unit.
        sizes: How many units each of these strata has.

    Returns:
        ``None`` where a stratum holds both decisions, or more units than it has room for.
    """
    sides: dict[str, bool] = {}
    room = Counter(sizes)
    for unit in units:
        name = named.get(unit.item)
        if name is None or unit.flagged is None:
            continue
        room[name] -= 1
        if sides.setdefault(name, unit.flagged) is not unit.flagged or room[name] < 0:
            return None
    free = {
        side: [name for name in sorted(room) if sides.get(name) is side] for side in (True, False)
    }
    placed: dict[str, str] = {}
    for unit in sorted(units, key=lambda one: one.item):
        if unit.flagged is None or unit.item in named:
            continue
        names = free[unit.flagged]
        while names and not room[names[0]]:
            del names[0]
        placed[unit.item] = names[0] if names else REST
        if names:
            room[names[0]] -= 1
    if any(room[name] for name in sides):
        return None
    where = {**placed, **named}
    return tuple(replace(unit, stratum=where.get(unit.item, unit.stratum)) for unit in units)


def by_name(
    units: Sequence[Predicted],
    named: Mapping[str, str],
    fields: Iterable[Callable[[str], str]] = (),
) -> tuple[Predicted, ...] | None:
    """Units in the confidence bands, or in strata of a field, that the labels' strata are.

    Args:
        units: All predictions.
        named: The stratum of each labelled unit.
        fields: The value of a field by item, for each field that strata may be made of.

    Returns:
        ``None`` where nothing gives every labelled unit the stratum that its label names.
    """
    frame = bands(
        replace(u, confidence=None if u.confidence is None else round(u.confidence, DIGITS))
        for u in units
    )
    for where in (frame, *(_crossed(units, value) for value in fields)):
        if all(where.get(item, name) == name for item, name in named.items()):
            return tuple(replace(u, stratum=where.get(u.item, u.stratum)) for u in units)
    return None


def _crossed(units: Iterable[Predicted], value: Callable[[str], str]) -> dict[str, str]:
    return {
        u.item: name_of(value(u.item) or "none", flagged=u.flagged)
        for u in units
        if u.flagged is not None
    }
