"""The stratified score interval for many samples of one design at once.

The same equations as ``score_interval``, over rows: what a plan would reach, and what a simulation
measures. Ends are found by halving, to about 1e-7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from labkit.estimation.intervals import LEVEL, z_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

HALVINGS = 24
_STEPS = 60
_LINES = {
    "precision": ((1, 0), (0, 0)),
    "recall": ((1, -1), (0, -1)),
    "f1": ((2, -1), (0, -1)),
    "accuracy": ((1, 0), (-1, 0)),
    "prevalence": ((1, 0), (1, 0)),
}


def effective_sizes(n: Floats, population: Floats) -> Floats:
    """``n (N - 1) / (N - n)``, infinite where everything is labelled."""
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = n * (population - 1) / (population - n)
    return np.where(n >= population, np.inf, sizes)


def points(metric: str, flagged: Flags, population: Floats, share: Floats) -> Floats:
    """The estimate of each row; NaN where it is 0/0.

    Args:
        metric: Any metric of the score interval but ``specificity``.
        flagged: (H,) the AI's decision by stratum.
        population: (H,) sizes.
        share: (R, H) shares of positives.
    """
    positives = share * population
    tp = positives[:, flagged].sum(axis=1)
    fn = positives[:, ~flagged].sum(axis=1)
    n1, n0 = population[flagged].sum(), population[~flagged].sum()
    over, under = {
        "precision": (tp, n1 + 0 * tp),
        "recall": (tp, tp + fn),
        "f1": (2 * tp, n1 + tp + fn),
        "accuracy": (tp + n0 - fn, n1 + n0 + 0 * tp),
        "prevalence": (tp + fn, n1 + n0 + 0 * tp),
    }[metric]
    value: Floats = np.divide(over, under, out=np.full_like(tp, np.nan), where=under > 0)
    return value


def score_intervals(  # noqa: PLR0913  # the arrays of one design
    metric: str,
    flagged: Flags,
    population: Floats,
    share: Floats,
    size: Floats,
    *,
    level: float = LEVEL,
    halvings: int = HALVINGS,
) -> Floats:
    """Both ends for each row, shape (R, 2); (0, 1) where the point is undefined.

    Args:
        metric: Any metric of the score interval but ``specificity``.
        flagged: (H,) the AI's decision by stratum.
        population: (H,) sizes.
        share: (R, H) shares of positives.
        size: (R, H) effective sizes; 0 where a stratum has no label, infinite for a census.
        level: Nominal coverage.
        halvings: How often a bracket is halved; the ends are known to ``2**-halvings``.
    """
    value = points(metric, flagged, population, share)
    ends = np.empty((len(value), 2))
    z = z_of(level)
    for side, outer in ((0, np.zeros_like(value)), (1, np.ones_like(value))):
        inner = np.where(np.isnan(value), 0.5, value)
        keep = outer.copy()
        for _ in range(halvings):
            middle = (keep + inner) / 2
            inside = np.abs(_distance(metric, flagged, population, share, size, middle)) <= z
            inner = np.where(inside, middle, inner)
            keep = np.where(inside, keep, middle)
        at_end = np.abs(_distance(metric, flagged, population, share, size, outer)) <= z
        ends[:, side] = np.where(at_end | (value == outer), outer, (keep + inner) / 2)
    needed = flagged if metric == "precision" else np.ones_like(flagged)
    undefined = np.isnan(value) | (size[:, needed] <= 0).any(axis=1)
    ends[undefined] = (0.0, 1.0)
    return ends


def _distance(  # noqa: PLR0913, PLR0917  # the arrays of one design
    metric: str,
    flagged: Flags,
    population: Floats,
    share: Floats,
    size: Floats,
    theta: Floats,
) -> Floats:
    """Standard errors between each row's estimate and its trial theta."""
    whole = population.sum()
    weight = population / whole
    n1, n0 = weight[flagged].sum(), weight[~flagged].sum()
    on, off = _LINES[metric]
    t = theta[:, None]
    c = np.where(flagged, on[0] + on[1] * t, off[0] + off[1] * t) * weight
    target = {
        "precision": theta * n1,
        "recall": 0 * theta,
        "f1": theta * n1,
        "accuracy": theta - n0,
        "prevalence": theta,
    }[metric]
    known = np.isinf(size)
    target = target - (c * share * known).sum(axis=1)
    c = np.where(known, 0.0, c)
    m = np.where(known, 1.0, size)
    gap = (c * share).sum(axis=1) - target
    fitted, possible = _fit(c, share, m, target, gap)
    variance = (c * c * fitted * (1 - fitted) / np.maximum(m, 1e-300)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(gap == 0, 0.0, np.sign(gap) * np.inf)
        distance = np.where(gap == 0, 0.0, gap / np.sqrt(variance))
    return np.where(possible & (variance > 0), distance, far)


def _fit(c: Floats, share: Floats, m: Floats, target: Floats, gap: Floats) -> tuple[Floats, Flags]:
    """The most likely shares under the constraint, and whether there are any."""
    least = np.minimum(c, 0).sum(axis=1)
    most = np.maximum(c, 0).sum(axis=1)
    possible = (least < target) & (target < most)
    labels = m.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.where(gap > 0, 0.0, -labels / (most - target))
        above = np.where(gap > 0, labels / (target - least), 0.0)
    below, above = np.where(possible, below, -1.0), np.where(possible, above, 1.0)
    lam = np.zeros_like(gap)
    last = above - below
    fitted = share
    for _ in range(_STEPS):
        fitted, slope = _shares(lam[:, None] * c, share * m, m)
        value = (c * fitted).sum(axis=1) - target
        if not (possible & (np.abs(value) > 1e-12 * (most - least))).any():
            break
        below = np.where(value > 0, lam, below)
        above = np.where(value > 0, above, lam)
        fall = (c * c * slope).sum(axis=1)
        step = np.divide(value, fall, out=np.full_like(value, np.inf), where=fall > 0)
        newton = (below < lam + step) & (lam + step < above) & (2 * np.abs(step) <= last)
        step = np.where(newton, step, (below + above) / 2 - lam)
        last = np.abs(step)
        lam = lam + step
    return fitted, possible


def _shares(u: Floats, x: Floats, m: Floats) -> tuple[Floats, Floats]:
    """The root in [0, 1] of ``u p^2 - (u + m) p + x = 0``, and how fast it falls with u."""
    total = u + m
    root = np.sqrt(
        np.maximum(0.0, np.where(u > 0, (u - m) ** 2 + 4 * u * (m - x), total**2 - 4 * u * x))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(total < 0, (total - root) / (2 * u), 2 * x / (total + root))
        p = np.clip(np.nan_to_num(p, nan=0.0), 0.0, 1.0)
        slope = np.nan_to_num(p * (1 - p) / root, nan=0.0, posinf=0.0)
    return p, slope
