"""Everything that can be estimated from a set of predictions and some labels, in one call."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from labkit.estimation.calibration import CalibrationEstimate, Judged, estimate_calibration
from labkit.estimation.chances import by_chance, is_stratified, strata_of
from labkit.estimation.designs import Design, Frame, Placed, Stratum, crossed, place
from labkit.estimation.estimates import Estimate, estimate, from_cells
from labkit.estimation.hajek import Weighed, hajek_cells
from labkit.estimation.intervals import LEVEL, NOTHING_KNOWN, wilson_at, z_of
from labkit.estimation.population import Population, decision_confidence
from labkit.estimation.ratios import Part, estimate_ratio
from labkit.estimation.score_interval import METRICS
from labkit.estimation.tag_estimates import (
    estimate_macro,
    estimate_micro,
    estimate_tag,
    tagged_units,
)
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

    from labkit.estimation.units import Labelled, Predicted

Drawn = Literal["simple", "stratified", "unequal", "unknown"]
LABELLED_ONLY = "labelled items only"
UNEQUAL = "unequal probabilities"


@dataclass(frozen=True, slots=True)
class Options:
    """What one report asks for."""

    drawn: Drawn = "simple"
    """How the labels were drawn. ``unequal``: each label carries its own inclusion probability.
    ``unknown``: nothing is claimed beyond the labelled items, unless every item is labelled."""
    metrics: tuple[str, ...] = METRICS
    """Which binary metrics."""
    basis: str | None = None
    """How independent of the AI the labels are; by default read from them."""
    level: float = LEVEL
    thresholds: tuple[float, ...] = ()
    """Confidences for selective accuracy and coverage."""
    per_tag: bool = True
    bins: int = 10
    seed: int = 1
    """Seed of every bootstrap."""
    looks: int = 0
    """How often the result was looked at against a gate."""
    disputed: int = 0
    """Items on which reviewers differ, left out by the caller."""


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


@dataclass(frozen=True, slots=True)
class _Case:
    """One estimation: the population, the labels in their strata, the wishes."""

    population: Population
    labels: tuple[Labelled, ...]
    placed: tuple[Placed, ...]
    design: Design
    sizes: Mapping[str, float]
    basis: str
    options: Options


def estimate_all(
    predicted: Iterable[Predicted] | Population,
    labels: Iterable[Labelled],
    options: Options = Options(),  # frozen
) -> Estimates:
    """Estimate every metric that the predictions and labels allow.

    Args:
        predicted: All predictions; one without an AI answer is outside the frame.
        labels: First answers, one an item; those of use ``targeted`` get weight 0.
        options: What is asked for.
    """
    population = predicted if isinstance(predicted, Population) else Population.of(predicted)
    case = _case(population, tuple(labels), options)
    if options.drawn == "unknown" and not case.design.census:
        return _labelled_only(case)
    rows = _binary_rows(case)
    rows += _tag_rows(case)
    rows += _severity_rows(case)
    calibration = _calibration(case)
    if calibration is not None:
        rows += _calibration_rows(case, calibration)
    for threshold in options.thresholds:
        rows += _selective_rows(case, threshold)
    return Estimates(tuple(rows), _counts(case), calibration, tuple(_warnings(case)), case.design)


def _case(population: Population, labels: tuple[Labelled, ...], options: Options) -> _Case:
    placed, _ = place(population.frame, labels)
    simple = {"simple": True, "stratified": False, "unequal": False}.get(options.drawn)
    design = crossed(population.frame, labels, simple=simple)
    if options.drawn == "unequal" and not design.census:
        design = replace(design, name=f"{UNEQUAL}, post-stratified by AI decision")
    basis = options.basis or basis_of(one.label for one in placed)
    sizes = population.sizes(placed)
    if options.drawn == "unequal" and not design.census:
        stratified = is_stratified(placed)
        placed, sizes = by_chance(placed, _sides(population))
        if stratified:
            design = _with_groups(design, placed, sizes)
    return _Case(population, labels, placed, design, sizes, basis, options)


def _with_groups(design: Design, placed: Sequence[Placed], sizes: Mapping[str, float]) -> Design:
    """The strata of a draw that is told by its chances; a side without a label stays as it was."""
    groups = strata_of(placed, sizes)
    seen = {stratum.flagged for stratum in groups}
    bare = [stratum for stratum in design.strata if stratum.flagged not in seen]
    name = "stratified, sizes from inclusion probabilities"
    return replace(design, name=name, strata=(*groups, *bare))


def _sides(population: Population) -> Counter[bool]:
    """How many units the AI flagged, and how many it did not."""
    sides: Counter[bool] = Counter()
    for (_, side), size in population.frame.sizes.items():
        sides[side] += size
    return sides


def _labelled_only(case: _Case) -> Estimates:
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


def _binary_rows(case: _Case) -> list[Estimate]:
    options = case.options
    if not any(one.label.positive is not None for one in case.placed) and case.population.tags:
        return []
    if not case.design.name.startswith(UNEQUAL):
        return [
            estimate(m, case.design, basis=case.basis, level=options.level) for m in options.metrics
        ]
    return [_weighed_row(m, m, case, case.population) for m in options.metrics]


def _weighed_row(metric: str, name: str, case: _Case, domain: Population) -> Estimate:
    """A row from labels with a chance each, inside a domain."""
    units = [
        Weighed(one.flagged, one.label.positive, one.label.inclusion_probability or 1.0)
        for one in case.placed
        if one.label.positive is not None and one.label.item in domain.frame.strata
    ]
    sides = _sides(domain)
    cells = hajek_cells(units, sides[True], sides[False])
    design, level = case.design.name, case.options.level
    return from_cells(metric, cells, len(units), case.basis, design, level, name)


def _tag_rows(case: _Case) -> list[Estimate]:
    tags = case.population.tags
    units = tagged_units(case.placed, tags)
    if not tags or not units:
        return []
    counted = Counter(unit.stratum for unit in units)
    sizes = {name: case.sizes[name] for name in counted}
    basis, design, level = case.basis, case.design.name, case.options.level
    rows = list(estimate_micro(units, sizes, basis=basis, design=design, level=level))
    rows.append(
        estimate_macro(
            units, sizes, basis=basis, design=design, level=level, seed=case.options.seed
        )
    )
    if case.options.per_tag:
        seen = sorted({tag for unit in units for tag in unit.predicted | unit.gold})
        for tag in seen:
            rows += estimate_tag(
                tag,
                units,
                case.population.tag_counts[tag],
                len(tags),
                sizes,
                basis=basis,
                design=design,
                level=level,
                simple=case.options.drawn == "simple",
            )
    return rows


def _severity_rows(case: _Case) -> list[Estimate]:
    if all(one.label.severity_right is None for one in case.placed):
        return []
    parts = []
    for one in case.placed:
        counts = one.flagged and one.label.positive and one.label.severity_right is not None
        parts.append(
            Part(one.stratum, float(bool(counts and one.label.severity_right)), bool(counts))
        )
    found = estimate_ratio(parts, {part.stratum: case.sizes[part.stratum] for part in parts})
    n = sum(part.denominator > 0 for part in parts)
    name, design, level = "severity_accuracy", case.design.name, case.options.level
    if found is None:
        low, high = NOTHING_KNOWN
        why = f"{name}: no right finding has a severity"
        return [Estimate(name, None, low, high, level, "none", n, case.basis, design, why)]
    low, high = found.interval(level=level)
    method = "census" if low == high else "wilson, effective size"
    return [Estimate(name, found.value, low, high, level, method, n, case.basis, design)]


def _calibration(case: _Case) -> CalibrationEstimate | None:
    confidences = case.population.confidences
    if not confidences:
        return None
    judged = [
        Judged(item, one.stratum, confidences[item], one.label.positive)
        for one in case.placed
        if one.label.positive is not None and (item := one.label.item) in confidences
    ]
    unequal = case.options.drawn == "unequal" and not case.design.census
    sizes = case.sizes if unequal else case.population.sizes(case.placed, confidences)
    # labels of some strata say nothing about the others: then no number stands for all
    known = [] if _unsampled(case) else judged
    found = estimate_calibration(
        known,
        [confidences[item] for item in sorted(confidences)],
        {name: sizes[name] for name in {one.stratum for one in known}},
        bins=case.options.bins,
        level=case.options.level,
        seed=case.options.seed,
    )
    return replace(found, n=len(judged))


def _unsampled(case: _Case) -> Stratum | None:
    """A stratum without any label, where others have some."""
    strata = case.design.strata
    if not any(stratum.labelled for stratum in strata):
        return None
    return next((stratum for stratum in strata if not stratum.labelled), None)


def _calibration_rows(case: _Case, found: CalibrationEstimate) -> list[Estimate]:
    level, design = case.options.level, case.design.name
    census = "census" if case.design.census else None
    bare = _unsampled(case)
    nothing = "no labelled item has a confidence"
    if bare is not None:
        nothing = f"no item of stratum {bare.name} ({bare.population} items) has been sampled"

    def row(
        name: str, value: float | None, ends: tuple[float, float] | None, method: str
    ) -> Estimate:
        if value is None:
            low, high = NOTHING_KNOWN
            why = f"{name}: {nothing}"
            return Estimate(name, None, low, high, level, "none", found.n, case.basis, design, why)
        low_end, high_end = ends if ends is not None else (None, None)
        how = census or method
        return Estimate(name, value, low_end, high_end, level, how, found.n, case.basis, design)

    ece = row("ece", found.ece, found.ece_interval, "from the debiased squared error")
    if found.ece is not None and found.expected_if_calibrated is not None:
        note = (
            f"ece: a calibrated model with these {found.n} labels would show about "
            f"{found.expected_if_calibrated:.3f}; p = {found.p_value:.3f}"
        )
        ece = replace(ece, reason=note)
    rms = row(
        "calibration_rms", found.rms, found.rms_interval, "item bootstrap, debiased squared error"
    )
    if found.rms is None and found.n and bare is None:
        rms = replace(rms, reason="calibration_rms: no bin has two labels")
    brier = None if found.brier is None else 2 * found.brier
    return [
        ece,
        rms,
        row("brier", brier, _brier_ends(found, level), "wilson, effective size"),
        row("nll", found.nll, found.nll_interval, "item bootstrap"),
    ]


def _brier_ends(found: CalibrationEstimate, level: float) -> tuple[float, float] | None:
    """Wilson for a mean between 0 and 1 at its effective size, on the scale 0 to 2."""
    if found.brier is None:
        return None
    if found.census:
        return 2 * found.brier, 2 * found.brier
    spread = found.brier * (1 - found.brier)
    size = spread / found.brier_variance if found.brier_variance > 0 < spread else found.n
    low, high = wilson_at(found.brier, max(size, 1.0), z_of(level))
    return 2 * low, 2 * high


def _selective_rows(case: _Case, threshold: float) -> list[Estimate]:
    """Coverage is known without a label; accuracy is estimated inside the domain."""

    def sure(unit: Predicted) -> bool:
        confidence = decision_confidence(unit)
        return confidence is not None and confidence >= threshold

    domain = case.population.within(sure)
    whole, inside = len(case.population.frame.strata), len(domain.frame.strata)
    share = inside / whole if whole else None
    name, level = f"selective_coverage@{threshold:g}", case.options.level
    coverage = Estimate(
        name,
        share,
        share if share is not None else 0.0,
        share if share is not None else 1.0,
        level,
        "exact" if share is not None else "none",
        whole,
        case.basis,
        "all predictions",
        None if whole else f"{name}: there is no prediction",
    )
    accuracy = f"selective_accuracy@{threshold:g}"
    if case.options.drawn == "unequal" and not case.design.census:
        return [coverage, _weighed_row("accuracy", accuracy, case, domain)]
    design = crossed(
        domain.frame,
        [label for label in case.labels if label.item in domain.frame.strata],
        simple=case.options.drawn == "simple",
    )
    return [
        coverage,
        estimate("accuracy", design, basis=case.basis, level=level, name=accuracy),
    ]


def _counts(case: _Case) -> dict[str, int]:
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


def _warnings(case: _Case) -> list[Warn]:
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
