"""What the answers say about the AI, as the Results tab draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labkit.metrics.counts import Counts, Ratio

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labkit.study import Study

CELLS = ("tp", "fp", "fn", "tn")


def results_of(study: Study) -> dict[str, Any]:
    """The message of type ``results``: a plain sentence, then counts and ratios."""
    counted = study.counted()
    binary = [(n, c) for n, c in counted.items() if isinstance(c, dict) and "tn" in c]
    if not binary:
        return {"type": "results", "n": 0}
    name, cells = binary[0]
    counts = Counts(**{key: cells[key] for key in CELLS})
    return {
        "type": "results",
        "n": counts.total,
        "sentence": _sentence(counts),
        "based_on": _based_on(study, counts.total),
        "prefix": name,
        "counts": {key: cells[key] for key in CELLS},
        "ratios": [
            _ratio("precision", counts.precision, "flagged by the AI"),
            _ratio("recall", counts.recall, "answered with yes"),
            _ratio("f1", counts.f1, ""),
            _ratio("accuracy", counts.accuracy, "counted"),
        ],
        "tags": [_tag(row) for row in counted.get("tags", ())],
    }


def _ratio(name: str, ratio: Ratio, of: str) -> dict[str, Any]:
    words = f"{ratio.numerator} of {ratio.denominator} {of}".strip()
    return {"name": name, "value": ratio.value, "counts": words}


def _tag(row: Mapping[str, Any]) -> dict[str, Any]:
    counts = Counts(tp=row["tp"], fp=row["fp"], fn=row["fn"])
    ratios = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return {**row, **{name: ratio.value for name, ratio in ratios.items()}}


def _sentence(counts: Counts) -> str:
    """What it comes to, in words.

    >>> _sentence(Counts(tp=3, fp=1, fn=1, tn=1))
    'Of 4 that you answered with yes the AI found 3; of 4 that it flagged 3 are right.'
    """
    found = (
        f"Of {counts.support} that you answered with yes the AI found {counts.tp}"
        if counts.support
        else "You have answered none with yes so far"
    )
    flagged = counts.tp + counts.fp
    verb = "is" if counts.tp == 1 else "are"
    right = f"of {flagged} that it flagged {counts.tp} {verb} right"
    return f"{found}; {right if flagged else 'it flagged none of them'}."


def _based_on(study: Study, n: int) -> str:
    of = len(study.sample.drawn)
    return f"Counted on your final answers: {n} of the {of} items in the sample."
