"""Stored decguard records: each is checked again, nothing in it is taken on trust."""

from __future__ import annotations

from typing import Any, cast

from labkit.evaluate.decguard.probabilities import ProbabilityError, redacted, select, validate
from labkit.evaluate.decguard.records import ERROR_KINDS, CaseError, Decision, Record, Result
from labkit.formats.fields import (
    Fields,
    anything,
    listed,
    mapping,
    number,
    one_of,
    optional,
    refuse,
    some_text,
    text,
)

PROPERTY_KINDS = ("paraphrase_error", "original_error")


def _labels(labels: tuple[str, ...], place: str) -> None:
    if not labels:
        raise refuse(place, "labels must not be empty.")
    if len(set(labels)) < len(labels):
        raise refuse(place, f"labels contain duplicates: {list(labels)}.")


def answer(value: Any, place: str, tolerance: float) -> Result:
    """One stored answer.

    Raises:
        InputError: Probabilities that are no distribution or stand in another order than the
            labels, a selected label that is not the most probable one, a confidence that is not
            its probability, an unknown field.
    """
    fields = Fields(value, place)
    found = Result(
        fields.take("case_id", some_text),
        fields.take("decision", some_text),
        cast("Any", fields.take("decision_type", one_of("choice", "noul", "score"))),
        fields.take("labels", listed(some_text)),
        fields.take("probabilities", mapping),
        fields.take("selected", text),
        fields.take("confidence", number()),
        fields.take("backend", text),
        fields.take("provider", text),
        fields.take("model", optional(text), None),
        fields.take("model_version", optional(text), None),
        fields.take("latency_ms", optional(number(0))),
        redacted(fields.take("metadata", mapping, {})),
    )
    fields.close()
    _labels(found.labels, place)
    try:
        chances = validate(found.labels, found.probabilities, tolerance)
    except ProbabilityError as error:
        raise refuse(place, f"{error}.") from error
    if list(found.probabilities) != list(found.labels):
        raise refuse(place, f"probabilities must stand in the order of {list(found.labels)}.")
    best = select(found.labels, chances)
    if found.selected != best:
        raise refuse(place, f"selected {found.selected!r} is not the most probable label {best!r}.")
    if found.confidence != chances[best]:
        fault = f"confidence {found.confidence} is not the probability of {best!r}"
        raise refuse(place, f"{fault} ({chances[best]}).")
    return found


def _error(value: Any, place: str) -> CaseError:
    fields = Fields(value, place)
    found = CaseError(
        fields.take("kind", one_of(*ERROR_KINDS, *PROPERTY_KINDS)), fields.take("message", text)
    )
    fields.close()
    return found


def record(value: Any, place: str, decision: Decision, tolerance: float) -> Record:
    """One stored case: exactly one of answer and error, of the decision the report names."""

    def stored(raw: Any, where: str) -> Result:
        return answer(raw, where, tolerance)

    fields = Fields(value, place)
    found = Record(
        fields.take("case_id", some_text),
        fields.take("input", anything),
        fields.take("expected", optional(text), None),
        fields.take("metadata", mapping, {}),
        fields.take("result", optional(stored), None),
        fields.take("error", optional(_error), None),
    )
    fields.close()
    result = found.result
    if (result is None) == (found.error is None):
        raise refuse(place, "a case needs exactly one of 'result' and 'error'.")
    if found.expected is not None and found.expected not in decision.labels:
        known = ", ".join(decision.labels)
        raise refuse(place, f"expected {found.expected!r} is not one of the labels {known}.")
    if result is not None:
        if result.case_id != found.case_id:
            raise refuse(place, f"case {found.case_id!r} holds the answer to {result.case_id!r}.")
        theirs = (result.decision, result.decision_type, result.labels)
        if theirs != (decision.name, decision.type, decision.labels):
            raise refuse(place, "the answer belongs to another decision than the report's.")
    return found
