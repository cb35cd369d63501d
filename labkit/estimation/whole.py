"""Everything that can be estimated from a set of predictions and some labels, in one call."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from labkit.estimation.chances import by_chance, is_stratified, strata_of
from labkit.estimation.designs import Design, Frame, Placed, crossed, place
from labkit.estimation.estimate_rows import (
    LABELLED_ONLY,
    UNEQUAL,
    Case,
    Drawn,
    Options,
    binary_rows,
    calibration_of,
    calibration_rows,
    selective_rows,
    severity_rows,
    sides_of,
    tag_rows,
)
from labkit.estimation.population import Population
from labkit.estimation.warnings import (
    Warn,
    basis_of,
    warn_of_basis,
    warn_of_design,
    warn_of_looks,
    warn_of_rare_tags,
    warn_of_unequal,
    warn_of_unsure,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from labkit.estimation.calibration import CalibrationEstimate
    from labkit.estimation.estimates import Estimate
    from labkit.estimation.units import Labelled, Predicted

__all__ = ["LABELLED_ONLY", "Drawn", "Estimates", "Options", "estimate_all"]


@dataclass(frozen=True, slots=True)
class Estimates:
    """The rows of a report, and what stands beside them."""

    metrics: tuple[Estimate, ...]
    counts: Mapping[str, int]
    """``predictions outside labelled unsure leftOut``, and tp fp fn tn of the labelled items."""
    calibration: CalibrationEstimate | None
    warnings: tuple[Warn, ...]
    design: Design

    def named(self, name: str) -> Estimate | None:
        """The row of that name."""
        return next((row for row in self.metrics if row.name == name), None)


def estimate_all(
    predicted: Iterable[Predicted] | Population,
    labels: Iterable[Labelled],
    options: Options = Options(),  # noqa: B008  # frozen
) -> Estimates:
    """Estimate every metric that the predictions and labels allow.

    Args:
        predicted: All predictions; one without an AI answer is outside the frame.
        labels: First answers, one an item; those of use ``targeted`` get weight 0.
        options: What is asked for.
    """
    population = predicted if isinstance(predicted, Population) else Population.of(predicted)
    case = _case(population, tuple(labels), options)
    if options.drawn == "unknown" and _all_tagged(case):
        found = estimate_all(population, labels, replace(options, drawn="stratified"))
        points = tuple(replace(row, design="census") for row in found.metrics)
        return replace(found, metrics=points)
    if options.drawn == "unknown" and not case.design.census:
        return _labelled_only(case)
    rows = binary_rows(case)
    rows += tag_rows(case)
    rows += severity_rows(case)
    calibration = calibration_of(case)
    if calibration is not None:
        rows += calibration_rows(case, calibration)
    for threshold in options.thresholds:
        rows += selective_rows(case, threshold)
    return Estimates(tuple(rows), _counts(case), calibration, tuple(_warnings(case)), case.design)


def _all_tagged(case: Case) -> bool:
    """Whether tags alone were asked and every prediction has them: a census, however drawn."""
    tagged = {one.label.item for one in case.placed if one.label.tags is not None}
    decided = any(one.label.positive is not None for one in case.placed)
    return bool(tagged) and not decided and len(tagged) == round(sum(case.sizes.values()))


def _case(population: Population, labels: tuple[Labelled, ...], options: Options) -> Case:
    placed, _ = place(population.frame, labels)
    simple = {"simple": True, "stratified": False, "unequal": False}.get(options.drawn)
    design = crossed(population.frame, labels, simple=simple)
    if options.drawn == "unequal" and not design.census:
        design = replace(design, name=f"{UNEQUAL}, post-stratified by AI decision")
    basis = options.basis or basis_of(one.label for one in placed)
    sizes = population.sizes(placed)
    if options.drawn == "unequal" and not design.census:
        stratified = is_stratified(placed)
        placed, sizes = by_chance(placed, sides_of(population))
        if stratified:
            design = _with_groups(design, placed, sizes)
    return Case(population, labels, placed, design, sizes, basis, options)


def _with_groups(design: Design, placed: Sequence[Placed], sizes: Mapping[str, float]) -> Design:
    """The strata of a draw that is told by its chances; a side without a label stays as it was."""
    groups = strata_of(placed, sizes)
    seen = {stratum.flagged for stratum in groups}
    bare = [stratum for stratum in design.strata if stratum.flagged not in seen]
    name = "stratified, sizes from inclusion probabilities"
    return replace(design, name=name, strata=(*groups, *bare))


def _labelled_only(case: Case) -> Estimates:
    """A census of what is labelled, with no claim about the rest."""
    inside = {one.label.item for one in case.placed if one.label.positive is not None}
    inside |= {one.label.item for one in case.placed if one.label.tags is not None}
    found = estimate_all(
        case.population.within(lambda unit: unit.item in inside),
        [one.label for one in case.placed if one.label.item in inside],
        replace(case.options, drawn="stratified", basis=case.basis),
    )
    rows = tuple(
        row
        if row.value is None
        else replace(
            row,
            low=None,
            high=None,
            method="none",
            design=LABELLED_ONLY,
            reason=f"{row.name}: how the labels were drawn is not known; the number describes the "
            "labelled items, and no interval is claimed for the others",
        )
        for row in found.metrics
    )
    design = replace(case.design, name=LABELLED_ONLY)
    return Estimates(rows, _counts(case), found.calibration, tuple(_warnings(case)), design)


def _counts(case: Case) -> dict[str, int]:
    frame: Frame = case.population.frame
    known = [one for one in case.placed if one.label.positive is not None]
    tallies = Counter((one.flagged, bool(one.label.positive)) for one in known)
    return {
        "predictions": len(frame.strata),
        "outside": len(frame.outside),
        "labelled": len(known),
        "unsure": sum(s.unsure for s in case.design.strata),
        "leftOut": sum(out.n for out in case.design.left_out),
        "tp": tallies[True, True],
        "fp": tallies[True, False],
        "fn": tallies[False, True],
        "tn": tallies[False, False],
    }


def _warnings(case: Case) -> list[Warn]:
    used = [one.label for one in case.placed]
    positives = Counter(tag for one in case.placed for tag in one.label.tags or ())
    for one in case.placed:
        if one.label.tags is not None:
            for tag in case.population.tags.get(one.label.item, ()):
                positives.setdefault(tag, 0)
    sides = {one.label.item: one.flagged for one in case.placed}
    return [
        *warn_of_basis(used, sides),
        *(warn_of_rare_tags(positives) if case.population.tags else []),
        *warn_of_unsure(case.design),
        *warn_of_design(case.design, disputed=case.options.disputed),
        *warn_of_looks(case.options.looks),
        *(warn_of_unequal() if case.design.name.startswith(UNEQUAL) else []),
    ]
