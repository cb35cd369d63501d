"""What the answers say about the AI, as the Results tab draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from labkit.study import Study

_RATIOS = {
    "precision": ("tp", ("tp", "fp")),
    "recall": ("tp", ("tp", "fn")),
    "accuracy": (None, ("tp", "tn", "fp", "fn")),
    "f1": (None, ()),
}


def results_of(study: Study) -> dict[str, Any]:
    """The message of type ``results``: a plain sentence, then counts and ratios."""
    counted = study.counted()
    pair = next(
        (
            (name, value)
            for name, value in counted.items()
            if isinstance(value, dict) and "tp" in value
        ),
        None,
    )
    if pair is None:
        return {"type": "results", "n": 0}
    name, counts = pair
    n = counts["tp"] + counts["fp"] + counts["fn"] + counts["tn"]
    return {
        "type": "results",
        "n": n,
        "sentence": _sentence(counts),
        "based_on": _based_on(study, n),
        "prefix": name,
        "counts": {key: counts[key] for key in ("tp", "fp", "fn", "tn")},
        "ratios": [
            {"name": ratio, "value": counts.get(ratio), "counts": _counts(ratio, counts)}
            for ratio in _RATIOS
        ],
        "tags": [dict(row) for row in counted.get("tags", ())],
    }


def _sentence(counts: Mapping[str, int]) -> str:
    relevant, flagged = counts["tp"] + counts["fn"], counts["tp"] + counts["fp"]
    found = (
        f"Of {relevant} that you answered with yes the AI found {counts['tp']}"
        if relevant
        else "You have answered none with yes so far"
    )
    right = (
        f"of {flagged} that it flagged {counts['tp']} "
        + ("is" if counts["tp"] == 1 else "are")
        + " right"
        if flagged
        else "it flagged none of them"
    )
    return f"{found}; {right}."


def _based_on(study: Study, n: int) -> str:
    of = len(study.sample.drawn)
    return f"Counted on your final answers: {n} of the {of} items in the sample."


def _counts(ratio: str, counts: Mapping[str, int]) -> str:
    tp, fp, fn, tn = (counts[key] for key in ("tp", "fp", "fn", "tn"))
    return {
        "precision": f"{tp} of {tp + fp} flagged",
        "recall": f"{tp} of {tp + fn} relevant",
        "accuracy": f"{tp + tn} of {tp + fp + fn + tn}",
        "f1": f"2 * {tp} of {2 * tp + fp + fn}",
    }[ratio]
