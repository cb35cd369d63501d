"""decguard's policy: ordered routes, and the first one whose condition holds is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from labkit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

Action = Literal["accept", "abstain", "fallback", "human_review"]
ACTIONS = ("accept", "abstain", "fallback", "human_review")


@dataclass(frozen=True, slots=True)
class Route:
    """What to do with a decision of at least this confidence; ``None`` takes every decision."""

    action: Action
    confidence_gte: float | None = None
    backend: str | None = None


@dataclass(frozen=True, slots=True)
class Routing:
    """Where one decision goes."""

    action: Action
    fallback_backend: str | None
    route_index: int


def route(routes: Sequence[Route], confidence: float) -> Routing:
    """The first route whose condition holds, bound included.

    Raises:
        InputError: No route is unconditional and none holds.
    """
    for index, entry in enumerate(routes):
        if entry.confidence_gte is None or confidence >= entry.confidence_gte:
            return Routing(entry.action, entry.backend, index)
    raise InputError("the policy has no route for a decision; its last route needs no condition.")
