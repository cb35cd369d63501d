"""How far the reviewers of a labels file agree."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from labkit.metrics import agreement
from labkit.metrics.tags import normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.formats.labels import GoldLabel


def agreement_of(labels: Sequence[GoldLabel]) -> dict[str, object] | None:
    """Agreement pair by pair; ``None`` where the file names fewer than two reviewers."""
    reviewers = sorted({one.reviewer for one in labels if one.reviewer})
    if len(reviewers) < agreement.TWO_CODERS:
        return None
    given = {(one.reviewer, one.item): one.label for one in labels if one.label is not None}
    sets = {
        (one.reviewer, one.item): normalised(one.tags) for one in labels if one.tags is not None
    }
    items = sorted({one.item for one in labels})
    both = [
        agreement.pair_agreement(
            a, b, [(given[a, i], given[b, i]) for i in items if {(a, i), (b, i)} <= given.keys()]
        ).as_dict()
        for a, b in combinations(reviewers, 2)
    ]
    units = [[given.get((name, item)) for name in reviewers] for item in items]
    tags = [[sets.get((name, item)) for name in reviewers] for item in items]
    return {
        "reviewers": reviewers,
        "items": sum(sum(value is not None for value in unit) > 1 for unit in units),
        "pairs": both,
        "alpha": {
            "nominal": agreement.alpha(units),
            "masi": agreement.alpha(tags, "masi") if sets else None,
        },
    }
