"""Counts that add up, and ratios that remember theirs.

Pool first, divide last: micro-averages, pooled runs and totals are ``sum(many, Counts())``.
What 0/0 is worth differs between systems, so it is a named policy and never a global rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ZeroDenominator(Enum):
    """What a ratio is worth where its denominator is zero."""

    UNDEFINED = None
    """``None``: no evidence is neither good nor bad. The default everywhere in labkit."""
    ZERO = 0.0
    """0: as upstream's comment matching and decguard's values by label have it."""
    ONE = 1.0
    """1, the vacuous truth: as godaudits' evaluator has it."""


UNDEFINED = ZeroDenominator.UNDEFINED
ZERO = ZeroDenominator.ZERO
ONE = ZeroDenominator.ONE


@dataclass(frozen=True, slots=True)
class Ratio:
    """A fraction that remembers its counts; adding fractions is wrong, so there is no ``+``.

    >>> print(Ratio(3, 4), Ratio(0, 0))
    0.7500 n/a
    """

    numerator: int
    denominator: int

    @property
    def value(self) -> float | None:
        """The quotient, or ``None`` where it is undefined."""
        return self.under(UNDEFINED)

    def under(self, policy: ZeroDenominator) -> float | None:
        """The quotient, or what the policy says where the denominator is zero.

        >>> Ratio(0, 0).under(ZERO), Ratio(0, 0).under(ONE), Ratio(1, 4).under(ONE)
        (0.0, 1.0, 0.25)
        """
        return self.numerator / self.denominator if self.denominator else policy.value

    def __str__(self) -> str:
        """Four decimals, or ``n/a``."""
        return "n/a" if self.value is None else f"{self.value:.4f}"


@dataclass(frozen=True, slots=True)
class Counts:
    """A confusion matrix of one binary decision.

    Every ratio is built from the counts, never from other ratios: F1 is defined (and 0) where
    precision is not, as long as something was predicted or there.

    >>> sum([Counts(tp=1, fp=2), Counts(fn=3)], Counts())
    Counts(tp=1, fp=2, fn=3, tn=0)
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0

    @classmethod
    def of(cls, *, truth: bool, predicted: bool) -> Counts:
        """The counts of one item."""
        return cls(
            tp=int(truth and predicted),
            fp=int(predicted and not truth),
            fn=int(truth and not predicted),
            tn=int(not truth and not predicted),
        )

    def __add__(self, other: Counts) -> Counts:
        """Both together."""
        return Counts(
            self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.tn + other.tn
        )

    @property
    def total(self) -> int:
        """How many items were counted."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def support(self) -> int:
        """How many are positive in truth: TP + FN."""
        return self.tp + self.fn

    @property
    def precision(self) -> Ratio:
        """TP / (TP + FP)."""
        return Ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Ratio:
        """TP / (TP + FN)."""
        return Ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> Ratio:
        """2 TP / (2 TP + FP + FN)."""
        return Ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> Ratio:
        """(TP + TN) / total."""
        return Ratio(self.tp + self.tn, self.total)

    @property
    def prevalence(self) -> Ratio:
        """(TP + FN) / total."""
        return Ratio(self.support, self.total)
