"""A made-up population whose precision, recall and scores are known exactly.

10 000 items, precision 0.75, recall 0.9 (F1 0.8182); positives and negatives have normal scores one
distance apart. The AI's confidence is its own: it flags from 0.5 on, so the log-odds of being
positive are shifted to have the decision at 0. Shares of labels to draw follow from it, as they do
for a real model, and not from the true chances.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

SIZE = 10_000
PRECISION, RECALL = 0.75, 0.9
NORMAL = NormalDist()


@dataclass(frozen=True)
class World:
    """Confidence, decision and truth of every item."""

    confidence: np.ndarray[Any, Any]
    flagged: np.ndarray[Any, Any]
    truth: np.ndarray[Any, Any]

    def exact(self, metric: str) -> float:
        """The value of the whole population."""
        tp = float((self.flagged & self.truth).sum())
        fp = float((self.flagged & ~self.truth).sum())
        fn = float((~self.flagged & self.truth).sum())
        n = float(len(self.truth))
        return {
            "precision": tp / (tp + fp),
            "recall": tp / (tp + fn),
            "f1": 2 * tp / (2 * tp + fp + fn),
            "accuracy": (n - fp - fn) / n,
            "prevalence": (tp + fn) / n,
        }[metric]


def build(prevalence: float) -> World:
    """The population for a share of positives."""
    positives = round(SIZE * prevalence)
    negatives = SIZE - positives
    hits = round(positives * RECALL)
    false = round(hits / PRECISION) - hits
    cut = NORMAL.inv_cdf(1 - false / negatives)
    distance = cut - NORMAL.inv_cdf(1 - hits / positives)
    grid = [
        np.array([NORMAL.inv_cdf((i + 0.5) / k) for i in range(k)]) for k in (positives, negatives)
    ]
    score = np.concatenate([grid[0] + distance, grid[1]])
    truth = np.arange(SIZE) < positives
    odds = np.exp((score - cut) * distance)
    return World(odds / (1 + odds), score >= cut, truth)
