"""Rounding policies: how each system shortens a ratio before it prints or judges it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rounding:
    """A named way to shorten a number; an undefined value stays undefined.

    ``half="even"`` is Python's ``round``: the nearest decimal, exact ties to the even digit.
    ``half="up"`` is JavaScript's ``Number(x.toFixed(digits))``: exact ties of the binary value
    go away from zero (ECMA-262, Number.prototype.toFixed).

    >>> JS_FIXED_4(1 / 32), PYTHON_4(1 / 32)
    (0.0313, 0.0312)
    """

    name: str
    digits: int | None
    half: Literal["even", "up"] = "even"

    def __call__(self, value: float | None) -> float | None:
        """The rounded value; ``None`` stays ``None``."""
        return None if value is None else self.of(value)

    def of(self, value: float) -> float:
        """The rounded value of a number that is there."""
        if self.digits is None:
            return value
        if self.half == "even":
            return round(value, self.digits)
        step = Decimal(1).scaleb(-self.digits)
        return float(Decimal(value).quantize(step, ROUND_HALF_UP)) + 0.0


EXACT = Rounding("exact", None)
"""No rounding: MethodAtlas, planwerk, decguard, labkit."""
PYTHON_3 = Rounding("three decimals, ties to even", 3)
"""AACR-Bench, one pull request."""
PYTHON_4 = Rounding("four decimals, ties to even", 4)
"""AACR-Bench, all pull requests."""
JS_FIXED_4 = Rounding("four decimals, ties up", 4, "up")
"""godaudits."""
