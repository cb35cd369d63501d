"""What the answers say about the AI, as the Results tab draws it."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING, Any

from labkit.codebook import agrees
from labkit.metrics.counts import Counts, Ratio
from labkit.model import plain
from labkit.population import chance_of, is_flagged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labkit.estimation.estimates import Estimate
    from labkit.estimation.whole import Estimates
    from labkit.study import Study

CELLS = ("tp", "fp", "fn", "tn")
HEADLINES = ("precision", "recall", "f1", "accuracy", "prevalence")
CALIBRATION = ("ece", "brier", "nll")
MAX_FAILURES = 200
WIDE = 0.3
"""An interval wider than this has no middle worth saying."""
UNKNOWN = 0.49
"""An interval with so much on either side says nothing."""
_ROUNDED = 1e-9
_POSITIVES = {"methodatlas": "methods that matter", "finding": "real problems"}


def results_of(study: Study) -> dict[str, Any]:
    """The message of type ``results``: plain sentences, then every number with its counts."""
    counted = study.counted()
    counts = Counts(**{key: counted["relevance"][key] for key in CELLS})
    parts = study.estimated()
    main = parts[0]
    return {
        "type": "results",
        "n": counts.total or main.counts.get("labelled", 0),
        "sentences": _sentences(main, _POSITIVES.get(study.task.preset, "that you call yes")),
        "based_on": _based_on(study, main),
        "warnings": [warning.message for warning in main.warnings],
        "estimates": [_row(row) for row in _chosen(main, HEADLINES)],
        "calibration": [_row(row) for row in _chosen(main, CALIBRATION)],
        "others": [_row(row) for part in parts[1:] for row in _chosen(part, HEADLINES)],
        "tag_estimates": [_row(row) for row in main.metrics if row.name.startswith("tag")],
        **study.curves(),
        "absent": _absent(study, main),
        "plan": _plan(study),
        "prefix": "relevance",
        "counts": {key: getattr(counts, key) for key in CELLS},
        "ratios": [
            _ratio("precision", counts.precision, "flagged by the AI"),
            _ratio("recall", counts.recall, "answered with yes"),
            _ratio("f1", counts.f1, ""),
            _ratio("accuracy", counts.accuracy, "counted"),
        ],
        "tags": [_tag(row) for row in counted["tags"]],
        **_failures(study),
    }


def headlines_of(study: Study) -> dict[str, Any]:
    """The message of type ``headlines``: what one more label changes at once, however many."""
    rows = [row for row in study.headlines() if row.name in HEADLINES]
    return {"type": "headlines", "estimates": [_row(row) for row in rows]}


def _chosen(found: Estimates, names: tuple[str, ...]) -> list[Estimate]:
    rows = (found.named(name) for name in names)
    return [row for row in rows if row is not None]


def _row(row: Estimate) -> dict[str, Any]:
    return row.as_dict()


def _sentences(found: Estimates, positives: str) -> list[str]:
    """What it comes to, in words that need no statistics."""
    told = []
    recall, precision = found.named("recall"), found.named("precision")
    if recall is not None and recall.value is not None:
        told.append(f"Of 100 {positives} the AI finds {about(recall)}.")
    elif recall is not None and any(row.value is not None for row in found.metrics):
        told.append(f"How many the AI misses is not known yet: {_why(recall)}.")
    if precision is not None and precision.value is not None:
        told.append(f"Of 100 that it flags {about(precision)} are right.")
    accuracy = found.named("accuracy")
    if not told and accuracy is not None and accuracy.value is not None:
        told.append(f"Of 100 answers of the AI {about(accuracy)} are right.")
    return told or ["Nothing can be said yet."]


def _why(row: Estimate) -> str:
    return (row.reason or "nothing decides it").removeprefix(f"{row.name}: ")


def about(row: Estimate) -> str:
    """A share as people say it; where little is known, only the range.

    >>> from labkit.estimation.estimates import Estimate
    >>> wide = Estimate("recall", 1.0, 0.292, 1.0, 0.95, "score", 3, "blind", "simple")
    >>> about(wide)
    'between 29 and 100 (3 labels tell no more)'
    """
    value, low, high = row.value, row.low, row.high
    if value is None:
        return "an unknown number"
    if low is None or high is None:
        return f"{_hundred(value)} of the labelled ones"
    if low == high:
        return f"{_hundred(value)}"
    least, most = floor(100 * low + _ROUNDED), ceil(100 * high - _ROUNDED)
    if high - low > WIDE:
        labels = "1 label tells" if row.n == 1 else f"{row.n} labels tell"
        return f"between {least} and {most} ({labels} no more)"
    return f"about {_hundred(value)} (from {least} to {most})"


def _hundred(value: float) -> int:
    """Of 100; what is not all is never said to be all, and what is not none never none."""
    whole = round(100 * value)
    return min(max(whole, 1), 99) if 0 < value < 1 else whole


def _based_on(study: Study, found: Estimates) -> str:
    n, of = found.counts.get("labelled", 0), len(study.predictions)
    unsure = found.counts.get("unsure", 0)
    basis = found.metrics[0].basis if found.metrics else "blind"
    told = f"From {n} {'answer' if n == 1 else 'answers'} of {of} predictions; basis: {basis}"
    told += ", the first answers, given before the AI's was shown" if basis == "blind" else ""
    told += f"; design: {found.design.name}"
    return told + (f"; {unsure} unsure." if unsure else ".")


def _absent(study: Study, found: Estimates) -> dict[str, str]:
    """Why a chart is not there yet; empty where the AI states no confidence at all."""
    if not study.frames.population.confidences:
        return {"reliability": "", "risk": ""}
    accuracy = found.named("accuracy")
    why = "" if accuracy is None or accuracy.value is not None else f": {_why(accuracy)}"
    return {
        "reliability": "no labelled item has a confidence yet.",
        "risk": f"how many of its answers are right is not known yet{why}.",
    }


def _plan(study: Study) -> str:
    plan = study.plan(assured=False)
    name = plan.metric.upper() if plan.metric == "f1" else plan.metric.capitalize()
    if plan.half_width >= UNKNOWN:
        goal = f"±{plan.goal_half_width:.2f}"
        return f"{name} is not known yet; about {plan.more_labels} answers bring it to {goal}."
    goal, now = f"±{plan.goal_half_width:.2f}", f"±{plan.half_width:.2f}"
    if plan.half_width <= plan.goal_half_width:
        return f"{name} is known to {now}; the goal {goal} is reached."
    told = f"{name} is known to {now}. For {goal} about {plan.more_labels} more are needed"
    if plan.minutes is not None:
        told += f", {max(1, round(plan.minutes))} min at your pace"
    if plan.next_stratum:
        told += f"; most useful next: {plan.next_stratum}"
    return told + "."


def _ratio(name: str, ratio: Ratio, of: str) -> dict[str, Any]:
    words = f"{ratio.numerator} of {ratio.denominator} {of}".strip()
    return {"name": name, "value": ratio.value, "counts": words}


def _tag(row: Mapping[str, Any]) -> dict[str, Any]:
    counts = Counts(tp=row["tp"], fp=row["fp"], fn=row["fn"])
    ratios = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return {**row, **{name: ratio.value for name, ratio in ratios.items()}}


def _failures(study: Study) -> dict[str, Any]:
    """Answered items on which the AI was wrong, the surest first."""
    found: list[tuple[float, str, dict[str, Any]]] = []
    for item, label in study.settled().items():
        said, shown = study.predictions.get(item), study.items.get(item)
        if said is None or shown is None or agrees(study.task, label.final, said.answer):
            continue
        chance = chance_of(study.task, said)
        sure = None
        if chance is not None:
            sure = chance if is_flagged(study.task, said) else 1 - chance
        row = {
            "item": item,
            "title": shown.title,
            "subtitle": shown.subtitle,
            "yours": plain(label.final),
            "theirs": plain(said.answer),
            "sure": sure,
        }
        found.append((-1.0 if sure is None else sure, item, row))
    found.sort(key=lambda one: (-one[0], one[1]))
    return {"failures": [row for _, _, row in found[:MAX_FAILURES]], "failed": len(found)}
