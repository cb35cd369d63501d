"""How often each of three or more reviewers is right, without knowing the right answers.

Expectation and maximisation after Dawid and Skene 1979, with a pseudo-count in every cell. With
fewer than three reviewers an item the model is not identified, so it is not offered.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.metrics.agreement import sorted_labels

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAST = 3
_ROUNDS = 200
_PSEUDO = 0.5


@dataclass(frozen=True, slots=True)
class Reliability:
    """What the model says of one reviewer."""

    reviewer: str
    n: int
    accuracy: float
    """Chance that an answer is right, over the estimated mix of true labels."""
    confusion: Mapping[str, Mapping[str, float]]
    """True label to given label to probability."""

    def as_dict(self) -> dict[str, object]:
        """The row of the report."""
        return {
            "reviewer": self.reviewer,
            "n": self.n,
            "accuracy": self.accuracy,
            "confusion": {true: dict(row) for true, row in self.confusion.items()},
        }


def dawid_skene(answers: Mapping[str, Mapping[str, str]]) -> tuple[Reliability, ...] | None:
    """Each reviewer's accuracy and confusion; ``None`` where the model is not identified.

    Args:
        answers: Item to reviewer to label.

    Returns:
        One row a reviewer, by name; ``None`` with fewer than three reviewers an item or one label.
    """
    votes = {item: by for item, by in sorted(answers.items()) if len(by) >= LEAST}
    labels = [
        str(label) for label in sorted_labels({v for by in votes.values() for v in by.values()})
    ]
    reviewers = sorted({r for by in votes.values() for r in by})
    if len(labels) < 2 or len(reviewers) < LEAST:  # noqa: PLR2004  # one label says nothing
        return None
    belief = {item: _shares(Counter(by.values()), labels) for item, by in votes.items()}
    prior: dict[str, float] = {}
    matrix: dict[str, dict[str, dict[str, float]]] = {}
    for _ in range(_ROUNDS):
        prior = {k: math.fsum(b[k] for b in belief.values()) / len(belief) for k in labels}
        matrix = {r: _confusion(r, votes, belief, labels) for r in reviewers}
        updated = {item: _posterior(by, prior, matrix, labels) for item, by in votes.items()}
        change = max(abs(updated[i][k] - belief[i][k]) for i in belief for k in labels)
        belief = updated
        if change < 1e-10:  # noqa: PLR2004  # converged
            break
    return tuple(
        Reliability(
            r,
            sum(r in by for by in votes.values()),
            math.fsum(prior[k] * matrix[r][k][k] for k in labels),
            matrix[r],
        )
        for r in reviewers
    )


def _shares(counts: Mapping[str, int], labels: list[str]) -> dict[str, float]:
    n = sum(counts.values())
    return {k: counts.get(k, 0) / n for k in labels}


def _confusion(
    reviewer: str,
    votes: Mapping[str, Mapping[str, str]],
    belief: Mapping[str, Mapping[str, float]],
    labels: list[str],
) -> dict[str, dict[str, float]]:
    """The reviewer's answers by true label, smoothed."""
    rows: dict[str, dict[str, float]] = {}
    for true in labels:
        mass = dict.fromkeys(labels, _PSEUDO)
        for item, by in votes.items():
            if reviewer in by:
                mass[by[reviewer]] += belief[item][true]
        whole = math.fsum(mass.values())
        rows[true] = {given: value / whole for given, value in mass.items()}
    return rows


def _posterior(
    by: Mapping[str, str],
    prior: Mapping[str, float],
    matrix: Mapping[str, Mapping[str, Mapping[str, float]]],
    labels: list[str],
) -> dict[str, float]:
    """How likely each true label is, given the answers."""
    logs = {
        k: math.log(max(prior[k], 1e-300))
        + math.fsum(math.log(matrix[r][k][given]) for r, given in sorted(by.items()))
        for k in labels
    }
    top = max(logs.values())
    mass = {k: math.exp(v - top) for k, v in logs.items()}
    whole = math.fsum(mass.values())
    return {k: v / whole for k, v in mass.items()}
