"""What a run cost: calls, tokens and dollars, and how they add up over runs and passes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls, tokens and the estimated cost of one or more runs."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    est_cost_usd: float = 0.0
    passes: tuple[tuple[str, Usage], ...] = ()

    @property
    def prompt_tokens(self) -> int:
        """Input, cache-read and cache-creation tokens: caching moves tokens between the three."""
        return self.input_tokens + self.cache_read_input_tokens + self.cache_creation_input_tokens


def pooled(usages: Iterable[Usage]) -> Usage:
    """Add usages; passes merge by label, the dearest first.

    >>> pooled([Usage(calls=1, est_cost_usd=0.1)] * 3).est_cost_usd
    0.30000000000000004
    """
    every = tuple(usages)
    labels: dict[str, list[Usage]] = {}
    for usage in every:
        for label, part in usage.passes:
            labels.setdefault(label, []).append(part)
    passes = [(label, pooled(parts)) for label, parts in labels.items()]
    passes.sort(key=lambda p: (-p[1].est_cost_usd, -p[1].prompt_tokens, p[0]))
    return Usage(
        sum(u.calls for u in every),
        sum(u.input_tokens for u in every),
        sum(u.output_tokens for u in every),
        sum(u.cache_read_input_tokens for u in every),
        sum(u.cache_creation_input_tokens for u in every),
        math.fsum(u.est_cost_usd for u in every),
        tuple(passes),
    )


def per_run(total: int, runs: int) -> int:
    """Tokens a run, rounded half away from zero.

    >>> per_run(4440, 4), per_run(5, 2), per_run(3, 2)
    (1110, 3, 2)
    """
    runs = max(runs, 1)
    return (2 * abs(total) + runs) // (2 * runs) * (1 if total >= 0 else -1)
