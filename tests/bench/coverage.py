"""How often the offered intervals hold the truth, by design, prevalence and number of labels.

``make bench-coverage`` writes ``docs/coverage.md``. Every row draws many samples from a population
whose numbers are known, and counts how often the 95 % interval holds them. An undefined estimate
has the interval [0, 1]: it holds, and it is wide.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labkit.estimation.allocation import bands, neyman
from labkit.estimation.binned import Judged
from labkit.estimation.calibration import estimate_calibration
from labkit.estimation.clusters import Cluster, clustered_share
from labkit.estimation.estimates import estimate_counts
from labkit.estimation.hajek import Weighed, hajek_cells
from labkit.estimation.intervals import NOTHING_KNOWN
from labkit.estimation.score_batch import effective_sizes, score_intervals
from labkit.estimation.score_interval import score_interval
from labkit.estimation.tag_estimates import Tagged, estimate_macro, estimate_micro
from labkit.estimation.units import Predicted
from tests.bench.world import SIZE, World, build

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Rng = np.random.Generator

PREVALENCES = (0.02, 0.05, 0.1, 0.2)
LABELS = (100, 200, 500)
METRICS = ("precision", "recall", "f1", "accuracy", "prevalence")


@dataclass(frozen=True)
class Measured:
    """Coverage and mean width of one interval in one situation."""

    design: str
    metric: str
    interval: str
    prevalence: float
    n: int
    coverage: float
    width: float


def measure(ends: Floats, truth: float) -> tuple[float, float]:
    """Share of intervals that hold the truth, and their mean width."""
    holds = (ends[:, 0] <= truth + 1e-9) & (truth - 1e-9 <= ends[:, 1])
    return float(holds.mean()), float((ends[:, 1] - ends[:, 0]).mean())


def strata_of(world: World, names: Sequence[str]) -> tuple[Any, Floats, Floats]:
    """Flags, sizes and positives of strata given by a name for every item."""
    order = sorted(set(names))
    codes = np.array([order.index(name) for name in names])
    size = np.bincount(codes, minlength=len(order)).astype(float)
    positives = np.bincount(codes, weights=world.truth, minlength=len(order))
    flagged = np.array([bool(world.flagged[codes == k].all()) for k in range(len(order))])
    return flagged, size, positives


def score_ends(  # the arrays of one design
    metric: str, flagged: Any, size: Floats, n: Floats, x: Floats
) -> Floats:
    """Score intervals row by row; equal samples are computed once."""
    rows, back = np.unique(np.hstack([n, x]), axis=0, return_inverse=True)
    n, x = rows[:, : len(size)], rows[:, len(size) :]
    share = x / np.maximum(n, 1)
    ends = score_intervals(metric, flagged, size, share, effective_sizes(n, size), halvings=20)
    return ends[back.ravel()]


def simple(world: World, n: int, draws: int, rng: Rng) -> Iterator[tuple[str, str, Floats]]:
    """A simple random sample, post-stratified by the AI's decision."""
    names = ["a-flagged" if f else "b-not" for f in world.flagged]
    flagged, size, positives = strata_of(world, names)
    first = rng.hypergeometric(int(size[0]), int(size[1]), n, draws)
    counts = np.column_stack([first, n - first]).astype(float)
    hits = drawn_hits(size, positives, counts, rng)
    for metric in METRICS:
        yield metric, "score", score_ends(metric, flagged, size, counts, hits)


def drawn_hits(size: Floats, positives: Floats, counts: Floats, rng: Rng) -> Floats:
    """Positives among the drawn of each stratum."""
    columns = [
        rng.hypergeometric(int(x), int(total - x), counts[:, h].astype(int))
        for h, (total, x) in enumerate(zip(size, positives, strict=True))
    ]
    return np.column_stack(columns).astype(float)


def stratified(
    world: World, names: Sequence[str], allocation: dict[str, int], draws: int, rng: Rng
) -> Iterator[tuple[str, str, Floats]]:
    """Fixed numbers from each stratum."""
    flagged, size, positives = strata_of(world, names)
    fixed = np.array([allocation.get(name, 0) for name in sorted(set(names))], dtype=float)
    counts = np.tile(fixed, (draws, 1))
    hits = drawn_hits(size, positives, counts, rng)
    for metric in METRICS:
        yield metric, "score", score_ends(metric, flagged, size, counts, hits)


def by_confidence(world: World, n: int, draws: int, rng: Rng) -> Iterator[tuple[str, str, Floats]]:
    """AI decision x confidence band with Neyman allocation."""
    units = units_of(world)
    frame = bands(units)
    names = [frame[u.item] for u in units]
    return stratified(world, names, neyman(units, frame, n), draws, rng)


