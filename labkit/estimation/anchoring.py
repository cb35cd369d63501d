"""Agreement bias: do reviewers who see the AI's answer agree with it more than those who do not?

Items are randomised to blind or assisted. The estimand is the difference in agreement with the AI,
``Pr(label = AI | assisted) - Pr(label = AI | blind)``. It mixes anchoring with genuine help; with
known truths the two are split into over- and under-reliance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.estimation.intervals import LEVEL, Interval, wilson, z_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

POWER = 0.8
_SMALL = 1e-12


@dataclass(frozen=True, slots=True)
class Arms:
    """Agreement with the AI in both arms of one stratum."""

    stratum: str
    assisted: int
    """Labels given with the AI's answer in view."""
    assisted_same: int
    """Those of them that equal the AI's answer."""
    blind: int
    blind_same: int


@dataclass(frozen=True, slots=True)
class Answered:
    """One label with its arm, and whether it equals the AI's answer."""

    arm: str
    """``blind`` or ``assisted``."""
    stratum: str
    same: bool
    ai_right: bool | None = None
    """Whether the AI is right, where the truth is known."""


@dataclass(frozen=True, slots=True)
class Anchoring:
    """The difference between the arms, its interval, and what could have been seen."""

    blind: float | None
    blind_n: int
    assisted: float | None
    assisted_n: int
    difference: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    detectable: float | None
    """The smallest difference that this many labels find with 80 % power."""
    over_reliance: tuple[float | None, float | None]
    """Accepted although the AI is wrong: (blind, assisted)."""
    under_reliance: tuple[float | None, float | None]
    """Rejected although the AI is right: (blind, assisted)."""
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        """The report's ``anchoring``."""
        return {
            "blind": {"n": self.blind_n, "agreement": self.blind},
            "assisted": {"n": self.assisted_n, "agreement": self.assisted},
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "method": self.method,
            "detectable": self.detectable,
            "overReliance": {"blind": self.over_reliance[0], "assisted": self.over_reliance[1]},
            "underReliance": {"blind": self.under_reliance[0], "assisted": self.under_reliance[1]},
            "reason": self.reason,
        }

    def sentence(self) -> str:
        """The finding in one line: ``blind 84 %, assisted 93 %, +9 points [0, 18]; ...``."""
        if self.difference is None or self.low is None or self.high is None:
            return self.reason or "not measured"
        blind, assisted = (round(100 * (v or 0)) for v in (self.blind, self.assisted))
        seen = (
            ""
            if self.detectable is None
            else f"; this session could detect ±{round(100 * self.detectable)}"
        )
        return (
            f"blind {blind} %, assisted {assisted} %, {100 * self.difference:+.0f} points "
            f"[{100 * self.low:.0f}, {100 * self.high:.0f}]{seen}"
        )


def newcombe_difference(x1: int, n1: int, x2: int, n2: int, *, level: float = LEVEL) -> Interval:
    """Interval for ``x1/n1 - x2/n2`` from two Wilson intervals.

    Source: Newcombe 1998, method 10 for independent proportions.

    >>> [round(end, 6) for end in newcombe_difference(93, 100, 84, 100)]
    [0.000322, 0.181451]
    """
    if not n1 or not n2:
        return Interval(-1.0, 1.0)
    p1, p2 = x1 / n1, x2 / n2
    one, two = wilson(x1, n1, level=level), wilson(x2, n2, level=level)
    return Interval(
        p1 - p2 - math.hypot(p1 - one.low, two.high - p2),
        p1 - p2 + math.hypot(one.high - p1, p2 - two.low),
    )


def mantel_haenszel(strata: Sequence[Arms], *, level: float = LEVEL) -> tuple[float, Interval]:
    """Pooled risk difference over strata with Sato's variance.

    Source: Greenland and Robins 1985; Sato 1989.

    Raises:
        ValueError: No stratum has both arms.
    """
    used = [s for s in strata if s.assisted and s.blind]
    if not used:
        raise ValueError("no stratum has both arms")
    weights = [s.assisted * s.blind / (s.assisted + s.blind) for s in used]
    whole = math.fsum(weights)
    gaps = [s.assisted_same / s.assisted - s.blind_same / s.blind for s in used]
    difference = math.fsum(w * g for w, g in zip(weights, gaps, strict=True)) / whole
    p_terms, q_terms = [], []
    for s in used:
        n1, n0, x1, x0 = s.assisted, s.blind, s.assisted_same, s.blind_same
        n = n1 + n0
        p_terms.append((n1**2 * x0 - n0**2 * x1 + n1 * n0 * (n0 - n1) / 2) / n**2)
        q_terms.append((x1 * (n0 - x0) + x0 * (n1 - x1)) / (2 * n))
    variance = (difference * math.fsum(p_terms) + math.fsum(q_terms)) / whole**2
    half = z_of(level) * math.sqrt(max(0.0, variance))
    return difference, Interval(max(-1.0, difference - half), min(1.0, difference + half))


