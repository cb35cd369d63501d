"""Labels against answers, whatever they are about: two classes, several, or tags.

Two classes and tags are estimated for all predictions from the labelled ones; with several
classes each is one against the rest.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from labkit.estimation.anchoring import Answered, anchoring
from labkit.estimation.designs import Frame, crossed
from labkit.estimation.estimates import Estimate, estimate, estimate_counts
from labkit.estimation.intervals import LEVEL
from labkit.estimation.tag_estimates import Tagged, estimate_macro
from labkit.estimation.units import WHOLE, Labelled, Predicted, Use, complement
from labkit.estimation.whole import LABELLED_ONLY, Drawn, Options, estimate_all
from labkit.metrics import calibration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labkit.estimation.warnings import Warn


@dataclass(frozen=True, slots=True)
class Said:
    """One prediction; ``label`` is ``None`` where the AI gave no answer."""

    item: str
    label: str | None
    tags: frozenset[str] | None = None
    confidence: float | None = None
    """Of the label given."""
    probabilities: Mapping[str, float] | None = None
    stratum: str = WHOLE


@dataclass(frozen=True, slots=True)
class Truth:
    """One label; ``label`` is ``None`` for unsure, or where only tags were asked for."""

    item: str
    label: str | None
    tags: frozenset[str] | None = None
    basis: str = "imported"
    arm: str = ""
    inclusion_probability: float | None = None
    targeted: bool = False
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Wishes:
    """How labels were drawn and what is asked for."""

    drawn: Drawn = "unknown"
    positive: str | None = "true"
    """The positive of two classes; ``None`` where there are several."""
    threshold: float | None = None
    disputed: int = 0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The rows of the report, and what stands beside them."""

    metrics: tuple[Estimate, ...]
    counts: Mapping[str, object]
    calibration: Mapping[str, object] | None
    coverage: Mapping[str, object]
    anchoring: Mapping[str, object] | None
    warnings: tuple[Warn, ...]

    def named(self, name: str) -> Estimate | None:
        """The row of that name."""
        return next((row for row in self.metrics if row.name == name), None)


def _confidence(one: Said, positive: str) -> float | None:
    """P(positive), from the distribution or from how sure the AI is of its label."""
    if one.probabilities and positive in one.probabilities:
        return one.probabilities[positive]
    if one.confidence is None or one.label is None:
        return None
    return one.confidence if one.label == positive else complement(one.confidence)


def _labelled(truth: Truth, positive: str) -> Labelled:
    return Labelled(
        truth.item,
        None if truth.label is None else truth.label == positive,
        truth.tags,
        basis=truth.basis,
        use=Use.TARGETED if truth.targeted else Use.SAMPLED,
        inclusion_probability=truth.inclusion_probability,
        duration_ms=truth.duration_ms,
    )


def predicted(one: Said, positive: str) -> Predicted:
    """A prediction as estimation reads it; tags alone are a yes where there are any."""
    flagged = None if one.label is None else one.label == positive
    if one.label is None and one.tags is not None:
        flagged = bool(one.tags)
    return Predicted(one.item, flagged, one.stratum, _confidence(one, positive), one.tags)


def coverage(said: Sequence[Said], truths: Sequence[Truth], disputed: int) -> dict[str, object]:
    """Which items are on both sides, on one, or nowhere usable."""
    answered = {one.item for one in said if one.label is not None or one.tags is not None}
    silent = {one.item for one in said} - answered
    labelled = {t.item for t in truths if t.label is not None or t.tags is not None}
    return {
        "predictions": len(said),
        "answered": len(answered),
        "labels": len(truths),
        "evaluated": len(answered & labelled),
        "unlabelledPredictions": len(answered - labelled),
        "unpredictedLabels": len(silent & labelled),
        "staleLabels": len(labelled - answered - silent),
        "unsure": len({t.item for t in truths} - labelled),
        "disputed": disputed,
    }


_ARMS = {"blind": "blind", "blind-first": "blind", "assisted": "assisted"}
"""The arms by the words for them; labkit's labels name the protocol of the arm."""


def anchored(said: Sequence[Said], truths: Sequence[Truth]) -> Mapping[str, object] | None:
    """How much more often people agree with an AI they see; ``None`` without both arms."""
    by_item = {one.item: one for one in said}
    answers = [
        Answered(
            _ARMS[t.arm],
            f"{by_item[t.item].stratum}/{by_item[t.item].label}",
            t.label == by_item[t.item].label,
        )
        for t in truths
        if t.arm in _ARMS and t.label is not None and t.item in by_item
    ]
    if {one.arm for one in answers} != {"blind", "assisted"}:
        return None
    return anchoring(answers).as_dict()


