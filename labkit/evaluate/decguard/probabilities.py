"""Probabilities of one decision: what is a valid distribution, what it selects, how two differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from labkit.errors import LabkitError

SECRET_KEYS = frozenset(
    [
        "api_key",
        "apikey",
        "authorization",
        "access_token",
        "refresh_token",
        "token",
        "password",
        "secret",
        "client_secret",
        "cookie",
        "set_cookie",
    ]
)
REDACTED = "[REDACTED]"


class ProbabilityError(LabkitError):
    """An answer is no distribution over the contract's labels."""


def _shown(value: object) -> str:
    return "null" if value is None else repr(value)


def _number(label: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ProbabilityError(f"the probability of {label!r} is not a number: {_shown(value)}")
    try:
        number = float(value)
    except OverflowError as error:
        raise ProbabilityError(f"the probability of {label!r} is not finite") from error
    if not math.isfinite(number):
        raise ProbabilityError(f"the probability of {label!r} is not finite: {number}")
    if number < 0:
        raise ProbabilityError(f"the probability of {label!r} is negative: {value}")
    return number


def validate(labels: Sequence[str], raw: object, tolerance: float) -> dict[str, float]:
    """The probabilities in label order, unchanged: they are never rescaled.

    Args:
        labels: The contract's labels.
        raw: What the backend answered.
        tolerance: How far from 1 the exact sum may be, compared as floats.

    Raises:
        ProbabilityError: Not an object, a label missing or unknown, a value that is not a finite
            number of at least 0, or a sum outside the tolerance.
    """
    if not isinstance(raw, Mapping):
        raise ProbabilityError(f"probabilities must be an object by label, got {_shown(raw)}")
    missing = [label for label in labels if label not in raw]
    unknown = [key for key in raw if key not in labels]
    if missing or unknown:
        parts = [f"missing {missing}"] * bool(missing) + [f"unknown {unknown}"] * bool(unknown)
        raise ProbabilityError(f"probabilities do not fit the labels: {', '.join(parts)}")
    found = {label: _number(label, raw[label]) for label in labels}
    try:
        total = math.fsum(found.values())
    except OverflowError:
        total = math.inf
    if abs(total - 1) > tolerance:
        raise ProbabilityError(f"probabilities sum to {total:.6g}, outside 1 ± {tolerance:g}")
    return found


def select(labels: Sequence[str], probabilities: Mapping[str, float]) -> str:
    """The most probable label; the first in canonical order among equals.

    >>> select(("b", "a"), {"a": 0.5, "b": 0.5})
    'b'
    """
    return max(labels, key=lambda label: probabilities[label])


def tv_distance(p: Mapping[str, float], q: Mapping[str, float], labels: Sequence[str]) -> float:
    """Total variation distance, 0…1."""
    return min(1.0, 0.5 * math.fsum(abs(p[k] - q[k]) for k in labels))


def js_divergence(p: Mapping[str, float], q: Mapping[str, float], labels: Sequence[str]) -> float:
    """Jensen-Shannon divergence in bits, 0…1 (Lin 1991)."""
    terms: list[float] = []
    for label in labels:
        middle = (p[label] + q[label]) / 2
        terms += [0.5 * x * math.log2(x / middle) for x in (p[label], q[label]) if x > 0]
    return min(1.0, max(0.0, math.fsum(terms)))


def redact(value: Any) -> Any:
    """Metadata with the values of secret-looking keys replaced, at any depth."""
    if isinstance(value, Mapping):
        return {
            key: REDACTED if str(key).lower().replace("-", "_") in SECRET_KEYS else redact(entry)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [redact(entry) for entry in value]
    return value


def redacted(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of an answer, secrets replaced."""
    return {str(key): entry for key, entry in redact(metadata).items()}