def items_per_arm(base: float, other: float, *, power: float = POWER, level: float = LEVEL) -> int:
    """Items per arm that find ``base`` against ``other`` with the given power.

    Normal approximation with the pooled variance under no difference (Fleiss 1981).

    >>> items_per_arm(0.85, 0.90)
    686
    """
    return math.ceil(_items(base, other, power, level))


def _items(base: float, other: float, power: float, level: float) -> float:
    alpha_part = z_of(level) * math.sqrt((base + other) * (1 - (base + other) / 2))
    beta_part = z_of(2 * power - 1) * math.sqrt(base * (1 - base) + other * (1 - other))
    return ((alpha_part + beta_part) / (other - base)) ** 2


def detectable_difference(
    base: float, n: float, *, power: float = POWER, level: float = LEVEL
) -> float | None:
    """The smallest rise above ``base`` that ``n`` items per arm find; ``None`` where none is."""
    if n <= 0 or base >= 1 or _items(base, 1.0, power, level) > n:
        return None
    low, high = _SMALL, 1 - base
    while low < (middle := (low + high) / 2) < high:
        if _items(base, base + middle, power, level) > n:
            low = middle
        else:
            high = middle
    return high


def anchoring(answers: Iterable[Answered], *, level: float = LEVEL) -> Anchoring:
    """Compare the arms: Newcombe in one stratum, Mantel-Haenszel with Sato's variance over several.

    Args:
        answers: First answers of both arms.
        level: Nominal coverage.
    """
    rows = list(answers)
    strata = _by_stratum(rows)
    assisted, blind = sum(s.assisted for s in strata), sum(s.blind for s in strata)
    same_1, same_0 = sum(s.assisted_same for s in strata), sum(s.blind_same for s in strata)
    share_1 = same_1 / assisted if assisted else None
    share_0 = same_0 / blind if blind else None
    both = [s for s in strata if s.assisted and s.blind]
    difference = low = high = None
    method, reason = "none", None
    if share_1 is None or share_0 is None:
        reason = f"no label of the {'assisted' if share_1 is None else 'blind'} arm"
    elif len(both) > 1:
        method = "mantel-haenszel, sato"
        difference, (low, high) = mantel_haenszel(strata, level=level)
    else:
        method = "newcombe"
        difference = share_1 - share_0
        low, high = newcombe_difference(same_1, assisted, same_0, blind, level=level)
    smaller = min(assisted, blind)
    return Anchoring(
        share_0,
        blind,
        share_1,
        assisted,
        difference,
        low,
        high,
        level,
        method,
        None if share_0 is None else detectable_difference(share_0, smaller, level=level),
        (_reliance(rows, "blind", right=False), _reliance(rows, "assisted", right=False)),
        (_reliance(rows, "blind", right=True), _reliance(rows, "assisted", right=True)),
        reason,
    )


def _by_stratum(rows: Sequence[Answered]) -> list[Arms]:
    strata = []
    for name in sorted({row.stratum for row in rows}):
        own = [row for row in rows if row.stratum == name]
        with_ai = [row for row in own if row.arm == "assisted"]
        without = [row for row in own if row.arm == "blind"]
        strata.append(
            Arms(
                name,
                len(with_ai),
                sum(row.same for row in with_ai),
                len(without),
                sum(row.same for row in without),
            )
        )
    return strata


def _reliance(rows: Sequence[Answered], arm: str, *, right: bool) -> float | None:
    """Share that accepts a wrong AI, or rejects a right one, in one arm."""
    own = [row for row in rows if row.arm == arm and row.ai_right is right]
    return sum(row.same is not right for row in own) / len(own) if own else None