def evaluate(said: Sequence[Said], truths: Sequence[Truth], wishes: Wishes) -> Evaluation:
    """Score answers against labels, one of each an item."""
    if wishes.positive is None:
        return _several(said, truths, wishes)
    positive = wishes.positive
    options = Options(
        drawn=wishes.drawn,
        thresholds=() if wishes.threshold is None else (wishes.threshold,),
        disputed=wishes.disputed,
    )
    found = estimate_all(
        [predicted(one, positive) for one in said],
        [_labelled(truth, positive) for truth in truths],
        options,
    )
    by_item = {one.item: one for one in said}
    known = [t for t in truths if t.label is not None and t.item in by_item]
    missing = sum(_confidence(by_item[t.item], positive) is None for t in known)
    stated = found.calibration
    return Evaluation(
        found.metrics,
        found.counts,
        None if stated is None else stated.report(missing=missing),
        coverage(said, truths, wishes.disputed),
        anchored(said, truths),
        found.warnings,
    )


def without_population(
    found: Evaluation, said: Sequence[Said], truths: Sequence[Truth], positive: str | None
) -> Evaluation:
    """The rows where only a simple random sample is at hand, and nothing is known of the rest.

    Wilson for shares and Wilson on J for F1; every other row that looked complete, because
    everything at hand is labelled, keeps its value without an interval.
    """
    by_item = {one.item: one.label for one in said}
    pairs = [
        (by_item[t.item], t.label)
        for t in truths
        if t.label is not None and by_item.get(t.item) is not None
    ]
    cells = Counter(
        (told == true, told == true) if positive is None else (told == positive, true == positive)
        for told, true in pairs
    )
    counts = (cells[True, True], cells[True, False], cells[False, True], cells[False, False])
    named = {row.name: row for row in estimate_counts(*counts)}
    rows = []
    for row in found.metrics:
        own = named.get(row.name)
        if own is not None and (positive is not None or row.name == "accuracy"):
            rows.append(replace(own, basis=row.basis))
        elif row.method == CENSUS:
            why = f"{row.name}: no interval where the population is not known"
            rows.append(replace(row, low=None, high=None, method="none", reason=why))
        else:
            rows.append(row)
    design = named["accuracy"].design
    return replace(found, metrics=tuple(replace(row, design=design) for row in rows))


CENSUS = "census"
_NOTHING = Estimate("", None, None, None, LEVEL, "none", 0, "imported", LABELLED_ONLY)
"""Level, basis and design where nothing at all can be estimated."""


def _distribution(one: Said) -> Mapping[str, float] | None:
    return one.probabilities or None


def _calibration(
    by_item: Mapping[str, Said], known: Sequence[Truth]
) -> Mapping[str, object] | None:
    """Distributions where there are any, else the confidence of the label given for ECE alone."""
    pairs = [(by_item[t.item], t) for t in known if by_item[t.item].label is not None]
    whole = [
        (dist, str(one.label), str(t.label))
        for one, t in pairs
        if (dist := _distribution(one)) is not None
    ]
    if whole:
        return calibration.multiclass(whole, missing=len(pairs) - len(whole)).as_dict()
    sure = [
        (one.confidence, one.label == t.label) for one, t in pairs if one.confidence is not None
    ]
    if not sure:
        return None
    found = calibration.binary(sure, missing=len(pairs) - len(sure))
    return {**found.as_dict(), "brier": None, "nll": None}


def _plain(name: str, value: float | None, n: int, why: str, like: Estimate) -> Estimate:
    """A point value in the form of the other rows; only a census has an interval, the point."""
    if value is not None and like.design == CENSUS:
        row = replace(like, name=name, value=value, low=value, high=value, n=n)
        return replace(row, method="census", reason=None)
    reason = f"{name}: {why}" if value is None else f"{name}: no interval is computed"
    return replace(
        like, name=name, value=value, low=None, high=None, method="none", n=n, reason=reason
    )


def _macro(
    value: float | None,
    said: Sequence[Said],
    scored: Sequence[Truth],
    wishes: Wishes,
    like: Estimate,
) -> Estimate:
    """Macro F1 over classes; interval by the item bootstrap of macro F1 over tags."""
    row = _plain("macro_f1", value, len(scored), "no class was seen", like)
    if value is None or wishes.drawn not in {"simple", "stratified"} or row.method == "census":
        return row
    by_item = {one.item: one for one in said}
    units = [
        Tagged(
            t.item,
            by_item[t.item].stratum,
            frozenset({str(by_item[t.item].label)}),
            frozenset({str(t.label)}),
        )
        for t in scored
    ]
    sizes = Counter(one.stratum for one in said if one.label is not None)
    found = estimate_macro(
        units,
        {name: float(n) for name, n in sizes.items()},
        basis=like.basis,
        design=like.design,
    )
    if found.low is None or found.high is None:
        return row
    return replace(
        row,
        low=min(found.low, value),
        high=max(found.high, value),
        method=found.method,
        reason=None
        if found.reason is None
        else found.reason.replace("tags.macro.f1", "macro_f1").replace("tag", "class"),
    )