def halves(world: World, n: int, draws: int, rng: Rng) -> Iterator[tuple[str, str, Floats]]:
    """Half from the flagged, half from the others."""
    names = ["flagged" if f else "not-flagged" for f in world.flagged]
    most = min(n // 2, int(world.flagged.sum()))
    allocation = {"flagged": most, "not-flagged": n - most}
    return stratified(world, names, allocation, draws, rng)


def own_strata(world: World, n: int, draws: int, rng: Rng) -> Iterator[tuple[str, str, Floats]]:
    """Three languages of unequal size, crossed with the decision."""
    language = np.repeat(["go", "java", "python"], [1000, 3000, 6000])
    language = np.random.default_rng(7).permutation(language)
    names = [
        f"{one}/{'flagged' if f else 'not-flagged'}"
        for one, f in zip(language, world.flagged, strict=True)
    ]
    units = [Predicted(str(i), bool(world.flagged[i]), stratum=names[i]) for i in range(SIZE)]
    frame = {u.item: u.stratum for u in units}
    return stratified(world, names, neyman(units, frame, n), draws, rng)


def certain_first(world: World, n: int, draws: int, rng: Rng) -> Iterator[tuple[str, str, Floats]]:
    """60 overrides looked for among errors before a simple sample of the rest."""
    wrong = np.flatnonzero(world.flagged != world.truth)
    right = np.flatnonzero(world.flagged == world.truth)
    chooser = np.random.default_rng(11)
    chosen = np.concatenate([chooser.choice(side, 30, replace=False) for side in (wrong, right)])
    rest = np.ones(SIZE, dtype=bool)
    rest[chosen] = False
    names = [
        f"{'rest' if free else 'certain'}/{'flagged' if f else 'not'}"
        for free, f in zip(rest, world.flagged, strict=True)
    ]
    flagged, size, positives = strata_of(world, names)
    order = sorted(set(names))
    free = [h for h, name in enumerate(order) if name.startswith("rest")]
    counts = np.tile(size, (draws, 1))
    first = rng.hypergeometric(int(size[free[0]]), int(size[free[1]]), n, draws)
    counts[:, free[0]], counts[:, free[1]] = first, n - first
    hits = drawn_hits(size, positives, counts, rng)
    for metric in METRICS:
        yield metric, "score", score_ends(metric, flagged, size, counts, hits)


def unknown_population(
    world: World, n: int, draws: int, rng: Rng
) -> Iterator[tuple[str, str, Floats]]:
    """A simple sample without the predictions of the rest: Wilson, and Wilson on J."""
    kinds = Counter(zip(world.flagged.tolist(), world.truth.tolist(), strict=True))
    cells = [kinds[True, True], kinds[True, False], kinds[False, True], kinds[False, False]]
    samples = rng.multivariate_hypergeometric(cells, n, size=draws)
    rows, back = np.unique(samples, axis=0, return_inverse=True)
    found = [{row.name: row for row in estimate_counts(*map(int, row))} for row in rows]
    for metric in METRICS:
        ends = np.array([[by[metric].low, by[metric].high] for by in found], dtype=float)
        yield metric, "wilson-j" if metric == "f1" else "wilson", ends[back.ravel()]


def poisson(
    world: World, n: int, draws: int, rng: Rng, uniform: float
) -> Iterator[tuple[str, str, Floats]]:
    """Chances that grow with the doubt about an item, mixed with a uniform share."""
    doubt = np.where(world.flagged, 1.2, 0.8) * np.sqrt(world.confidence * (1 - world.confidence))
    chance = np.minimum(1, n * ((1 - uniform) * doubt / doubt.sum() + uniform / SIZE))
    n1 = float(world.flagged.sum())
    ends = {metric: np.empty((draws, 2)) for metric in METRICS}
    for k in range(draws):
        chosen = np.flatnonzero(rng.random(SIZE) < chance)
        units = [
            Weighed(bool(world.flagged[i]), bool(world.truth[i]), float(chance[i])) for i in chosen
        ]
        cells = hajek_cells(units, n1, SIZE - n1)
        for metric in METRICS:
            ends[metric][k] = score_interval(metric, cells)
    for metric in METRICS:
        yield metric, "hajek, score", ends[metric]


def units_of(world: World) -> list[Predicted]:
    """The population as estimation reads it."""
    return [
        Predicted(str(i), bool(world.flagged[i]), confidence=float(world.confidence[i]))
        for i in range(SIZE)
    ]


def binary_rows(draws: int, seed: int) -> Iterator[Measured]:
    """Every design of a yes/no question."""
    slow = max(50, draws // 10)
    designs = {
        "simple, post-stratified": (simple, draws),
        "stratified decision x confidence": (by_confidence, draws),
        "half flagged, half not": (halves, draws),
        "own strata x decision": (own_strata, draws),
        "certainty units, then simple": (certain_first, draws),
        "simple, population not known": (unknown_population, draws),
        "unequal chances, 50 % uniform": (
            lambda w, n, d, r: poisson(w, n, d, r, 0.5),
            slow,
        ),
        "unequal chances, 30 % uniform": (
            lambda w, n, d, r: poisson(w, n, d, r, 0.3),
            slow,
        ),
    }
    for prevalence in PREVALENCES:
        world = build(prevalence)
        for name, (draw, times) in designs.items():
            for n in LABELS:
                rng = np.random.default_rng([seed, n, round(1000 * prevalence)])
                for metric, interval, ends in draw(world, n, times, rng):
                    coverage, width = measure(ends, world.exact(metric))
                    yield Measured(name, metric, interval, prevalence, n, coverage, width)


def tag_rows(draws: int, seed: int) -> Iterator[Measured]:
    """Micro and macro F1 over twelve tags that come and err together."""
    rng = np.random.default_rng(seed)
    size, tags = 4000, 12
    mood = rng.normal(size=(size, 1))
    base = rng.uniform(-2.2, -0.9, tags)
    gold = mood * 0.6 + base + 0.8 * rng.normal(size=(size, tags)) > 0
    hard = rng.random((size, 1)) < 0.3
    predicted = np.where(rng.random((size, tags)) < np.where(hard, 0.25, 0.04), ~gold, gold)
    predicted &= gold | (rng.random((size, tags)) < 0.5)
    names = [f"t{k}" for k in range(tags)]
    units = [
        Tagged(
            f"m{i:04}",
            "all",
            frozenset(t for t, on in zip(names, predicted[i], strict=True) if on),
            frozenset(t for t, on in zip(names, gold[i], strict=True) if on),
        )
        for i in range(size)
    ]
    where = {"basis": "blind", "design": "simple"}
    everything = {"all": float(size)}
    exact_micro = estimate_micro(units, everything, **where)[0].value or 0.0
    exact_macro = estimate_macro(units, everything, **where).value or 0.0
    for n in LABELS:
        micro, macro = np.empty((draws, 2)), np.empty((draws, 2))
        for k in range(draws):
            sample = [units[i] for i in rng.choice(size, n, replace=False)]
            one = estimate_micro(sample, everything, **where)[0]
            two = estimate_macro(sample, everything, **where, resamples=400)
            micro[k] = one.low, one.high
            macro[k] = two.low, two.high
        for name, how, ends, exact in (
            ("tags.micro.f1", "wilson-j, items", micro, exact_micro),
            ("tags.macro.f1", "item bootstrap", macro, exact_macro),
        ):
            yield Measured("simple, 12 tags", name, how, float("nan"), n, *measure(ends, exact))


def calibration_rows(draws: int, seed: int) -> Iterator[Measured]:
    """RMS calibration error of a calibrated and of an over-confident model."""
    rng = np.random.default_rng(seed)
    confidence = rng.beta(0.8, 2.0, SIZE)
    for name, factor in (("simple, calibrated model", 1.0), ("simple, over-confident model", 0.7)):
        truth = rng.random(SIZE) < confidence * factor
        everyone = confidence.tolist()
        rows = [Judged(str(i), "all", everyone[i], bool(truth[i])) for i in range(SIZE)]
        whole = estimate_calibration(rows, everyone, {"all": float(SIZE)}, resamples=2)
        gaps = [
            (b.population / SIZE, ((b.accuracy or 0.0) - (b.mean_confidence or 0.0)) ** 2)
            for b in whole.bins
        ]
        exact = sum(share * gap for share, gap in gaps) ** 0.5
        for n in LABELS:
            rms, ece = np.empty((draws, 2)), np.empty((draws, 2))
            for k in range(draws):
                sample = [rows[i] for i in rng.choice(SIZE, n, replace=False)]
                found = estimate_calibration(
                    sample, everyone, {"all": float(SIZE)}, resamples=400, seed=k
                )
                rms[k] = found.rms_interval or NOTHING_KNOWN
                ece[k] = found.ece_interval or NOTHING_KNOWN
            how = "bootstrap, debiased"
            nothing = float("nan")
            yield Measured(name, "calibration_rms", how, nothing, n, *measure(rms, exact))
            yield Measured(name, "ece", how, nothing, n, *measure(ece, whole.ece or 0.0))


def cluster_rows(draws: int, seed: int) -> Iterator[Measured]:
    """Runs of the same cases: the case is the unit."""
    rng = np.random.default_rng(seed)
    for cases, runs in ((10, 3), (30, 3), (30, 5), (100, 3)):
        ends = np.empty((draws, 2))
        for k in range(draws):
            chance = rng.beta(3, 1, cases)
            right = rng.binomial(runs, chance)
            found = clustered_share([Cluster(float(x), float(runs)) for x in right])
            ends[k] = found.interval
        name = f"{cases} cases x {runs} runs"
        yield Measured(
            name, "share", "clusters, t", float("nan"), cases * runs, *measure(ends, 0.75)
        )


def render(rows: Sequence[Measured], draws: int) -> str:
    """The page: goals, then a table for each design."""
    lines = [
        "# How often the intervals hold",
        "",
        (
            f"Written by `make bench-coverage` ({draws} samples a cell; a tenth of that, at least "
            "50, where every sample is computed alone). Population: 10 000 items, precision 0.75, "
            "recall 0.9; the model flags from 0.5 on and is not calibrated. "
            "Each cell is the share of 95 % intervals that hold the population's "
            "value, and their mean width. An undefined estimate counts as [0, 1]."
        ),
        "",
        *_goals(rows, draws),
    ]
    for design in dict.fromkeys(row.design for row in rows):
        own = [row for row in rows if row.design == design]
        shares = sorted({row.prevalence for row in own if row.prevalence == row.prevalence})
        lines += ["", f"## {design}", ""]
        if shares:
            head = [f"{p:.0%}, n={n}" for p in shares for n in LABELS]
            lines.append("| metric | interval | " + " | ".join(head) + " |")
            lines.append("|---|---|" + "---:|" * len(head))
            for metric, how in dict.fromkeys((row.metric, row.interval) for row in own):
                found = {
                    (r.prevalence, r.n): r for r in own if (r.metric, r.interval) == (metric, how)
                }
                cells = [_cell(found[p, n]) for p in shares for n in LABELS]
                lines.append(f"| {metric} | {how} | " + " | ".join(cells) + " |")
        else:
            lines += ["| metric | interval | n | coverage / width |", "|---|---|---:|---:|"]
            lines += [f"| {r.metric} | {r.interval} | {r.n} | {_cell(r)} |" for r in own]
    return "\n".join(lines) + "\n"


def _cell(row: Measured) -> str:
    return f"{row.coverage:.3f} / {row.width:.3f}"


def _goals(rows: Sequence[Measured], draws: int) -> list[str]:
    """The goal of the two main designs, and what was measured."""
    main = [
        r
        for r in rows
        if r.design in {"simple, post-stratified", "stratified decision x confidence"}
    ]
    large = [r for r in main if r.n >= 200]  # the goal's own number
    small = [r for r in main if r.n == 100]  # as above
    inside = sum(0.935 <= r.coverage <= 0.975 for r in large)  # as above
    least = min(small, key=lambda r: r.coverage)
    outside = [
        f"{r.design}, {r.metric}, {r.prevalence:.0%}, n={r.n}: {r.coverage:.3f}"
        for r in large
        if not 0.935 <= r.coverage <= 0.975  # as above
    ]
    goal = (
        "Goal for a simple sample (post-stratified) and for decision x confidence: 0.935 to "
        "0.975 with 200 labels and more, never under 0.90 with 100. "
        f"Measured: {inside} of {len(large)} "
        f"cells with 200 and more lie inside; the least with 100 is {least.coverage:.3f} "
        f"({least.design}, {least.metric}, {least.prevalence:.0%}). "
        f"One standard error of a cell is about {(0.95 * 0.05 / draws) ** 0.5:.3f}."
    )
    lines = [goal]
    if outside:
        lines += ["", "Outside: " + "; ".join(outside) + "."]
    return lines


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("docs/coverage.md"))
    asked = parser.parse_args()
    start = time.perf_counter()
    few = max(50, asked.draws // 10)
    rows = [
        *binary_rows(asked.draws, asked.seed),
        *tag_rows(few, asked.seed),
        *calibration_rows(few, asked.seed),
        *cluster_rows(asked.draws, asked.seed),
    ]
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    asked.output.write_text(render(rows, asked.draws), encoding="utf-8")
    spent = time.perf_counter() - start
    sys.stdout.write(f"{len(rows)} cells in {spent:.0f} s: {asked.output}\n")


if __name__ == "__main__":
    main()
