"""What the text of a cell means: booleans, probabilities and tag lists, without guessing."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

T = TypeVar("T")

TRUE = frozenset({"true", "1", "yes"})
FALSE = frozenset({"false", "0", "no"})
MISSING = frozenset({"", "nan", "null", "none", "na", "n/a"})
EXCESS = 1e-4
"""How far rounding may carry a probability over 0 or 1."""
_KEPT = 4096
"""Readings that are remembered: a column repeats few spellings over many rows."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_COMMA_NUMBER = re.compile(r"[+-]?[0-9]+,[0-9]+")


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """A value, or why there is none; ``note`` says what was done to an odd spelling."""

    value: T | None = None
    fault: str = ""
    note: str = ""


@lru_cache(maxsize=_KEPT)
def boolean(text: str) -> Reading[bool]:
    """Read a boolean: true, 1, yes, false, 0, no in any case; empty is no value.

    >>> boolean(" TRUE ").value, boolean("").value, boolean("maybe").fault
    (True, None, "'maybe' is not true or false")
    """
    word = text.strip().lower()
    if word in TRUE:
        return Reading(value=True)
    if word in FALSE:
        return Reading(value=False)
    return Reading() if not word else Reading(fault=f"{text.strip()!r} is not true or false")


@lru_cache(maxsize=_KEPT)
def number(text: str, *, decimal_comma: bool = False) -> Reading[float]:
    """Read a finite number; empty is no value, and so is NaN, with a note.

    >>> number("0,85", decimal_comma=True).value, number("0,85").value, number("nan").note
    (0.85, None, "'nan' is read as no value")
    """
    word = text.strip()
    if word.lower() in MISSING:
        return Reading(note=f"{word!r} is read as no value" if word else "")
    if decimal_comma and _COMMA_NUMBER.fullmatch(word):
        word = word.replace(",", ".")
    if not _NUMBER.fullmatch(word):
        hint = "; a decimal comma?" if _COMMA_NUMBER.fullmatch(word) else ""
        return Reading(fault=f"{word!r} is not a number{hint}")
    value = float(word)
    return Reading(value) if math.isfinite(value) else Reading(fault=f"{word!r} is too large")


def within_unit(value: float) -> Reading[float]:
    """A probability: 0 to 1; a rounding excess up to 1e-4 is cut, with a note.

    >>> within_unit(1.00001).value, within_unit(85.0).fault
    (1.0, '85 is not between 0 and 1')
    """
    if 0 <= value <= 1:
        return Reading(value)
    if -EXCESS <= value <= 1 + EXCESS:
        cut = 0.0 if value < 0 else 1.0
        return Reading(cut, note=f"{value:g} is read as {cut:g}")
    return Reading(fault=f"{value:g} is not between 0 and 1")


@lru_cache(maxsize=_KEPT)
def probability(text: str, *, decimal_comma: bool = False) -> Reading[float]:
    """Read a probability from 0 to 1; a percent sign is taken at its word, with a note.

    >>> probability("85%").value, probability("85").value, probability("HIGH").fault
    (0.85, None, "'HIGH' is not a number")
    """
    word = text.strip()
    percent = word.endswith("%") and len(word) > 1
    read = number(word[:-1] if percent else word, decimal_comma=decimal_comma)
    if read.value is None:
        return Reading(fault=f"{word!r} is not a number") if percent else read
    if not percent:
        return within_unit(read.value)
    within = within_unit(read.value / 100)
    return Reading(within.value, within.fault, f"{word!r} is read as {read.value / 100:g}")


@lru_cache(maxsize=_KEPT)
def tags(text: str, marks: str = ";") -> tuple[str, ...]:
    """Split a cell into tags: trimmed, blanks dropped, case kept.

    >>> tags(" Auth; ;crypto ")
    ('Auth', 'crypto')
    """
    parts = re.split(f"[{re.escape(marks)}]", text)
    return tuple(part.strip() for part in parts if part.strip())
