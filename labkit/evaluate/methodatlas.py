"""An AI's answers about test methods against labels: relevance, tags and calibration.

Source of every rule: MethodAtlas, "AI Accuracy Evaluation". Relevance and tags are two decisions,
each scored only over the methods whose label decides it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.metrics import calibration, selective, tags
from labkit.metrics.binary import confusion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labkit.metrics.calibration import Calibration
    from labkit.metrics.counts import Counts, Ratio
    from labkit.metrics.tags import TagScores


@dataclass(frozen=True, slots=True)
class Sample:
    """One method: what its label says and what the AI said; ``None`` is nothing."""

    item: str
    labelled: bool
    """Whether a label holds for the method, whatever it decides."""
    truth_relevant: bool | None = None
    truth_tags: frozenset[str] | None = None
    predicted_relevant: bool | None = None
    """``None`` where the AI gave no answer."""
    predicted_tags: frozenset[str] = frozenset()
    confidence: float | None = None
    """P(relevant)."""

    @property
    def predicted(self) -> bool:
        """Whether the AI gave an answer."""
        return self.predicted_relevant is not None


@dataclass(frozen=True, slots=True)
class Selective:
    """What remains when answers below a confidence are set aside."""

    threshold: float
    coverage: Ratio
    accuracy: Ratio


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that is reported about one predictions file."""

    prediction_rows: int
    evaluated: int
    unlabelled_predictions: int
    unpredicted_labels: int
    stale_label_entries: int
    relevance: Counts
    tags: TagScores
    calibration: Calibration | None
    """``None`` where the file has no confidences at all."""
    ece_top_label: float | None
    selective: Selective | None = None

    @property
    def relevance_samples(self) -> int:
        """How many evaluated methods have a relevance label."""
        return self.relevance.total

    @property
    def tag_samples(self) -> int:
        """How many evaluated methods have a tag label."""
        return self.tags.samples


def _selective(samples: Sequence[Sample], threshold: float) -> Selective:
    decided = []
    for sample in samples:
        p, said = sample.confidence, sample.predicted_relevant
        if said is not None:
            own = None if p is None else calibration.top_label(p, predicted=said, truth=said)[0]
            decided.append((own, sample))
    right = [
        (own, sample.truth_relevant == sample.predicted_relevant)
        for own, sample in decided
        if sample.truth_relevant is not None
    ]
    return Selective(
        threshold,
        selective.coverage((own for own, _ in decided), threshold),
        selective.selective_accuracy(right, threshold),
    )


def evaluate(
    samples: Sequence[Sample],
    *,
    prediction_rows: int,
    stale: int = 0,
    confidences: bool = True,
    threshold: float | None = None,
) -> Evaluation:
    """Score samples, one for each method.

    Args:
        samples: Every method of the predictions file, labelled or not.
        prediction_rows: How many rows the file has; overloads repeat a method.
        stale: How many label entries match no row.
        confidences: Whether the file has confidences; without, calibration is undefined.
        threshold: Confidence of the answer given, from which on selective accuracy counts.

    Raises:
        InputError: A confidence or the threshold is outside 0 to 1.
    """
    scored = [s for s in samples if s.labelled and s.predicted]
    decided = [
        (s.truth_relevant, s.predicted_relevant, s.confidence)
        for s in scored
        if s.truth_relevant is not None and s.predicted_relevant is not None
    ]
    stated = [(p, truth, said) for truth, said, p in decided if p is not None]
    found = calibration.binary(
        [(p, truth) for p, truth, _ in stated], missing=len(decided) - len(stated)
    )
    top = [calibration.top_label(p, predicted=said, truth=truth) for p, truth, said in stated]
    return Evaluation(
        prediction_rows=prediction_rows,
        evaluated=len(scored),
        unlabelled_predictions=sum(s.predicted and not s.labelled for s in samples),
        unpredicted_labels=sum(s.labelled and not s.predicted for s in samples),
        stale_label_entries=stale,
        relevance=confusion((truth, said) for truth, said, _ in decided),
        tags=tags.score(
            (s.truth_tags, s.predicted_tags) for s in scored if s.truth_tags is not None
        ),
        calibration=found if confidences else None,
        ece_top_label=calibration.ece(top) if confidences else None,
        selective=None if threshold is None else _selective(samples, threshold),
    )