def _one_class(
    label: str, said: Sequence[Said], truths: Sequence[Truth], wishes: Wishes
) -> list[Estimate]:
    """Precision, recall and F1 of one class against the rest."""
    part = [replace(one, tags=None, confidence=None, probabilities=None) for one in said]
    found = evaluate(
        part,
        [replace(t, tags=None) for t in truths],
        replace(wishes, positive=label, threshold=None),
    )
    rows = [found.named(metric) for metric in ("precision", "recall", "f1")]
    return [replace(row, name=f"label.{label}.{row.name}") for row in rows if row is not None]


def _right(said: Sequence[Said], truths: Sequence[Truth]) -> list[Labelled]:
    by_item = {one.item: one.label for one in said}
    return [
        replace(
            _labelled(t, ""), positive=None if t.label is None else t.label == by_item.get(t.item)
        )
        for t in truths
    ]


def _share_right(
    name: str, said: Sequence[Said], truths: Sequence[Truth], wishes: Wishes, like: Estimate
) -> Estimate:
    """The share of right answers: precision where every answer counts as flagged."""
    labels = _right(said, truths)
    frame = [Predicted(one.item, None if one.label is None else True, one.stratum) for one in said]
    inside = {t.item for t in labels if t.positive is not None}
    if wishes.drawn == "unknown":
        frame = [unit for unit in frame if unit.item in inside]
    design = crossed(
        Frame.of(frame),
        [label for label in labels if label.item in {unit.item for unit in frame}],
        simple=wishes.drawn == "simple",
    )
    row = estimate("precision", design, basis=like.basis, name=name)
    if row.value is None:
        return replace(row, reason=f"{name}: no item is labelled")
    if like.design == LABELLED_ONLY:
        reason = (like.reason or "").split(": ", 1)[-1]
        return replace(
            row,
            low=None,
            high=None,
            method="none",
            design=LABELLED_ONLY,
            reason=f"{name}: {reason}",
        )
    return replace(row, design=like.design)


def _several(said: Sequence[Said], truths: Sequence[Truth], wishes: Wishes) -> Evaluation:
    """Several classes: accuracy, macro F1, and each class against the rest."""
    by_item = {one.item: one for one in said}
    known = [t for t in truths if t.label is not None and t.item in by_item]
    scored = [t for t in known if by_item[t.item].label is not None]
    classes = sorted({str(t.label) for t in scored} | {str(by_item[t.item].label) for t in scored})
    whole = evaluate(
        [replace(one, confidence=None, probabilities=None) for one in said],
        truths,
        replace(wishes, positive=classes[0] if classes else "", threshold=None),
    )
    like = next(iter(whole.metrics), _NOTHING)
    rows = [_share_right("accuracy", said, truths, wishes, like)]
    single = {label: _one_class(label, said, truths, wishes) for label in classes}
    f1 = [row.value for found in single.values() for row in found if row.name.endswith(".f1")]
    defined = [value for value in f1 if value is not None]
    macro = math.fsum(defined) / len(defined) if defined else None
    rows.append(_macro(macro, said, scored, wishes, like))
    rows += [row for found in single.values() for row in found]
    rows += [row for row in whole.metrics if row.name.startswith(("tags.", "tag."))]
    stated = _calibration(by_item, scored)
    for name in ("ece", "brier", "nll"):
        value = stated.get(name) if stated else None
        number = float(value) if isinstance(value, float) else None
        n = int(str(stated["n"])) if stated else 0
        rows.append(_plain(name, number, n, "no labelled item has a distribution", like))
    rows += _selective(said, truths, wishes, like)
    pairs = Counter((str(t.label), str(by_item[t.item].label)) for t in scored)
    counts = {
        "predictions": sum(one.label is not None for one in said),
        "labelled": len(scored),
        "right": sum(n for (truth, told), n in pairs.items() if truth == told),
        "confusion": [
            {"label": truth, "predicted": told, "count": n}
            for (truth, told), n in sorted(pairs.items())
        ],
    }
    return replace(whole, metrics=tuple(rows), counts=counts, calibration=stated)


def _selective(
    said: Sequence[Said], truths: Sequence[Truth], wishes: Wishes, like: Estimate
) -> list[Estimate]:
    if wishes.threshold is None:
        return []
    name = f"@{wishes.threshold:g}"
    answered = [one for one in said if one.label is not None]
    sure = [one for one in answered if (_stated(one) or 0.0) >= wishes.threshold]
    share = len(sure) / len(answered) if answered else None
    ends = (share, share) if share is not None else (0.0, 1.0)
    covered = replace(
        like,
        name=f"selective_coverage{name}",
        value=share,
        low=ends[0],
        high=ends[1],
        method="exact" if share is not None else "none",
        n=len(answered),
        design="all predictions",
        reason=None if answered else "selective_coverage: there is no prediction",
    )
    items = {one.item for one in sure}
    inside = [t for t in truths if t.item in items]
    return [covered, _share_right(f"selective_accuracy{name}", sure, inside, wishes, like)]


def _stated(one: Said) -> float | None:
    """How sure the AI is of the label it gave."""
    if one.confidence is not None:
        return one.confidence
    return (one.probabilities or {}).get(one.label or "")
