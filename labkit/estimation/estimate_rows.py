"""The rows of a report, each from the design that fits it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from labkit.estimation.binned import Judged
from labkit.estimation.calibration import CalibrationEstimate, estimate_calibration
from labkit.estimation.designs import Design, Placed, Stratum, crossed
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

if TYPE_CHECKING:
    from collections.abc import Mapping

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
class Case:
    """One estimation: the population, the labels in their strata, the wishes."""

    population: Population
    labels: tuple[Labelled, ...]
    placed: tuple[Placed, ...]
    design: Design
    sizes: Mapping[str, float]
    basis: str
    options: Options


def sides_of(population: Population) -> Counter[bool]:
    """How many units the AI flagged, and how many it did not."""
    sides: Counter[bool] = Counter()
    for (_, side), size in population.frame.sizes.items():
        sides[side] += size
    return sides


def binary_rows(case: Case) -> list[Estimate]:
    """Precision to prevalence, by strata or by each label's own chance."""
    options = case.options
    if not any(one.label.positive is not None for one in case.placed) and case.population.tags:
        return []
    if not case.design.name.startswith(UNEQUAL):
        return [
            estimate(m, case.design, basis=case.basis, level=options.level) for m in options.metrics
        ]
    return [_weighed_row(m, m, case, case.population) for m in options.metrics]


def _weighed_row(metric: str, name: str, case: Case, domain: Population) -> Estimate:
    """A row from labels with a chance each, inside a domain."""
    units = [
        Weighed(one.flagged, one.label.positive, one.label.inclusion_probability or 1.0)
        for one in case.placed
        if one.label.positive is not None and one.label.item in domain.frame.strata
    ]
    sides = sides_of(domain)
    cells = hajek_cells(units, sides[True], sides[False])
    design, level = case.design.name, case.options.level
    return from_cells(metric, cells, len(units), case.basis, design, level, name)


def tag_rows(case: Case) -> list[Estimate]:
    """Micro, macro and each tag."""
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


def severity_rows(case: Case) -> list[Estimate]:
    """How often the severity is right among right findings, where it was asked."""
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


def calibration_of(case: Case) -> CalibrationEstimate | None:
    """Calibration of the population; ``None`` where no prediction has a confidence."""
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


def _unsampled(case: Case) -> Stratum | None:
    """A stratum without any label, where others have some."""
    strata = case.design.strata
    if not any(stratum.labelled for stratum in strata):
        return None
    return next((stratum for stratum in strata if not stratum.labelled), None)


def _chance(p: float | None) -> str:
    """A p-value in words."""
    if p is None:
        return "no p-value"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"  # noqa: PLR2004  # what three digits can say


def calibration_rows(case: Case, found: CalibrationEstimate) -> list[Estimate]:
    """ECE with what it takes to read it, RMS error, Brier score and log loss."""
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
            f"{found.expected_if_calibrated:.3f}; {_chance(found.p_value)}"
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


def selective_rows(case: Case, threshold: float) -> list[Estimate]:
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
